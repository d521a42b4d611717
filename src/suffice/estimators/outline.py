"""Outline: what new rows are to be summarized like, so that their statistics can be added."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from suffice.data.mixed import ColumnLayout
from suffice.data.powers import Powers


@dataclass(frozen=True, slots=True)
class Outline:
    """What a learner asks of the statistics it has seen, without their numbers."""

    detail: str | None = None
    layout: ColumnLayout | None = None
    numeric: Outline | None = None
    powers: Powers | None = None

    @classmethod
    def of(cls, statistics: Any, powers: Powers | None = None) -> Outline:
        """The outline of any statistics, of rows that were taken to powers or not."""
        numeric = getattr(statistics, "numeric", None)
        return cls(
            statistics.detail,
            getattr(statistics, "layout", None),
            None if numeric is None else cls(numeric.detail),
            powers,
        )
