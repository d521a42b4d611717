"""Gaussian mixtures: several Gaussians and no labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, DensityMixin

from suffice.answers import mixture as _mixture  # noqa: F401 - registers its answers
from suffice.answers.sampling import draw, generator, random_codes
from suffice.data.arrays import Floats, Indices
from suffice.data.features import as_features
from suffice.data.parameters import choice, count, flag, not_negative, numbers
from suffice.errors import InvalidParameter, TooFewRows
from suffice.estimators.anywhere import learns_afresh, on_labelled_rows, on_rows
from suffice.estimators.drawing import drawn_count, seeds_of
from suffice.estimators.fitting import FittedMixture, Fitting, encoded, training_rows
from suffice.estimators.known import known_columns
from suffice.estimators.new_rows import RowsInMemory
from suffice.estimators.state import at_once
from suffice.models.em.em import fit_mixture
from suffice.models.em.training import EmProgress, Given
from suffice.models.known_classes import KnownClasses
from suffice.models.known_gaussians import GivenCovariances, known_gaussians, read_means
from suffice.models.mixture import MixtureModel, covariance_arrays, n_parameters
from suffice.models.scoring import Hook, joint, log_posterior, log_sum, posterior, scores
from suffice.models.settings import Settings
from suffice.selection import criteria
from suffice.text import shown

STARTS = ("k-means++", "kmeans", "random", "random_from_data")


@dataclass(eq=False, repr=False)
class GaussianMixture(Fitting, DensityMixin, BaseEstimator):  # type: ignore[misc]
    """A density made of several Gaussians, fitted by EM.

    Missing values (NaN) are integrated out. A component whose own covariance collapses borrows
    the one pooled over all components, so that every number stays finite without `reg_covar`.
    EM reads the rows in every iteration, so they must be in memory; from a cluster, pass a sample.

    Parameters
    ----------
    n_components : number of Gaussians
    covariance_type : scikit-learn's names: "full", "tied", "diag", "spherical"; None leaves it to
        structure and pooling
    tol : EM stops when the mean log-likelihood gains less than this in an iteration
    reg_covar : added to every variance
    max_iter, n_init : largest number of iterations per start (0 keeps the start), and number of
        starts
    init_params : scikit-learn's names; every start is "k-means++", in standard deviations of each
        feature
    weights_init, means_init, precisions_init : initial values given by the user
    random_state : a seed, a generator, or None
    verbose : 1 prints one line per iteration
    warm_start : whether `fit` continues from the components of the last fit
    structure, pooling, shrinkage, target : see `GaussianDiscriminant`; pooling is over components
    callback : called with the `EmProgress` of each iteration

    Attributes
    ----------
    weights_, means_, covariances_, precisions_, precisions_cholesky_, n_iter_, converged_,
    lower_bound_, n_features_in_, feature_names_in_ ; log_likelihoods_ (also lower_bounds_) : mean
        log-likelihood at the start of each iteration

    >>> from suffice import GaussianMixture
    >>> X = [[1.0], [1.2], [0.9], [7.1], [6.8], [7.3]]
    >>> model = GaussianMixture(2, random_state=0).fit(X)
    >>> sorted(model.means_.ravel().round(2).tolist())
    [1.03, 7.07]
    """

    n_components: int = 1
    _: KW_ONLY
    covariance_type: str | None = None
    tol: float = 1e-3
    reg_covar: float = 0.0
    max_iter: int = 100
    n_init: int = 1
    init_params: str = "k-means++"
    weights_init: Any = None
    means_init: Any = None
    precisions_init: Any = None
    random_state: Any = None
    verbose: int = 0
    verbose_interval: int = 10
    warm_start: bool = False
    structure: str = "full"
    pooling: float = 0.0
    shrinkage: float | str = 0.0
    target: str = "identity"
    callback: Callable[[EmProgress], None] | None = None
    columns: Any = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    @classmethod
    def from_parameters(
        cls, weights: Any, means: Any, covariances: Any, feature_names: Any = None
    ) -> Self:
        """The mixture of these components, without rows.

        weights : of the components, (n_components,); they add up to 1
        means, covariances, feature_names : see `GaussianDiscriminant.from_parameters`, with
            components for classes

        >>> from suffice import GaussianMixture
        >>> model = GaussianMixture.from_parameters([0.5, 0.5], [[-1.0], [1.0]], [[[1.0]], [[4.0]]])
        >>> model.predict_proba([[0.0]]).round(3)
        array([[0.579, 0.421]])
        """
        values = read_means(means)
        K, d = values.shape
        shares = numbers("weights", weights, (K,))
        if shares is None or (shares < 0).any() or not np.isclose(shares.sum(), 1.0, 0, 1e-8):
            raise InvalidParameter(
                f"weights must be {K} shares that add up to 1, one for each row of means; they "
                f"are {shown(weights)}."
            )
        given = GivenCovariances.read(covariances, K, d)
        known = KnownClasses.read(None, K)
        components = known_gaussians(values, given, known, shares)
        owner = np.zeros(K, np.int64)
        mixture = MixtureModel.of(components, owner, np.zeros(1, np.int64), None)
        structure = "diagonal" if given.are_variances else "full"
        model = cls(K, structure=structure, pooling=float(given.shared))
        model._state = FittedMixture.known(
            mixture, model._settings(), known_columns(feature_names, d)
        )
        return model

    @learns_afresh
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the components; y is ignored."""
        settings = self._settings()
        K = count("n_components", self.n_components)
        choice("init_params", self.init_params, STARTS)
        effort = self._effort(not_negative("reg_covar", self.reg_covar))
        table, (encoding, X) = RowsInMemory(X, y), encoded(X, self.columns)
        rng, codes = generator(self.random_state), np.zeros(as_features(X).shape[0], np.int64)
        training = training_rows(X, codes, None, sample_weight)
        n, d = training.n_counted, training.overall.n_features
        if n < K:
            raise TooFewRows(
                f"n_components is {K}, but X has {n} row{'s' * (n > 1)} (n_samples = {n}); "
                "use fewer components or more rows."
            )
        given = self._last_fit(K, d, settings)
        if given is None:
            init = self.weights_init, self.means_init, self.precisions_init
            given = Given.checked(*init, settings, (K, d))
        fit = fit_mixture(training, np.array([K]), settings, None, effort, rng, given)
        self._hold(fit, settings, table, encoding)
        return self

    def _last_fit(self, K: int, d: int, settings: Settings) -> Given | None:
        """The components to continue from; None without a warm start, or if their shapes differ."""
        if not flag("warm_start", self.warm_start) or self._state is None:
            return None
        last = self._fitted.components
        if last.means.shape != (K, d) or settings != self._built_with:
            return None
        return Given(last.priors, last.means, last.covariances, self.lower_bound_)

    @learns_afresh
    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Indices:
        """Fit the components, and return the most probable one of each row."""
        return self.fit(X, y, sample_weight).predict(X)

    @on_rows
    def predict(self, X: Any) -> Indices:
        """The most probable component of each row."""
        return np.asarray(self._answer(X, scores).argmax(axis=1))

    @on_rows
    def predict_proba(self, X: Any) -> Floats:
        """p(component | x), (n, n_components)."""
        return self._answer(X, posterior)

    @on_rows
    def score_samples(self, X: Any) -> Floats:
        """ln p(x)."""
        return log_sum(self._answer(X, joint))

    @on_labelled_rows
    def score(self, X: Any, y: Any = None) -> float:
        """Mean of ln p(x); y is ignored."""
        return float(self.score_samples(X).mean())

    @at_once
    def sample(self, n_samples: int = 1, random_state: Any = None) -> tuple[Floats, Indices]:
        """Rows drawn from the mixture, and their components; by `self.random_state` if None."""
        model, n = self._fitted.components, drawn_count(n_samples, self.n_features_in_)
        rng = generator(self.random_state if random_state is None else random_state)
        codes = random_codes(model.priors, n, rng)
        rows = draw(model, codes, seeds_of(rng))
        learned = self._learned
        if learned.encoding is not None:
            return learned.encoding.decode(rows, None, learned.frame), codes
        return rows, codes

    @on_rows
    def bic(self, X: Any) -> float:
        """-2 ln L + p ln n of the rows; smaller is better."""
        log_densities = self.score_samples(X)
        return criteria.bic(float(log_densities.sum()), self._free, len(log_densities))

    @on_rows
    def aic(self, X: Any) -> float:
        """-2 ln L + 2 p of the rows; smaller is better."""
        return criteria.aic(float(self.score_samples(X).sum()), self._free)

    @on_rows
    def icl(self, X: Any) -> float:
        """BIC + 2 entropy of the components given the rows; small if they are well separated."""
        return criteria.icl(self.bic(X), self._answer(X, log_posterior))

    @property
    def weights_(self) -> Floats:
        """Share of each component, (n_components,)."""
        return self._fitted.components.priors

    @property
    def means_(self) -> Floats:
        """Mean of each component, (n_components, d)."""
        return self._fitted.components.means

    @property
    def covariances_(self) -> Floats:
        """Covariances in scikit-learn's shapes, computed on demand.

        full (n_components, d, d), tied (d, d), diag (n_components, d), spherical (n_components,);
        a shared covariance has no axis for components.
        """
        return self._covariance_arrays("covariance")

    @property
    def precisions_(self) -> Floats:
        """Inverse covariances, in the same shapes."""
        return self._covariance_arrays("precision")

    @property
    def precisions_cholesky_(self) -> Floats:
        """Factors F of the precisions FF', in the same shapes."""
        return self._covariance_arrays("factor")

    @property
    def borrowed_components_(self) -> Indices:
        """Components that borrow the pooled covariance because their own collapsed."""
        return np.array(self._fitted.components.borrowed, np.int64)

    @property
    @at_once
    def _free(self) -> int:
        return n_parameters(self._fitted, self._built_with)

    @property
    def _fitted(self) -> MixtureModel:
        model: MixtureModel = self._learned.kept["model"]
        return model

    def _settings(self) -> Settings:
        structure, pooling = self.structure, self.pooling
        covariance_types = {
            "full": ("full", 0.0),
            "tied": ("full", 1.0),
            "diag": ("diagonal", 0.0),
            "spherical": ("spherical", 0.0),
        }
        if self.covariance_type is not None:
            choice("covariance_type", self.covariance_type, tuple(covariance_types))
            if (structure, pooling) != ("full", 0.0):
                raise InvalidParameter("give either covariance_type, or structure and pooling.")
            structure, pooling = covariance_types[self.covariance_type]
        return Settings.checked(
            structure=structure, pooling=pooling, shrinkage=self.shrinkage, target=self.target
        )

    @at_once
    def _covariance_arrays(self, what: str) -> Floats:
        return covariance_arrays(self._fitted.components, self._built_with, what)

    def _answer(self, X: Any, ask: Hook[Any]) -> Floats:
        rows = self._rows(X)
        with np.errstate(all="ignore"):
            answers = ask(self._fitted.components, rows)
        if not np.isfinite(answers).all():
            self._check_finite(rows)
        return answers
