"""The scikit-learn face that every classifier shares: validation and delegation."""

from __future__ import annotations

from contextlib import suppress
from copy import copy
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from suffice.data.arrays import Array, Floats
from suffice.data.features import as_features, gap, infinite
from suffice.data.labels import Labels
from suffice.errors import (
    InvalidFeatures,
    InvalidLabels,
    InvalidParameter,
    MissingClasses,
    NeverIncluded,
)
from suffice.estimators.answers import Answers
from suffice.models.gapped import mended
from suffice.models.gaussian import GaussianModel, build
from suffice.models.priors import class_priors
from suffice.models.scoring import log_sum
from suffice.models.settings import Settings, check_detail
from suffice.statistics.incomplete import AnyStatistics, IncompleteStatistics
from suffice.statistics.statistics import Statistics
from suffice.statistics.summarize import summarize

# Where scatter matrices by class take no more than this, Ledoit-Wolf is given them, since
# with the pooled one alone its sums do not merge exactly.
SEPARATE_BYTES = 64 << 20


class GaussianClassifier(Answers, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Fit, update, forget and predict with a Gaussian model; subclasses say which one."""

    priors: Any
    statistics_: AnyStatistics
    classes_: Array
    n_features_in_: int
    _built_with: Settings
    _model: GaussianModel | None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _settings(self) -> Settings:
        """Which member of the family the parameters ask for, after checking them."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Summarize the rows and build the model."""
        settings = self._settings()
        statistics = self._summarize(X, y, sample_weight, settings)
        return self._take(statistics, settings, X)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add rows; classes never seen before are welcome and need no announcement.

        The first rows may be too few for a model; `predict` then says so until more have come.
        """
        settings = self._settings()
        detail = None
        if hasattr(self, "statistics_"):
            detail = self.statistics_.detail
            self._check_columns(X)
        self._check_announced(y, classes)
        more = self._summarize(X, y, sample_weight, settings, detail)
        if detail is None:
            return self._take(more, settings, X, later=True)
        return self._take(self.statistics_ + more, settings, later=True)

    def fit_statistics(self, statistics: AnyStatistics) -> Self:
        """Build the model from statistics: no row is read."""
        if not isinstance(statistics, Statistics | IncompleteStatistics):
            raise InvalidParameter("fit_statistics takes what suffice.summarize returns.")
        return self._take(statistics, self._settings())

    def merge(self, other: GaussianClassifier) -> Self:
        """Become the model of the rows of both."""
        check_is_fitted(self)
        if not isinstance(other, GaussianClassifier):
            raise InvalidParameter("merge takes another fitted classifier of suffice.")
        check_is_fitted(other)
        settings = self._settings()
        mine, theirs = self.statistics_, other.statistics_
        if mine.detail != theirs.detail:
            mine, theirs = (s.coarsen(settings.detail) for s in (mine, theirs))
        return self._take(mine + theirs, settings, later=True)

    def forget(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Take rows out again: afterwards, as if they had never been seen."""
        check_is_fitted(self)
        self._check_columns(X)
        settings = self._settings()
        gone = self._summarize(X, y, sample_weight, settings, self.statistics_.detail)
        left = self.statistics_ - gone
        if not len(left.classes):
            raise NeverIncluded("forgetting these rows would leave none; start afresh with fit.")
        return self._take(left, settings)

    def with_priors(self, priors: Any) -> Self:
        """The same class densities under other priors, as a new classifier."""
        check_is_fitted(self)
        chances = class_priors(priors, self.classes_, self.statistics_.weight)
        other = copy(self)
        other.priors = priors
        other._model = self._fitted.with_priors(chances)
        return other

    def predict(self, X: Any) -> Array:
        """The most probable class of each row."""
        best = self._answer(X, "scores").argmax(axis=1)
        return np.asarray(self.classes_[best])

    def predict_proba(self, X: Any) -> Floats:
        """p(y | x): a column a class, in the order of `classes_`."""
        return self._answer(X, "posterior")

    def predict_log_proba(self, X: Any) -> Floats:
        """ln p(y | x), exact however small."""
        return self._answer(X, "log_posterior")

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """ln p(x, y): a column a class, in the order of `classes_`."""
        return self._answer(X, "joint")

    def score_samples(self, X: Any) -> Floats:
        """ln p(x)."""
        return log_sum(self.predict_joint_log_proba(X))

    def decision_function(self, X: Any) -> Floats:
        """Log-odds of the second class for two classes; else a score a class.

        Scores are joint log densities up to a constant of the row.
        """
        scores = self._answer(X, "scores")
        return np.asarray(scores[:, 1] - scores[:, 0]) if scores.shape[1] == 2 else scores

    def squared_mahalanobis(self, X: Any) -> Floats:
        """Squared Mahalanobis distance to each class mean, a column a class."""
        return self._answer(X, "squared_distances")

    @property
    def priors_(self) -> Floats:
        """Prior probability of each class."""
        return self._fitted.priors

    @property
    def means_(self) -> Floats:
        """Mean of each class, (k, d)."""
        return self._fitted.means

    @property
    def covariance_(self) -> Floats:
        """(d, d) where all classes share it, else (k, d, d); computed when asked for."""
        return self._fitted.matrices

    @property
    def covariances_(self) -> Floats:
        """Covariance of each class, (k, d, d); computed when asked for."""
        found = self.covariance_
        return found if found.ndim == 3 else np.repeat(found[None], len(self.classes_), axis=0)

    @property
    def borrowed_classes_(self) -> Array:
        """Classes whose own covariance is singular, so that they borrow the pooled one."""
        return np.asarray(self.classes_[list(self._fitted.borrowed)])

    @property
    def _fitted(self) -> GaussianModel:
        """The model, built now if rows have come since it was last asked for."""
        if not hasattr(self, "_model"):
            check_is_fitted(self)
        if self._model is None:
            self._model = build(self.statistics_, self._built_with, self.priors)
        return self._model

    @property
    def _fitted_statistics(self) -> AnyStatistics:
        check_is_fitted(self)
        return self.statistics_

    def _summarize(
        self, X: Any, y: Any, sample_weight: Any, settings: Settings, detail: str | None = None
    ) -> AnyStatistics:
        if y is None:
            raise InvalidLabels(
                f"This {type(self).__name__} estimator requires y to be passed, "
                "but the target y is None."
            )
        if getattr(y, "ndim", 1) == 2:
            try:
                y = column_or_1d(y, warn=True)
            except ValueError as error:
                raise InvalidLabels(str(error)) from None
        return summarize(X, y, sample_weight, detail or _detail(settings, X, y))

    def _take(
        self, statistics: AnyStatistics, settings: Settings, X: Any = None, later: bool = False
    ) -> Self:
        """Hold new statistics and their model, both or neither.

        later : the model is built when first asked for, since more rows may come before
        """
        model = None if later else build(statistics, settings, self.priors)
        if later:
            check_detail(statistics, settings)
            with suppress(MissingClasses):
                class_priors(self.priors, statistics.classes, statistics.weight)
        if X is not None:
            validate_data(self, X=X, reset=True, skip_check_array=True)
        else:
            self._take_columns(statistics)
        self.statistics_ = statistics
        self.classes_ = statistics.classes
        self._built_with = settings
        self._model = model
        return self

    def _take_columns(self, statistics: AnyStatistics) -> None:
        self.n_features_in_ = statistics.n_features
        if statistics.feature_names is not None:
            self.feature_names_in_ = np.array(statistics.feature_names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _check_columns(self, X: Any) -> None:
        """Raise unless X has the features of the rows seen so far, in their order."""
        as_features(X)
        try:
            validate_data(self, X=X, reset=False, skip_check_array=True)
        except ValueError as error:
            raise InvalidFeatures(str(error)) from None

    def _check_announced(self, y: Any, classes: Any) -> None:
        if classes is None or y is None:
            return
        unknown = np.setdiff1d(Labels.of(y).classes(), np.asarray(classes))
        if len(unknown):
            raise InvalidLabels(f"y holds class {unknown[0]!r}, which is not among `classes`.")

    def _answer(self, X: Any, name: str, model: GaussianModel | None = None) -> Floats:
        model = self._fitted if model is None else model
        return self._answer_rows(self._rows(X), name, model)

    def _answer_rows(self, rows: Array, name: str, model: GaussianModel | None = None) -> Floats:
        model = self._fitted if model is None else model
        with np.errstate(all="ignore"):
            found: Floats = getattr(model, name)(rows)
            # NaN or infinity in a row shows in its answer; looking there spares a pass over X.
            if not np.isfinite(found).all():
                self._check_finite(rows)
                found = mended(model, name, rows, found)
        return found

    def _check_finite(self, rows: Array) -> None:
        error = infinite(rows, 0, getattr(self, "feature_names_in_", None))
        if error is not None:
            raise error

    def _check_complete(self, rows: Array) -> None:
        self._check_finite(rows)
        error = gap(rows, 0, getattr(self, "feature_names_in_", None))
        if error is not None:
            raise error

    def _rows(self, X: Any) -> Array:
        if (
            type(X) is np.ndarray
            and X.ndim == 2
            and X.dtype.kind == "f"
            and X.shape[1] == self.n_features_in_
            and len(X)
            and not hasattr(self, "feature_names_in_")
        ):
            return X
        features = as_features(X)
        self._check_columns(X)
        return features.read(0, features.shape[0])


def _detail(settings: Settings, X: Any, y: Any) -> str:
    if settings.detail == "shared" and settings.shrinkage == "ledoit-wolf":
        d = as_features(X).shape[1]
        k = len(Labels.of(y).classes())
        if 8 * k * d * d <= SEPARATE_BYTES:
            return "separate"
    return settings.detail
