"""Groups: the scatter behind each covariance, after pooling (Friedman 1989)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.errors import InvalidParameter, NotFinite
from suffice.models.covariances.linalg import rank_tolerance, reciprocal
from suffice.models.covariances.shrinkage import Spread, ledoit_wolf, oas, shrunk_variances
from suffice.models.separating import Separation
from suffice.models.settings import WIDE, Settings
from suffice.statistics.factored_scatter import FactoredScatter
from suffice.statistics.scatter import DenseScatter, DiagonalScatter, dense
from suffice.statistics.statistics import Statistics


@dataclass(frozen=True, slots=True)
class Matrix:
    """A scatter matrix."""

    matrix: Floats  # (d, d)

    @property
    def diagonal(self) -> Floats:
        """Sums of squares, (d,)."""
        return np.maximum(self.matrix.diagonal(), 0)

    def norm(self, scale: Floats) -> float:
        """Root of the sum of the squared entries, each divided by the scales of its features."""
        inverse = reciprocal(scale)
        return float(np.linalg.norm(self.matrix * inverse * inverse[:, None]))

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

    def norm(self, scale: Floats) -> float:
        """Root of the sum of the squared entries, each divided by the scales of its features."""
        rows = self.rows * reciprocal(scale)
        return float(np.linalg.norm(rows @ rows.T))

    def blended(self, pooled: Factor, share: float) -> Factor:
        """The part 1 - share of this and the part share of the other."""
        parts = np.sqrt(1 - share) * self.rows, np.sqrt(share) * pooled.rows
        return Factor(np.concatenate(parts))


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that share a covariance: scatter / denominator."""

    weight: float
    denominator: float  # the weight less its degrees of freedom
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
        """What estimates of shrinkage need, in units and divided by the weight."""
        w, squares = self.weight, self.scatter.diagonal / unit / unit
        quartic = np.nan if self.quartic is None else self.quartic / w
        norm = self.scatter.norm(np.array([unit]))
        return Spread(w, len(squares), float(squares.sum()) / w, (norm / w) ** 2, quartic)

    @property
    def correlations(self) -> Spread:
        """The same for the correlations, without features that never vary: free of units."""
        squares = self.scatter.diagonal
        norm, d = self.scatter.norm(np.sqrt(squares)), int((squares > 0).sum())
        return Spread(self.weight, max(d, 1), float(d), norm**2, np.nan)


@dataclass(frozen=True, slots=True)
class GroupSizes:
    """The numbers behind the covariances of several groups, wherever their scatters are."""

    weight: Floats  # (g,)
    denominator: Floats  # (g,): the weight less its degrees of freedom
    quartic: Floats | None  # (g,): sum of w|z|⁴ in units
    rows: Indices  # (g,): a covariance is singular unless this exceeds the number of features

    def blended(self, pooled: GroupSizes, share: float) -> GroupSizes:
        """The part 1 - share of these and the part share of the one for all classes."""
        quartic = None
        if self.quartic is not None and pooled.quartic is not None:
            quartic = (1 - share) * self.quartic + share * pooled.quartic
        return GroupSizes(
            (1 - share) * self.weight + share * pooled.weight,
            (1 - share) * self.denominator + share * pooled.denominator,
            quartic,
            np.repeat(pooled.rows, len(self.rows)),
        )

    def part(self, at: slice) -> GroupSizes:
        """The numbers of some of the groups."""
        quartic = None if self.quartic is None else self.quartic[at]
        return GroupSizes(self.weight[at], self.denominator[at], quartic, self.rows[at])

    def group(self, g: int, scatter: Matrix | Factor) -> Group:
        """The group with these numbers and a scatter."""
        return Group(
            float(self.weight[g]),
            float(self.denominator[g]),
            scatter,
            None if self.quartic is None else float(self.quartic[g]),
            int(self.rows[g]),
        )


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
        quartic = None
        if s.fourth is not None and settings.shrinkage == "ledoit-wolf":
            quartic = s.fourth.centred(s.known).quartic
        self._own_sizes = GroupSizes(s.weight, s.weight - settings.ddof, quartic, s.count)
        weight = s.weight.sum(keepdims=True)
        # The numbers of all classes together.
        self.pooled_sizes = GroupSizes(
            weight,
            weight - settings.ddof * k,
            None if quartic is None else quartic.sum(keepdims=True),
            s.count.sum(keepdims=True) - k + 1,
        )

    def group(self, g: int) -> Group:
        """The group of class g: its own scatter blended with the pooled one."""
        if self.shared:
            return self.pooled
        spread = self._spread
        scatter: Any = (
            Factor(spread.factor[spread.owner == g])
            if isinstance(spread, FactoredScatter)
            else Matrix(spread.sums.high[g])
        )
        if self.settings.pooling:
            scatter = scatter.blended(self.pooled.scatter, self.settings.pooling)
        return self.sizes.group(g, scatter)

    @cached_property
    def pooled(self) -> Group:
        """All classes together, each about its own mean."""
        spread = self._spread
        scatter = (
            Factor(spread.factor)
            if isinstance(spread, FactoredScatter)
            else Matrix(spread.sums.high.sum(axis=0))
        )
        return self.pooled_sizes.group(0, scatter)

    @cached_property
    def sizes(self) -> GroupSizes:
        """The numbers of each group."""
        share = self.settings.pooling
        if self.shared:
            return self.pooled_sizes
        return self._own_sizes.blended(self.pooled_sizes, share) if share else self._own_sizes

    @cached_property
    def separation(self) -> Separation:
        """The features that separate the classes exactly, and those that never vary."""
        return Separation.of(self.statistics)

    def share(self, group: Group) -> float:
        """How much of the group's covariance the target replaces."""
        shrinkage = self.settings.shrinkage
        if not isinstance(shrinkage, str):
            return shrinkage
        return float(self.estimated_shares(self._spreads(group))[0])

    def _spreads(self, group: Group) -> Iterator[Spread]:
        yield group.correlations if self.by_correlations else group.spread(self.unit)

    @property
    def by_correlations(self) -> bool:
        """Whether shares are estimated from correlations, so that units do not matter."""
        return self.settings.target == "diagonal"

    def estimated_shares(self, spreads: Iterable[Spread]) -> Floats:
        """The same, estimated from one spread per group.

        spreads : computed as they are read, so that an overflow is reported here
        """
        shrinkage = self.settings.shrinkage
        by_fourth = shrinkage == "ledoit-wolf" and not self.by_correlations
        estimate = ledoit_wolf if by_fourth else oas
        if by_fourth and self._own_sizes.quartic is None:
            raise InvalidParameter(
                "shrinkage='ledoit-wolf' needs fourth-order sums, which these statistics do not "
                "have: features were selected, or removed rows were so far out that no digits "
                "are left. Summarize these rows afresh, or use shrinkage='oas'."
            )
        try:
            shares = np.array([estimate(spread) for spread in spreads])
        except OverflowError:
            raise NotFinite(
                f"shrinkage={shrinkage!r} cannot be estimated: variances exceed what a float "
                "can hold. Fit features in other units (for example, divide by 1e100), or give a "
                "number."
            ) from None
        return np.where(shares > rank_tolerance(1), shares, 0.0)

    @cached_property
    def unit(self) -> float:
        """The unit of spreads, chosen so that fourth powers do not overflow."""
        s = self.statistics
        if s.fourth is not None:
            return s.fourth.unit
        variances = s.squares.sum(axis=0) / self.pooled_sizes.denominator
        return float(np.sqrt(variances.max())) or 1.0

    def shrunk(self, group: Group, share: float | None = None) -> Floats:
        """The group's covariance after shrinkage, (d, d).

        share : of the target, if it is already known
        """
        covariance = group.covariance
        share = self.share(group) if share is None else share
        diagonal = covariance.diagonal() + self.separation.floor
        np.fill_diagonal(covariance, diagonal)
        if share == 0:
            return covariance
        covariance *= 1 - share
        np.fill_diagonal(covariance, shrunk_variances(diagonal, share, self.settings.target))
        return covariance
