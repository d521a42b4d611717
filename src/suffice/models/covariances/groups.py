"""Groups: the scatter behind each covariance, after pooling (Friedman 1989)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from suffice.data.arrays import Floats, namespace, on_host
from suffice.errors import InvalidParameter, NotFinite
from suffice.models.covariances.linalg import rank_tolerance, reciprocal
from suffice.models.covariances.shrinkage import Spread, ledoit_wolf, oas, shrink
from suffice.models.separating import Separation
from suffice.models.settings import WIDE, Settings
from suffice.statistics.factored_scatter import FactoredScatter
from suffice.statistics.scatter import DenseScatter, DiagonalScatter, dense
from suffice.statistics.statistics import Statistics


@dataclass(frozen=True, slots=True)
class Matrix:
    """A scatter matrix, or those of several groups, of any library of arrays."""

    matrix: Any  # (d, d) or (g, d, d)

    @property
    def diagonal(self) -> Any:
        """Sums of squares, (d,) or (g, d)."""
        xp = namespace(self.matrix)
        diagonal = xp.linalg.diagonal(self.matrix)
        return xp.where(diagonal > 0, diagonal, 0.0)

    def norm(self, scale: Any) -> Any:
        """Root of the sum of the squared entries, each times the scales of its features.

        scale : one for each feature, (..., d), or a number
        """
        if isinstance(scale, float):
            scaled = self.matrix * scale * scale
        else:
            scaled = self.matrix * scale[..., None, :] * scale[..., :, None]
        if scaled.ndim == 2:
            return np.linalg.norm(scaled)  # by BLAS
        return namespace(scaled).linalg.vector_norm(scaled, axis=(-2, -1))

    def blended(self, pooled: Matrix, share: float) -> Matrix:
        """The part 1 - share of this and the part share of the other."""
        return Matrix((1 - share) * self.matrix + share * pooled.matrix)


@dataclass(frozen=True, slots=True)
class Factor:
    """A scatter matrix rows'rows that is never formed."""

    rows: Floats  # (r, d)

    @property
    def matrix(self) -> Floats:
        """All entries, (d, d); computed only on request."""
        return np.asarray(self.rows.T @ self.rows)

    @property
    def diagonal(self) -> Floats:
        """Sums of squares, (d,)."""
        return np.asarray(np.einsum("ij,ij->j", self.rows, self.rows))

    def norm(self, scale: Floats | float) -> float:
        """Root of the sum of the squared entries, each times the scales of its features."""
        rows = self.rows * scale
        return float(np.linalg.norm(rows @ rows.T))

    def blended(self, pooled: Factor, share: float) -> Factor:
        """The part 1 - share of this and the part share of the other."""
        parts = np.sqrt(1 - share) * self.rows, np.sqrt(share) * pooled.rows
        return Factor(np.concatenate(parts))


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that share a covariance: scatter / denominator; or several groups, with numbers (g,)."""

    weight: Any
    denominator: Any  # the weight less its degrees of freedom
    scatter: Any  # Matrix | Factor
    quartic: Any  # sum of w|z|⁴ in units, if it is known
    rows: Any  # the covariance is singular unless this exceeds the number of features

    def blended(self, pooled: Group, share: float) -> Group:
        """The part 1 - share of this and the part share of the one for all classes."""
        own = 1 - share
        quartic = None
        if self.quartic is not None and pooled.quartic is not None:
            quartic = own * self.quartic + share * pooled.quartic
        return Group(
            own * self.weight + share * pooled.weight,
            own * self.denominator + share * pooled.denominator,
            self.scatter.blended(pooled.scatter, share),
            quartic,
            pooled.rows,
        )

    @property
    def covariance(self) -> Floats:
        """The unshrunk covariance, (d, d)."""
        return np.asarray(self.scatter.matrix / self.denominator)

    @property
    def variances(self) -> Floats:
        """Its diagonal, (d,)."""
        return np.asarray(self.scatter.diagonal / self.denominator)

    def spread(self, unit: float) -> Spread:
        """What estimates of shrinkage need, in units and divided by the weight."""
        w, squares = self.weight, self.scatter.diagonal / unit / unit
        quartic = np.nan if self.quartic is None else self.quartic / w
        trace, norm = map(on_host, (squares.sum(axis=-1), self.scatter.norm(1 / unit)))
        with np.errstate(over="ignore"):
            return Spread(w, squares.shape[-1], trace / w, (norm / w) ** 2, quartic)

    @property
    def correlations(self) -> Spread:
        """The same for the correlations, without features that never vary: free of units."""
        squares = self.scatter.diagonal
        root = namespace(squares).sqrt(squares)
        norm, d = map(on_host, (self.scatter.norm(reciprocal(root)), (squares > 0).sum(axis=-1)))
        return Spread(self.weight, np.maximum(d, 1), d, norm**2, np.nan)


class Groups:
    """The groups of full covariances: one for all classes when pooling is 1, else one each."""

    def __init__(self, statistics: Statistics, settings: Settings) -> None:
        s, k, spread = statistics, len(statistics.classes), statistics.spread
        assert not isinstance(spread, DiagonalScatter)
        self.statistics, self.settings = s, settings
        self.wide = isinstance(spread, FactoredScatter) and s.n_features > WIDE
        self._spread: DenseScatter | FactoredScatter = spread if self.wide else dense(spread)
        self.shared = settings.pooling == 1
        self.size = 1 if self.shared else k
        self._quartic: Floats | None = None
        if settings.shrinkage == "ledoit-wolf" and s.fourth is not None:
            self._quartic = s.fourth.centred(s.known).quartic

    def group(self, g: int | slice) -> Group:
        """The group of class g: its own scatter blended with the pooled one; or several groups."""
        if self.shared:
            return self.pooled
        s, spread, share = self.statistics, self._spread, self.settings.pooling
        scatter = (
            Factor(spread.factor[spread.owner == g])
            if isinstance(spread, FactoredScatter)
            else Matrix(self._matrices[g])
        )
        weight, quartic = s.weight[g], None if self._quartic is None else self._quartic[g]
        own = Group(weight, weight - self.settings.ddof, scatter, quartic, s.count[g])
        return own.blended(self.pooled, share) if share else own

    @cached_property
    def pooled(self) -> Group:
        """All classes together, each about its own mean."""
        s, spread, k = self.statistics, self._spread, len(self.statistics.classes)
        scatter = (
            Factor(spread.factor)
            if isinstance(spread, FactoredScatter)
            else Matrix(self._matrices.sum(axis=0))
        )
        weight, quartic = s.weight.sum(), None if self._quartic is None else self._quartic.sum()
        rows = s.count.sum() - k + 1
        return Group(weight, weight - self.settings.ddof * k, scatter, quartic, rows)

    @property
    def _matrices(self) -> Any:
        assert isinstance(self._spread, DenseScatter)
        return self._spread.sums.high

    @cached_property
    def separation(self) -> Separation:
        """The features that separate the classes exactly, and those that never vary."""
        return Separation.of(self.statistics)

    def share(self, group: Group) -> float:
        """How much of the group's covariance the target replaces."""
        shrinkage = self.settings.shrinkage
        return shrinkage if not isinstance(shrinkage, str) else float(self.estimated_shares(group))

    def estimated_shares(self, group: Group) -> Floats:
        """The same, estimated; one for each group if there are several."""
        shrinkage, by_correlations = self.settings.shrinkage, self.settings.target == "diagonal"
        by_fourth = shrinkage == "ledoit-wolf" and not by_correlations
        if by_fourth and self._quartic is None:
            raise InvalidParameter(
                "shrinkage='ledoit-wolf' needs fourth-order sums, which these statistics do not "
                "have: features were selected, or removed rows were so far out that no digits "
                "are left. Summarize these rows afresh, or use shrinkage='oas'."
            )
        # From correlations, units of features do not matter.
        spread = group.correlations if by_correlations else group.spread(self.unit)
        if not np.isfinite(spread.squared_norm).all():
            raise NotFinite(
                f"shrinkage={shrinkage!r} cannot be estimated: variances exceed what a float "
                "can hold. Fit features in other units (for example, divide by 1e100), or give a "
                "number."
            )
        shares = ledoit_wolf(spread) if by_fourth else oas(spread)
        return np.where(shares > rank_tolerance(1), shares, 0.0)

    @cached_property
    def unit(self) -> float:
        """The unit of spreads, chosen so that fourth powers do not overflow."""
        s = self.statistics
        if s.fourth is not None:
            return s.fourth.unit
        variances = s.squares.sum(axis=0) / self.pooled.denominator
        return float(np.sqrt(variances.max())) or 1.0

    def shrunk(self, group: Group, share: float | None = None) -> Floats:
        """The group's covariance after shrinkage, (d, d).

        share : of the target, if it is already known
        """
        share = self.share(group) if share is None else share
        return shrink(  # type: ignore[no-any-return]
            group.covariance,
            np.asarray(share) if share else None,
            self.separation.floor,
            self.settings.target,
        )
