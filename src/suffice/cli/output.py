"""Output: answers to a file, whole or not at all, to a pipe, or to standard output."""

from __future__ import annotations

import json
import math
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import typer

from suffice.cli.signing import key
from suffice.data.sources.files import (
    check_writable,
    descriptor,
    is_pipe,
    unwritable,
    write_pipe,
    write_whole,
)
from suffice.data.tables.table import reads_as_number
from suffice.errors import InvalidParameter
from suffice.text import HIDDEN, shorten, visible, visible_lines


def check_out(out: Path | None, *, table: bool = False) -> None:
    """Raise before any work unless answers can be written there."""
    if out is None or is_stdout(out) or is_pipe(out):
        return
    check_writable(out)
    if table:
        from suffice.data.tables.table_output import check_ending

        check_ending(str(out))


def check_file_out(out: Path) -> None:
    """Raise before any work unless a file can be written there; standard output shows text."""
    if is_stdout(out):
        raise InvalidParameter(f"--out {out} is standard output, which shows text; name a file.")
    check_out(out)


def check_model_out(out: Path) -> None:
    """Raise before any work unless a model or statistics can be written there."""
    from suffice.data.tables.table_output import ENDINGS

    if out.suffix.lower() in ENDINGS:
        raise InvalidParameter(
            f"--out {out} has the ending of a table; use .suffice for a model, .stats for "
            "statistics."
        )
    check_file_out(out)


def is_stdout(out: Path) -> bool:
    """Whether a path means standard output: - or /dev/stdout."""
    return str(out) == "-" or descriptor(out) == 1


def write_out(out: Path, data: bytes) -> None:
    """Write a file, or stream to a pipe, an open file such as /dev/fd/3, or /dev/null."""
    if not is_pipe(out):
        write_whole(out, data)
        return
    sys.stdout.flush()
    with unwritable(out):
        write_pipe(out, data)


def save(model: Any, out: Path, created: date | None = None) -> None:
    """Write the file of a model or of statistics."""
    from suffice.estimators.files import file_of

    write_out(out, file_of(model, created, key()))


def save_and_report(
    content: Any, out: Path, as_json: bool, more: Mapping[str, str] | None = None
) -> None:
    """Write a model or statistics, and report what was written, with further facts."""
    from suffice.cli.facts import facts

    save(content, out)
    notify(
        {"out": str(out), **facts(content), **(more or {})},
        as_json,
        f"{content!r} written to {out}",
    )
    if more and not as_json:
        say(*(f"{name}: {value}" for name, value in more.items()))


def say(*lines: str, err: bool = False) -> None:
    """Print lines for people, with control characters escaped."""
    for line in lines:
        typer.echo(visible(line), err=err)


def write_table(
    columns: Mapping[str, Any], out: Path | None, *, as_json: bool, formulas: bool, kept: int = 0
) -> None:
    """A table to a file by its ending; else JSON, or a drawn table on a terminal, or CSV.

    kept : number of leading columns from the input; a narrow terminal shows the others first
    """
    from suffice.data.tables.table_output import frame_of, table_bytes

    if out is not None and not is_stdout(out):
        data = table_bytes(columns, _ending(out), safe=not formulas)
        write_out(out, _zipped(data) if out.suffix.lower() == ".gz" else data)
        rows = frame_of(columns).height
        notify({"out": str(out), "rows": rows}, as_json, f"{rows} rows written to {out}")
    elif as_json:
        typer.echo(table_bytes(columns, ".json"), nl=False)
    elif not sys.stdout.isatty():
        typer.echo(table_bytes(columns, ".csv", safe=not formulas), nl=False)
    elif out is None:
        _show_frame(frame_of(columns), kept)
    else:
        text = table_bytes(columns, ".csv", safe=not formulas).decode()
        typer.echo(visible_lines(text), nl=False)


def _ending(out: Path) -> str:
    """The format of a table by its name; CSV for a stream without a known ending."""
    from suffice.data.tables.table_output import ENDINGS, check_ending

    return ".csv" if is_pipe(out) and out.suffix not in ENDINGS else check_ending(str(out))


def free_name(name: str, taken: Iterable[str]) -> str:
    """A name that no other column has.

    >>> free_name("label", ["label", "size"])
    'label_'
    """
    while name in taken:
        name += "_"
    return name


def answer(facts: Mapping[str, Any], as_json: bool, *lines: str) -> None:
    """The answer of a command on standard output: as JSON, or as lines for people."""
    if as_json:
        print_json(facts)
    else:
        say(*lines)


def notify(facts: Mapping[str, Any], as_json: bool, text: str) -> None:
    """Facts as JSON on standard output, or as a line for people on a terminal."""
    if as_json:
        print_json(facts)
    elif sys.stderr.isatty():
        say(text, err=True)


def print_json(facts: Any) -> None:
    """Facts as JSON; numbers that are not finite become null."""
    typer.echo(json_text(facts), nl=False)


def json_text(facts: Any) -> str:
    """Facts as JSON text, in which control characters are escaped."""
    text = json.dumps(_plain(facts), ensure_ascii=False, indent=2)
    # These line ends are those of the layout: JSON escapes the ones within texts itself.
    return HIDDEN.sub(lambda c: c[0] if c[0] == "\n" else f"\\u{ord(c[0]):04x}", text) + "\n"


def print_lines(head: Sequence[str], lines: Sequence[Sequence[str]], title: str = "") -> None:
    """A small table: drawn on a terminal, else aligned text."""
    shown = [[brief(cell) for cell in line] for line in (head, *lines)]
    if title:
        say(title)
    if sys.stdout.isatty():
        _draw(shown)
        return
    from suffice.text import align_columns

    say(*align_columns(shown))


def brief(text: str, most: int = 32) -> str:
    """A text for a cell of a table, without its middle if it is long.

    >>> brief("a"), brief("a label that goes on and on", 11)
    ('a', 'a lab…nd on')
    """
    return shorten(visible(text), most)


def columns_that_fit(head: Sequence[str], lines: Sequence[Sequence[str]]) -> int:
    """The number of columns that fit side by side, at least one."""
    widest = 120  # characters of a line that does not go to a terminal
    room, used = shutil.get_terminal_size().columns if sys.stdout.isatty() else widest, 0
    gap = 2  # characters between columns
    for j, name in enumerate(head):
        used += max(len(brief(cell)) for cell in (name, *(line[j] for line in lines))) + gap
        if used - gap > room:
            return max(j, 1)
    return len(head)


def _draw(lines: Sequence[Sequence[str]]) -> None:
    """Draw a table on a terminal; if it is too narrow the first column wraps, never a number."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    head, *rows = lines
    gap = 1 if columns_that_fit(head, rows) == len(head) else 0
    drawn = Table(box=SIMPLE_HEAD, padding=(0, gap, 0, 0), pad_edge=False, show_edge=False)
    for j, name in enumerate(head):
        numbers = bool(rows) and all(
            row[j] in ("", "-") or reads_as_number(row[j].rstrip("%")) for row in rows
        )
        drawn.add_column(Text(name), justify="right" if numbers else "left", no_wrap=j > 0)
    for row in rows:
        drawn.add_row(*map(Text, row))
    Console().print(drawn)


@contextmanager
def working(text: str) -> Iterator[Callable[[float], None] | None]:
    """Show a progress bar on a terminal; yields the function that sets its share, or None."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    # A name such as "[red]" is not markup.
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(visible(text), total=None)
        yield lambda share: progress.update(task, total=1.0, completed=share)


def _zipped(data: bytes) -> bytes:
    import gzip

    return gzip.compress(data, mtime=0)


def _show_frame(frame: Any, kept: int) -> None:
    frame = frame.select([*frame.columns[kept:], *frame.columns[:kept]])
    shown_rows = 20  # of a table on a terminal
    rows = [[_cell(value) for value in row] for row in frame.head(shown_rows).rows()]
    width = columns_that_fit(frame.columns, rows)
    # In the order of the table, whether all are shown or not.
    shown = sorted(range(width), key=lambda j: (j < frame.width - kept, j))
    print_lines([frame.columns[j] for j in shown], [[row[j] for j in shown] for row in rows])
    more = [
        f"{count} more {what}"
        for count, what in (
            (frame.height - shown_rows, "rows"),
            (frame.width - width, "columns"),
        )
        if count > 0
    ]
    if more:
        say(f"... and {' and '.join(more)}; --out FILE writes them all", err=True)


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
