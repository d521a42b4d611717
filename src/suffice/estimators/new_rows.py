"""New rows: rows that a classifier learns or forgets, wherever they are stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from suffice.data.labels import Labels, name_of
from suffice.data.tables.frame_output import FrameForm
from suffice.data.tables.table_rows import TableReader
from suffice.errors import InvalidLabels, InvalidParameter
from suffice.estimators.columns import LearnedColumns
from suffice.estimators.outline import Outline
from suffice.text import shown


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
    def frame(self) -> FrameForm | None:
        """The form of the data frame, if they are one."""
        return None

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

    def columns(self) -> LearnedColumns:
        """The columns, as scikit-learn reads them."""
        return LearnedColumns.of_rows(self.X)

    def facts(self, reader: TableReader | None) -> dict[str, Any]:
        """What a state holds of a table that is read in this way, by the names of its fields."""
        return {
            "columns": self.columns() if reader is None else LearnedColumns.of_reader(reader),
            "reader": reader,
            "target": self.target,
            "frame": self.frame,
        }

    @property
    def target(self) -> str | None:
        """The name of the column of the labels, if it is known."""
        return name_of(self.y)

    @property
    def frame(self) -> FrameForm | None:
        """The form of the data frame, if they are one."""
        return FrameForm.of(self.X)


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
