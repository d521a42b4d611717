"""The discrete classifier: what naive Bayes of levels and of binary features share."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from suffice.answers import discrete as _answers  # noqa: F401 - registers them
from suffice.answers.rarity import Rarity
from suffice.data.arrays import Array, Floats, Indices
from suffice.data.levels import MISSING
from suffice.estimators.learning import Learner
from suffice.estimators.state import at_once
from suffice.models.discrete import DiscreteModel, Smoothing, alphas, build_discrete, used_alphas
from suffice.statistics.counts import Counts


class DiscreteClassifier(Learner[DiscreteModel]):
    """Fit, update, forget and predict with counts; subclasses define what columns hold."""

    alpha: Any
    fit_prior: bool
    class_prior: Any
    _takes = "what suffice.count_levels returns"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # It is not made for measurements, with which scikit-learn checks the score.
        tags.classifier_tags.poor_score = True
        return tags

    def _priors(self) -> Any:
        if self.priors is not None:
            return self.priors
        if self.class_prior is not None:
            return self.class_prior
        return None if self.fit_prior else "uniform"

    def with_priors(self, priors: Any) -> Self:
        """The same class densities under other priors, as a new classifier."""
        other = super().with_priors(priors)
        # From now on, `priors` alone determines the priors.
        other.fit_prior, other.class_prior = True, None
        return other

    def _is_statistics(self, statistics: Any) -> bool:
        return isinstance(statistics, Counts)

    def _made(self, statistics: Counts, settings: Smoothing, priors: Any) -> DiscreteModel:
        return build_discrete(statistics, settings, priors)

    def _check_fitting(self, statistics: Counts, settings: Smoothing) -> None:
        alphas(settings.alpha, statistics.n_features)

    def _check_finite(self, rows: Any) -> None:
        """Codes are always finite."""

    def _new_atypicality(self) -> Any:
        return Rarity(self._fitted, lambda rows: rows == MISSING, _mask)

    @property
    @at_once
    def alpha_(self) -> Floats:
        """Rows added to every level of each feature, (d,): as given or estimated."""
        return used_alphas(self._fitted_statistics, self._built_with)

    @property
    def class_log_prior_(self) -> Floats:
        """Log prior of each class (scikit-learn's name)."""
        return self._fitted.log_priors

    @property
    def class_count_(self) -> Floats:
        """Weight of each class (scikit-learn's name)."""
        return np.asarray(self._fitted_statistics.weight)


def _mask(rows: Indices, pattern: Array) -> Indices:
    return np.where(pattern, MISSING, rows)
