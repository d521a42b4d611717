"""New rows: rows that a classifier learns or forgets, and the form in which they are summarized."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.labels import Labels, name_of
from suffice.data.powers import Powers
from suffice.data.tables.frame_output import FrameForm
from suffice.data.tables.table_rows import TableReader
from suffice.errors import InvalidLabels, InvalidParameter
from suffice.estimators.columns import LearnedColumns
from suffice.text import shown


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


class NewRows:
    """Labelled rows whose statistics a learner needs."""

    def outline(self, learner: Any, settings: Any) -> Outline | None:
        """The form of the statistics of the first rows, if it does not follow from every part."""
        return None

    def statistics(self, learner: Any, settings: Any, like: Outline | None) -> Any:
        """Statistics of the rows, in the form of the learner's own, if it has any."""
        raise NotImplementedError

    def model(self, learner: Any, statistics: Any, settings: Any, later: bool) -> Any:
        """The model of statistics that include these rows; None if the learner builds it."""
        return None


@dataclass(frozen=True, slots=True)
class RowsInMemory(NewRows):
    """An array or a data frame, and its labels."""

    X: Any
    y: Any
    sample_weight: Any = None
    classes: Any = None  # the announced classes, if any

    def outline(self, learner: Any, settings: Any) -> Outline | None:
        """The form that the learner determines from the rows before summarizing them."""
        if not learner._has_powers:
            return None
        outline: Outline = learner._first_outline(self.X, self.sample_weight)
        return outline

    def statistics(self, learner: Any, settings: Any, like: Outline | None) -> Any:
        """Statistics of the rows, in the form of the learner's own, if it has any."""
        if learner._state is not None:
            learner._check_columns(self.X)
        if self.classes is not None:
            check_announced(learner, self.y, self.classes)
        y = learner._labels(self.y)
        return learner._summarize(self.X, y, self.sample_weight, settings, like)


def facts_of_table(
    X: Any, y: Any, reader: TableReader | None, before: Any = None
) -> dict[str, Any]:
    """What a state holds of a table and its labels, by the names of its fields.

    X, y : None if only the statistics of the rows are known
    reader : how the table is read, if it holds more than numbers
    before : the state before these rows were added, if there was one
    """
    columns = None if reader is None else LearnedColumns.of_reader(reader)
    if columns is None and before is None and X is not None:
        columns = LearnedColumns.of_rows(X)
    target, frame = (None, None) if before is None else (before.target, before.frame)
    if frame is None and X is not None and type(X) is not np.ndarray:
        frame = FrameForm.of(X)
    return {
        "columns": columns,
        "reader": reader,
        "target": target or name_of(y),
        "frame": frame,
    }


def check_announced(learner: Any, y: Any, classes: Any) -> None:
    """Raise unless `classes`, if given, lists the classes of y and all that were seen before."""
    if classes is None or y is None:
        return
    try:
        announced = Labels.of(classes).classes().tolist()
    except InvalidLabels as error:
        raise InvalidParameter(f"classes must list the labels of y: {error}") from None
    unknown = [label for label in Labels.of(y).classes().tolist() if label not in announced]
    if unknown:
        raise InvalidLabels(f"y holds class {shown(unknown[0])}, which is not among `classes`.")
    seen = [] if learner._state is None else learner.classes_.tolist()
    forgotten = [label for label in seen if label not in announced]
    if forgotten:
        raise InvalidParameter(
            f"classes lacks class {shown(forgotten[0])}, which has been seen before; list all "
            f"of {seen} and any new ones, or leave it out: classes need no announcement."
        )
