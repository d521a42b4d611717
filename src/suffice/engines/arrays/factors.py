"""Factors: full covariances, factored in batches on the device of their scatter matrices."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.engines.arrays.space import Space
from suffice.models.covariances.covariance import Covariance, FullCovariance
from suffice.models.covariances.linalg import (
    DOUBTFUL,
    Cholesky,
    embedded,
    rank_tolerance,
    reciprocal,
)

BATCH_BYTES = 1 << 30  # size of the matrices that are factored or inverted together


@dataclass(frozen=True)
class Factors:
    """Covariances D L L' D by the Cholesky factors L of their correlations.

    A feature that never varies has scale zero in D and a one on the diagonal of L: it is ignored.
    """

    space: Space
    lower: Any  # (g, d, d): L
    scale: Any  # (g, d): D
    owner: Indices  # (k,): which of them each class has; (1,) where all share it

    @cached_property
    def columns(self) -> Any:
        """A' of A = L^-1 D^-1, (g, d, d): rows times these have their Mahalanobis lengths."""
        import torch

        d = self.lower.shape[1]
        one = torch.eye(d, dtype=self.lower.dtype, device=self.lower.device)
        inverses = torch.empty_like(self.lower)
        step = max(1, BATCH_BYTES // (8 * d * d))
        for low in range(0, len(inverses), step):
            part = self.lower[low : low + step]
            inverse = torch.linalg.solve_triangular(part, one.expand_as(part), upper=False)
            inverses[low : low + step] = inverse.mT
        return inverses * reciprocal(self.scale)[:, :, None]

    @cached_property
    def log_determinants(self) -> Floats:
        """Of each covariance, ignored features left out, (g,)."""
        xp = self.space.xp
        pivots = xp.log(xp.linalg.diagonal(self.lower)) + xp.log(
            xp.where(self.scale > 0, self.scale, 1.0)
        )
        return 2 * self.space.fetch(xp.sum(pivots, axis=1))

    @cached_property
    def ranks(self) -> Indices:
        """Number of features that vary in each covariance, (g,)."""
        varies = self.space.xp.astype(self.scale > 0, self.space.xp.int64)
        return self.space.fetch(self.space.xp.sum(varies, axis=1))

    def inflated(self, factor: float) -> Factors:
        """The factors of `factor` times the covariances."""
        if factor == 1:
            return self
        return Factors(self.space, self.lower, self.scale * float(np.sqrt(factor)), self.owner)

    def on_host(self) -> tuple[Covariance, ...]:
        """The covariances, one per class or one shared."""
        covariances = {g: self.covariance(g) for g in set(self.owner.tolist())}
        return tuple(covariances[g] for g in self.owner.tolist())

    def covariance(self, g: int) -> Covariance:
        """One of the covariances, on the host."""
        return _covariance(self.space.fetch(self.lower[g]), self.space.fetch(self.scale[g]))


def factored(covariances: Any, constant: Any) -> tuple[Any, Any, Any]:
    """Factors and scales of covariances (g, d, d), and which are regular (g,).

    The rules are those of the host: `constant` features (d,) without variance are ignored;
    otherwise a covariance without variance in a feature, or whose correlations are singular to
    working precision, is not regular.
    """
    import torch

    scale = covariances.diagonal(dim1=1, dim2=2).clamp(min=0).sqrt()
    ignored = constant & (scale == 0)
    known = torch.where(scale > 0, scale, 1.0)
    correlations = covariances / known[:, :, None]
    correlations /= known[:, None, :]
    correlations.diagonal(dim1=1, dim2=2)[ignored] = 1.0
    regular = ((scale > 0) | ignored).all(dim=1)
    lower, failed = cholesky(correlations)
    regular &= ~failed
    pivots = lower.diagonal(dim1=1, dim2=2)
    doubtful = regular & ((pivots**2).amin(dim=1) < DOUBTFUL)
    for g in torch.nonzero(doubtful).flatten().tolist():
        values = torch.linalg.eigvalsh(correlations[g])
        d = int((~ignored[g]).sum())
        regular[g] = bool(values[0] > rank_tolerance(d))
    return lower, scale, regular


def cholesky(matrices: Any, panel: int = 64) -> tuple[Any, Any]:
    """Lower factors of matrices (g, d, d), and which have none (g,).

    Several large ones are factored in panels of `panel` columns, all matrices at once.
    """
    import torch

    g, d, _ = matrices.shape
    if g == 1 or d <= 2 * panel:
        lower, failed = torch.linalg.cholesky_ex(matrices)
        return lower, failed != 0
    lower = matrices.clone()
    none = torch.zeros(g, dtype=torch.bool, device=matrices.device)
    one = torch.eye(panel, dtype=matrices.dtype, device=matrices.device)
    for low in range(0, d, panel):
        high = min(d, low + panel)
        if low:
            below = lower[:, low:, low:high]
            below.baddbmm_(lower[:, low:, :low], lower[:, low:high, :low].mT, alpha=-1)
        top, failed = torch.linalg.cholesky_ex(lower[:, low:high, low:high])
        none |= failed != 0
        lower[:, low:high, low:high] = top
        lower[:, low:high, high:] = 0.0
        if high < d:
            unit = one[: high - low, : high - low].expand_as(top)
            inverse = torch.linalg.solve_triangular(top, unit, upper=False)
            lower[:, high:, low:high] = lower[:, high:, low:high] @ inverse.mT
    return lower, none | ~torch.isfinite(lower.diagonal(dim1=1, dim2=2)).all(dim=1)


def _covariance(lower: Floats, scale: Floats) -> FullCovariance:
    known = np.flatnonzero(scale > 0)
    if len(known) == len(scale):
        return FullCovariance(Cholesky(np.asfortranarray(lower), scale))
    some = Cholesky(np.asfortranarray(lower[np.ix_(known, known)]), scale[known])
    return FullCovariance(embedded(some, known, len(scale)))
