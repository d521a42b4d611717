"""The discrete classifier: what naive Bayes of levels and of binary features share."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from suffice.data.arrays import Floats
from suffice.estimators.known import known_columns
from suffice.estimators.learned import Learned
from suffice.estimators.naive_bayes import NaiveBayes
from suffice.estimators.state import at_once
from suffice.models.discrete import DiscreteModel
from suffice.statistics.counts import Counts


class DiscreteClassifier(NaiveBayes[DiscreteModel]):
    """Fit, update, forget and predict with counts; subclasses define what columns hold."""

    alpha: Any
    fit_prior: bool
    class_prior: Any
    _takes = "what suffice.count_levels returns"
    _can_be_known = True

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

    def _hold_known(self, model: DiscreteModel, feature_names: Any) -> Self:
        """Answer with a model whose probabilities are known."""
        columns = known_columns(feature_names, len(model.features))
        return self._hold(Learned.known(model, columns, self._settings(), self._priors()))

    def _is_statistics(self, statistics: Any) -> bool:
        return isinstance(statistics, Counts)

    @property
    @at_once
    def alpha_(self) -> Floats:
        """Rows added to every level of each feature, (d,): as given or estimated."""
        alphas: Floats = self._built_with.alphas(self._fitted_statistics)
        return alphas

    @property
    def class_log_prior_(self) -> Floats:
        """Log prior of each class (scikit-learn's name)."""
        return self._fitted.log_priors

    @property
    def class_count_(self) -> Floats:
        """Weight of each class (scikit-learn's name)."""
        return np.asarray(self._fitted_statistics.weight)
