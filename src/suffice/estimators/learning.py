"""Learning: fit, update, merge and forget, for models that statistics suffice for."""

from __future__ import annotations

from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, Generic, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from suffice.data.arrays import Array
from suffice.data.labels import Labels, shown
from suffice.data.powers import Powers
from suffice.errors import (
    InvalidLabels,
    InvalidParameter,
    Mismatch,
    MissingClasses,
    NeverIncluded,
    TooFewRows,
)
from suffice.estimators.anywhere import anywhere
from suffice.estimators.base import AnyModel, Classifier
from suffice.estimators.columns import LearnedColumns
from suffice.estimators.judging import Judging
from suffice.estimators.new_rows import NewRows, RowsInMemory
from suffice.estimators.outline import Outline
from suffice.estimators.repairing import warn_repaired
from suffice.estimators.state import State, exchange, snapshot
from suffice.models.computable import check_computable
from suffice.models.gaussian import GaussianModel
from suffice.models.priors import class_priors
from suffice.selection.selection import Selection


@dataclass(frozen=True, eq=False, kw_only=True)
class Learned(State):
    """Statistics, and what else says which model is made of them."""

    classes: Array
    statistics: Any
    settings: Any
    priors: Any  # as they were given
    selection: Selection | None = None
    powers: Powers | None = None
    from_file: FromFile | None = None  # where nothing was learned since it was loaded

    @classmethod
    def begun(cls, statistics: Any, selection: Selection | None, powers: Powers | None) -> Self:
        """Statistics with what was found beside them, before it is known which model they make."""
        return cls(
            columns=LearnedColumns.of_statistics(statistics),
            classes=statistics.classes,
            statistics=statistics,
            settings=None,
            priors=None,
            selection=selection,
            powers=powers,
        )

    @property
    def outline(self) -> Outline:
        """What more rows are to be summarized like."""
        return Outline.of(self.statistics, self.powers)

    def under(self, priors: Any, model: Any) -> Self:
        """The same with the model under other priors."""
        return replace(self, priors=priors, kept={"model": model})

    def without_statistics(self) -> Self:
        """What is needed to answer for single rows."""
        return replace(self, statistics=None, selection=None)


@dataclass(frozen=True, slots=True)
class FromFile:
    """What a file says of a model beside its statistics.

    is_built : False where no model could be made of the statistics when it was saved
    completed : the classes that EM found, where rows have gaps
    """

    is_built: bool
    completed: GaussianModel | None


class Learner(Judging, Classifier[AnyModel], Generic[AnyModel]):
    """A classifier whose model is a function of statistics; subclasses say of which."""

    _state: Learned | None
    _takes = "what suffice.summarize returns"  # the statistics, as a message calls them

    def _settings(self) -> Any:
        """Which model the parameters ask for, after checking them."""
        raise NotImplementedError

    def _is_statistics(self, statistics: Any) -> bool:
        """Whether these are statistics that this model is made of."""
        raise NotImplementedError

    def _first_outline(self, X: Any, sample_weight: Any) -> Outline | None:
        """What first rows are to be summarized like, where that is found in them."""
        return None

    def _summarize(
        self, X: Any, y: Any, sample_weight: Any, settings: Any, like: Outline | None
    ) -> Any:
        """Statistics of rows; `like` those seen before, if any."""
        raise NotImplementedError

    def _made(self, statistics: Any, settings: Any, priors: Any) -> AnyModel:
        """The model of statistics."""
        raise NotImplementedError

    def _check_fitting(self, statistics: Any, settings: Any) -> None:
        """Raise where the statistics do not serve the settings."""

    def _alike(self, mine: Any, theirs: Any, settings: Any) -> tuple[Any, Any]:
        """Statistics of two classifiers in a form that merges."""
        return mine, theirs

    @property
    def statistics_(self) -> Any:
        """The statistics of all rows."""
        return self._learned.statistics

    @anywhere
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Summarize the rows and build the model."""
        return self._fit_to(RowsInMemory(X, y, sample_weight), self._settings())

    @anywhere
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add rows; classes never seen before are welcome and need no announcement.

        The first rows may be too few for a model; `predict` then says so until more have come.
        Several threads may add rows to one model: none is lost.
        """
        return self._add(RowsInMemory(X, y, sample_weight, classes))

    def fit_statistics(self, statistics: Any) -> Self:
        """Build the model from statistics: no row is read."""
        if not self._is_statistics(statistics):
            raise InvalidParameter(f"fit_statistics takes {self._takes}.")
        pupil = snapshot(self)
        return self._hold(pupil._next(statistics, pupil._settings()))

    def merge(self, other: Learner[Any]) -> Self:
        """Become the model of the rows of both."""
        check_is_fitted(self)
        if not isinstance(other, Learner):
            raise InvalidParameter("merge takes another fitted classifier of suffice.")
        check_is_fitted(other)
        while True:
            pupil, theirs = snapshot(self), other._learned
            if exchange(self, pupil._state, pupil._merged(theirs, type(other).__name__)):
                return self

    @anywhere
    def forget(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Take rows out again: afterwards, as if they had never been seen.

        Nothing of them stays behind in the model, its pickle or its file, up to rounding.
        """
        return self._remove(RowsInMemory(X, y, sample_weight))

    def _check_forgets(self) -> None:
        """Raise where something was learned from rows that statistics cannot give again."""

    def _fit_to(self, rows: NewRows, settings: Any) -> Self:
        """Learn from rows and from nothing that was seen before."""
        pupil = snapshot(self)
        pupil._state = None
        like = rows.outline(pupil, settings)
        found = rows.statistics(pupil, settings, like)
        powers = None if like is None else like.powers
        return self._hold(pupil._next(found, settings, rows, powers=powers))

    def _add(self, rows: NewRows) -> Self:
        return self._change(rows, forgets=False)

    def _remove(self, rows: NewRows) -> Self:
        check_is_fitted(self)
        return self._change(rows, forgets=True)

    def _change(self, rows: NewRows, forgets: bool) -> Self:
        """Add or remove the statistics of rows, though other threads may do so, too.

        What another thread adds meanwhile is not overwritten: then the change is made again, of
        the statistics that there are now. Rows are read again only if they would be summarized
        otherwise.
        """
        some = powers = None
        while True:
            pupil = snapshot(self)
            if forgets:
                pupil._check_forgets()
            before, settings = pupil._state, pupil._settings()
            like = rows.outline(pupil, settings) if before is None else before.outline
            if some is None or Outline.of(some, powers) != like:
                some = rows.statistics(pupil, settings, like)
                powers = None if like is None else like.powers
            found = some
            if before is not None:
                found = _without(before.statistics, some) if forgets else before.statistics + some
            after = pupil._next(found, settings, rows, later=not forgets, powers=powers)
            if forgets:
                # Its scores are those of folds with the rows.
                after = replace(after, selection=None)
            if exchange(self, before, after):
                return self

    def _merged(self, theirs: Learned, name: str) -> Learned:
        mine, settings = self._learned, self._settings()
        if mine.powers != theirs.powers:
            raise Mismatch(
                "the two have other powers, or none; add rows to one by partial_fit instead."
            )
        if not self._is_statistics(theirs.statistics):
            raise Mismatch(f"a {name} keeps other statistics than a {type(self).__name__}.")
        both = self._alike(mine.statistics, theirs.statistics, settings)
        return self._next(both[0] + both[1], settings, later=True)

    def _next(
        self,
        statistics: Any,
        settings: Any,
        rows: NewRows | None = None,
        later: bool = False,
        selection: Selection | None = None,
        powers: Powers | None = None,
    ) -> Learned:
        """The state of other statistics.

        rows : those that the statistics were changed by, if any
        later : the model is built when first asked for, since more rows may come before
        selection, powers : found with the first rows; afterwards they stay as they are
        """
        before, columns = self._state, None
        if before is not None:
            selection, powers = before.selection, before.powers
        elif rows is not None:
            columns = rows.columns()
        model = (rows or NewRows()).model(self, statistics, settings, later)
        return Learned(
            columns=columns or LearnedColumns.of_statistics(statistics),
            kept={} if model is None else {"model": model},
            classes=statistics.classes,
            statistics=statistics,
            settings=settings,
            priors=deepcopy(self._priors()),
            selection=selection,
            powers=powers,
        )

    def _ready(self, statistics: Any, settings: Any, later: bool) -> AnyModel | None:
        """The model, or None where it is built later; an error where it never could be."""
        if not later:
            return self._made_aloud(statistics, settings, self._priors())
        self._check_fitting(statistics, settings)
        with suppress(MissingClasses):
            class_priors(self._priors(), statistics.classes, statistics.weight)
        return None

    def _hold(self, learned: Learned) -> Self:
        self._state = learned
        return self

    @property
    def _fitted_statistics(self) -> Any:
        return self._learned.statistics

    @property
    def _built_with(self) -> Any:
        return self._learned.settings

    def _class_weight(self) -> Any:
        return self.statistics_.weight

    def _build(self, learned: Learned) -> AnyModel:
        read = learned.from_file
        if read is None:
            return self._made_aloud(learned.statistics, learned.settings, learned.priors)
        if not read.is_built:
            raise TooFewRows(
                "no model could be made of the rows when this file was saved; add rows by "
                "partial_fit, or see why: model.fit_statistics(model.statistics_)."
            )
        with np.errstate(all="ignore"):  # numbers that overflow are refused below
            if read.completed is None:
                model = self._made(learned.statistics, learned.settings, learned.priors)
            else:
                model = self._of_completed(read.completed, learned)
        check_computable(model)
        return model

    def _made_aloud(self, statistics: Any, settings: Any, priors: Any) -> AnyModel:
        """The model of statistics, with a warning where it is not quite the one asked for."""
        model = self._made(statistics, settings, priors)
        warn_repaired(self, model, statistics, settings)
        return model

    def _of_completed(self, classes: GaussianModel, learned: Learned) -> AnyModel:
        """The model whose Gaussian classes a file holds."""
        raise NotImplementedError

    def _check_announced(self, y: Any, classes: Any) -> None:
        if classes is None or y is None:
            return
        try:
            known = Labels.of(classes).classes().tolist()
        except InvalidLabels as error:
            raise InvalidParameter(f"classes must list the labels of y: {error}") from None
        unknown = [label for label in Labels.of(y).classes().tolist() if label not in known]
        if unknown:
            raise InvalidLabels(f"y holds class {shown(unknown[0])}, which is not among `classes`.")


def _without(seen: Any, gone: Any) -> Any:
    left = seen - gone
    if not len(left.classes):
        raise NeverIncluded("forgetting these rows would leave none; start afresh with fit.")
    return left
