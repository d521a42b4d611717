"""The Gaussian family: one classifier, and its special cases by their usual names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Floats
from suffice.data.parameters import not_negative, share
from suffice.errors import InvalidParameter
from suffice.estimators.gaussian_classifier import GaussianClassifier
from suffice.estimators.known import KnownForm, KnownGaussians
from suffice.estimators.sklearn_parameters import check_algorithm, normalised_priors
from suffice.models.known_gaussians import GivenCovariances
from suffice.models.settings import Settings


@dataclass(eq=False, repr=False)
class GaussianDiscriminant(KnownGaussians, GaussianClassifier):
    """The whole family of Gaussian class models, from nearest centroid to QDA.

    Parameters
    ----------
    structure : shape of a class covariance: "full", "diagonal" (naive Bayes), "spherical"
    pooling : from 0, one covariance per class (QDA), to 1, one shared by all (LDA);
        Friedman's lambda; or "cv", cross-validated at fit
    shrinkage : 0 to 1, Friedman's gamma; or estimated: "ledoit-wolf", "oas", or "auto": OAS toward
        the diagonal whatever the target, so that units do not matter (variances alone stay as
        they are); or "cv"
    target : what it shrinks toward: the scaled "identity", or the "diagonal", with which the
        units of the features do not matter
    priors : None (class shares), "uniform", a mapping by label, or an array in the order of
        `classes_`
    ddof : 0 divides by the weight of a class (maximum likelihood), 1 by one less
    inflation : factor by which covariances are multiplied at the end; above 1, posteriors are less
        certain, as they should be if rows are not quite Gaussian; or "cv"
    columns : how to read the columns of a table, as `suffice.describe` returns it; None for its
        defaults
    grid : a `Grid` to which values are rounded (of a table with levels: its numbers), so that
        `statistics_` are exact, and a model that has forgotten rows equals, in every bit, one that
        has never seen them

    Attributes
    ----------
    classes_, priors_, means_, covariance_, covariances_, statistics_, n_features_in_,
    feature_names_in_ ; borrowed_classes_ : classes with too few rows for a covariance of their
        own, which borrow the pooled one
    pooling_, shrinkage_, inflation_ : as given or, for "cv", as chosen; selection_ : how (see
        `Selection`)

    >>> from sklearn.datasets import load_iris
    >>> from suffice import GaussianDiscriminant
    >>> X, y = load_iris(return_X_y=True)
    >>> model = GaussianDiscriminant(pooling=0.5, shrinkage=0.1).fit(X, y)
    >>> round(model.score(X, y), 3)
    0.98
    """

    _known_form = KnownForm()

    structure: str = "full"
    pooling: float | str = 0.0
    shrinkage: float | str = 0.0
    target: str = "identity"
    priors: Any = None
    ddof: float = 0
    inflation: float | str = 1.0
    columns: Any = None
    grid: Any = None

    def _settings(self) -> Settings:
        return Settings.checked(**self._given_settings())

    def _given_settings(self) -> dict[str, Any]:
        return {
            "structure": self.structure,
            "pooling": self._chosen("pooling", self.pooling),
            "shrinkage": self._chosen("shrinkage", self.shrinkage),
            "target": self.target,
            "ddof": self.ddof,
            "inflation": self._chosen("inflation", self.inflation),
        }

    @classmethod
    def _known_parameters(cls, given: GivenCovariances) -> dict[str, Any]:
        structure = "diagonal" if given.are_variances else "full"
        return {"structure": structure, "pooling": float(given.shared)}


@dataclass(eq=False, repr=False, kw_only=True)
class QuadraticDiscriminantAnalysis(KnownGaussians, GaussianClassifier):
    """QDA: a mean and a full covariance for each class.

    Parameters
    ----------
    priors, shrinkage, target, ddof, columns, grid : see `GaussianDiscriminant`; ddof=1 gives MASS's
        covariances
    reg_param : as in scikit-learn, (1 - reg_param) covariance + reg_param I
    covariance_estimator : an estimator with `covariance_`, fitted to the rows of each class in
        place of their own covariance; the rows must then come at once, to `fit`
    solver, store_covariance, tol : as in scikit-learn, where they choose an algorithm; here they
        change nothing

    >>> from sklearn.datasets import load_iris
    >>> from suffice import QuadraticDiscriminantAnalysis
    >>> X, y = load_iris(return_X_y=True)
    >>> QuadraticDiscriminantAnalysis().fit(X, y).predict(X[:2])
    array([0, 0])
    """

    _known_form = KnownForm(diagonal=False, shared=False)

    solver: str = "svd"
    shrinkage: float | str | None = None
    priors: Any = None
    reg_param: float = 0.0
    store_covariance: bool = False
    tol: float = 1e-4
    covariance_estimator: Any = None
    target: str = "identity"
    ddof: float = 0
    columns: Any = None
    grid: Any = None

    def _settings(self) -> Settings:
        check_algorithm(self)
        shrinkage, target = self._chosen("shrinkage", self.shrinkage), self.target
        if share("reg_param", self.reg_param):
            if shrinkage:
                raise InvalidParameter("give either shrinkage or reg_param, not both.")
            shrinkage, target = self.reg_param, "unit"
        return Settings.checked(shrinkage=shrinkage, target=target, ddof=self.ddof)

    def _priors(self) -> Any:
        return normalised_priors(self.priors)


@dataclass(eq=False, repr=False, kw_only=True)
class GaussianNB(KnownGaussians, GaussianClassifier):
    """Gaussian naive Bayes: independent features with a variance for each class.

    Parameters
    ----------
    priors, columns, grid : see `GaussianDiscriminant`
    var_smoothing : share of each feature's own overall variance that is added to its variance
        in every class; scikit-learn takes the share of the largest variance of all features,
        which hides features in small units

    >>> from sklearn.datasets import load_iris
    >>> from suffice import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> GaussianNB().fit(X, y).score(X, y)
    0.96
    """

    _known_form = KnownForm(diagonal=True, shared=False)

    priors: Any = None
    var_smoothing: float = 1e-9
    columns: Any = None
    grid: Any = None

    def _settings(self) -> Settings:
        smoothing = not_negative("var_smoothing", self.var_smoothing)
        return Settings.checked(structure="diagonal", smoothing=smoothing)

    @property
    def theta_(self) -> Floats:
        """Mean of each class and feature (scikit-learn's name)."""
        return self.means_

    @property
    def var_(self) -> Floats:
        """Variance of each class and feature, smoothing included (scikit-learn's name)."""
        return np.array(self._fitted.variances)

    @property
    def class_prior_(self) -> Floats:
        """Prior of each class (scikit-learn's name)."""
        return self.priors_

    @property
    def class_count_(self) -> Floats:
        """Weight of each class (scikit-learn's name)."""
        return np.asarray(self._fitted_statistics.weight)


@dataclass(eq=False, repr=False, kw_only=True)
class DiagonalLDA(KnownGaussians, GaussianClassifier):
    """LDA with naive Bayes: independent features with one variance shared by all classes.

    Parameters
    ----------
    priors, shrinkage, ddof, columns, grid : see `GaussianDiscriminant`

    >>> from sklearn.datasets import load_iris
    >>> from suffice import DiagonalLDA
    >>> X, y = load_iris(return_X_y=True)
    >>> DiagonalLDA().fit(X, y).score(X, y)
    0.96
    """

    _known_form = KnownForm(diagonal=True, shared=True)

    priors: Any = None
    shrinkage: float | str = 0.0
    ddof: float = 0
    columns: Any = None
    grid: Any = None

    def _settings(self) -> Settings:
        return Settings.checked(
            structure="diagonal",
            pooling=1.0,
            shrinkage=self._chosen("shrinkage", self.shrinkage),
            ddof=self.ddof,
        )


QDA = QuadraticDiscriminantAnalysis
