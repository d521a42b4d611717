"""Checkpoint: statistics and the ledger of the rows that they include, in one file.

Both are replaced together or not at all. Whenever a process ends, each row that the file records as
counted is in its statistics exactly once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any, ClassVar, Self

from suffice.data.columns.column_kinds import Number
from suffice.data.sources.chunk import Position
from suffice.data.sources.files import read_whole, write_whole
from suffice.data.sources.fingerprint import Fingerprint
from suffice.data.tables.table_layout import TableLayout
from suffice.data.tables.table_rows import TableReader
from suffice.errors import (
    ChangedInput,
    CheckpointFailed,
    InvalidFile,
    InvalidParameter,
    UnwritableFile,
)
from suffice.statistics.storage.container import brief, pack, unpack
from suffice.statistics.storage.registry import storable
from suffice.statistics.storage.room import Room
from suffice.statistics.storage.soundness import MOST_ROWS
from suffice.statistics.storage.storage import read_value
from suffice.statistics.storage.walker import to_arrays
from suffice.statistics.table_statistics import RowStatistics, TableStatistics

storable(Position)
storable(Fingerprint)


@storable
@dataclass(frozen=True, slots=True)
class PassState:
    """The statistics of all rows before a position."""

    position: Position = field(default_factory=Position)
    statistics: RowStatistics | None = None  # None if no row has been counted yet

    @property
    def rows(self) -> int:
        """Number of rows counted."""
        return 0 if self.statistics is None else int(self.statistics.count.sum())

    def validated(self) -> Self:
        """This state, if its position is possible; a ValueError otherwise."""
        at = self.position
        if not all(0 <= number < MOST_ROWS for number in astuple(at)):
            raise ValueError("a position is outside every file")
        if at.mark_row > at.row:
            raise ValueError("a position is behind itself")
        return self


@storable
@dataclass(frozen=True, slots=True)
class Ledger:
    """What is computed from which files, and how far the pass has come.

    task : the settings of the pass by name: strings, numbers, lists of strings, or None
    files, prints : the names of the files, and what they are recognised by
    now : how far the pass has come
    before : the state at the start of a file that could not be read
    """

    task: Mapping[str, Any]
    files: tuple[str, ...]
    prints: tuple[Fingerprint, ...]
    now: PassState
    before: PassState | None = None

    def validated(self) -> Self:
        """This ledger, if its states lie in its files; a ValueError otherwise."""
        if len(self.files) != len(self.prints):
            raise ValueError("there are not as many fingerprints as files")
        for state in (self.now, self.before):
            if state is not None and state.position.file >= max(1, len(self.files)):
                raise ValueError("a position is in a file that does not exist")
        return self


@dataclass(slots=True)
class Checkpoint:
    """A file from which an interrupted pass over files is resumed.

    task : what is computed; a file of another task is refused
    reader : how columns are read, if they are not all numbers; it must not change either
    """

    # Shortest time between two commits: in seconds, and as a multiple of the time that one takes.
    interval: ClassVar[float] = 2.0
    sparseness: ClassVar[float] = 100.0

    path: Path
    paths: Sequence[Path]
    task: dict[str, Any]
    reader: TableReader | None = None  # how a table with levels is read
    before: PassState | None = None  # the state at the start of an unreadable file
    _prints: list[Fingerprint] = field(default_factory=list)
    _due: float = 0.0

    def begin(self) -> PassState:
        """The state to resume from; raises unless the input files are the ones it was made from."""
        self._prints = [Fingerprint.of(path) for path in self.paths]
        state = self._read() if self.path.exists() else PassState()
        # Fail early if the file cannot be written.
        self.commit(state, self.before)
        return state

    def offer(self, state: PassState) -> None:
        """Write a state if the last one is old enough."""
        if monotonic() >= self._due:
            self.commit(state)

    def commit(self, state: PassState, before: PassState | None = None) -> None:
        """Write a state.

        before : the state at the start of a file that cannot be read; once that file is
            fixed, it is read again from its start
        """
        start = monotonic()
        ledger = Ledger(self.task, self._names(), tuple(self._prints), state, before)
        try:
            write_whole(self.path, pack(*to_arrays(ledger, exact=True)))
        except UnwritableFile as error:
            raise CheckpointFailed(
                f"the checkpoint could not be written: {error} Fix that and run again: the work "
                "resumes from the last checkpoint."
            ) from None
        now = monotonic()
        self._due = now + max(self.interval, self.sparseness * (now - start))

    def _names(self) -> tuple[str, ...]:
        return tuple(map(str, self.paths))

    def _read(self) -> PassState:
        name, ledger = str(self.path), _read_ledger(self.path)
        self._check_task(ledger)
        changed = self._changed(ledger)
        self.before = ledger.before
        if self.before is not None and changed == [self.before.position.file]:
            return self.before
        if not changed:
            return ledger.now
        raise ChangedInput(
            f"{self.paths[changed[0]]} has changed since the checkpoint {name} was written, so "
            "its counts are no longer valid. Restore the old file, or delete the checkpoint to "
            "start again."
        )

    def _check_task(self, ledger: Ledger) -> None:
        for key, value in self.task.items():
            if ledger.task.get(key) != value:
                raise InvalidParameter(
                    f"the checkpoint {self.path} was made with {key} {ledger.task.get(key)!r}, "
                    f"not {value!r}. Name another file, or delete this one to start again."
                )
        for statistics in _statistics(ledger):
            if getattr(statistics, "reader", None) != self.reader:
                raise InvalidParameter(
                    f"the checkpoint {self.path} was made with columns that are read in another "
                    "way. Pass the same columns=, or none, or delete the file to start again."
                )
            own = statistics.detail, list(statistics.feature_names or ())
            if own != (self.task["detail"], self.task["columns"]):
                raise InvalidFile(
                    f"{self.path} is not consistent: its statistics do not belong to its task."
                )

    def _changed(self, ledger: Ledger) -> list[int]:
        """The files that have changed; an error names those added or removed."""
        then, now = ledger.files, self._names()
        if then != now:
            other = [*(set(now) - set(then)), *(set(then) - set(now))]
            what = f"{min(other)} is" if other else "their order is"
            raise ChangedInput(
                f"these are not the files that the checkpoint {self.path} was made from: {what} "
                "different. Name the same files, or delete the checkpoint to start again."
            )
        pairs = zip(ledger.prints, self._prints, strict=True)
        return [i for i, (before, after) in enumerate(pairs) if before != after]


def resumed_layout(path: Path, columns: Sequence[str] | None = None) -> TableLayout | None:
    """What the columns are, as the pass that a checkpoint resumes has decided; None if it is new.

    Rows that were fixed since then could make the columns look different.

    columns : the features that a user names; another pass is not resumed
    """
    ledger = _read_ledger(path) if path.exists() else None
    for statistics in () if ledger is None else _statistics(ledger):
        names = statistics.feature_names or ()
        if ledger is None or list(names) != ledger.task.get("columns"):
            return None
        if columns is not None and tuple(columns) != names:
            return None
        if isinstance(statistics, TableStatistics):
            return statistics.reader.layout
        return TableLayout(names, (Number(),) * len(names))
    return None


def _statistics(ledger: Ledger) -> list[RowStatistics]:
    states = [state for state in (ledger.now, ledger.before) if state is not None]
    return [state.statistics for state in states if state.statistics is not None]


def _read_ledger(path: Path) -> Ledger:
    name, data = str(path), read_whole(path)
    header, arrays = unpack(data, name)
    if header.get("kind") != Ledger.__name__:
        kind = brief(header.get("kind"))
        raise InvalidFile(f"{name} is not a checkpoint but {kind}; choose another file name.")
    # Twice the memory of other files, and labels of any length: the labels of further rows
    # are not limited either.
    ledger: Ledger = read_value(header, arrays, name, Room(2 * len(data), label_bytes=None))
    return ledger
