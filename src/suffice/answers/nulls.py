"""Nulls: the distribution of squared distances of new rows to their own class.

The plug-in chi-square is too confident where classes have few rows: means and covariances are
themselves estimates. Where a covariance has a Wishart distribution the answer is Hotelling's F;
elsewhere training statistics are simulated from the model and a model is estimated from them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy import optimize, special

from suffice.data.arrays import Array, Floats
from suffice.data.gaps import Gaps
from suffice.models.covariances.covariance import Covariance
from suffice.models.gaussian import GaussianModel, build
from suffice.models.settings import Settings
from suffice.statistics.factored_scatter import FactoredScatter, from_rows
from suffice.statistics.numbers import DoubleDouble, two_sum
from suffice.statistics.scatter import DiagonalScatter
from suffice.statistics.statistics import Statistics


@dataclass(frozen=True, slots=True)
class Null:
    """Squared distances are distributed as scale x F(known, freedom)."""

    scale: float
    known: int
    freedom: float

    def pvalue(self, distances: Floats) -> Floats:
        """P(a new row is at least this far)."""
        if self.known == 0:
            return np.ones_like(distances)
        ratio = distances / self.scale
        if np.isinf(self.freedom):
            return np.asarray(special.chdtrc(self.known, ratio * self.known))
        return np.asarray(special.fdtrc(self.known, self.freedom, ratio))

    def quantile(self, pvalues: Floats) -> Floats:
        """The squared distance that a new row exceeds with these probabilities."""
        if self.known == 0:
            return np.zeros_like(pvalues)
        if np.isinf(self.freedom):
            return np.asarray(special.chdtri(self.known, pvalues) * self.scale / self.known)
        # F = (b/a) X / (1 - X), X beta distributed; by the complement, exact far out.
        a, b = self.known / 2, self.freedom / 2
        rest = special.betaincinv(b, a, pvalues)
        return np.asarray(self.scale * (b / a) * (1 - rest) / rest)


class Nulls(ABC):
    """The null distribution of each class, and the Gaussians that new rows are drawn from."""

    def __init__(self, gaussian: GaussianModel, varies: Array | None = None) -> None:
        self.gaussian = gaussian
        k = len(gaussian.means)
        if varies is None:
            varies = np.any([one.varying for one in gaussian.covariances], axis=0)
        # Features that count where they are observed, (d,).
        self.varies = varies
        # Means that new rows are drawn around, (k, d), and squared distances to them, as a share
        # of those to the class means, (k,).
        self.centres, self.nearer = gaussian.means, np.ones(k)

    @abstractmethod
    def of(self, c: int, known: int) -> Null:
        """The distribution for class c of rows with this number of observed features."""


class KnownNulls(Nulls):
    """The null distributions of a model whose parameters are known: chi-squared."""

    def of(self, c: int, known: int) -> Null:
        """The distribution for class c of rows with this number of observed features."""
        known = min(known, self.gaussian.covariance_of(c).rank)
        return Null(max(known, 1), known, np.inf)


class EstimatedNulls(Nulls):
    """The null distributions of a model whose means and covariances are estimates."""

    def __init__(self, model: GaussianModel, weight: Floats, settings: Settings) -> None:
        super().__init__(model)
        self.weight, self.settings = weight, settings
        self._found: dict[tuple[int, int], Null] = {}
        # Class means, moved together by the share of their spread that is estimation error: James
        # and Stein's estimate.
        centre = (weight @ model.means) / weight.sum()
        error = self._estimation_error(centre)
        self.centres = model.means + error * (centre - model.means)
        self.nearer = (1 + (1 - error) / weight + error / weight.sum()) / (1 + 1 / weight)

    def _estimation_error(self, centre: Floats) -> float:
        """The share of the spread of the class means that is their estimation error, 0 to 1."""
        weight = self.weight
        if len(weight) == 1:
            return 0.0
        spread = error = 0.0
        for c, (mean, w) in enumerate(zip(self.gaussian.means, weight, strict=True)):
            covariance = self.gaussian.covariance_of(c)
            spread += float(covariance.squared_lengths((mean - centre)[None])[0])
            error += covariance.rank * (1 / w - 1 / weight.sum())
        return min(1.0, error / spread) if spread > 0 else 1.0

    def of(self, c: int, known: int) -> Null:
        """The distribution for class c of rows with this number of observed features."""
        if (c, known) not in self._found:
            covariance = self.gaussian.covariance_of(c)
            exact = self._exact(c, covariance, min(known, covariance.rank))
            if exact is not None:
                self._found[c, known] = exact
            else:
                self._simulate(known)
        return self._found[c, known]

    def _exact(self, c: int, covariance: Covariance, known: int) -> Null | None:
        s, n = self.settings, float(self.weight[c])
        total, k = float(self.weight.sum()), len(self.weight)
        pooled = self.gaussian.shared or c in self.gaussian.borrowed
        rows = total - k if pooled else n - 1
        divisor = total - s.ddof * k if pooled else n - s.ddof
        around = 1 + 1 / n
        # With very many rows per feature, the estimation error no longer shows.
        if known == 0 or rows > 1e4 * covariance.rank:
            return Null(around * max(known, 1), known, np.inf)
        if s.shrinkage != 0 or s.smoothing != 0 or s.pooling not in (0, 1):
            return None
        law = s.structure.null_law(rows, covariance.rank, known)
        if law is None or (self.gaussian.borrowed and not s.structure.takes_matrices):
            return None
        scale, freedom = law
        return Null(around * divisor * scale, known, freedom)

    def _simulate(self, known: int, rows: int = 100) -> None:
        """Distances under models estimated from 100 training sets, simulated with a fixed seed.

        rows : new rows of each class for each training set
        """
        rng = np.random.default_rng(0)
        model, (k, d) = self.gaussian, self.gaussian.means.shape
        # Fewer training sets for large covariances.
        trainings = int(np.clip(1e9 / (k * d * d * min(d, self.weight.max())), 10, 100))
        distances = np.empty((k, trainings, rows))
        for i in range(trainings):
            again = _estimate_again(model, self.weight, self.settings, rng)
            for c in range(k):
                distances[c, i] = _distances(model, again, c, known, self.varies, rows, rng)
        for c in range(k):
            rank = min(known, model.covariance_of(c).rank)
            self._found[c, known] = match_null(distances[c].ravel(), rank)


def match_null(distances: Floats, known: int) -> Null:
    """The scaled F distribution with the median and the upper quantile of the distances."""
    # Quantiles at which a scaled F distribution is matched with simulated distances.
    matched = (0.5, 0.95)
    middle, upper = np.quantile(distances, matched)

    def reach(log_freedom: float) -> float:
        b = float(np.exp(log_freedom))
        first, second = special.fdtri(known, b, matched)
        return float(second / first - upper / middle)

    # Fewer degrees of freedom, longer tails.
    lowest, highest = np.log(0.5), np.log(1e7)
    if reach(highest) >= 0:
        return Null(middle / special.chdtri(known, 1 - matched[0]) * known, known, np.inf)
    log_freedom = lowest if reach(lowest) <= 0 else optimize.brentq(reach, lowest, highest)
    freedom = float(np.exp(log_freedom))
    return Null(float(middle / special.fdtri(known, freedom, matched[0])), known, freedom)


def _distances(
    truth: GaussianModel,
    again: GaussianModel,
    c: int,
    known: int,
    varies: Array,
    rows: int,
    rng: np.random.Generator,
) -> Floats:
    """Squared distances of rows of the true class to the class that was estimated again."""
    d = truth.means.shape[1]
    own, estimate = truth.covariance_of(c), again.covariance_of(c)
    steps = own.colour(rng.standard_normal((rows, d))) - again.means_about(truth.means[c])[c]
    if known < varies.sum():
        # The same observed features for all rows, others for each training set.
        pattern = np.ones((1, d), bool)
        pattern[0, rng.permutation(np.flatnonzero(varies))[:known]] = False
        steps[:, pattern[0]] = np.nan
        estimate.fill(steps, Gaps(pattern, np.array([0, rows])))
    return estimate.squared_lengths(steps)


def _estimate_again(
    model: GaussianModel, weight: Floats, settings: Settings, rng: np.random.Generator
) -> GaussianModel:
    """The model of training statistics drawn at random from the model."""
    settings = settings.without_fourth()
    k, d = model.means.shape
    means = np.empty((k, d))
    for c in range(k):
        means[c] = model.covariance_of(c).colour(rng.standard_normal((1, d)))[0]
    means /= np.sqrt(weight)[:, None]
    freedom = np.maximum(weight - 1, 0.0)
    spread: DiagonalScatter | FactoredScatter
    if settings.detail == "diagonal":
        assert model.variances is not None
        factors = 2 * rng.standard_gamma(np.broadcast_to(freedom[:, None] / 2, (k, d)))
        spread = DiagonalScatter(DoubleDouble(model.variances * factors))
    else:
        rows = [_scatter_rows(model.covariance_of(c), freedom[c], d, rng) for c in range(k)]
        owner = np.repeat(np.arange(k), [len(own) for own in rows])
        spread = from_rows(np.concatenate(rows), owner, k, per_class=True)
    count = np.maximum(np.rint(weight), 1).astype(np.int64)
    centres = DoubleDouble(*two_sum(model.means, means))
    drawn = Statistics(model.classes, count, weight, centres, spread, None)
    return build(drawn, settings, None)


def _scatter_rows(
    covariance: Covariance, freedom: float, d: int, rng: np.random.Generator
) -> Floats:
    """Rows F with F'F a random scatter matrix of these degrees of freedom."""
    if freedom >= d:
        # Bartlett 1933: normals below a diagonal of chi variables.
        triangle = np.tril(rng.standard_normal((d, d)), -1)
        triangle[np.diag_indices(d)] = np.sqrt(2 * rng.standard_gamma((freedom - np.arange(d)) / 2))
        return covariance.colour(np.ascontiguousarray(triangle.T))
    n = int(np.ceil(freedom))
    if n == 0:
        return np.empty((0, d))
    return covariance.colour(rng.standard_normal((n, d)) * np.sqrt(freedom / n))
