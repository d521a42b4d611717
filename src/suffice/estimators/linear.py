"""LDA: linear discriminant functions, and the axes that separate the classes best."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from suffice.answers.imputation import impute
from suffice.data.arrays import Floats, namespace
from suffice.data.elsewhere import RowsElsewhere, project
from suffice.data.parameters import count
from suffice.errors import InvalidParameter
from suffice.estimators.anywhere import on_rows
from suffice.estimators.gaussian_classifier import GaussianClassifier
from suffice.estimators.known import KnownForm, KnownGaussians
from suffice.estimators.output import keep_output
from suffice.estimators.sklearn_parameters import check_algorithm, normalised_priors
from suffice.models.axes import Axes, discriminant_axes
from suffice.models.gaussian import LinearScores
from suffice.models.settings import Settings


@dataclass(eq=False, repr=False)
class LinearDiscriminantAnalysis(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]
    TransformerMixin,  # type: ignore[misc]
    KnownGaussians,
    GaussianClassifier,
):
    """LDA: a mean for each class and one full covariance shared by all.

    Parameters
    ----------
    priors, shrinkage, target, ddof, columns, grid : see `GaussianDiscriminant`; ddof=1 gives
        MASS's covariance
    n_components : number of discriminant axes that `transform` keeps, at most classes - 1
    covariance_estimator : an estimator with `covariance_`, fitted to the rows of each class in
        place of their own covariance; the rows must then come at once, to `fit`
    solver, store_covariance, tol : as in scikit-learn, where they choose an algorithm; here they
        change nothing

    Attributes
    ----------
    coef_, intercept_ : the discriminant functions x'coef + intercept; for two classes their
        difference. float32 after a fit to rows of float32, though all else has double precision
    scalings_, xbar_ : the axes (d, components) and the point they start from
    explained_variance_ratio_ : share of the variance between classes along each axis

    >>> from sklearn.datasets import load_iris
    >>> from suffice import LinearDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True)
    >>> lda = LinearDiscriminantAnalysis(n_components=1).fit(X, y)
    >>> lda.score(X, y), lda.transform(X).shape
    (0.98, (150, 1))
    """

    _known_form = KnownForm(diagonal=False, shared=True)

    solver: str = "svd"
    shrinkage: float | str | None = None
    priors: Any = None
    n_components: int | None = None
    store_covariance: bool = False
    tol: float = 1e-4
    covariance_estimator: Any = None
    _: KW_ONLY
    target: str = "identity"
    ddof: float = 0
    columns: Any = None
    grid: Any = None

    def _settings(self) -> Settings:
        check_algorithm(self)
        if self.n_components is not None:
            count("n_components", self.n_components)
        return Settings.checked(
            pooling=1.0,
            shrinkage=self._chosen("shrinkage", self.shrinkage),
            target=self.target,
            ddof=self.ddof,
        )

    def _priors(self) -> Any:
        return normalised_priors(self.priors)

    def set_output(self, *, transform: str | None = None, predict_proba: str | None = None) -> Self:
        """Choose the kind of table that `transform` and `predict_proba` return.

        transform : "pandas" or "polars", as in scikit-learn, which knows these two
        predict_proba : see `GaussianDiscriminant.set_output`
        """
        TransformerMixin.set_output(self, transform=transform)
        return keep_output(self, predict_proba)

    @on_rows
    def transform(self, X: Any) -> Floats:
        """Coordinates of the rows along the discriminant axes, (n, components).

        Missing values are replaced by their conditional means. float32 for rows of float32.
        """
        axes, m = self._axes, self._n_features_out
        rows = self._rows(X)
        onto = axes.centre, axes.directions[:, :m], axes.start[:m]
        with np.errstate(all="ignore"):
            coordinates = project(rows, *onto)
        if isinstance(rows, RowsElsewhere):
            return coordinates  # checked there, where missing values are not accepted
        if not np.isfinite(coordinates).all():
            self._check_finite(rows)
            coordinates = project(impute(self._fitted, rows, None), *onto)
        return coordinates.astype(np.float32) if rows.dtype == np.float32 else coordinates

    @on_rows
    def decision_function(self, X: Any) -> Floats:
        """Log-odds of the second class for two classes; else x'coef_ + intercept_, (n, k)."""
        scores: Floats = super().decision_function(X)
        if scores.ndim == 1:
            return scores
        # What all classes share: nothing for labels and odds, and as scikit-learn has it.
        linear, step, slope = self._about_overall_mean
        shared = project(self._rows(X), linear.centre, slope[:, None], -float(step @ slope) / 2)
        xp = namespace(shared)
        known: Floats = xp.where(xp.isnan(shared), 0.0, shared)  # NaN: a missing value
        return scores + known

    @property
    def coef_(self) -> Floats:
        """Slopes of the discriminant functions, (k, d); for two classes (1, d)."""
        linear, _, slope = self._about_overall_mean
        slopes = linear.coefficients
        coefficients = slopes[1:] - slopes[:1] if len(slopes) == 2 else slopes + slope
        return self._as_trained(coefficients)

    @property
    def intercept_(self) -> Floats:
        """Constants of the discriminant functions, (k,); for two classes (1,)."""
        linear, step, slope = self._about_overall_mean
        constants = linear.intercepts
        if len(constants) == 2:
            return self._as_trained(constants[1:] - constants[:1])
        return self._as_trained(constants + step @ slope / 2 - linear.centre @ slope)

    def _as_trained(self, values: Floats) -> Floats:
        """In the precision of the training rows, as scikit-learn gives them."""
        return np.asarray(values, np.float32 if self._learned.columns.single else np.float64)

    @property
    def _about_overall_mean(self) -> tuple[LinearScores, Floats, Floats]:
        """Linear scores, the step from the overall mean to their centre, and its slope.

        Scores about the overall mean, as scikit-learn has them, differ from those about another
        point by the same amount for all classes.
        """

        def scores() -> tuple[LinearScores, Floats, Floats]:
            model = self._fitted
            step = model.linear.centre - self._axes.centre
            return model.linear, step, model.covariances[0].solve(step[None])[0]

        return self._learned.once("about overall mean", scores)  # type: ignore[no-any-return]

    def _check_statistics(self, statistics: Any) -> None:
        if self.n_components is not None:
            self._check_components(len(statistics.classes), statistics.n_features)

    def _check_components(self, classes: int, features: int) -> None:
        most = min(classes - 1, features)
        if self.n_components is not None and self.n_components > max(most, 1):
            raise InvalidParameter(
                f"n_components cannot be larger than min(n_features, n_classes - 1) = {most}; it "
                f"is {self.n_components}."
            )

    @property
    def scalings_(self) -> Floats:
        """The discriminant axes, (d, classes - 1 at most)."""
        return self._axes.directions.copy()

    @property
    def transformed_means_(self) -> Floats:
        """The class means along the discriminant axes, (k, components)."""
        axes, m = self._axes, self._n_features_out
        return np.asarray((self.means_ - axes.centre) @ axes.directions[:, :m] - axes.start[:m])

    @property
    def xbar_(self) -> Floats:
        """Overall mean: the class means weighted by the priors."""
        return self._axes.centre.copy()

    @property
    def explained_variance_ratio_(self) -> Floats:
        """Share of the variance between classes along each axis that is kept."""
        return self._axes.shares[: self._n_features_out].copy()

    @property
    def _axes(self) -> Axes:
        axes: Axes = self._learned.once("axes", lambda: discriminant_axes(self._fitted))
        return axes

    @property
    def _n_features_out(self) -> int:
        available = len(self._axes.shares)
        if self.n_components is None:
            return available
        self._check_components(len(self._fitted.classes), self.n_features_in_)
        return min(int(self.n_components), available)


LDA = LinearDiscriminantAnalysis
