"""Unskewed: the Gaussian family on features that were made symmetric before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from suffice.answers.boundary import Boundary
from suffice.answers.ellipse import Ellipse
from suffice.data.arrays import Array, Floats
from suffice.data.features import as_features
from suffice.data.powers import Powers
from suffice.data.weights import Weights
from suffice.errors import InvalidParameter, Mismatch
from suffice.estimators.anywhere import anywhere
from suffice.estimators.gaussian import GaussianDiscriminant
from suffice.estimators.learning import Learner
from suffice.models.gaussian import Linear
from suffice.models.settings import Settings
from suffice.statistics.incomplete import AnyStatistics


class UnskewedDiscriminant(GaussianDiscriminant):
    """Gaussian classes of features that were each taken to the power that makes them symmetric.

    Lengths, areas, incomes and concentrations are seldom Gaussian; their logarithms or roots often
    are. The power of each feature is the one under which it is most likely Gaussian (Box and
    Cox 1964), found at the first `fit` or `partial_fit` from the rows alone, not their labels.
    Units do not matter. Densities, samples and filled gaps are in the units of the rows; means and
    covariances, `whiten` and the shares of contributions are of the powers.

    Parameters
    ----------
    structure, pooling, shrinkage, target, priors, ddof, inflation : see `GaussianDiscriminant`

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

    _powers: Powers | None = None
    _finds = False  # whether powers were just found, from the rows that are summarized
    _extra = ("powers",)  # arrays of model files beside the statistics

    @anywhere
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the powers, summarize the rows and build the model; "cv" as for the family."""
        y = self._labels(y)
        return self._under(_of(X, sample_weight), super().fit, X, y, sample_weight)

    @anywhere
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add rows; the powers are those of the first ones."""
        powers = self._powers if hasattr(self, "statistics_") else _of(X, sample_weight)
        return self._under(powers, super().partial_fit, X, y, classes, sample_weight)

    def fit_statistics(self, statistics: Any) -> Self:
        """Build the model from statistics of rows that had the powers of this one."""
        if self._powers is None:
            raise InvalidParameter("the powers are found from rows: call fit(X, y) first.")
        return super().fit_statistics(statistics)

    def _check_forgets(self) -> None:
        raise InvalidParameter(
            "the powers were found from these rows too, and statistics cannot give them again: "
            "call fit(X, y) with the remaining rows, or use GaussianDiscriminant, which forgets."
        )

    def merge(self, other: Learner[Any]) -> Self:
        """Become the model of the rows of both, which must have the same powers."""
        if self._powers is not None and hasattr(other, "statistics_"):
            alike = isinstance(other, UnskewedDiscriminant)
            if not alike or not np.array_equal(self._arrays(), other._arrays()):
                raise Mismatch(
                    "the two have other powers, or none; add rows to one by partial_fit instead."
                )
        return super().merge(other)

    @property
    def powers_(self) -> Floats:
        """The exponent of each feature."""
        return self._known.exponent

    @anywhere
    def predict_joint_log_proba(self, X: Any) -> Floats:
        """ln p(x, y): a column a class, in the order of `classes_`."""
        found = super().predict_joint_log_proba(X)
        return np.asarray(found + self._known.log_slope(super()._rows(X))[:, None])

    def log_likelihood(self, X: Any = None, y: Any = None) -> float:
        """Sum over the rows of ln p(x, y)."""
        if X is None:
            raise InvalidParameter(
                "the volume of the powers is not in the statistics; pass the rows: "
                "log_likelihood(X, y)."
            )
        return super().log_likelihood(X, y)

    def n_parameters(self) -> int:
        """How many numbers the model has to estimate, a power a feature among them."""
        return super().n_parameters() + self.n_features_in_

    def boundary(self, a: Any = None, b: Any = None) -> Boundary:
        """Not an equation of the features, but of their powers: refused."""
        raise InvalidParameter(
            "the boundary is a quadric in the powers of the features, not in the features; ask "
            "log_odds, or use GaussianDiscriminant."
        )

    def ellipse(
        self,
        label: Any,
        features: tuple[int, int] = (0, 1),
        *,
        probability: float | None = None,
        deviations: float | None = None,
    ) -> Ellipse:
        """Not an ellipse in the features, but in their powers: refused."""
        raise InvalidParameter(
            "a class is an ellipse in the powers of the features, not in the features; use "
            "GaussianDiscriminant."
        )

    def outlier_threshold(self, quantile: float = 0.01) -> float:
        """Refused: `outlier_pvalue` does not depend on the units of densities."""
        raise InvalidParameter("densities change by the powers; ask outlier_pvalue instead.")

    @property
    def _linear(self) -> Linear:
        raise AttributeError("the discriminant functions are those of powers of the features.")

    @property
    def _known(self) -> Powers:
        check_is_fitted(self)
        assert self._powers is not None
        return self._powers

    def _under(self, powers: Powers | None, call: Callable[..., Self], *given: Any) -> Self:
        """A call that learns under powers; if it fails, the old ones are back."""
        before, self._powers = self._powers, powers
        self._finds = True
        try:
            return call(*given)
        except BaseException:
            self._powers = before
            raise
        finally:
            self._finds = False

    def _seen(self, X: Any) -> Array:
        assert self._powers is not None
        return self._powers.apply(read(X))

    def _summarize(
        self, X: Any, y: Any, sample_weight: Any, settings: Settings, like: AnyStatistics | None
    ) -> AnyStatistics:
        if like is None and not self._finds:
            raise InvalidParameter(
                "powers are found from rows in memory; fit a sample of these rows there, and add "
                "the others by partial_fit."
            )
        found = super()._summarize(self._seen(X), y, sample_weight, settings, like)
        return found.named(as_features(X).names)

    def _rows(self, X: Any) -> Array:
        return self._known.apply(super()._rows(X))

    def _known_row(self, row: Array) -> Any:
        return self._known.apply(super()._known_row(row))

    def _restored(self, rows: Any, like: Any = None) -> Any:
        found = self._known.undo(rows)
        if like is None:
            return found
        given = read(like)
        return np.where(np.isnan(given), found, given)

    def _arrays(self) -> Floats:
        p = self._known
        return np.stack([p.origin, p.unit, p.exponent, p.centre, p.spread, p.reach])

    def _written(self) -> dict[str, Array]:
        """What was learned beside the statistics, for a file."""
        return {"powers": self._arrays()}

    def _read_back(self, arrays: dict[str, Array], d: int) -> None:
        """Take what was learned from a file; an error says what is wrong."""
        found = arrays["powers"]
        if found.shape != (6, d) or found.dtype != np.float64 or not np.isfinite(found).all():
            raise ValueError("its powers are not numbers for each feature")
        sound = (found[1] != 0) & (found[4] > 0) & (np.abs(found[2] - 0.5) <= 0.5) & (found[5] >= 0)
        if not sound.all():
            raise ValueError("its powers are out of range")
        self._powers = Powers(*found)


def read(X: Any) -> Floats:
    """All rows of a table of numbers."""
    features = as_features(X)
    return np.asarray(features.read(0, features.shape[0]), np.float64)


def _of(X: Any, sample_weight: Any) -> Powers:
    rows = read(X)
    given = sample_weight is not None
    return Powers.of(
        rows, Weights.of(sample_weight, len(rows)).read(0, len(rows)) if given else None
    )
