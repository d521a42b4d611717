"""Progress: how far a pass over the rows has come, and a progress bar."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias

from suffice.errors import InvalidParameter
from suffice.text import shown


@dataclass(frozen=True, slots=True)
class Progress:
    """Rows counted so far, the share of the input they are, and the time they took.

    >>> Progress(rows=1000, share=0.25, seconds=2.0).seconds_left
    6.0
    """

    rows: int
    share: float  # 0 if the size of the input is unknown
    seconds: float
    rows_before: int = 0  # counted by an earlier run that this one resumes
    share_before: float = 0.0

    @property
    def rate(self) -> float:
        """Rows per second."""
        return (self.rows - self.rows_before) / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Estimated time for the rest, or None if there is no estimate."""
        done = self.share - self.share_before
        return self.seconds * (1.0 - self.share) / done if done > 0 else None


Listener: TypeAlias = Callable[[Progress], object]


@contextmanager
def progress_listener(progress: bool | Listener) -> Iterator[Listener | None]:
    """What receives the progress: the user's function, a bar on a terminal, or None."""
    if callable(progress):
        yield progress
    elif progress not in (True, False):
        raise InvalidParameter(f"progress is {shown(progress)}; pass True, False or a function.")
    elif progress and sys.stderr is not None and sys.stderr.isatty():
        with _bar() as bar:
            yield bar
    else:
        yield None


def line(progress: Progress) -> str:
    """Rows, rate and time left in words.

    >>> line(Progress(rows=2_500_000, share=0.5, seconds=10.0))
    '2,500,000 rows, 250,000 rows/s, 0:00:10 left'
    """
    text = f"{progress.rows:,} rows, {progress.rate:,.0f} rows/s"
    left = progress.seconds_left
    if left is None:
        return text
    minutes, seconds = divmod(round(left), 60)
    return f"{text}, {minutes // 60}:{minutes % 60:02}:{seconds:02} left"


@contextmanager
def _bar() -> Iterator[Listener]:
    try:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Display
    except ImportError:
        yield _plain
        sys.stderr.write("\n")
        return
    columns = (
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TextColumn("{task.description}"),
    )
    with Display(*columns, console=Console(stderr=True), transient=True) as display:
        task = display.add_task("reading", total=None)

        def listen(progress: Progress) -> None:
            total = 1.0 if progress.share else None
            text = line(progress)
            display.update(task, completed=progress.share, total=total, description=text)

        yield listen


def _plain(progress: Progress) -> None:
    sys.stderr.write(f"\r{line(progress)}\033[K")
    sys.stderr.flush()
