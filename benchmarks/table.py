"""Table: rows as plain text, one block a comparison."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from benchmarks.row import AT_MOST, Row

MARK = {True: "pass", False: "MISSED", None: ""}
HEAD = ("case", "ours", "reference", "ratio", "limit", "")


def grouped(rows: Iterable[Row]) -> dict[tuple[str, str, str], list[Row]]:
    """Rows by what is compared with what, in order of appearance."""
    groups: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row.quantity, row.reference_name, row.sense), []).append(row)
    return groups


def title(row: Row) -> str:
    """What the ratio of a row is, in words."""
    if row.sense == AT_MOST:
        return f"{row.quantity} / {row.reference_name} (cost: ours / reference)"
    return f"{row.quantity} against {row.reference_name} (speed-up: reference / ours)"


def table(rows: Sequence[Row]) -> str:
    """All rows, aligned, with the tally of limits below."""
    blocks = [(title(group[0]), [_cells(row) for row in group]) for group in grouped(rows).values()]
    lines = [HEAD, *(cells for _, group in blocks for cells in group)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEAD))]
    text = [_line(HEAD, widths)]
    for name, group in blocks:
        text += ["", name, *(_line(cells, widths) for cells in group)]
    bound = [row for row in rows if row.ok is not None]
    missed = sum(not row.ok for row in bound)
    return "\n".join([*text, "", f"{len(bound) - missed} of {len(bound)} limits kept"])


def _cells(row: Row) -> tuple[str, ...]:
    limit = "" if row.limit is None else f"{row.sense} {row.limit:g}"
    ours, reference = (_amount(value, row.unit) for value in (row.ours, row.reference))
    return row.case, ours, reference, f"{row.ratio:.2f} x", limit, MARK[row.ok]


def _amount(value: float, unit: str) -> str:
    if unit == "ms" and value < 1.0:
        return f"{1e3 * value:.1f} us"
    if unit == "nats":
        return f"{value:.4f} {unit}"
    return f"{value:,.1f} {unit}"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *middle, last = (f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
    return "  ".join(["  " + cells[0].ljust(len(first)), *middle, last]).rstrip()
