"""Everyday tables: twelve real ones through every answer, in Python and on the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import raw_tables
from benchmarks.row import AT_MOST, Row
from benchmarks.walk import Step, Walk, difference

SUBJECT = "everyday"
QUICK_ROWS = 600
EQUAL = 1e-8  # relative
# A choice among all models may take this long on tables with fewer rows than that.
MOST_SECONDS, MOST_ROWS = 10.0, 5000

missing = raw_tables.missing


def measure(quick: bool, say: Callable[[str], None]) -> Iterator[Row]:
    """All rows of this subject: CPU milliseconds in Python beside those of the command."""
    for name in raw_tables.TABLES:
        frame, target = raw_tables.load(name, QUICK_ROWS if quick else None)
        case = f"{name}, {len(frame):,} x {frame.shape[1] - 1}"
        with TemporaryDirectory() as folder:
            walk = Walk.of(frame, target, Path(folder))
            for step in walk.steps():
                yield _row(case, step, say)
            if not quick:
                step = walk.select()
                yield _row(case, step, say)
                if len(frame) < MOST_ROWS:
                    yield _limit(case, step)
                yield _row(case, walk.report(), say)


def _row(case: str, step: Step, say: Callable[[str], None]) -> Row:
    gap = difference(step.python, step.command)
    assert gap <= EQUAL, (case, step.name, gap)
    spent = f"{step.python_seconds:.2f} s and {step.command_seconds:.2f} s of CPU"
    say(f"{case}: {step.name}: equal in Python and on the command line, {spent}")
    ours, reference = 1e3 * step.python_seconds, max(1e-3, 1e3 * step.command_seconds)
    return Row(SUBJECT, case, step.name, ours, "the command", reference, AT_MOST)


def _limit(case: str, step: Step) -> Row:
    ours, most = 1e3 * step.python_seconds, 1e3 * MOST_SECONDS
    return Row(SUBJECT, case, step.name, ours, f"{MOST_SECONDS:g} s", most, AT_MOST, 1.0)
