"""Learning: fit, update, merge and forget, for models that statistics suffice for."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Generic, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from suffice.data.labels import Labels
from suffice.errors import (
    InvalidLabels,
    InvalidParameter,
    Mismatch,
    MissingClasses,
    NeverIncluded,
)
from suffice.estimators.anywhere import anywhere
from suffice.estimators.base import AnyModel, Classifier
from suffice.estimators.columns import take_columns
from suffice.estimators.judging import Judging
from suffice.estimators.repairing import warn_repaired
from suffice.models.priors import class_priors


class Learner(Judging, Classifier[AnyModel], Generic[AnyModel]):
    """A classifier whose model is a function of statistics; subclasses say of which."""

    statistics_: Any
    _built_with: Any
    _takes = "what suffice.summarize returns"  # the statistics, as a message calls them

    def _settings(self) -> Any:
        """Which model the parameters ask for, after checking them."""
        raise NotImplementedError

    def _is_statistics(self, statistics: Any) -> bool:
        """Whether these are statistics that this model is made of."""
        raise NotImplementedError

    def _summarize(self, X: Any, y: Any, sample_weight: Any, settings: Any, like: Any) -> Any:
        """Statistics of rows; `like` those seen before, if any."""
        raise NotImplementedError

    def _made(self, statistics: Any, settings: Any) -> AnyModel:
        """The model of statistics."""
        raise NotImplementedError

    def _check_fitting(self, statistics: Any, settings: Any) -> None:
        """Raise where the statistics do not serve the settings."""

    def _alike(self, mine: Any, theirs: Any, settings: Any) -> tuple[Any, Any]:
        """Statistics of two classifiers in a form that merges."""
        return mine, theirs

    @anywhere
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Summarize the rows and build the model."""
        return self._fit_with(self._settings(), X, self._labels(y), sample_weight)

    @anywhere
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add rows; classes never seen before are welcome and need no announcement.

        The first rows may be too few for a model; `predict` then says so until more have come.
        """
        settings = self._settings()
        seen = getattr(self, "statistics_", None)
        if seen is not None:
            self._check_columns(X)
        self._check_announced(y, classes)
        more = self._summarize(X, self._labels(y), sample_weight, settings, seen)
        if seen is None:
            return self._take(more, settings, X, later=True)
        return self._take(seen + more, settings, later=True)

    def fit_statistics(self, statistics: Any) -> Self:
        """Build the model from statistics: no row is read."""
        if not self._is_statistics(statistics):
            raise InvalidParameter(f"fit_statistics takes {self._takes}.")
        return self._take(statistics, self._settings())

    def merge(self, other: Learner[Any]) -> Self:
        """Become the model of the rows of both."""
        check_is_fitted(self)
        if not isinstance(other, Learner):
            raise InvalidParameter("merge takes another fitted classifier of suffice.")
        check_is_fitted(other)
        if not self._is_statistics(other.statistics_):
            raise Mismatch(
                f"a {type(other).__name__} keeps other statistics than a {type(self).__name__}."
            )
        settings = self._settings()
        mine, theirs = self._alike(self.statistics_, other.statistics_, settings)
        return self._take(mine + theirs, settings, later=True)

    @anywhere
    def forget(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Take rows out again: afterwards, as if they had never been seen.

        Nothing of them stays behind in the model, its pickle or its file, up to rounding.
        """
        check_is_fitted(self)
        self._check_forgets()
        self._check_columns(X)
        settings = self._settings()
        gone = self._summarize(X, self._labels(y), sample_weight, settings, self.statistics_)
        return self._without(gone, settings)

    def _check_forgets(self) -> None:
        """Raise where something was learned from rows that statistics cannot give again."""

    def _without(self, gone: Any, settings: Any) -> Self:
        """Become the model of the rows that are not among those of `gone`."""
        left = self.statistics_ - gone
        if not len(left.classes):
            raise NeverIncluded("forgetting these rows would leave none; start afresh with fit.")
        self._take(left, settings)
        self.__dict__.pop("selection_", None)  # its scores are those of folds with the rows
        return self

    def _fit_with(self, settings: Any, X: Any, y: Any, sample_weight: Any) -> Self:
        return self._take(self._summarize(X, y, sample_weight, settings, None), settings, X)

    @property
    def _fitted_statistics(self) -> Any:
        check_is_fitted(self)
        return self.statistics_

    def _class_weight(self) -> Any:
        return self.statistics_.weight

    def _build(self) -> AnyModel:
        return self._made_aloud(self.statistics_, self._built_with)

    def _made_aloud(self, statistics: Any, settings: Any) -> AnyModel:
        """The model of statistics, with a warning where it is not quite the one asked for."""
        model = self._made(statistics, settings)
        warn_repaired(self, model, statistics, settings)
        return model

    def _take(self, statistics: Any, settings: Any, X: Any = None, later: bool = False) -> Self:
        """Hold new statistics and their model, both or neither.

        later : the model is built when first asked for, since more rows may come before
        """
        model = None if later else self._made_aloud(statistics, settings)
        if later:
            self._check_fitting(statistics, settings)
            with suppress(MissingClasses):
                class_priors(self._priors(), statistics.classes, statistics.weight)
        if X is not None:
            validate_data(self, X=X, reset=True, skip_check_array=True)
        else:
            take_columns(self, statistics)
        self.statistics_ = statistics
        self.classes_ = statistics.classes
        self._built_with = settings
        self._model = model
        return self

    def _check_announced(self, y: Any, classes: Any) -> None:
        if classes is None or y is None:
            return
        unknown = np.setdiff1d(Labels.of(y).classes(), np.asarray(classes))
        if len(unknown):
            raise InvalidLabels(f"y holds class {unknown[0]!r}, which is not among `classes`.")
