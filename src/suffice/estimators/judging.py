"""Judging: leave-one-out and information criteria, from the statistics of the training rows."""

from __future__ import annotations

from typing import Any, Generic

import numpy as np

from suffice.errors import InvalidParameter
from suffice.estimators.anywhere import on_labelled_rows
from suffice.estimators.classifier import AnyModel, Classifier
from suffice.estimators.learned import Learned
from suffice.estimators.state import at_once
from suffice.selection import criteria
from suffice.selection.leave_one_out.by_model import left_out_densities
from suffice.selection.leave_one_out.left_out import LeaveOneOut, predictions
from suffice.selection.leave_one_out.removal import training_table


class Judged(Classifier[AnyModel], Generic[AnyModel]):
    """A classifier with statistics of its training rows, by which it is judged."""

    _state: Learned | None
    _judged = True  # whether the statistics suffice for leave-one-out and information criteria

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
        if getattr(self, "covariance_estimator", None) is not None:
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

    @property
    def _fitted_statistics(self) -> Any:
        """The statistics that the model is built from."""
        self._learned.observed  # noqa: B018 - raises if there are none
        return self._learned.numbers[0]

    @property
    def _built_with(self) -> Any:
        """The settings that the model is built with."""
        return self._learned.numbers[1]

    def _judgeable_model(self) -> Any:
        """The model; raises if its statistics are not sufficient to judge it."""
        if not self._judged:
            raise InvalidParameter(
                f"the statistics of a {type(self).__name__} are not sufficient for leave-one-out "
                "and information criteria; cross-validate it (select_model), or compare its "
                "log_evidence_."
            )
        return self._fitted
