"""Groups: the scatter behind each covariance, after pooling (Friedman 1989)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.errors import InvalidParameter, NotFinite
from suffice.models.linalg import rank_tolerance, reciprocal
from suffice.models.separating import floor, overall_variances
from suffice.models.settings import Settings
from suffice.models.shrinkage import Spread, ledoit_wolf, oas
from suffice.statistics.scatter import DenseScatter, DiagonalScatter, dense
from suffice.statistics.statistics import Statistics
from suffice.statistics.thin import FactoredScatter

# Number of features above which a scatter kept as a factor is never made into a matrix.
WIDE = 512


@dataclass(frozen=True, slots=True)
class Matrix:
    """A scatter matrix."""

    values: Floats  # (d, d)

    @property
    def matrix(self) -> Floats:
        """All entries, (d, d)."""
        return self.values

    @property
    def diagonal(self) -> Floats:
        """Sums of squares, (d,)."""
        return np.maximum(self.values.diagonal(), 0)

    def norm(self, unit: float) -> float:
        """Root of the sum of the squared entries, in units."""
        return float(np.linalg.norm(self.values / unit / unit))

    def correlation_norm(self, scale: Floats) -> float:
        """Root of the sum of the squared entries, each divided by the scales of its features."""
        inverse = reciprocal(scale)
        return float(np.linalg.norm(self.values * inverse * inverse[:, None]))

    def blend(self, pooled: Matrix, share: float) -> Matrix:
        """(1 - share) times this plus share times the other."""
        return Matrix((1 - share) * self.values + share * pooled.values)


@dataclass(frozen=True, slots=True)
class Factor:
    """A scatter matrix rows'rows that is never formed."""

    rows: Floats  # (r, d)

    @property
    def matrix(self) -> Floats:
        """All entries, (d, d), computed on demand."""
        return np.asarray(self.rows.T @ self.rows)

    @property
    def diagonal(self) -> Floats:
        """Sums of squares, (d,)."""
        return np.asarray(np.einsum("ij,ij->j", self.rows, self.rows))

    def norm(self, unit: float) -> float:
        """Root of the sum of the squared entries, in units."""
        rows = self.rows / unit
        return float(np.linalg.norm(rows @ rows.T))

    def correlation_norm(self, scale: Floats) -> float:
        """Root of the sum of the squared entries, each divided by the scales of its features."""
        rows = self.rows * reciprocal(scale)
        return float(np.linalg.norm(rows @ rows.T))

    def blend(self, pooled: Factor, share: float) -> Factor:
        """(1 - share) times this plus share times the other."""
        parts = np.sqrt(1 - share) * self.rows, np.sqrt(share) * pooled.rows
        return Factor(np.concatenate(parts))


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that share a covariance: scatter / denominator."""

    weight: float
    denominator: float  # the weight minus ddof
    scatter: Matrix | Factor
    quartic: float | None  # sum of w|z|⁴ in units
    rows: int  # the covariance is singular unless this exceeds the number of features

    @property
    def covariance(self) -> Floats:
        """The unshrunk covariance, (d, d)."""
        return self.scatter.matrix / self.denominator

    @property
    def variances(self) -> Floats:
        """Its diagonal, (d,)."""
        return self.scatter.diagonal / self.denominator

    def spread(self, unit: float) -> Spread:
        """The input of shrinkage estimates, in units of `unit` and divided by the weight."""
        w, squares = self.weight, self.scatter.diagonal / unit / unit
        quartic = np.nan if self.quartic is None else self.quartic / w
        norm = self.scatter.norm(unit)
        return Spread(w, len(squares), float(squares.sum()) / w, (norm / w) ** 2, quartic)

    @property
    def correlations(self) -> Spread:
        """The same for the correlations of the features that vary, which have no units."""
        squares = self.scatter.diagonal
        norm, d = self.scatter.correlation_norm(np.sqrt(squares)), int((squares > 0).sum())
        return Spread(self.weight, max(d, 1), float(d), norm**2, np.nan)

    def blend(self, pooled: Group, share: float) -> Group:
        """Friedman's blend of both scatters and weights."""
        scatter: Matrix | Factor
        if isinstance(self.scatter, Matrix) and isinstance(pooled.scatter, Matrix):
            scatter = self.scatter.blend(pooled.scatter, share)
        else:
            assert isinstance(self.scatter, Factor)
            assert isinstance(pooled.scatter, Factor)
            scatter = self.scatter.blend(pooled.scatter, share)
        quartic = None
        if self.quartic is not None and pooled.quartic is not None:
            quartic = (1 - share) * self.quartic + share * pooled.quartic
        return Group(
            (1 - share) * self.weight + share * pooled.weight,
            (1 - share) * self.denominator + share * pooled.denominator,
            scatter,
            quartic,
            pooled.rows,
        )


class Groups:
    """The groups of full covariances: one for all classes if pooling is 1, else one per class."""

    def __init__(self, statistics: Statistics, settings: Settings) -> None:
        assert not isinstance(statistics.spread, DiagonalScatter)
        self.statistics, self.settings = statistics, settings
        spread = statistics.spread
        self.wide = isinstance(spread, FactoredScatter) and statistics.n_features > WIDE
        self._spread: DenseScatter | FactoredScatter = spread if self.wide else dense(spread)
        self.shared = settings.pooling == 1
        self.size = 1 if self.shared else len(statistics.classes)

    def group(self, g: int) -> Group:
        """The group of class g: its own scatter blended with the pooled one."""
        if self.shared:
            return self.pooled
        share = self.settings.pooling
        return self._own(g).blend(self.pooled, share) if share else self._own(g)

    @cached_property
    def pooled(self) -> Group:
        """All classes together, each about its own mean."""
        s = self.statistics
        weight = float(s.weight.sum())
        denominator = weight - self.settings.ddof * len(s.classes)
        scatter: Matrix | Factor
        if isinstance(self._spread, FactoredScatter):
            scatter = Factor(self._spread.factor)
        else:
            scatter = Matrix(self._spread.sums.high.sum(axis=0))
        quartic = None if self._quartic is None else float(self._quartic.sum())
        rows = int(s.count.sum()) - len(s.classes) + 1
        return Group(weight, denominator, scatter, quartic, rows)

    def _own(self, g: int) -> Group:
        weight = float(self.statistics.weight[g])
        scatter: Matrix | Factor
        if isinstance(self._spread, FactoredScatter):
            scatter = Factor(self._spread.factor[self._spread.owner == g])
        else:
            scatter = Matrix(self._spread.sums.high[g])
        quartic = None if self._quartic is None else float(self._quartic[g])
        denominator = weight - self.settings.ddof
        return Group(weight, denominator, scatter, quartic, int(self.statistics.count[g]))

    @cached_property
    def floor(self) -> Floats:
        """Variance within classes of features that separate them exactly, (d,)."""
        return floor(self.statistics, self._overall)

    @cached_property
    def constant(self) -> Array:
        """Which features never vary, within classes or between them, (d,)."""
        return np.asarray(self._overall == 0)

    @cached_property
    def _overall(self) -> Floats:
        return overall_variances(self.statistics)

    @cached_property
    def _quartic(self) -> Floats | None:
        s = self.statistics
        if s.fourth is None or self.settings.shrinkage != "ledoit-wolf":
            return None
        return s.fourth.centred(s.known).quartic

    def share(self, group: Group) -> float:
        """Share of the group's covariance that the target replaces."""
        shrinkage = self.settings.shrinkage
        if not isinstance(shrinkage, str):
            return shrinkage
        try:
            estimated = self._estimate_share(group, shrinkage)
        except OverflowError:
            raise NotFinite(
                f"shrinkage={shrinkage!r} cannot be computed: variances exceed what a float can "
                "hold. Rescale the features (for example, divide by 1e100), or give a number."
            ) from None
        return estimated if estimated > rank_tolerance(1) else 0.0

    def _estimate_share(self, group: Group, shrinkage: str) -> float:
        if self.settings.target == "diagonal":
            return oas(group.correlations)
        if shrinkage == "oas":
            return oas(group.spread(self._unit))
        if group.quartic is None:
            raise InvalidParameter(
                "shrinkage='ledoit-wolf' needs fourth-order sums, which these statistics do not "
                "have: features were selected, or removed rows were so far out that no digits "
                "are left. Summarize these rows again, or use shrinkage='oas'."
            )
        return ledoit_wolf(group.spread(self._unit))

    @property
    def _unit(self) -> float:
        s = self.statistics
        if s.fourth is not None:
            return s.fourth.unit
        return float(np.sqrt(self.pooled.variances.max())) or 1.0

    def shrunk(self, group: Group) -> Floats:
        """The group's covariance after shrinkage, (d, d)."""
        covariance, share = group.covariance, self.share(group)
        diagonal = covariance.diagonal() + self.floor
        np.fill_diagonal(covariance, diagonal)
        if share == 0:
            return covariance
        target = {
            "identity": np.full_like(diagonal, diagonal.mean()),
            "diagonal": diagonal,
            "unit": np.ones_like(diagonal),
        }[self.settings.target]
        covariance = (1 - share) * covariance
        np.fill_diagonal(covariance, (1 - share) * diagonal + share * target)
        return covariance
