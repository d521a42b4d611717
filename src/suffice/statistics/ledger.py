"""Ledger: which rows of which files the statistics of an interrupted pass include."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass, field
from typing import Any, Self

from suffice.data.chunk import Position
from suffice.data.fingerprint import Fingerprint
from suffice.statistics.exact.exact_incomplete import ExactIncomplete
from suffice.statistics.exact.exact_statistics import ExactStatistics
from suffice.statistics.incomplete import AnyStatistics
from suffice.statistics.registry import storable
from suffice.statistics.soundness import MOST_ROWS

storable(Position)
storable(Fingerprint)


@storable
@dataclass(frozen=True, slots=True)
class PassState:
    """The statistics of all rows before a position."""

    position: Position = field(default_factory=Position)
    statistics: AnyStatistics | ExactStatistics | ExactIncomplete | None = (
        None  # None if no row has been counted yet
    )

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
