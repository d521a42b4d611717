"""LDA: linear discriminant functions, and the axes that separate the classes best."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from suffice.answers.imputation import impute
from suffice.data.arrays import Floats
from suffice.data.parameters import count
from suffice.errors import InvalidParameter
from suffice.estimators.anywhere import anywhere
from suffice.estimators.gaussian_classifier import GaussianClassifier
from suffice.models.axes import Axes, discriminant_axes
from suffice.models.settings import Settings


class LinearDiscriminantAnalysis(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    GaussianClassifier,
):
    """LDA: a mean for each class and one full covariance shared by all.

    Parameters
    ----------
    priors, shrinkage, target, ddof : see `GaussianDiscriminant`; ddof=1 gives MASS's covariance
    n_components : number of discriminant axes that `transform` keeps, at most classes - 1

    Attributes
    ----------
    coef_, intercept_ : the discriminant functions x'coef + intercept; for two classes their
        difference
    scalings_, xbar_ : the axes (d, components) and the point they start from
    explained_variance_ratio_ : share of the variance between classes along each axis

    >>> from sklearn.datasets import load_iris
    >>> from suffice import LinearDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True)
    >>> lda = LinearDiscriminantAnalysis(n_components=1).fit(X, y)
    >>> lda.score(X, y), lda.transform(X).shape
    (0.98, (150, 1))
    """

    def __init__(
        self,
        *,
        shrinkage: float | str | None = None,
        priors: Any = None,
        n_components: int | None = None,
        target: str = "identity",
        ddof: float = 0,
    ) -> None:
        self.shrinkage = shrinkage
        self.priors = priors
        self.n_components = n_components
        self.target = target
        self.ddof = ddof

    def _settings(self) -> Settings:
        if self.n_components is not None:
            count("n_components", self.n_components)
        return Settings.checked(
            pooling=1.0,
            shrinkage=self._parameter("shrinkage"),
            target=self.target,
            ddof=self.ddof,
        )

    @anywhere
    def transform(self, X: Any) -> Floats:
        """Coordinates of the rows along the discriminant axes, (n, components).

        Missing values are replaced by their conditional means.
        """
        axes, rows, m = self._axes, self._rows(X), self._n_features_out
        directions, start = axes.directions[:, :m], axes.start[:m]
        with np.errstate(all="ignore"):
            coordinates = (rows - axes.centre) @ directions - start
        if not np.isfinite(coordinates).all():
            self._check_finite(rows)
            coordinates = (impute(self._fitted, rows, None) - axes.centre) @ directions - start
        return coordinates

    @property
    def coef_(self) -> Floats:
        """Slopes of the discriminant functions, (k, d); for two classes (1, d)."""
        slopes = self._fitted.linear.coefficients
        return slopes[1:] - slopes[:1] if len(slopes) == 2 else slopes

    @property
    def intercept_(self) -> Floats:
        """Constants of the discriminant functions, (k,); for two classes (1,)."""
        constants = self._fitted.linear.intercepts
        return constants[1:] - constants[:1] if len(constants) == 2 else constants

    @property
    def scalings_(self) -> Floats:
        """The discriminant axes, (d, classes - 1 at most)."""
        return self._axes.directions

    @property
    def xbar_(self) -> Floats:
        """Overall mean: the class means weighted by the priors."""
        return self._axes.centre

    @property
    def explained_variance_ratio_(self) -> Floats:
        """Share of the variance between classes along each axis that is kept."""
        return self._axes.shares[: self._n_features_out]

    @property
    def _axes(self) -> Axes:
        return discriminant_axes(self._fitted)

    @property
    def _n_features_out(self) -> int:
        available = len(self._axes.shares)
        if self.n_components is None:
            return available
        most = min(len(self._fitted.classes) - 1, self.n_features_in_)
        if self.n_components > most:
            raise InvalidParameter(
                f"n_components is {self.n_components}; it cannot be larger than "
                f"min(n_features, n_classes - 1) = {most}."
            )
        return min(int(self.n_components), available)


LDA = LinearDiscriminantAnalysis
