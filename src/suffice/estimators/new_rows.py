"""New rows: what a classifier learns from or forgets, wherever it lies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from suffice.estimators.columns import LearnedColumns
from suffice.estimators.outline import Outline


class NewRows:
    """Rows with labels, of which a learner asks for statistics."""

    def outline(self, learner: Any, settings: Any) -> Outline | None:
        """What the statistics of first rows are to be like, where not every part can tell."""
        return None

    def statistics(self, learner: Any, settings: Any, like: Outline | None) -> Any:
        """Statistics of the rows; like those that the learner has, if it has any."""
        raise NotImplementedError

    def columns(self) -> LearnedColumns | None:
        """The columns, where the statistics may not tell."""
        return None

    def model(self, learner: Any, statistics: Any, settings: Any, later: bool) -> Any:
        """The model of statistics that these rows are part of; None if it is built later."""
        return learner._ready(statistics, settings, later)


@dataclass(frozen=True, slots=True)
class RowsInMemory(NewRows):
    """An array or a data frame, and its labels."""

    X: Any
    y: Any
    sample_weight: Any = None
    classes: Any = None  # those announced, if any

    def outline(self, learner: Any, settings: Any) -> Outline | None:
        """What the learner finds in the rows before it summarizes them."""
        found: Outline | None = learner._first_outline(self.X, self.sample_weight)
        return found

    def statistics(self, learner: Any, settings: Any, like: Outline | None) -> Any:
        """Statistics of the rows; like those that the learner has, if it has any."""
        if learner._state is not None:
            learner._check_columns(self.X)
        learner._check_announced(self.y, self.classes)
        y = learner._labels(self.y)
        return learner._summarize(self.X, y, self.sample_weight, settings, like)

    def columns(self) -> LearnedColumns:
        """The columns, as scikit-learn reads them."""
        return LearnedColumns.of_rows(self.X)
