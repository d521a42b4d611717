"""Groups: the scatter behind each covariance, after pooling (Friedman 1989)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from suffice.data.arrays import Floats
from suffice.errors import InvalidParameter
from suffice.models.settings import Settings
from suffice.models.shrinkage import Spread, ledoit_wolf, oas, toward_diagonal
from suffice.statistics.scatter import Dense, Diagonal, dense
from suffice.statistics.statistics import Statistics
from suffice.statistics.thin import Thin

# Wider than this, statistics kept as a factor are never made into a matrix.
WIDE = 512


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that share a covariance: scatter / denominator."""

    weight: float
    denominator: float  # the weight less its degrees of freedom
    scatter: Floats | None  # (d, d), or
    factor: Floats | None  # (r, d) with factor'factor the scatter
    quartic: float | None  # sum of w|z|⁴ in units

    @property
    def covariance(self) -> Floats:
        """The unshrunk covariance, (d, d)."""
        if self.scatter is not None:
            return self.scatter / self.denominator
        assert self.factor is not None
        return np.asarray(self.factor.T @ self.factor / self.denominator)

    @property
    def variances(self) -> Floats:
        """Its diagonal, (d,)."""
        if self.scatter is not None:
            return np.maximum(self.scatter.diagonal(), 0) / self.denominator
        assert self.factor is not None
        return np.asarray(np.einsum("ij,ij->j", self.factor, self.factor) / self.denominator)

    def spread(self, unit: float) -> Spread:
        """What estimates of shrinkage take, in units; divided by the weight, as they ask."""
        if self.scatter is not None:
            trace = self.scatter.trace() / unit / unit
            norm = float(np.linalg.norm(self.scatter / unit / unit))
            d = len(self.scatter)
        else:
            assert self.factor is not None
            rows = self.factor / unit
            trace, norm = (rows * rows).sum(), float(np.linalg.norm(rows @ rows.T))
            d = rows.shape[1]
        w = self.weight
        quartic = np.nan if self.quartic is None else self.quartic / w
        return Spread(w, d, float(trace) / w, (norm / w) ** 2, quartic)


class Groups:
    """The groups of full covariances: one for all classes when pooling is 1, else one each."""

    def __init__(self, statistics: Statistics, settings: Settings) -> None:
        assert not isinstance(statistics.spread, Diagonal)
        self.statistics, self.settings = statistics, settings
        spread = statistics.spread
        self.wide = isinstance(spread, Thin) and statistics.n_features > WIDE
        self._spread: Dense | Thin = spread if self.wide else dense(spread)
        self.shared = settings.pooling == 1
        self.size = 1 if self.shared else len(statistics.classes)

    @cached_property
    def pooled(self) -> Group:
        """All classes together, each about its own mean."""
        s = self.statistics
        weight = float(s.weight.sum())
        denominator = weight - self.settings.ddof * len(s.classes)
        scatter = factor = None
        if isinstance(self._spread, Thin):
            factor = self._spread.factor
        else:
            scatter = self._spread.sums.high.sum(axis=0)
        quartic = None if self._quartic is None else float(self._quartic.sum())
        return Group(weight, denominator, scatter, factor, quartic)

    def group(self, g: int) -> Group:
        """The group of class g: its own scatter blended with the pooled one."""
        if self.shared:
            return self.pooled
        own, pooling = self._own(g), self.settings.pooling
        if pooling == 0:
            return own
        pooled = self.pooled

        def blend(a: float, b: float) -> float:
            return (1 - pooling) * a + pooling * b

        scatter = factor = quartic = None
        if own.scatter is not None and pooled.scatter is not None:
            scatter = (1 - pooling) * own.scatter + pooling * pooled.scatter
        elif own.factor is not None and pooled.factor is not None:
            parts = np.sqrt(1 - pooling) * own.factor, np.sqrt(pooling) * pooled.factor
            factor = np.concatenate(parts)
        if own.quartic is not None and pooled.quartic is not None:
            quartic = blend(own.quartic, pooled.quartic)
        return Group(
            blend(own.weight, pooled.weight),
            blend(own.denominator, pooled.denominator),
            scatter,
            factor,
            quartic,
        )

    def _own(self, g: int) -> Group:
        weight = float(self.statistics.weight[g])
        scatter = factor = None
        if isinstance(self._spread, Thin):
            factor = self._spread.factor[self._spread.owner == g]
        else:
            scatter = self._spread.sums.high[g]
        quartic = None if self._quartic is None else float(self._quartic[g])
        return Group(weight, weight - self.settings.ddof, scatter, factor, quartic)

    @cached_property
    def _quartic(self) -> Floats | None:
        s = self.statistics
        if s.fourth is None or self.settings.shrinkage != "ledoit-wolf":
            return None
        return s.fourth.centred(s.known).quartic

    def share(self, group: Group) -> float:
        """How much of the group's covariance the target replaces."""
        shrinkage = self.settings.shrinkage
        if not isinstance(shrinkage, str):
            return shrinkage
        if self.settings.target == "diagonal":
            return self._share_toward_diagonal(group)
        if shrinkage == "oas":
            return oas(group.spread(self._unit))
        if group.quartic is None:
            raise InvalidParameter(
                "shrinkage='ledoit-wolf' needs fourth-order sums, which these statistics lost "
                "when features were selected; summarize those features afresh, or use 'oas'."
            )
        return ledoit_wolf(group.spread(self._unit))

    def _share_toward_diagonal(self, group: Group) -> float:
        if self.settings.shrinkage != "oas":
            raise InvalidParameter(
                "shrinkage='ledoit-wolf' is not defined for target='diagonal'; use 'oas' or a "
                "number, or target='identity'."
            )
        if self.wide:
            raise InvalidParameter(
                "with target='diagonal' and more features than rows, give shrinkage as a number."
            )
        root = np.sqrt(group.variances)
        root[root == 0] = 1.0
        return toward_diagonal(group.covariance / root / root[:, None], group.weight)

    @property
    def _unit(self) -> float:
        s = self.statistics
        if s.fourth is not None:
            return s.fourth.unit
        return float(np.sqrt(self.pooled.variances.max())) or 1.0

    def shrunk(self, group: Group) -> Floats:
        """The group's covariance after shrinkage, (d, d)."""
        covariance, share = group.covariance, self.share(group)
        if share == 0:
            return covariance
        diagonal = covariance.diagonal().copy()
        target = {
            "identity": np.full_like(diagonal, diagonal.mean()),
            "diagonal": diagonal,
            "unit": np.ones_like(diagonal),
        }[self.settings.target]
        covariance = (1 - share) * covariance
        np.fill_diagonal(covariance, (1 - share) * diagonal + share * target)
        return covariance
