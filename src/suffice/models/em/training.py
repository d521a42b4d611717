"""Training: the rows from which a mixture is fitted, and the effort to spend."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.batches import batches
from suffice.data.feature_rows import ArrayFeatures
from suffice.data.features import as_features
from suffice.data.parameters import numbers
from suffice.errors import InvalidParameter, TooFewRows
from suffice.models.covariances.covariance import Covariance, DiagonalCovariance, FullCovariance
from suffice.models.covariances.linalg import cholesky_solve, whitener
from suffice.models.gaussian import build
from suffice.models.mixture import MixtureModel, own_log_likelihood
from suffice.models.settings import Settings
from suffice.models.structures import DIAGONAL
from suffice.statistics.incomplete import AnyStatistics, IncompleteStatistics
from suffice.statistics.passes.soft_pass import Components, SoftPass, soft_pass
from suffice.statistics.passes.soft_rows import SoftRows
from suffice.statistics.summarize import summarize_batches

# One pass over all rows: statistics of components in a given detail.
Pass = Callable[[Components, str], SoftPass]

# Independent features, which can be estimated from any rows.
APART = Settings(structure=DIAGONAL)


@dataclass(frozen=True, slots=True)
class Training:
    """Training rows in memory."""

    X: Array  # (n, d)
    codes: Indices  # (n,): position of the class of each row, -1 if unknown
    weights: Floats | None  # (n,)
    classes: Array  # (k,)
    overall: AnyStatistics  # of all rows as one class, by feature

    @classmethod
    def of(cls, X: Any, codes: Indices, weights: Floats | None, classes: Array) -> Training:
        """The rows of an array or a frame, after checking that they are finite and vary."""
        features = as_features(X)
        overall = summarize_batches(batches(X, np.zeros(len(codes), np.int64), weights), "diagonal")
        _check_spread(overall)
        if isinstance(features, ArrayFeatures):
            return cls(features.values, codes, weights, classes, overall)
        return cls(features.read(0, len(codes)), codes, weights, classes, overall)

    @property
    def gaps(self) -> bool:
        """Whether values are missing."""
        return isinstance(self.overall, IncompleteStatistics)

    @property
    def all_labelled(self) -> bool:
        """Whether every row with positive weight has a class."""
        return bool((self.codes >= 0).all() or int(self.count.sum()) == self.counted.sum())

    @property
    def counted(self) -> Array:
        """Which rows have weight, (n,)."""
        return np.ones(len(self.X), bool) if self.weights is None else self.weights > 0

    @property
    def labelled(self) -> Floats | None:
        """Weights that are zero for rows without a class."""
        if (self.codes >= 0).all():
            return self.weights
        return np.asarray((self.codes >= 0) * (1.0 if self.weights is None else self.weights))

    @property
    def total(self) -> float:
        """The weight of all rows."""
        return float(len(self.X) if self.weights is None else self.weights.sum())

    @property
    def count(self) -> Indices:
        """Rows of each class, (k,)."""
        counted = self.counted & (self.codes >= 0)
        return np.bincount(self.codes[counted], minlength=len(self.classes))

    @property
    def n_counted(self) -> int:
        """Number of rows with positive weight."""
        return int(self.counted.sum())

    def passes(self, owner: Indices) -> Pass:
        """The function that makes one pass over the rows, for components of these classes (K,)."""
        return partial(soft_pass, SoftRows.of(self.X, self.weights, self.codes, owner, self.gaps))

    def by_class(self, detail: str) -> AnyStatistics:
        """Statistics of the rows, classes by position."""
        statistics: AnyStatistics = summarize_batches(
            batches(self.X, self.codes, self.weights), detail
        )
        return statistics

    def own_log_likelihood(self, model: MixtureModel) -> float:
        """Sum of w ln p(x, y) over the rows with their own classes."""
        return own_log_likelihood(model, self.X, self.codes, self.weights)

    def of_class(self, c: int) -> Training:
        """The rows of one class."""
        at = np.flatnonzero(self.codes == c)
        weights = None if self.weights is None else self.weights[at]
        codes = np.zeros(len(at), np.int64)
        return Training.of(self.X[at], codes, weights, self.classes[c : c + 1])


def _check_spread(overall: AnyStatistics) -> None:
    """Raise unless the rows vary and every feature is observed somewhere."""
    if not overall.squares.any():
        n = int(overall.count[0])
        what = f"all {n} rows of X are the same" if n > 1 else "X has 1 row (1 sample)"
        raise TooFewRows(
            f"{what}, so their spread cannot be estimated; more than 1 sample is needed."
        )
    build(overall, APART, None)  # raises if a feature is never observed


def most_components(training: Training) -> Indices:
    """Largest number of components of each class, (k,): at least two rows for each.

    Distinct rows are counted, so that it does not matter whether a row comes twice or has twice the
    weight; if there are many, all are assumed distinct.
    """
    distinct = training.count
    # Largest number of rows of a class among which distinct rows are counted.
    many_rows = 1000
    for c in np.flatnonzero(distinct <= many_rows).tolist():
        at = training.counted & (training.codes == c)
        distinct[c] = len(np.unique(training.X[at], axis=0))
    return np.maximum(distinct // 2, 1)


@dataclass(frozen=True, slots=True)
class EmProgress:
    """The state of EM after an iteration."""

    start: int  # number of the start, from 1
    iteration: int  # from 1
    log_likelihood: float  # mean over the rows, for the components before the iteration
    gain: float


@dataclass(frozen=True, slots=True)
class Effort:
    """Stopping criteria and number of starts of EM."""

    tol: float = 1e-3
    max_iter: int = 100
    n_init: int = 1
    addition: float = 0.0  # added to every variance
    progress: Callable[[EmProgress], None] | None = None


@dataclass(frozen=True, slots=True)
class Given:
    """Initial components given by the user."""

    weights: Floats | None = None  # (K,)
    means: Floats | None = None  # (K, d)
    covariances: tuple[Covariance, ...] | None = None  # one, or K
    log_likelihood: float = -np.inf  # mean over the rows at the last iteration, if there was one

    @classmethod
    def checked(
        cls,
        weights: Any,
        means: Any,
        precisions: Any,
        settings: Settings,
        shape: tuple[int, int],
    ) -> Given:
        """The user's initial values for K components of d features, after checking them."""
        K, d = shape
        each = settings.structure.shape(d)
        lead = () if settings.pooling == 1 else (K,)
        shares = numbers("weights_init", weights, (K,))
        if shares is not None and ((shares < 0).any() or not np.isclose(shares.sum(), 1.0)):
            raise InvalidParameter("weights_init must be shares that add up to 1.")
        matrices = numbers("precisions_init", precisions, (*lead, *each))
        covariances = None
        if matrices is not None:
            tables = matrices.reshape(-1, *each)
            covariances = tuple(_from_precision(table, d) for table in tables)
        return cls(shares, numbers("means_init", means, (K, d)), covariances)


def _from_precision(precision: Floats, d: int) -> Covariance:
    """The covariance with this inverse: a matrix, d precisions, or one for all features."""
    if precision.ndim < 2:
        if not (precision > 0).all():
            raise InvalidParameter("precisions_init must be positive.")
        return DiagonalCovariance(np.broadcast_to(1 / precision, (d,)))
    factor = None
    if np.allclose(precision, precision.T) and whitener(precision) is not None:
        factor = whitener(cholesky_solve(precision, np.eye(d))[0])
    if factor is None:
        raise InvalidParameter("precisions_init must be symmetric and positive definite.")
    return FullCovariance(factor)


@dataclass(frozen=True, slots=True)
class MixtureFit:
    """A fitted model, and how EM went."""

    model: MixtureModel
    weight: Floats  # (K,): of the rows of each component
    log_likelihoods: tuple[float, ...]  # mean over the rows, at the start of each iteration
    converged: bool
    interrupted: bool = False
    repaired: bool = False  # whether a component borrowed a covariance or was started again
    notes: tuple[str, ...] = ()  # what differs from the request

    @property
    def log_likelihood(self) -> float:
        """The last log-likelihood."""
        return self.log_likelihoods[-1] if self.log_likelihoods else -np.inf
