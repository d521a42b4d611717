"""Bayesian discriminant: conjugate priors for Gaussian classes, and honest odds from few rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.answers.student import atypicality
from suffice.data.arrays import Floats
from suffice.errors import InvalidParameter
from suffice.estimators.gaussian_classifier import GaussianClassifier
from suffice.estimators.state import at_once
from suffice.models.conjugate_priors.beliefs import Beliefs, Prior
from suffice.models.conjugate_priors.conjugate import MapModel, Posterior, log_evidence
from suffice.models.conjugate_priors.student import StudentModel
from suffice.models.gaussian import LinearScores


@dataclass(eq=False, repr=False)
class BayesianDiscriminant(GaussianClassifier):
    """Gaussian classes with a posterior distribution over means and covariances.

    The prior is conjugate, and its strength is measured in rows: the prior mean counts like
    `mean_strength` rows, and the prior covariance like `covariance_strength` rows. "auto" takes the
    strengths under which the rows are most probable (empirical Bayes), each class judged by the
    others. Even a class of one row gets honest odds.
    Missing values in X are integrated out at predict and for independent features; with full
    covariances, rows are completed by EM and weighted by the share of their observed values.

    Parameters
    ----------
    structure : "full" (normal-inverse-Wishart), or "diagonal": independent features
        (normal-inverse-gamma each)
    pooling : 0 for one covariance per class, or 1 for one shared by all
    mean_strength, covariance_strength : weight of the prior in rows, or "auto"
    prior_mean : (d,); None for the overall mean
    prior_covariance : (d, d), or variances (d,); None for the covariance pooled over classes, its
        correlations shrunk by OAS. If there is only one covariance to estimate (pooling=1, or
        one class), only the variances are taken from it. Units and origins of features do not
        matter.
    density : "predictive", one Student t distribution per class, with means and covariances
        integrated out; or "map", one Gaussian per class at the maximum of the posterior, which
        `boundary`, `whiten` and `ellipse` need
    priors, columns, grid : see `GaussianDiscriminant`
    class_strength : rows added to every class if priors are class shares (a Dirichlet prior)

    Attributes
    ----------
    classes_, priors_, means_, covariance_, covariances_, statistics_, n_features_in_,
    feature_names_in_ ; mean_strength_, covariance_strength_, prior_mean_, prior_covariance_ : as
        given or estimated; log_evidence_ : ln p(X | y), means and covariances integrated out;
        degrees_of_freedom_ : of each class, or of each class and feature

    >>> from suffice.estimators.bayesian import BayesianDiscriminant
    >>> X, y = [[1.0], [1.4], [0.8], [1.2], [3.0]], ["a", "a", "a", "a", "b"]
    >>> model = BayesianDiscriminant().fit(X, y)
    >>> model.predict_proba([[1.0], [2.0], [3.0]]).round(3)
    array([[0.999, 0.001],
           [0.603, 0.397],
           [0.001, 0.999]])
    """

    _judged = False
    _takes_device_rows = False

    structure: str = "full"
    pooling: float = 0.0
    mean_strength: float | str = "auto"
    covariance_strength: float | str = "auto"
    prior_mean: Any = None
    prior_covariance: Any = None
    density: str = "predictive"
    priors: Any = None
    class_strength: float = 0.0
    columns: Any = None
    grid: Any = None

    @property
    def mean_strength_(self) -> float:
        """Weight of the prior mean, in rows."""
        return self._prior.mean_strength

    @property
    def covariance_strength_(self) -> float:
        """Weight of the prior covariance, in rows."""
        return self._prior.covariance_strength

    @property
    def prior_mean_(self) -> Floats:
        """The prior mean, (d,)."""
        return self._prior.mean

    @property
    def prior_covariance_(self) -> Floats:
        """The prior covariance, (d, d); zero for features that never vary."""
        covariance = self._prior.covariance
        return covariance if covariance.ndim == 2 else np.diag(covariance)

    @property
    @at_once
    def log_evidence_(self) -> float:
        """ln p(X | y), means and covariances integrated out; larger means a better prior."""
        return log_evidence(self._fitted_statistics, self._built_with, self._prior)

    @property
    def degrees_of_freedom_(self) -> Floats:
        """Degrees of freedom of the predictive density, (k,); (k, d) with missing values."""
        freedom = self._posterior.freedom
        return np.array(freedom[:, 0] if freedom.shape[1] == 1 else freedom)

    @property
    @at_once
    def effective_parameters_(self) -> float:
        """Effective number of parameters, reduced where the prior outweighs the rows."""
        k, d = self.means_.shape
        entries = self._built_with.structure.entries(d)
        weight = self._fitted_statistics.weight
        own = (weight / (weight + self.covariance_strength_)).mean() * (1 - self.pooling)
        return float(k * d + entries * (1 + own * (k - 1)))

    @property
    def _linear(self) -> LinearScores:
        if isinstance(self._fitted, StudentModel):
            raise AttributeError(
                "the discriminant functions of Student t classes are not linear; they are linear "
                "with density='map' and pooling=1."
            )
        return super()._linear

    @property
    def _posterior(self) -> Posterior:
        gaussian = self._fitted.gaussian
        assert isinstance(gaussian, MapModel)
        return gaussian.posterior

    @property
    def _prior(self) -> Prior:
        return self._posterior.prior

    def _check_gaussian(self, answer: str) -> None:
        if isinstance(self._fitted, StudentModel):
            raise InvalidParameter(
                f"{answer} needs Gaussian classes, but these are Student t; use density='map'."
            )

    def _settings(self) -> Beliefs:
        return Beliefs.checked(
            structure=self.structure,
            pooling=self.pooling,
            mean_strength=self.mean_strength,
            covariance_strength=self.covariance_strength,
            prior_mean=self.prior_mean,
            prior_covariance=self.prior_covariance,
            density=self.density,
            class_strength=self.class_strength,
        )

    def _class_weight(self) -> Floats:
        return np.asarray(self.statistics_.weight + self._built_with.class_strength)

    def _new_atypicality(self) -> Any:
        return atypicality(self._fitted, self._posterior)
