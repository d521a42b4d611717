"""Naive Bayes: what classifiers of independent features share, and those of counts."""

from __future__ import annotations

from typing import Any, Generic, Self

import numpy as np

from suffice.answers import product as _product  # noqa: F401 - registers its answers
from suffice.answers.rarity import Rarity
from suffice.data.arrays import Array, Floats
from suffice.data.tables.table_writing import write_features
from suffice.estimators.classifier import AnyModel
from suffice.estimators.known import known_columns
from suffice.estimators.learned import Learned
from suffice.estimators.learning import Learner
from suffice.estimators.state import at_once
from suffice.models.discrete import DiscreteModel
from suffice.statistics.counts import Counts


class NaiveBayes(Learner[AnyModel], Generic[AnyModel]):
    """Features, or parts of them, that are independent given the class."""

    def _check_table(self, X: Any) -> None:
        self._built_with.check_table(X)

    def _rows(self, X: Any) -> Any:
        self._check_columns(X)
        reader = self._learned.reader
        table = X if reader is None else reader.read(X)
        return self._built_with.read(table, self._fitted)

    def _parse_row(self, row: Array) -> Any:
        reader = self._learned.reader
        table = row if reader is None else reader.prepare_row(row[0])
        return self._built_with.read(table, self._fitted)

    def _restore(self, rows: Any, like: Any = None) -> Any:
        reader = self._learned.reader
        if reader is None:
            return self._as_table(self._built_with.write(rows, self._fitted, like), like)
        given = None if like is None else reader.read(like)
        values = self._built_with.write(rows, self._fitted, given)
        return write_features(reader, values, like, self._learned.frame)

    def _new_atypicality(self) -> Any:
        return Rarity(self._fitted)


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
