"""Outline: the form in which new rows are summarized, so that their statistics can be added."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from suffice.data.powers import Powers


@dataclass(frozen=True, slots=True)
class Outline:
    """The form of the statistics that a learner has seen, without their numbers."""

    detail: Any = None  # with the layout of the columns, where features come in parts
    powers: Powers | None = None

    @classmethod
    def of(cls, statistics: Any, powers: Powers | None = None) -> Outline:
        """The outline of any statistics, of rows with or without powers."""
        return cls(getattr(statistics, "form", statistics.detail), powers)
