"""Learning: fit, update, merge and forget models that are defined by statistics."""

from __future__ import annotations

from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from typing import Any, Generic, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from suffice.data.powers import Powers
from suffice.errors import InvalidParameter, Mismatch, MissingClasses, NeverIncluded, TooFewRows
from suffice.estimators.anywhere import learns, learns_afresh
from suffice.estimators.classifier import AnyModel
from suffice.estimators.judging import Judged
from suffice.estimators.learned import Learned, as_numbers, facts_of
from suffice.estimators.new_rows import NewRows, Outline, RowsInMemory
from suffice.estimators.repairing import warn_repaired
from suffice.estimators.state import exchange, snapshot
from suffice.models.priors import class_priors
from suffice.selection.selection import Selection
from suffice.statistics.exact.form import is_exact
from suffice.statistics.table_statistics import TableStatistics


class Learner(Judged[AnyModel], Generic[AnyModel]):
    """A classifier whose model is a function of statistics, which subclasses define."""

    _takes = "what suffice.summarize returns"  # description of the statistics for messages
    _has_powers = False  # whether features are raised to powers first
    _can_be_known = False  # whether it can be made from known parameters

    def _settings(self) -> Any:
        """The likelihood with its settings, after checking the parameters."""
        raise NotImplementedError

    def _is_statistics(self, statistics: Any) -> bool:
        """Whether these are statistics from which this model can be built."""
        raise NotImplementedError

    def _summarize(
        self, X: Any, y: Any, sample_weight: Any, settings: Any, like: Outline | None
    ) -> Any:
        """Statistics of rows, in the form of `like`, if given."""
        return settings.summarize(X, y, sample_weight, None if like is None else like.detail)

    @property
    def statistics_(self) -> Any:
        """The statistics of all rows."""
        return self._learned.observed

    @learns_afresh
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Summarize the rows and build the model."""
        return self._fit_to(RowsInMemory(X, y, sample_weight), self._settings())

    @learns
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add rows; new classes are allowed and need not be announced in `classes`.

        The first rows may be too few for a model; `predict` then raises until more are added.
        Several threads may add rows to one model; none is lost.
        """
        return self._change(RowsInMemory(X, y, sample_weight, classes))

    def fit_statistics(self, statistics: Any) -> Self:
        """Build the model from statistics, without reading rows."""
        if not self._is_statistics(statistics):
            raise InvalidParameter(f"fit_statistics takes {self._takes}.")
        pupil = snapshot(self)
        return self._hold(pupil._next(statistics, pupil._settings()))

    def merge(self, other: Learner[Any]) -> Self:
        """Add the rows that another classifier has learned from."""
        check_is_fitted(self)
        if not isinstance(other, Learner):
            raise InvalidParameter("merge takes another fitted classifier of suffice.")
        check_is_fitted(other)
        while True:
            pupil, theirs = snapshot(self), other._learned
            if exchange(self, pupil._state, pupil._merge_state(theirs, type(other).__name__)):
                return self

    @learns
    def forget(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Remove rows, as if they had never been seen.

        No row, and no bound that one of them set, stays in the model, its pickle or its file. What
        may remain is rounding: about 1e-16 of the spread of the rows that were there. On a grid
        (`grid=`) not even that remains: `digest` is then that of a model that never saw them.
        """
        return self._change(RowsInMemory(X, y, sample_weight), forgets=True)

    def _check_forgets(self) -> None:
        """Raise if something was learned from rows that statistics cannot reproduce."""

    def _fit_to(self, rows: NewRows, settings: Any) -> Self:
        """Learn from these rows only, discarding earlier ones."""
        pupil = snapshot(self)
        pupil._state = None
        like = rows.outline(pupil, settings)
        statistics = rows.statistics(pupil, settings, like)
        powers = None if like is None else like.powers
        self._state = pupil._next(statistics, settings, rows, powers=powers)
        return self

    def _change(self, rows: NewRows, forgets: bool = False) -> Self:
        """Add or remove the statistics of rows, safely while other threads do the same.

        Rows that another thread adds meanwhile are not lost: the change is then repeated on
        the current statistics. Rows are read again only if they must be summarized differently.
        """
        if forgets:
            check_is_fitted(self)
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
            statistics = some
            if before is not None:
                statistics = (
                    _without(before.statistics, some) if forgets else before.statistics + some
                )
            after = pupil._next(statistics, settings, rows, later=not forgets, powers=powers)
            if forgets:
                # Its scores come from folds with the removed rows, whose names are not learned.
                after = replace(
                    after, selection=None, target=pupil._learned.target, frame=pupil._learned.frame
                )
            if exchange(self, before, after):
                return self

    def _merge_state(self, theirs: Learned, name: str) -> Learned:
        mine, settings = self._learned, self._settings()
        own, others = mine.observed, theirs.observed
        if mine.powers != theirs.powers:
            raise Mismatch(
                "the two classifiers have different powers; add rows to one of them by partial_fit."
            )
        if not self._is_statistics(others):
            raise Mismatch(f"a {name} keeps different statistics than a {type(self).__name__}.")
        if isinstance(own, TableStatistics) != isinstance(others, TableStatistics):
            raise Mismatch(
                "one classifier has learned from a table with levels, the other from numbers "
                "alone; fit both to the same columns, with columns=suffice.describe(X)."
            )
        both = settings.alike(own, others)
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
        """The state with new statistics.

        rows : the rows by which the statistics were changed, if any
        later : build the model on first use, since more rows may come before
        selection, powers : chosen with the first rows; they stay unchanged afterwards
        """
        before, priors = self._state, self._priors()
        if before is not None:
            selection, powers = before.selection, before.powers
        model = None if rows is None else rows.model(self, statistics, settings, later)
        if model is None:
            model = self._model_of(statistics, settings, priors, later)
        return Learned(
            **facts_of(statistics, rows, before),
            kept={} if model is None else {"model": model},
            classes=statistics.classes,
            statistics=statistics,
            settings=settings,
            priors=deepcopy(priors),
            selection=selection,
            powers=powers,
        )

    def _model_of(
        self, statistics: Any, settings: Any, priors: Any, later: bool
    ) -> AnyModel | None:
        """The model of statistics; None if it is built later, after checking that it can be."""
        if later and (is_exact(statistics) or not isinstance(statistics, TableStatistics)):
            # Exact statistics become numbers once a model is built, not with every row.
            check_buildable(statistics, settings, priors)
            return None
        numbers, adapted = as_numbers(statistics, settings)
        if later:
            check_buildable(numbers, adapted, priors)
            return None
        self._check_statistics(numbers)
        model: AnyModel = adapted.build(numbers, priors)
        warn_repaired(self, model, numbers, adapted, statistics)
        return model

    def _check_statistics(self, statistics: Any) -> None:
        """Raise if parameters ask for more than the statistics hold."""

    def _hold(self, learned: Learned) -> Self:
        self._state = learned
        return self

    def _class_weight(self) -> Any:
        statistics = self._learned.statistics
        return None if statistics is None else statistics.weight

    def _build(self, learned: Learned) -> AnyModel:
        read = learned.from_file
        statistics, settings = learned.numbers
        if read is None:
            model: AnyModel = settings.build(statistics, learned.priors)
            warn_repaired(self, model, statistics, settings, learned.statistics)
            return model
        if not read.is_built:
            raise TooFewRows(
                "no model could be built from the rows when this file was saved; add rows with "
                "partial_fit, or see why: model.fit_statistics(model.statistics_)."
            )
        with np.errstate(all="ignore"):  # overflow is detected below
            model = settings.build(statistics, learned.priors, read.completed)
        model.check_computable()
        return model


def check_buildable(statistics: Any, settings: Any, priors: Any) -> None:
    """Raise if no model could be built from these statistics, whatever rows are added."""
    settings.check(statistics)
    with suppress(MissingClasses):
        class_priors(priors, statistics.classes, statistics.weight)


def _without(seen: Any, removed: Any) -> Any:
    left = seen - removed
    if not len(left.classes):
        raise NeverIncluded("forgetting these rows would leave none; start again with fit.")
    return left
