"""Learning: fit, update, merge, forget and judge models that are defined by statistics."""

from __future__ import annotations

from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from typing import Any, Generic, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from suffice.data.powers import Powers
from suffice.errors import InvalidParameter, Mismatch, MissingClasses, NeverIncluded, TooFewRows
from suffice.estimators.anywhere import learns, learns_afresh, on_labelled_rows
from suffice.estimators.classifier import AnyModel, Classifier
from suffice.estimators.learned import Learned, as_numbers, facts_of
from suffice.estimators.new_rows import NewRows, RowsInMemory
from suffice.estimators.outline import Outline
from suffice.estimators.repairing import warn_repaired
from suffice.estimators.state import at_once, exchange, snapshot
from suffice.models.computable import check_computable
from suffice.models.priors import class_priors
from suffice.selection import criteria
from suffice.selection.leave_one_out.by_model import left_out_densities
from suffice.selection.leave_one_out.left_out import LeaveOneOut, predictions
from suffice.selection.leave_one_out.removal import training_table
from suffice.selection.selection import Selection
from suffice.statistics.exact.form import is_exact
from suffice.statistics.table_statistics import TableStatistics


class Learner(Classifier[AnyModel], Generic[AnyModel]):
    """A classifier whose model is a function of statistics, which subclasses define."""

    _state: Learned | None
    _takes = "what suffice.summarize returns"  # description of the statistics for messages
    _has_powers = False  # whether features are raised to powers first
    _can_be_known = False  # whether it can be made from known parameters
    _covariance_estimator: Any = None  # estimates covariances from rows, if the user gave one
    _judged = True  # whether the statistics suffice for leave-one-out and information criteria

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
        return self._add(RowsInMemory(X, y, sample_weight, classes))

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
        return self._remove(RowsInMemory(X, y, sample_weight))

    @on_labelled_rows
    def leave_one_out(self, X: Any, y: Any, sample_weight: Any = None) -> LeaveOneOut:
        """Predictions for each row of the model trained on all other rows.

        In closed form from the statistics: about as fast as fit and predict. A model is built
        for each row if values are missing, or if a full covariance is shrunk toward its diagonal
        or a diagonal one by an estimated share; and for single rows whose removal changes the
        kind of estimate: the last row of its class, or one without which a class has to borrow
        a covariance.

        Parameters that `fit` chose by cross-validation stay unchanged, and so do the levels of a
        table that are rare among all rows.

        X, y, sample_weight : the rows that the model was trained on, all of them

        >>> from sklearn.datasets import load_iris
        >>> from suffice import QDA
        >>> X, y = load_iris(return_X_y=True)
        >>> QDA().fit(X, y).leave_one_out(X, y)
        <LeaveOneOut of 150 rows: accuracy 0.9733, log-loss 0.05798>
        """
        model = self._judgeable_model()
        if self._covariance_estimator is not None:
            raise InvalidParameter(
                "leave_one_out takes statistics, and covariance_estimator takes rows: use "
                "sklearn.model_selection.cross_val_predict(model, X, y, cv=LeaveOneOut())."
            )
        rows = self._rounded(self._rows(X))
        table = training_table(rows, self._labels(y), sample_weight, self.classes_)
        densities = left_out_densities(model, self._fitted_statistics, self._built_with, table)
        return predictions(densities, self._priors(), table)

    @at_once
    def log_likelihood(self, X: Any = None, y: Any = None) -> float:
        """Sum over the rows of ln p(x, y); without rows, the weighted sum over training rows."""
        if X is not None:
            return super().log_likelihood(X, y)
        return criteria.log_likelihood(self._judgeable_model(), self._fitted_statistics)

    @at_once
    def n_parameters(self) -> int:
        """Number of parameters that the model estimates, regularised or not.

        Priors count where they are class shares; with pooling below 1 each class has its own
        covariance, and with shrinkage below 1 all entries of it count.
        """
        model, given = self._judgeable_model(), self._priors() is not None
        return criteria.n_parameters(model, self._built_with, self._fitted_statistics, given)

    @at_once
    def aic(self) -> float:
        """-2 ln L + 2 p of the training rows; smaller is better."""
        return criteria.aic(self.log_likelihood(), self.n_parameters())

    @at_once
    def bic(self) -> float:
        """-2 ln L + p ln n of the training rows; smaller is better.

        >>> from sklearn.datasets import load_iris
        >>> from suffice import LDA, QDA
        >>> X, y = load_iris(return_X_y=True)
        >>> [round(model.fit(X, y).bic(), 1) for model in (LDA(), QDA())]
        [646.7, 597.2]
        """
        log_likelihood = self.log_likelihood()
        return criteria.bic(
            log_likelihood, self.n_parameters(), float(self._fitted_statistics.weight.sum())
        )

    def _rounded(self, rows: Any) -> Any:
        """Rows as they were summarized: rounded, if the statistics are on a grid."""
        grid = getattr(self.statistics_, "grid", None)
        if grid is None:
            return rows
        # Indicators of levels come last: they are on the grid anyway.
        p = len(grid.exponent)
        return np.concatenate([grid.round(rows[:, :p]), rows[:, p:]], axis=1)

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

    def _add(self, rows: NewRows) -> Self:
        return self._change(rows, forgets=False)

    def _remove(self, rows: NewRows) -> Self:
        check_is_fitted(self)
        return self._change(rows, forgets=True)

    def _change(self, rows: NewRows, forgets: bool) -> Self:
        """Add or remove the statistics of rows, safely while other threads do the same.

        Rows that another thread adds meanwhile are not lost: the change is then repeated on
        the current statistics. Rows are read again only if they must be summarized differently.
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
        warn_repaired(self, model, numbers, adapted)
        return model

    def _check_statistics(self, statistics: Any) -> None:
        """Raise if parameters ask for more than the statistics hold."""

    def _hold(self, learned: Learned) -> Self:
        self._state = learned
        return self

    @property
    def _fitted_statistics(self) -> Any:
        """The statistics that the model is built from."""
        self._learned.observed  # noqa: B018 - raises if there are none
        return self._learned.numbers[0]

    @property
    def _built_with(self) -> Any:
        """The settings that the model is built with."""
        return self._learned.numbers[1]

    def _class_weight(self) -> Any:
        statistics = self._learned.statistics
        return None if statistics is None else statistics.weight

    def _build(self, learned: Learned) -> AnyModel:
        read = learned.from_file
        statistics, settings = learned.numbers
        if read is None:
            model: AnyModel = settings.build(statistics, learned.priors)
            warn_repaired(self, model, statistics, settings)
            return model
        if not read.is_built:
            raise TooFewRows(
                "no model could be built from the rows when this file was saved; add rows with "
                "partial_fit, or see why: model.fit_statistics(model.statistics_)."
            )
        with np.errstate(all="ignore"):  # overflow is detected below
            model = settings.build(statistics, learned.priors, read.completed)
        check_computable(model)
        return model

    def _judgeable_model(self) -> Any:
        """The model; raises if its statistics are not sufficient to judge it."""
        if not self._judged:
            raise InvalidParameter(
                f"the statistics of a {type(self).__name__} are not sufficient for leave-one-out "
                "and information criteria; cross-validate it (select_model), or compare its "
                "log_evidence_."
            )
        return self._fitted


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
