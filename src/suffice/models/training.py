"""Training: the rows a mixture learns from, and how hard to try."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.features import ArrayFeatures, as_features
from suffice.data.parameters import numbers
from suffice.errors import InvalidParameter, TooFewRows
from suffice.models.covariance import Covariance, DiagonalCovariance, FullCovariance
from suffice.models.gaussian import build
from suffice.models.linalg import cholesky_solve, whitener
from suffice.models.mixture import MixtureModel, own_log_likelihood
from suffice.models.settings import Settings
from suffice.models.structures import DIAGONAL
from suffice.statistics.incomplete import AnyStatistics, IncompleteStatistics
from suffice.statistics.soft_pass import Components, SoftPass, soft_pass
from suffice.statistics.soft_rows import SoftRows
from suffice.statistics.summarize import summarize

# One pass over all rows: statistics of components, of a detail.
Pass = Callable[[Components, str], SoftPass]

# Independent features, which any rows tell of.
APART = Settings(structure=DIAGONAL)

# Up to this many rows of a class are looked through for different ones.
MANY_ROWS = 1000


@dataclass(frozen=True, slots=True)
class Training:
    """Rows to learn from, in memory."""

    X: Array  # (n, d)
    codes: Indices  # (n,): position of the class of each row, -1 where it is not known
    weights: Floats | None  # (n,)
    classes: Array  # (k,)
    overall: AnyStatistics  # of all rows as one class, by feature

    @classmethod
    def of(cls, X: Any, codes: Indices, weights: Floats | None, classes: Array) -> Training:
        """The rows of an array or a frame, after checking that they are finite and differ."""
        features = as_features(X)
        overall = summarize(X, np.zeros(len(codes), np.int64), weights, "diagonal")
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
        """Whether the class of every row that counts is known."""
        return bool((self.codes >= 0).all() or int(self.count.sum()) == self.counted.sum())

    @property
    def counted(self) -> Array:
        """Which rows have weight, (n,)."""
        return np.ones(len(self.X), bool) if self.weights is None else self.weights > 0

    @property
    def labelled(self) -> Floats | None:
        """Weights under which rows without a class do not count."""
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
        """How many rows have weight."""
        return int(self.counted.sum())

    def passes(self, owner: Indices) -> Pass:
        """What goes over the rows once, for components of these classes (K,)."""
        return partial(soft_pass, SoftRows.of(self.X, self.weights, self.codes, owner, self.gaps))

    def by_class(self, detail: str) -> AnyStatistics:
        """Statistics of the rows, classes by position."""
        return summarize(self.X, self.codes, self.weights, detail)

    def own_log_likelihood(self, model: MixtureModel) -> float:
        """Sum of w ln p(x, y) over the rows, with the class that each has."""
        return own_log_likelihood(model, self.X, self.codes, self.weights)

    def of_class(self, c: int) -> Training:
        """The rows of one class."""
        at = np.flatnonzero(self.codes == c)
        weights = None if self.weights is None else self.weights[at]
        codes = np.zeros(len(at), np.int64)
        return Training.of(self.X[at], codes, weights, self.classes[c : c + 1])


def _check_spread(overall: AnyStatistics) -> None:
    """Raise unless rows, as one class, differ and every feature is known somewhere."""
    if not overall.squares.any():
        n = int(overall.count[0])
        what = f"all {n} rows of X are the same" if n > 1 else "X has 1 row (1 sample)"
        raise TooFewRows(
            f"{what}, so nothing is known of their spread; more than 1 sample is needed."
        )
    build(overall, APART, None)  # which says if a feature is never known


def most_components(training: Training) -> Indices:
    """How many components each class has rows for, (k,): one alone tells of no spread.

    Different rows count, so that it does not matter whether one comes twice or has twice the
    weight; where there are many, they are taken to differ.
    """
    found = training.count
    for c in np.flatnonzero(found <= MANY_ROWS).tolist():
        at = training.counted & (training.codes == c)
        found[c] = len(np.unique(training.X[at], axis=0))
    return np.maximum(found // 2, 1)


@dataclass(frozen=True, slots=True)
class EmProgress:
    """Where EM stands after an iteration."""

    start: int  # which start, from 1
    iteration: int  # from 1
    log_likelihood: float  # mean over the rows, of the components that it began with
    gain: float


@dataclass(frozen=True, slots=True)
class Effort:
    """How long to look for components, and from where."""

    tol: float = 1e-3
    max_iter: int = 100
    n_init: int = 1
    addition: float = 0.0  # to every variance
    progress: Callable[[EmProgress], None] | None = None


@dataclass(frozen=True, slots=True)
class Given:
    """What is known of the components at the start."""

    weights: Floats | None = None  # (K,)
    means: Floats | None = None  # (K, d)
    covariances: tuple[Covariance, ...] | None = None  # one, or K

    @classmethod
    def checked(
        cls,
        weights: Any,
        means: Any,
        precisions: Any,
        settings: Settings,
        shape: tuple[int, int],
    ) -> Given:
        """What a user gives for K components of d features."""
        K, d = shape
        each = settings.structure.shape(d)
        lead = () if settings.pooling == 1 else (K,)
        chances = numbers("weights_init", weights, (K,))
        if chances is not None and ((chances < 0).any() or not np.isclose(chances.sum(), 1.0)):
            raise InvalidParameter("weights_init must be shares that add up to 1.")
        found = numbers("precisions_init", precisions, (*lead, *each))
        covariances = None
        if found is not None:
            tables = found.reshape(-1, *each)
            covariances = tuple(_from_precision(table, d) for table in tables)
        return cls(chances, numbers("means_init", means, (K, d)), covariances)


def _from_precision(precision: Floats, d: int) -> Covariance:
    """The covariance whose inverse this is: a matrix, or d precisions, or one for all."""
    if precision.ndim < 2:
        if not (precision > 0).all():
            raise InvalidParameter("precisions_init must be positive.")
        return DiagonalCovariance(np.broadcast_to(1 / precision, (d,)))
    found = None
    if np.allclose(precision, precision.T) and whitener(precision) is not None:
        found = whitener(cholesky_solve(precision, np.eye(d))[0])
    if found is None:
        raise InvalidParameter("precisions_init must be symmetric and positive definite.")
    return FullCovariance(found)


@dataclass(frozen=True, slots=True)
class MixtureFit:
    """A model, and how it was found."""

    model: MixtureModel
    weight: Floats  # (K,): of the rows of each component
    log_likelihoods: tuple[float, ...]  # mean over the rows, at the start of each iteration
    converged: bool
    interrupted: bool = False
    repaired: bool = False  # whether a component borrowed a covariance or was started again
    notes: tuple[str, ...] = ()  # what went otherwise than asked for

    @property
    def log_likelihood(self) -> float:
        """The last of them."""
        return self.log_likelihoods[-1] if self.log_likelihoods else -np.inf
