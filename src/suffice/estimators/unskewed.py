"""Unskewed: the Gaussian family on features that were first made symmetric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from suffice.answers.student import atypicality
from suffice.data.arrays import Array, Floats
from suffice.data.features import all_numbers
from suffice.data.powers import Powers
from suffice.data.tables.table_rows import TableReader
from suffice.data.weights import row_weights
from suffice.errors import InvalidParameter
from suffice.estimators.anywhere import on_rows
from suffice.estimators.gaussian import GaussianDiscriminant
from suffice.estimators.new_rows import Outline, RowsInMemory
from suffice.models.conjugate_priors.student import StudentModel
from suffice.models.gaussian import LinearScores
from suffice.models.settings import Settings


@dataclass(eq=False, repr=False)
class UnskewedDiscriminant(GaussianDiscriminant):
    """Gaussian classes of features, each raised to the power that makes it symmetric.

    Lengths, areas, incomes and concentrations are seldom Gaussian; their logarithms or roots often
    are. The power of each feature is the one under which it is most likely Gaussian (Box and
    Cox 1964), estimated at the first `fit` or `partial_fit` from the rows alone, not their labels.
    Units do not matter. Densities, samples and imputed values are in the units of the rows; means
    and covariances, `whiten` and the shares of contributions refer to the powers.

    Parameters
    ----------
    structure, pooling, shrinkage, target, priors, ddof, inflation : see `GaussianDiscriminant`
    degrees_of_freedom : of Student t classes with the same means and covariances, above 2: the
        fewer, the heavier their tails, so that rows far from every class are less certain. All
        features share the tails unless they are independent. None for Gaussian classes

    Attributes
    ----------
    powers_ : (d,) the exponent of each feature: 1 leaves it as it is, 0 is the logarithm; and
        those of `GaussianDiscriminant`

    >>> import suffice as sf
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> some = [kind(pooling=1.0, shrinkage=0.1, target="diagonal")
    ...         for kind in (sf.GaussianDiscriminant, sf.UnskewedDiscriminant)]
    >>> [round(model.fit(X, y).leave_one_out(X, y).log_loss, 3) for model in some]
    [0.113, 0.095]
    >>> some[1].powers_[:4]
    array([0. , 0.5, 0. , 0.1])
    """

    _has_powers = True
    _can_be_known = False
    _takes_device_rows = False

    degrees_of_freedom: float | None = None

    def fit_statistics(self, statistics: Any) -> Self:
        """Build the model from statistics of rows raised to the powers of this model."""
        if self._state is None:
            raise InvalidParameter("the powers are estimated from rows: call fit(X, y) first.")
        return super().fit_statistics(statistics)

    def _fit_raised(self, powers: Powers, X: Any, y: Any, sample_weight: Any) -> Self:
        """Learn from rows whose powers are known."""
        return self._fit_to(_Raised(X, y, sample_weight, powers=powers), self._settings())

    def _check_forgets(self) -> None:
        raise InvalidParameter(
            "the powers were estimated from these rows too, and cannot be updated from statistics: "
            "call fit(X, y) with the remaining rows, or use GaussianDiscriminant, which forgets."
        )

    @property
    def powers_(self) -> Floats:
        """The exponent of each feature."""
        return self._powers.exponent

    @on_rows
    def predict_joint_log_proba(self, X: Any) -> Floats:
        """ln p(x, y): one column per class, in the order of `classes_`."""
        joint = super().predict_joint_log_proba(X)
        return np.asarray(joint + self._powers.log_slope(super()._rows(X))[:, None])

    def log_likelihood(self, X: Any = None, y: Any = None) -> float:
        """Sum over the rows of ln p(x, y)."""
        if X is None:
            raise InvalidParameter(
                "the log-likelihood is not available from the statistics of powers; pass the rows: "
                "log_likelihood(X, y)."
            )
        return super().log_likelihood(X, y)

    def n_parameters(self) -> int:
        """Number of parameters that the model estimates, including one power per feature."""
        return super().n_parameters() + self.n_features_in_

    def _check_gaussian(self, answer: str) -> None:
        if answer != "whiten" or self.degrees_of_freedom is not None:
            raise InvalidParameter(
                f"{answer} is about classes that are Gaussian in the features, and these are "
                "Gaussian in powers of the features; use log_odds, or GaussianDiscriminant."
            )

    def outlier_threshold(self, quantile: float = 0.01) -> float:
        """Not available: use `outlier_pvalue`, which does not depend on the units of densities."""
        raise InvalidParameter("densities depend on the powers; use outlier_pvalue instead.")

    @property
    def _linear(self) -> LinearScores:
        raise AttributeError("the discriminant functions are those of powers of the features.")

    @property
    def _powers(self) -> Powers:
        powers: Powers = self._learned.powers
        return powers

    def _settings(self) -> Settings:
        if self.grid is not None:
            raise InvalidParameter(
                "the powers are estimated from the rows, so no grid makes their model exact; use "
                "GaussianDiscriminant(grid=grid)."
            )
        freedom = self.degrees_of_freedom
        return Settings.checked(**self._given_settings(), degrees_of_freedom=freedom)

    def _new_atypicality(self) -> Any:
        model: Any = self._fitted
        if isinstance(model, StudentModel):
            return atypicality(model, model)
        return super()._new_atypicality()

    def _first_outline(self, X: Any, sample_weight: Any) -> Outline:
        reader = TableReader.of(X, self.columns)
        rows = all_numbers(X) if reader is None else reader.read(X).numbers
        return Outline(reader=reader, powers=Powers.of(rows, row_weights(sample_weight, len(rows))))

    def _summarize(
        self, X: Any, y: Any, sample_weight: Any, settings: Settings, like: Outline | None
    ) -> Any:
        if like is None or like.powers is None:
            raise InvalidParameter(
                "powers are estimated from rows in memory; fit a sample of these rows there, and "
                "add the others with partial_fit."
            )
        return super()._summarize(X, y, sample_weight, settings, like)

    def _rows(self, X: Any) -> Array:
        return self._powers.apply(super()._rows(X))

    def _parse_row(self, row: Array) -> Any:
        return self._powers.apply(super()._parse_row(row))

    def _restore(self, rows: Any, like: Any = None) -> Any:
        values = self._powers.undo(rows)
        if like is None or self._learned.encoding is not None:
            return super()._restore(values, like)
        given = all_numbers(like)
        return super()._restore(np.where(np.isnan(given), values, given), like)


@dataclass(frozen=True, slots=True)
class _Raised(RowsInMemory):
    """Rows of which the powers are known."""

    powers: Powers | None = None

    def outline(self, learner: Any, settings: Any) -> Outline:
        """The form of their statistics."""
        return Outline(reader=TableReader.of(self.X, learner.columns), powers=self.powers)
