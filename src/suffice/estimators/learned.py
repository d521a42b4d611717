"""Learned: the statistics of a classifier, and everything else that determines its model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

from suffice.data.arrays import Array
from suffice.data.powers import Powers
from suffice.errors import NoStatistics
from suffice.estimators.as_numbers import as_numbers
from suffice.estimators.columns import LearnedColumns
from suffice.estimators.outline import Outline
from suffice.estimators.state import State
from suffice.models.gaussian import GaussianModel
from suffice.selection.selection import Selection


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
