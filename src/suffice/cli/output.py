"""Output: answers to a file, whole or not at all, or to standard output."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from suffice.errors import InvalidParameter, UnreadableFile

# On a terminal so many rows and columns of a table are shown.
SHOWN_ROWS, SHOWN_COLUMNS = 20, 12


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
    columns: Mapping[str, Any], out: Path | None, *, as_json: bool, formulas: bool
) -> None:
    """A table to a file by its ending; else JSON, a picture of it on a terminal, or CSV."""
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
        _show_frame(frame_of(columns))
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
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        drawn = Table(*head, title=title or None, title_justify="left")
        for line in lines:
            drawn.add_row(*map(Text, line))
        Console().print(drawn)
        return
    from suffice.selection.selection import aligned

    if title:
        typer.echo(title)
    typer.echo("\n".join(aligned([list(head), *map(list, lines)])))


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


def _show_frame(frame: Any) -> None:
    names = frame.columns[:SHOWN_COLUMNS]
    rows = [[_cell(value) for value in row] for row in frame.select(names).head(SHOWN_ROWS).rows()]
    print_lines(names, rows)
    more = [
        f"{count} more {what}"
        for count, what in (
            (frame.height - SHOWN_ROWS, "rows"),
            (frame.width - SHOWN_COLUMNS, "columns"),
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
