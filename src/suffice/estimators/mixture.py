"""Mixtures: several Gaussians a class, and Gaussians without any classes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, DensityMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from suffice.answers import mixture as _mixture  # noqa: F401 - registers its answers
from suffice.answers.pair import class_position
from suffice.answers.rarity import Rarity
from suffice.answers.sampling import count, draw, generator, random_codes
from suffice.data.arrays import Array, Floats, Indices
from suffice.data.features import as_features, infinite
from suffice.data.labels import shown
from suffice.data.partial_labels import label_column, partial_classes
from suffice.data.weights import Weights
from suffice.errors import (
    InvalidFeatures,
    InvalidInput,
    InvalidLabels,
    InvalidParameter,
    TooFewRows,
)
from suffice.estimators.base import Classifier
from suffice.models.em import fit_mixture, sizes_by_bic
from suffice.models.mixture import MixtureModel, n_parameters, shaped
from suffice.models.scoring import log_sum
from suffice.models.settings import Settings, choice, not_negative
from suffice.models.training import Effort, Given, MixtureFit, Progress, Training, most_components

COVARIANCE_TYPES = {
    "full": ("full", 0.0),
    "tied": ("full", 1.0),
    "diag": ("diagonal", 0.0),
    "spherical": ("spherical", 0.0),
}

STARTS = ("k-means++", "kmeans")

# With n_components="bic", a class has at most so many.
MOST_BY_BIC = 6


class Fitting:
    """Parameters and results of EM, which all mixtures share."""

    tol: float
    max_iter: int
    n_init: int
    verbose: int
    callback: Callable[[Progress], None] | None
    n_iter_: int
    converged_: bool
    lower_bound_: float
    log_likelihoods_: Floats
    _model: MixtureModel | None
    _component_weight: Floats

    def _effort(self, addition: float = 0.0) -> Effort:
        return Effort(
            not_negative("tol", self.tol),
            count("max_iter", self.max_iter),
            count("n_init", self.n_init),
            addition,
            self._told if self.verbose or self.callback is not None else None,
        )

    def _told(self, progress: Progress) -> None:
        if self.verbose:
            print(
                f"start {progress.start}, iteration {progress.iteration}: mean log-likelihood "
                f"{progress.log_likelihood:.6f}, gain {progress.gain:.3g}"
            )
        if self.callback is not None:
            self.callback(progress)

    def _take_fit(self, fit: MixtureFit, X: Any) -> None:
        """Hold what was found."""
        validate_data(self, X=X, reset=True, skip_check_array=True)
        self._model = fit.model
        self._component_weight = fit.weight
        self.n_iter_ = max(1, len(fit.log_likelihoods))
        self.converged_ = fit.converged
        self.log_likelihoods_ = np.array(fit.log_likelihoods)
        self.lower_bound_ = fit.log_likelihood

    def _tell(self, fit: MixtureFit) -> None:
        """Warn of what went otherwise than asked for."""
        told: list[tuple[str, type[Warning]]] = [(note, RuntimeWarning) for note in fit.notes]
        n = self.n_iter_
        if fit.interrupted:
            what = f"interrupted after {n} iterations: the best model so far is kept."
            told.append((what, RuntimeWarning))
        elif n == self.max_iter and not fit.converged and self.tol > 0:
            what = f"EM has not converged in {n} iterations; raise max_iter or tol."
            told.append((what, ConvergenceWarning))
        for what, kind in told:
            warnings.warn(what, kind, stacklevel=3)


class GaussianMixture(Fitting, DensityMixin, BaseEstimator):  # type: ignore[misc]
    """A density made of Gaussians, found by EM.

    Missing values (NaN) are integrated out. A component whose own covariance collapses borrows
    the one pooled over all components, so that every number stays finite without `reg_covar`.

    Parameters
    ----------
    n_components : how many Gaussians
    covariance_type : scikit-learn's names: "full", "tied", "diag", "spherical"; None leaves it to
        structure and pooling
    tol : EM stops when the mean log-likelihood gains less in an iteration
    reg_covar : added to every variance
    max_iter, n_init : most iterations of a start, and how many starts the best is taken of
    init_params : "k-means++" (or "kmeans"), in standard deviations of each feature
    weights_init, means_init, precisions_init : in place of what the start finds
    random_state : a seed, a generator, or None
    verbose : 1 prints a line an iteration
    structure, pooling, shrinkage, target : see `GaussianDiscriminant`; pooling is over components
    callback : called with the `Progress` of each iteration

    Attributes
    ----------
    weights_, means_, covariances_, precisions_, precisions_cholesky_, n_iter_, converged_,
    lower_bound_, n_features_in_, feature_names_in_ ; log_likelihoods_ : mean log-likelihood at
        the start of each iteration

    >>> from suffice.estimators.mixture import GaussianMixture
    >>> X = [[1.0], [1.2], [0.9], [7.1], [6.8], [7.3]]
    >>> model = GaussianMixture(2, random_state=0).fit(X)
    >>> sorted(model.means_.ravel().round(2).tolist())
    [1.03, 7.07]
    """

    def __init__(
        self,
        n_components: int = 1,
        *,
        covariance_type: str | None = None,
        tol: float = 1e-3,
        reg_covar: float = 0.0,
        max_iter: int = 100,
        n_init: int = 1,
        init_params: str = "k-means++",
        weights_init: Any = None,
        means_init: Any = None,
        precisions_init: Any = None,
        random_state: Any = None,
        verbose: int = 0,
        structure: str = "full",
        pooling: float = 0.0,
        shrinkage: float | str = 0.0,
        target: str = "identity",
        callback: Callable[[Progress], None] | None = None,
    ) -> None:
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.tol = tol
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.n_init = n_init
        self.init_params = init_params
        self.weights_init = weights_init
        self.means_init = means_init
        self.precisions_init = precisions_init
        self.random_state = random_state
        self.verbose = verbose
        self.structure = structure
        self.pooling = pooling
        self.shrinkage = shrinkage
        self.target = target
        self.callback = callback

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the components; y is ignored."""
        settings, K = self._settings(), count("n_components", self.n_components)
        choice("init_params", self.init_params, STARTS)
        effort = self._effort(not_negative("reg_covar", self.reg_covar))
        training = _training(X, np.zeros(as_features(X).shape[0], np.int64), None, sample_weight)
        n, d = int(training.count[0]), training.X.shape[1]
        if n < K:
            raise TooFewRows(
                f"n_components is {K}, but X has {n} row{'s' * (n > 1)} (n_samples = {n}); "
                "take fewer components or more rows."
            )
        init = self.weights_init, self.means_init, self.precisions_init
        given = Given.checked(*init, settings, (K, d))
        rng = generator(self.random_state)
        found = fit_mixture(training, np.array([K]), settings, None, effort, rng, given)
        self._take_fit(found, X)
        self._built_with = settings
        self._tell(found)
        return self

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Indices:
        """Find the components, and give the most probable one of each row."""
        return self.fit(X, y, sample_weight).predict(X)

    def predict(self, X: Any) -> Indices:
        """The most probable component of each row."""
        return np.asarray(self._answer(X, "scores").argmax(axis=1))

    def predict_proba(self, X: Any) -> Floats:
        """p(component | x), (n, n_components)."""
        return self._answer(X, "posterior")

    def score_samples(self, X: Any) -> Floats:
        """ln p(x)."""
        return log_sum(self._answer(X, "joint"))

    def score(self, X: Any, y: Any = None) -> float:
        """Mean of ln p(x); y is ignored."""
        return float(self.score_samples(X).mean())

    def sample(self, n_samples: int = 1, random_state: Any = None) -> tuple[Floats, Indices]:
        """Rows drawn from the mixture, and their components; by `self.random_state` if None."""
        model, n = self._fitted.components, count("n_samples", n_samples)
        rng = generator(self.random_state if random_state is None else random_state)
        codes = random_codes(model.priors, n, rng)
        return draw(model, codes, np.random.SeedSequence(rng.integers(0, 2**63, 4).tolist())), codes

    def bic(self, X: Any) -> float:
        """-2 ln L + p ln n of the rows: the smaller, the better."""
        found = self.score_samples(X)
        return float(self._free * np.log(len(found)) - 2 * found.sum())

    def aic(self, X: Any) -> float:
        """-2 ln L + 2 p of the rows: the smaller, the better."""
        return float(2 * self._free - 2 * self.score_samples(X).sum())

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
        """Covariances in scikit-learn's shapes, computed when asked for.

        full (n_components, d, d), tied (d, d), diag (n_components, d), spherical (n_components,);
        what is shared by all components has no axis for them.
        """
        return self._shaped("covariance")

    @property
    def precisions_(self) -> Floats:
        """Their inverses, in the same shapes."""
        return self._shaped("precision")

    @property
    def precisions_cholesky_(self) -> Floats:
        """Factors F of the precisions FF', in the same shapes."""
        return self._shaped("factor")

    @property
    def borrowed_components_(self) -> Indices:
        """Components without a covariance of their own, which borrow the pooled one."""
        return np.array(self._fitted.components.borrowed, np.int64)

    @property
    def _free(self) -> int:
        return n_parameters(self._fitted, self._built_with)

    @property
    def _fitted(self) -> MixtureModel:
        check_is_fitted(self)
        assert self._model is not None
        return self._model

    def _settings(self) -> Settings:
        structure, pooling = self.structure, self.pooling
        if self.covariance_type is not None:
            choice("covariance_type", self.covariance_type, tuple(COVARIANCE_TYPES))
            if (structure, pooling) != ("full", 0.0):
                raise InvalidParameter("give either covariance_type, or structure and pooling.")
            structure, pooling = COVARIANCE_TYPES[self.covariance_type]
        return Settings.checked(
            structure=structure, pooling=pooling, shrinkage=self.shrinkage, target=self.target
        )

    def _shaped(self, what: str) -> Floats:
        return shaped(self._fitted.components, self._built_with, what)

    def _answer(self, X: Any, name: str) -> Floats:
        model, features = self._fitted, as_features(X)
        try:
            validate_data(self, X=X, reset=False, skip_check_array=True)
        except ValueError as different:
            raise InvalidFeatures(str(different)) from None
        rows = features.read(0, features.shape[0])
        with np.errstate(all="ignore"):
            found = model.components.answer(name, rows)
        error = None if np.isfinite(found).all() else infinite(rows, 0, features.names)
        if error is not None:
            raise error
        return found


class MixtureDiscriminant(Fitting, Classifier[MixtureModel]):
    """Classes of several Gaussians each; rows without a label are learned from, too.

    Labelled rows have a share in the components of their class, others in those of all classes.
    With one component a class and every label known, this is `GaussianDiscriminant`.

    Parameters
    ----------
    n_components : Gaussians a class: a number (fewer where a class has less than two
        different rows for each), a mapping by label, or "bic", which chooses up to six by
        the labelled rows
    structure, pooling, shrinkage, target : see `GaussianDiscriminant`; pooling is over the
        components of all classes. "ledoit-wolf" is "oas" where rows are shared.
    priors : None (class shares), "uniform", a mapping by label, or an array in the order of
        `classes_`
    tol, max_iter, n_init, random_state, verbose, callback : see `GaussianMixture`
    unlabelled : the label of rows without a class, beside those whose label is missing (None,
        NaN); None if there is no such label. Where one other label is all there is, it is a
        class itself, so that labels of -1 and 1 mean what they mean elsewhere.

    Attributes
    ----------
    classes_, priors_, n_features_in_, feature_names_in_, n_iter_, converged_, lower_bound_,
    log_likelihoods_ ; means_, weights_, covariances_, component_classes_ : by component

    >>> from sklearn.datasets import load_iris
    >>> from suffice.estimators.mixture import MixtureDiscriminant
    >>> X, y = load_iris(return_X_y=True)
    >>> y[10:50] = y[60:100] = y[110:] = -1
    >>> model = MixtureDiscriminant(1).fit(X, y)
    >>> round(model.score(X, load_iris().target), 3)
    0.967
    """

    def __init__(
        self,
        n_components: int | Mapping[Any, int] | str = 2,
        structure: str = "full",
        pooling: float = 0.0,
        shrinkage: float | str = 0.0,
        target: str = "identity",
        priors: Any = None,
        tol: float = 1e-3,
        max_iter: int = 100,
        n_init: int = 1,
        random_state: Any = None,
        unlabelled: Any = -1,
        verbose: int = 0,
        callback: Callable[[Progress], None] | None = None,
    ) -> None:
        self.n_components = n_components
        self.structure = structure
        self.pooling = pooling
        self.shrinkage = shrinkage
        self.target = target
        self.priors = priors
        self.tol = tol
        self.max_iter = max_iter
        self.n_init = n_init
        self.random_state = random_state
        self.unlabelled = unlabelled
        self.verbose = verbose
        self.callback = callback

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the components of each class, from all rows."""
        settings, effort = self._settings(), self._effort()
        rng = generator(self.random_state)
        as_features(X)  # what is wrong with X is said before what is wrong with y
        classes, codes = partial_classes(label_column(y, type(self).__name__), self.unlabelled)
        training = _training(X, codes, classes, sample_weight)
        sizes = self._sizes(training, settings, effort, rng)
        found = fit_mixture(training, sizes, settings, self.priors, effort, rng)
        self._take_fit(found, X)
        self.classes_ = training.classes
        self._tell(found)
        return self

    @property
    def means_(self) -> Floats:
        """Mean of each component, (K, d)."""
        return self._fitted.components.means

    @property
    def weights_(self) -> Floats:
        """Share of each component in its class, (K,)."""
        return self._fitted.shares

    @property
    def covariances_(self) -> Floats:
        """Covariance of each component, (K, d, d); computed when asked for."""
        found = self._fitted.components.matrices
        return found if found.ndim == 3 else np.repeat(found[None], len(self.means_), axis=0)

    @property
    def component_classes_(self) -> Array:
        """The class of each component, (K,)."""
        return np.asarray(self.classes_[self._fitted.owner])

    @property
    def contributions(self) -> Any:
        """The log-odds of mixtures are no sum over features: an AttributeError."""
        raise AttributeError("the log-odds of mixtures are no sum over features.")

    explain = contributions

    def _settings(self) -> Settings:
        return Settings.checked(
            structure=self.structure,
            pooling=self.pooling,
            shrinkage=self.shrinkage,
            target=self.target,
        )

    def _class_weight(self) -> Floats:
        model = self._fitted
        weight = np.bincount(model.owner, self._component_weight, len(model.classes))
        return np.asarray(weight, np.float64)

    def _new_atypicality(self) -> Any:
        return Rarity(self._fitted, np.isnan, _masked)

    def _sizes(
        self, training: Training, settings: Settings, effort: Effort, rng: np.random.Generator
    ) -> Indices:
        """How many components each class is to have, (k,)."""
        asked, classes, rows = self.n_components, training.classes, training.count
        if isinstance(asked, str):
            choice("n_components", asked, ("bic",))
            return sizes_by_bic(training, settings, effort, rng, MOST_BY_BIC)
        if isinstance(asked, Mapping):
            return _sizes_by_label(asked, classes, rows)
        most = count("n_components", asked)
        if most > rows.max():
            c = int(rows.argmax())
            raise TooFewRows(
                f"n_components is {most}, but the largest class, {shown(classes[c])}, has "
                f"{rows[c]} labelled rows; take fewer components or more rows."
            )
        return np.minimum(most, most_components(training))


def _sizes_by_label(asked: Mapping[Any, int], classes: Array, rows: Indices) -> Indices:
    for label in asked:
        class_position(classes, label)
    sizes = []
    for label, n in zip(classes.tolist(), rows.tolist(), strict=True):
        if label not in asked:
            raise InvalidParameter(f"n_components has no entry for class {label!r}.")
        sizes.append(count(f"n_components of class {label!r}", asked[label]))
        if sizes[-1] > n:
            raise TooFewRows(
                f"n_components of class {label!r} is {sizes[-1]}, but it has {n} labelled rows."
            )
    return np.array(sizes)


def _training(X: Any, codes: Indices, classes: Array | None, sample_weight: Any) -> Training:
    """Checked rows; classes without a row of positive weight are left out."""
    n = as_features(X).shape[0]
    if len(codes) != n:
        raise InvalidInput(
            f"X has {n} rows but y has {len(codes)} labels: inconsistent numbers of samples."
        )
    weights = None if sample_weight is None else Weights.of(sample_weight, n).read(0, n)
    classes = np.zeros(1, np.int64) if classes is None else classes
    counted = codes if weights is None else np.where(weights > 0, codes, -1)
    present = np.unique(counted[counted >= 0])
    if not len(present):
        raise InvalidLabels("no row of positive weight has a label; label some rows of each class.")
    place = np.full(len(classes) + 1, -1)
    place[present] = np.arange(len(present))
    return Training.of(X, place[counted], weights, classes[present])


def _masked(rows: Array, pattern: Array) -> Floats:
    return np.where(pattern, np.nan, rows)
