"""Nulls: how squared distances of fresh rows to their own class are distributed.

The plug-in chi-square is too confident where classes have few rows: means and covariances are
themselves estimates. Where a covariance has a Wishart distribution the answer is Hotelling's F;
elsewhere training statistics are simulated from the model and estimated anew.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import optimize, special

from suffice.data.arrays import Floats
from suffice.data.gaps import Gaps
from suffice.models.covariance import Covariance
from suffice.models.covariance import Diagonal as DiagonalCovariance
from suffice.models.gaussian import GaussianModel, build
from suffice.models.settings import Settings
from suffice.statistics.numbers import Pair, two_sum
from suffice.statistics.scatter import Diagonal
from suffice.statistics.statistics import Statistics
from suffice.statistics.thin import Thin, from_rows

# Simulated training sets, and fresh rows of each class for each of them.
TRAININGS = 100
ROWS = 100

# For large covariances fewer training sets are simulated.
MOST_WORK = 1e9

# With so many rows a feature, the estimation error no longer shows.
PLENTY = 1e4

# Quantiles at which the simulated distances are met.
MIDDLE, UPPER = 0.5, 0.95


@dataclass(frozen=True, slots=True)
class Null:
    """Squared distances are distributed as scale x F(known, freedom)."""

    scale: float
    known: int
    freedom: float

    def chance_beyond(self, distances: Floats) -> Floats:
        """P(a fresh row is at least this far)."""
        if self.known == 0:
            return np.ones_like(distances)
        ratio = distances / self.scale
        if np.isinf(self.freedom):
            return np.asarray(special.chdtrc(self.known, ratio * self.known))
        return np.asarray(special.fdtrc(self.known, self.freedom, ratio))

    def quantile(self, chances: Floats) -> Floats:
        """The squared distance that a fresh row exceeds with these chances."""
        if self.known == 0:
            return np.zeros_like(chances)
        if np.isinf(self.freedom):
            return np.asarray(special.chdtri(self.known, chances) * self.scale / self.known)
        # F = (b/a) X / (1 - X), X beta distributed; by the complement, exact far out.
        a, b = self.known / 2, self.freedom / 2
        rest = special.betaincinv(b, a, chances)
        return np.asarray(self.scale * (b / a) * (1 - rest) / rest)


class Nulls:
    """The null distribution of each class, for any number of known features."""

    def __init__(self, model: GaussianModel, weight: Floats, settings: Settings) -> None:
        self.model, self.weight, self.settings = model, weight, settings
        self._found: dict[tuple[int, int], Null] = {}

    def of(self, c: int, known: int) -> Null:
        """The distribution for class c of rows that know so many features."""
        if (c, known) not in self._found:
            covariance = _covariance(self.model, c)
            exact = self._exact(c, covariance, min(known, covariance.rank))
            if exact is not None:
                self._found[c, known] = exact
            else:
                self._simulate(known)
        return self._found[c, known]

    def _exact(self, c: int, covariance: Covariance, known: int) -> Null | None:
        s, n = self.settings, float(self.weight[c])
        total, k = float(self.weight.sum()), len(self.weight)
        pooled = self.model.shared or c in self.model.borrowed
        rows = total - k if pooled else n - 1
        divisor = total - s.ddof * k if pooled else n - s.ddof
        around = 1 + 1 / n
        if known == 0 or rows > PLENTY * covariance.rank:
            return Null(around * max(known, 1), known, np.inf)
        if s.shrinkage != 0 or s.smoothing != 0 or s.pooling not in (0, 1):
            return None
        law = s.structure.null_law(rows, covariance.rank, known)
        if law is None or (self.model.borrowed and not s.structure.takes_matrices):
            return None
        scale, freedom = law
        return Null(around * divisor * scale, known, freedom)

    def _simulate(self, known: int) -> None:
        """Distances under models estimated from simulated training sets; always the same ones."""
        rng = np.random.default_rng(0)
        k, d = self.model.means.shape
        trainings = int(np.clip(MOST_WORK / (k * d * d * min(d, self.weight.max())), 10, TRAININGS))
        found = np.empty((k, trainings, ROWS))
        for i in range(trainings):
            again = _estimated_again(self.model, self.weight, self.settings, rng)
            for c in range(k):
                found[c, i] = _distances(self.model, again, c, known, rng)
        for c in range(k):
            own = _covariance(self.model, c)
            self._found[c, known] = matched(found[c].ravel(), min(known, own.rank))


def matched(distances: Floats, known: int) -> Null:
    """The scaled F distribution with the median and the upper quantile of the distances."""
    middle, upper = np.quantile(distances, [MIDDLE, UPPER])

    def reach(log_freedom: float) -> float:
        b = float(np.exp(log_freedom))
        first, second = special.fdtri(known, b, [MIDDLE, UPPER])
        return float(second / first - upper / middle)

    # Fewer degrees of freedom, longer tails.
    lowest, highest = np.log(0.5), np.log(1e7)
    if reach(highest) >= 0:
        return Null(middle / special.chdtri(known, 1 - MIDDLE) * known, known, np.inf)
    log_freedom = lowest if reach(lowest) <= 0 else optimize.brentq(reach, lowest, highest)
    freedom = float(np.exp(log_freedom))
    return Null(float(middle / special.fdtri(known, freedom, MIDDLE)), known, freedom)


def _distances(
    truth: GaussianModel, again: GaussianModel, c: int, known: int, rng: np.random.Generator
) -> Floats:
    """Squared distances, to the class estimated again, of rows of the true one."""
    d = truth.means.shape[1]
    own, estimate = _covariance(truth, c), _covariance(again, c)
    steps = own.colour(rng.standard_normal((ROWS, d))) - again.means_about(truth.means[c])[c]
    if known < d:
        # One choice of known features for all rows, another one for each training set.
        pattern = np.ones((1, d), bool)
        pattern[0, rng.permutation(d)[:known]] = False
        steps[:, pattern[0]] = np.nan
        estimate.fill(steps, Gaps(pattern, np.array([0, ROWS])))
    return estimate.squared_lengths(steps)


def _estimated_again(
    model: GaussianModel, weight: Floats, settings: Settings, rng: np.random.Generator
) -> GaussianModel:
    """The model of training statistics drawn at random from the model."""
    if settings.shrinkage == "ledoit-wolf":
        settings = replace(settings, shrinkage="oas")
    k, d = model.means.shape
    means = np.empty((k, d))
    for c in range(k):
        means[c] = _covariance(model, c).colour(rng.standard_normal((1, d)))[0]
    means /= np.sqrt(weight)[:, None]
    freedom = np.maximum(weight - 1, 0.0)
    spread: Diagonal | Thin
    if settings.detail == "diagonal":
        factors = 2 * rng.standard_gamma(np.broadcast_to(freedom[:, None] / 2, (k, d)))
        spread = Diagonal(Pair(_variances(model) * factors))
    else:
        rows = [_scatter_rows(_covariance(model, c), freedom[c], d, rng) for c in range(k)]
        owner = np.repeat(np.arange(k), [len(own) for own in rows])
        spread = from_rows(np.concatenate(rows), owner, k, per_class=True)
    count = np.maximum(np.rint(weight), 1).astype(np.int64)
    centres = Pair(*two_sum(model.means, means))
    drawn = Statistics(model.classes, count, weight, centres, spread, None)
    return build(drawn, settings, None)


def _covariance(model: GaussianModel, c: int) -> Covariance:
    return model.covariances[0 if model.shared else c]


def _variances(model: GaussianModel) -> Floats:
    found = [_covariance(model, c) for c in range(len(model.classes))]
    return np.array([c.variances for c in found if isinstance(c, DiagonalCovariance)])


def _scatter_rows(
    covariance: Covariance, freedom: float, d: int, rng: np.random.Generator
) -> Floats:
    """Rows F with F'F a random scatter matrix of so many degrees of freedom."""
    if freedom >= d:
        # Bartlett 1933: a triangle of normals about a diagonal of chi.
        triangle = np.tril(rng.standard_normal((d, d)), -1)
        triangle[np.diag_indices(d)] = np.sqrt(2 * rng.standard_gamma((freedom - np.arange(d)) / 2))
        return covariance.colour(np.ascontiguousarray(triangle.T))
    n = int(np.ceil(freedom))
    if n == 0:
        return np.empty((0, d))
    return covariance.colour(rng.standard_normal((n, d)) * np.sqrt(freedom / n))
