"""Naive Bayes of binary features."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np

from suffice.answers import discrete as _answers  # noqa: F401 - registers them
from suffice.data.arrays import Array, Floats, Indices
from suffice.data.features import Features, as_features, infinite
from suffice.data.labels import shown
from suffice.data.levels import MISSING
from suffice.data.parameters import as_float, flag
from suffice.errors import InvalidFeatures, InvalidParameter
from suffice.estimators.discrete_classifier import DiscreteClassifier
from suffice.estimators.outline import Outline
from suffice.estimators.sklearn_parameters import smallest_alpha
from suffice.models.discrete import DiscreteModel, Smoothing
from suffice.statistics.count_pass import count_levels
from suffice.statistics.counts import Counts
from suffice.statistics.statistics import listed


class BernoulliNB(DiscreteClassifier):
    """Naive Bayes of binary features.

    Parameters
    ----------
    alpha : rows added to either value: one number, one per feature, or "auto" (see `CategoricalNB`)
    force_alpha : False raises an alpha below 1e-10 to that, with a warning
    binarize : values above count as 1; None if X holds 0 and 1 already
    priors : see `GaussianDiscriminant`; or, as in scikit-learn, fit_prior and class_prior

    Attributes
    ----------
    classes_, priors_, statistics_, n_features_in_, feature_names_in_; feature_log_prob_,
    feature_count_, class_log_prior_, class_count_ : scikit-learn's

    >>> from suffice import BernoulliNB
    >>> BernoulliNB().fit([[0, 1], [1, 1], [1, 0]], ["a", "a", "b"]).predict([[0, 1], [1, None]])
    array(['a', 'a'], dtype='<U1')
    """

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: Any = None,
        priors: Any = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.priors = priors

    def _settings(self) -> Smoothing:
        flag("fit_prior", self.fit_prior)
        if self.binarize is not None and not isfinite(as_float(self.binarize)):
            raise InvalidParameter(
                f"binarize is {shown(self.binarize)}; it must be a finite number or None."
            )
        return Smoothing.checked(smallest_alpha(self.alpha, self.force_alpha), None, 2)

    def _summarize(
        self, X: Any, y: Any, sample_weight: Any, settings: Smoothing, like: Outline | None
    ) -> Counts:
        features = as_features(X)
        codes = self._binary(features)
        counts = count_levels(np.where(codes == MISSING, np.nan, codes), y, sample_weight)
        return replace(counts, feature_names=features.names)

    def _rows(self, X: Any) -> Indices:
        features = as_features(X)
        self._check_columns(X)
        return self._binary(features)

    def _binary(self, features: Features) -> Indices:
        values = features.read(0, features.shape[0])
        error = infinite(values, 0, features.names)
        if error is not None:
            raise error
        missing = np.isnan(values)
        if self.binarize is None:
            invalid = ~missing & (values != 0) & (values != 1)
            if invalid.any():
                i, j = (int(at[0]) for at in np.nonzero(invalid))
                name = j if features.names is None else repr(features.names[j])
                raise InvalidFeatures(
                    f"X holds {values[i, j]} in row {i}, column {name}; with binarize=None values "
                    "must be 0 or 1."
                )
            ones = values == 1
        else:
            ones = values > as_float(self.binarize)
        return np.where(missing, MISSING, ones.astype(np.int64))

    def _parse_row(self, row: Array) -> Indices:
        return self._binary(as_features(row))

    def _restore(self, rows: Indices, like: Any = None) -> Indices:
        return rows

    def _check_fitting(self, statistics: Counts, settings: Smoothing) -> None:
        super()._check_fitting(statistics, settings)
        for j, table in enumerate(statistics.tables):
            if not np.isin(table.levels, [0, 1]).all() or table.levels.dtype.kind not in "ib":
                raise InvalidParameter(
                    f"feature {j} of these counts has levels {listed(table.levels)}; a BernoulliNB "
                    "needs 0 and 1. Use a CategoricalNB."
                )

    def _made(self, statistics: Counts, settings: Smoothing, priors: Any) -> DiscreteModel:
        self._check_fitting(statistics, settings)
        return super()._made(statistics, settings, priors)

    @property
    def feature_log_prob_(self) -> Floats:
        """ln P(1 | class), (k, d) (scikit-learn's name)."""
        return np.stack([f.log_probabilities[:, 1] for f in self._fitted.features], axis=1)

    @property
    def feature_count_(self) -> Floats:
        """Weight of the ones by class and feature, (k, d) (scikit-learn's name)."""
        tables = self._fitted_statistics.tables
        spread = [t.spread(slice(None), len(t.rows), np.arange(2)).weight[:, 1] for t in tables]
        return np.stack(spread, axis=1)


def _is_number(value: Any) -> bool:
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.number):
        return False
    try:
        return bool(np.isfinite(float(value)))
    except (OverflowError, TypeError):
        return False
