"""Described column: what a column of a table is taken for, and why."""

from __future__ import annotations

from dataclasses import dataclass

from suffice.data.column_kinds import ColumnKind


@dataclass(frozen=True, slots=True)
class DescribedColumn:
    """A column of a table: what it is, and why.

    why : one sentence
    missing : number of cells without a value
    levels : number of different values, where they count as levels or as texts
    """

    name: str
    kind: ColumnKind
    why: str
    missing: int
    levels: int | None = None
