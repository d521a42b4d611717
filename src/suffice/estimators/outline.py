"""Outline: the form in which new rows are summarized, so that their statistics can be added."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from suffice.data.powers import Powers
from suffice.data.tables.table_rows import TableReader


@dataclass(frozen=True, slots=True)
class Outline:
    """The form of the statistics that a learner has seen, without their numbers."""

    detail: Any = None  # with the layout of the columns, or the grid, where there is one
    reader: TableReader | None = None
    powers: Powers | None = None

    @classmethod
    def of(cls, statistics: Any, powers: Powers | None = None) -> Outline:
        """The outline of any statistics, of rows with or without powers."""
        form = getattr(statistics, "form", statistics.detail)
        return cls(form, getattr(statistics, "reader", None), powers)
