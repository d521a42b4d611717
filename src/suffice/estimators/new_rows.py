"""New rows: rows that a classifier learns or forgets, wherever they are stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from suffice.data.frame_output import frame_kind
from suffice.data.labels import name_of
from suffice.estimators.as_numbers import as_numbers
from suffice.estimators.columns import LearnedColumns
from suffice.estimators.outline import Outline
from suffice.statistics.table_statistics import TableStatistics


class NewRows:
    """Labelled rows whose statistics a learner needs."""

    def outline(self, learner: Any, settings: Any) -> Outline | None:
        """The form of the statistics of the first rows, if it does not follow from every part."""
        return None

    def statistics(self, learner: Any, settings: Any, like: Outline | None) -> Any:
        """Statistics of the rows, in the form of the learner's own, if it has any."""
        raise NotImplementedError

    def columns(self) -> LearnedColumns | None:
        """The columns, if the statistics may not determine them."""
        return None

    @property
    def target(self) -> str | None:
        """The name of the column of the labels, if it is known."""
        return None

    @property
    def frame(self) -> str | None:
        """The library of the data frame, if they are one."""
        return None

    def model(self, learner: Any, statistics: Any, settings: Any, later: bool) -> Any:
        """The model of statistics that include these rows; None if it is built later."""
        if later and not isinstance(statistics, TableStatistics):
            # Exact statistics become numbers once a model is built, not with every row.
            return learner._ready(statistics, settings, later)
        return learner._ready(*as_numbers(statistics, settings), later)


@dataclass(frozen=True, slots=True)
class RowsInMemory(NewRows):
    """An array or a data frame, and its labels."""

    X: Any
    y: Any
    sample_weight: Any = None
    classes: Any = None  # the announced classes, if any

    def outline(self, learner: Any, settings: Any) -> Outline | None:
        """The form that the learner determines from the rows before summarizing them."""
        outline: Outline | None = learner._first_outline(self.X, self.sample_weight)
        return outline

    def statistics(self, learner: Any, settings: Any, like: Outline | None) -> Any:
        """Statistics of the rows, in the form of the learner's own, if it has any."""
        if learner._state is not None:
            learner._check_columns(self.X)
        learner._check_announced(self.y, self.classes)
        y = learner._labels(self.y)
        return learner._summarize(self.X, y, self.sample_weight, settings, like)

    def columns(self) -> LearnedColumns:
        """The columns, as scikit-learn reads them."""
        return LearnedColumns.of_rows(self.X)

    @property
    def target(self) -> str | None:
        """The name of the column of the labels, if it is known."""
        return name_of(self.y)

    @property
    def frame(self) -> str | None:
        """The library of the data frame, if they are one."""
        return frame_kind(self.X)
