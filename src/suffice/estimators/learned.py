"""Learned: the statistics of a classifier, and everything else that determines its model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

from suffice.data.arrays import Array
from suffice.data.powers import Powers
from suffice.data.tables.encoding import Encoding
from suffice.errors import InvalidParameter, NoStatistics
from suffice.estimators.columns import LearnedColumns
from suffice.estimators.new_rows import NewRows, Outline, RowsInMemory, facts_of_table
from suffice.estimators.state import State
from suffice.models.gaussian import GaussianModel
from suffice.selection.selection import Selection
from suffice.statistics.exact.exact_incomplete import ExactIncomplete
from suffice.statistics.exact.form import is_exact
from suffice.statistics.exact.private_statistics import PrivateStatistics
from suffice.statistics.incomplete import IncompleteStatistics
from suffice.statistics.mixed import MixedStatistics
from suffice.statistics.shape import DETAILS
from suffice.statistics.statistics import Statistics
from suffice.statistics.table_statistics import TableStatistics


@dataclass(frozen=True, slots=True)
class FromFile:
    """The content of a model file beside the statistics.

    is_built : False if no model could be built from the statistics when it was saved
    completed : the classes estimated by EM (by part, if there are several), if rows have missing
        values
    """

    is_built: bool
    completed: GaussianModel | dict[str, GaussianModel] | None


@dataclass(frozen=True, eq=False, kw_only=True)
class Learned(State):
    """What a classifier has learned from rows."""

    classes: Array
    statistics: Any  # None if the parameters of the model are known
    settings: Any
    priors: Any  # as they were given
    selection: Selection | None = None
    powers: Powers | None = None
    from_file: FromFile | None = None  # None once something was learned after loading

    @classmethod
    def initial(cls, statistics: Any, selection: Selection | None, powers: Powers | None) -> Self:
        """A state with statistics, but without the settings that determine the model."""
        return cls(
            columns=LearnedColumns.of_statistics(statistics),
            classes=statistics.classes,
            statistics=statistics,
            settings=None,
            priors=None,
            selection=selection,
            powers=powers,
        )

    @classmethod
    def known(cls, model: Any, columns: LearnedColumns, settings: Any, priors: Any) -> Self:
        """The state of a model whose parameters are known, so that there are no statistics."""
        return cls(
            columns=columns,
            classes=model.classes,
            statistics=None,
            settings=settings,
            priors=priors,
            kept={"model": model},
        )

    @property
    def observed(self) -> Any:
        """The statistics; raises if there are none."""
        if self.statistics is None:
            raise NoStatistics(
                "this model was made from known parameters, so it has no statistics of rows; for "
                "what needs them, fit a model to rows: fit(X, y)."
            )
        return self.statistics

    @property
    def numbers(self) -> tuple[Any, Any]:
        """The statistics and settings from which the model is built."""
        return self.once("numbers", lambda: as_numbers(self.statistics, self.settings))

    @property
    def outline(self) -> Outline:
        """The form in which more rows must be summarized."""
        return Outline.of(self.observed, self.powers)

    def under(self, priors: Any, model: Any) -> Self:
        """The same with the model under other priors."""
        return replace(self, priors=priors, kept={"model": model})

    def without_statistics(self) -> Self:
        """The part needed to answer for single rows."""
        return replace(self, statistics=None, selection=None)


def facts_of(statistics: Any, rows: NewRows | None, before: Learned | None) -> dict[str, Any]:
    """What a state holds of the table of its rows, by the names of its fields.

    rows : those by which the statistics were changed, if any
    before : the state before that change, if there was one
    """
    reader = getattr(statistics, "reader", None)
    X, y = (rows.X, rows.y) if isinstance(rows, RowsInMemory) else (None, None)
    facts = facts_of_table(X, y, reader, before)
    if facts["columns"] is None:
        facts["columns"] = LearnedColumns.of_statistics(statistics)
    if reader is not None and facts["frame"] is not None:
        # The categories of a column that is set aside, such as one of names, are facts about rows.
        facts["frame"] = facts["frame"].only(reader.names)
    if isinstance(statistics, TableStatistics):
        facts["encoding"] = Encoding(statistics.reader, statistics.groups)
    return facts


def as_numbers(statistics: Any, settings: Any) -> tuple[Any, Any]:
    """The statistics of numbers and the settings from which a model is built.

    Those of a table with levels are of indicators, rare levels merged. Fourth-order sums do not
    exist for merged levels, so OAS replaces Ledoit-Wolf.
    """
    if isinstance(statistics, Statistics | IncompleteStatistics):
        return statistics, settings
    if isinstance(statistics, MixedStatistics):
        for key, part in statistics.parts.items():
            if is_exact(part) and key in settings.parts:
                _check_fourth_order(part, settings.parts[key].likelihood)
        return statistics.numbers, settings
    is_table = isinstance(statistics, TableStatistics)
    if is_table:
        settings = settings.without_fourth()
    if is_exact(statistics) or isinstance(statistics, PrivateStatistics):
        _check_fourth_order(statistics, settings)
        if statistics.detail == "separate" and settings.detail in DETAILS:
            # While they are integers: pooled later, in floats, they would be rounded once more.
            statistics = statistics.coarsen(settings.detail)
        return statistics.numbers, settings
    return statistics.numbers if is_table else statistics, settings


def _check_fourth_order(statistics: Any, settings: Any) -> None:
    """Raise if an estimate needs sums that these statistics do not keep."""
    lacks = not statistics.has_fourth and not isinstance(statistics, ExactIncomplete)
    if lacks and settings.needs_fourth:
        raise InvalidParameter(
            "shrinkage='ledoit-wolf' needs sums of fourth order, which these statistics do not "
            "keep: fit rows with this shrinkage from the start, or use shrinkage='oas' or a number."
        )
