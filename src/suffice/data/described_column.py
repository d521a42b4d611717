"""Described column: what a column of a table is taken for, and why."""

from __future__ import annotations

from dataclasses import dataclass

from suffice.data.column_kinds import ColumnKind, SetAside

DROPPED = SetAside("dropped")


@dataclass(frozen=True, slots=True)
class DescribedColumn:
    """A column of a table: what it is, and why.

    why : one sentence
    missing : number of cells without a value
    levels : number of different values, where they count as levels or as texts
    unread : number of cells with a text that is treated as missing
    """

    name: str
    kind: ColumnKind
    why: str
    missing: int
    levels: int | None = None
    unread: int = 0

    @property
    def note(self) -> str | None:
        """A note for the user if the column, or some of its cells, are not used; else None."""
        if self.kind.label == SetAside.label and self.kind != DROPPED:
            return f"column {self.name!r} is set aside: {self.why}"
        return f"column {self.name!r}: {self.why}" if self.unread else None
