"""Naive Bayes of binary features."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any, Self

import numpy as np

from suffice.data.arrays import Floats
from suffice.data.parameters import as_float, flag
from suffice.errors import InvalidParameter
from suffice.estimators.naive_bayes import DiscreteClassifier
from suffice.estimators.sklearn_parameters import smallest_alpha
from suffice.models.binary import Binary
from suffice.models.known_classes import KnownClasses
from suffice.models.known_levels import known_levels, read_probabilities
from suffice.text import shown


@dataclass(eq=False, repr=False, kw_only=True)
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

    alpha: Any = 1.0
    force_alpha: bool = True
    binarize: float | None = 0.0
    fit_prior: bool = True
    class_prior: Any = None
    priors: Any = None

    @classmethod
    def from_parameters(
        cls,
        probabilities: Any,
        priors: Any = None,
        classes: Any = None,
        feature_names: Any = None,
    ) -> Self:
        """The classifier with these probabilities, without rows.

        probabilities : P(x = 1 | class), (k, d), one row per class
        priors, classes, feature_names : see `GaussianDiscriminant.from_parameters`

        >>> from suffice import BernoulliNB
        >>> model = BernoulliNB.from_parameters([[0.2, 0.7], [0.5, 0.3]], [0.6, 0.4], ["+", "-"])
        >>> model.predict_proba([[1, 1]]).round(6)
        array([[0.583333, 0.416667]])
        """
        chances = read_probabilities(probabilities)
        known, d = KnownClasses.read(classes, len(chances)), chances.shape[1]
        tables = [np.column_stack([1 - own, own]) for own in chances.T]
        model = known_levels([np.arange(2)] * d, tables, known, priors)
        return cls(priors=known.in_order(priors))._hold_known(model, feature_names)

    def _settings(self) -> Binary:
        flag("fit_prior", self.fit_prior)
        if self.binarize is not None and not isfinite(as_float(self.binarize)):
            raise InvalidParameter(
                f"binarize is {shown(self.binarize)}; it must be a finite number or None."
            )
        alpha = smallest_alpha(self.alpha, self.force_alpha)
        return Binary.checked(alpha, binarize=self.binarize)

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
