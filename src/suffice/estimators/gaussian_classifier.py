"""The Gaussian classifier: what the whole family shares."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from suffice.answers.outliers import Atypicality
from suffice.data.arrays import Array, Floats
from suffice.data.features import as_features
from suffice.errors import InvalidParameter
from suffice.estimators.anywhere import anywhere
from suffice.estimators.choosing import GRID, chosen, combinations
from suffice.estimators.geometry import Geometry
from suffice.estimators.learning import Learner
from suffice.models.gaussian import GaussianModel, build
from suffice.models.priors import class_priors
from suffice.models.settings import Settings, check_detail
from suffice.selection.selection import Selection
from suffice.statistics.incomplete import AnyStatistics, IncompleteStatistics
from suffice.statistics.statistics import Statistics
from suffice.statistics.summarize import summarize


class GaussianClassifier(Geometry, Learner[GaussianModel]):
    """Fit, update, forget and predict with a Gaussian model; subclasses say which one."""

    statistics_: AnyStatistics
    selection_: Selection
    _built_with: Settings

    @anywhere
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Summarize the rows and build the model; parameters that are "cv" are chosen before."""
        y = self._labels(y)
        names = [name for name in GRID if _is_cv(getattr(self, name, None))]
        if not names:
            self._fit_with(self._settings(), X, y, sample_weight)
            self.__dict__.pop("selection_", None)
            return self
        tried = [clone(self).set_params(**values) for values in combinations(names)]
        asked = [(one._settings(), one.priors) for one in tried]
        found, whole = chosen(self._seen(X), y, sample_weight, asked)
        settings = asked[found.careful][0]
        if whole is None:
            self._fit_with(settings, X, y, sample_weight)
        else:
            self._fit_known(settings, X, y, whole)
        self.selection_ = replace(found, chosen=found.careful)
        return self

    def _fit_known(self, settings: Settings, X: Any, y: Any, whole: Statistics) -> Self:
        """As `_fit_with`, where the statistics of the rows are known."""
        known = replace(whole, feature_names=as_features(X).names)
        return self._take(known.coarsen(settings.detail), settings, X)

    def _seen(self, X: Any) -> Any:
        """The rows as the model takes them."""
        return X

    def _parameter(self, name: str) -> Any:
        """The value of a parameter; of one that is "cv", what `fit` chose."""
        value = getattr(self, name)
        if not _is_cv(value):
            return value
        if not hasattr(self, "selection_"):
            raise InvalidParameter(
                f"{name}='cv' takes rows to test on: call fit(X, y) first, or give a number."
            )
        return self.selection_.candidates[self.selection_.careful][name]

    def _check_forgets(self) -> None:
        for name in GRID:
            if _is_cv(getattr(self, name, None)):
                value = getattr(self._built_with, name)
                raise InvalidParameter(
                    f"{name}='cv' was chosen with these rows, and without them another value may "
                    f"be: fit the remaining rows, or keep what was chosen by "
                    f"model.set_params({name}={value!r}).forget(X, y)."
                )

    @property
    def pooling_(self) -> float:
        """How much class covariances lean on the pooled one, as given or as chosen."""
        self._fitted_statistics  # noqa: B018 - raises where there is no fit
        return self._built_with.pooling

    @property
    def shrinkage_(self) -> float | str:
        """The share of the target, or how it was estimated: as given or as chosen."""
        self._fitted_statistics  # noqa: B018 - raises where there is no fit
        return self._built_with.shrinkage

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
    def inflation_(self) -> float:
        """What the covariances were multiplied by, as given or as chosen."""
        self._fitted_statistics  # noqa: B018 - raises where there is no fit
        return self._built_with.inflation

    def _is_statistics(self, statistics: Any) -> bool:
        return isinstance(statistics, Statistics | IncompleteStatistics)

    def _summarize(
        self, X: Any, y: Any, sample_weight: Any, settings: Settings, like: AnyStatistics | None
    ) -> AnyStatistics:
        return summarize(X, y, sample_weight, settings.detail if like is None else like.detail)

    def _made(self, statistics: AnyStatistics, settings: Settings) -> GaussianModel:
        return build(statistics, settings, self.priors)

    def _of_completed(self, classes: GaussianModel) -> GaussianModel:
        return classes.with_priors(class_priors(self.priors, self.classes_, self._class_weight()))

    def _check_fitting(self, statistics: AnyStatistics, settings: Settings) -> None:
        check_detail(statistics, settings)

    def _alike(
        self, mine: AnyStatistics, theirs: AnyStatistics, settings: Settings
    ) -> tuple[AnyStatistics, AnyStatistics]:
        if mine.detail == theirs.detail:
            return mine, theirs
        return mine.coarsen(settings.detail), theirs.coarsen(settings.detail)

    def _new_atypicality(self) -> Atypicality:
        weight = self.statistics_.known_weight.mean(axis=1)
        return Atypicality(self._fitted, weight, self._built_with)


def _is_cv(value: Any) -> bool:
    return isinstance(value, str) and value == "cv"
