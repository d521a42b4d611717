"""Outline: the form in which new rows are summarized, so that their statistics can be added."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from suffice.data.mixed import ColumnLayout
from suffice.data.powers import Powers
from suffice.data.table_rows import TableReader


@dataclass(frozen=True, slots=True)
class Outline:
    """The form of the statistics that a learner has seen, without their numbers."""

    detail: str | None = None
    layout: ColumnLayout | None = None
    reader: TableReader | None = None
    numeric: Outline | None = None
    powers: Powers | None = None

    @classmethod
    def of(cls, statistics: Any, powers: Powers | None = None) -> Outline:
        """The outline of any statistics, of rows with or without powers."""
        numeric = getattr(statistics, "numeric", None)
        return cls(
            statistics.detail,
            getattr(statistics, "layout", None),
            getattr(statistics, "reader", None),
            None if numeric is None else cls(numeric.detail),
            powers,
        )


def reader_of(X: Any, like: Outline | None) -> TableReader | None:
    """How to read a table with levels: as the rows seen so far; None for a table of numbers."""
    if like is None:
        return TableReader.of(X)
    return like.reader
