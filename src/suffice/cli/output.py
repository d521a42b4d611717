"""Output: answers to a file, whole or not at all, or to standard output."""

from __future__ import annotations

import json
import math
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from suffice.errors import InvalidParameter, UnreadableFile

# On a terminal so many rows of a table are shown, and as many columns as it is wide.
SHOWN_ROWS = 20

# Longer text is shortened in the tables that people read, which are no wider than this in a file.
LONGEST, WIDEST, GAP = 32, 120, 2


def check_out(out: Path | None, *, table: bool = False) -> None:
    """Raise before any work unless a file can be written there."""
    if out is None or str(out) == "-":
        return
    if out.is_dir():
        raise UnreadableFile(f"{out} is a folder; name a file to write.")
    if not out.parent.is_dir():
        raise UnreadableFile(f"there is no folder {out.parent} to write {out.name} to; make it.")
    if table:
        from suffice.data.table_output import check_ending

        check_ending(str(out))


def check_model_out(out: Path) -> None:
    """Raise before any work unless a model or statistics can be written there."""
    from suffice.data.table_output import ENDINGS

    if out.suffix.lower() in ENDINGS:
        raise InvalidParameter(
            f"--out {out} has the ending of a table; take .suffice for a model, .stats for "
            "statistics."
        )
    check_out(out)


def write_table(
    columns: Mapping[str, Any], out: Path | None, *, as_json: bool, formulas: bool, kept: int = 0
) -> None:
    """A table to a file by its ending; else JSON, a picture of it on a terminal, or CSV.

    kept : so many columns stood in the table already; a narrow terminal shows the others first
    """
    from suffice.data.table_output import check_ending, frame_of, table_bytes
    from suffice.statistics.container import write_whole

    if out is not None and str(out) != "-":
        data = table_bytes(columns, check_ending(str(out)), safe=not formulas)
        write_whole(out, _zipped(data) if out.suffix.lower() == ".gz" else data)
        rows = frame_of(columns).height
        report({"out": str(out), "rows": rows}, as_json, f"{rows} rows written to {out}")
    elif as_json:
        typer.echo(table_bytes(columns, ".json"), nl=False)
    elif out is None and sys.stdout.isatty():
        _show_frame(frame_of(columns), kept)
    else:
        typer.echo(table_bytes(columns, ".csv", safe=not formulas), nl=False)


def free_name(name: str, taken: Iterable[str]) -> str:
    """A name that no column has yet.

    >>> free_name("label", ["label", "size"])
    'label_'
    """
    while name in taken:
        name += "_"
    return name


def report(facts: Mapping[str, Any], as_json: bool, text: str) -> None:
    """Facts as JSON on standard output, or as a line for people on a terminal."""
    if as_json:
        print_json(facts)
    elif sys.stderr.isatty():
        typer.echo(text, err=True)


def print_json(facts: Any) -> None:
    """Facts as JSON; what is no finite number is null."""
    typer.echo(json_text(facts), nl=False)


def json_text(facts: Any) -> str:
    """Facts as JSON text."""
    return json.dumps(_plain(facts), ensure_ascii=False, indent=2) + "\n"


def print_lines(head: Sequence[str], lines: Sequence[Sequence[str]], title: str = "") -> None:
    """A small table: drawn on a terminal, else aligned text."""
    shown = [[brief(cell) for cell in line] for line in (head, *lines)]
    if title:
        typer.echo(title)
    if sys.stdout.isatty():
        _draw(shown)
        return
    from suffice.selection.selection import aligned

    typer.echo("\n".join(aligned(shown)))


def brief(text: str, most: int = LONGEST) -> str:
    """A text that is not long: what is in the middle is left out.

    >>> brief("a"), brief("a label that goes on and on", 11)
    ('a', 'a lab…nd on')
    """
    kept = most - 1
    return text if len(text) <= most else f"{text[: kept - kept // 2]}…{text[-(kept // 2) :]}"


def fits(head: Sequence[str], lines: Sequence[Sequence[str]]) -> int:
    """How many of the columns fit side by side; the first always does."""
    room, used = shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDEST, 0
    for j, name in enumerate(head):
        used += max(len(brief(cell)) for cell in (name, *(line[j] for line in lines))) + GAP
        if used - GAP > room:
            return max(j, 1)
    return len(head)


def _draw(lines: Sequence[Sequence[str]]) -> None:
    """On a terminal: where it is too narrow the first column breaks, never a number."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    head, *rows = lines
    gap = 1 if fits(head, rows) == len(head) else 0
    drawn = Table(box=SIMPLE_HEAD, padding=(0, gap, 0, 0), pad_edge=False, show_edge=False)
    for j, name in enumerate(head):
        numbers = bool(rows) and all(_is_number(row[j]) for row in rows)
        drawn.add_column(Text(name), justify="right" if numbers else "left", no_wrap=j > 0)
    for row in rows:
        drawn.add_row(*map(Text, row))
    Console().print(drawn)


def _is_number(cell: str) -> bool:
    try:
        float(cell.rstrip("%") or "0")
    except ValueError:
        return cell == "-"
    return True


@contextmanager
def working(text: str) -> Iterator[Callable[[float], None] | None]:
    """Shows on a terminal that work goes on, and how far, once what it yields is told so."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(text, total=None)
        yield lambda share: progress.update(task, total=1.0, completed=share)


def _zipped(data: bytes) -> bytes:
    import gzip

    return gzip.compress(data, mtime=0)


def _show_frame(frame: Any, kept: int) -> None:
    frame = frame.select([*frame.columns[kept:], *frame.columns[:kept]])
    rows = [[_cell(value) for value in row] for row in frame.head(SHOWN_ROWS).rows()]
    width = fits(frame.columns, rows)
    # As they stand in the table, if all are shown or not.
    shown = sorted(range(width), key=lambda j: (j < frame.width - kept, j))
    print_lines([frame.columns[j] for j in shown], [[row[j] for j in shown] for row in rows])
    more = [
        f"{count} more {what}"
        for count, what in (
            (frame.height - SHOWN_ROWS, "rows"),
            (frame.width - width, "columns"),
        )
        if count > 0
    ]
    if more:
        typer.echo(f"... and {' and '.join(more)}; --out FILE writes them all", err=True)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool | None) else str(value)
