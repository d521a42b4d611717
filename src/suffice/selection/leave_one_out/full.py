"""Full: densities of full covariances without one row, in closed form."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.tables.labelled_table import LabelledTable
from suffice.models.covariances.covariance import Covariance, FullCovariance
from suffice.models.covariances.full import full_covariances
from suffice.models.covariances.groups import Group, Groups
from suffice.models.covariances.linalg import Cholesky, reciprocal, span
from suffice.models.covariances.low_rank import LowRankCovariance
from suffice.models.settings import Settings
from suffice.selection.leave_one_out.closed_form import FullForm, OwnCovariance, SharedCovariance
from suffice.selection.leave_one_out.frames import EigenFrame, Frame, WhitenedFrame
from suffice.selection.leave_one_out.removal import LEAST_LEFT
from suffice.selection.leave_one_out.shares import Shares, quartic_losses
from suffice.statistics.shift import difference
from suffice.statistics.statistics import Statistics


def full_closed_form(
    statistics: Statistics, settings: Settings, table: LabelledTable
) -> FullForm | None:
    """The closed form for full covariances; None where there is none."""
    groups = Groups(statistics, settings)
    shrunk = settings.shrinkage != 0
    # Shrinkage toward the diagonal changes every axis with every row.
    if (shrunk and settings.target == "diagonal") or (groups.wide and not shrunk):
        return None
    covariances, borrowed, _ = full_covariances(groups)
    shared = np.arange(len(statistics.classes)) if groups.shared else np.array(borrowed, np.int64)
    used = [groups.pooled if g in borrowed else groups.group(g) for g in range(groups.size)]
    pairs = list(zip(covariances, used, strict=True))
    if not all(_as_requested(covariance, groups, group) for covariance, group in pairs):
        return None
    frames: list[Frame] = []
    # Smaller eigenvalues of correlations, relative to the largest, may vanish with a row.
    least_eigenvalue = 1e-10
    if shrunk:
        losses, unit, basis = (
            quartic_losses(groups, table),
            settings.target == "unit",
            _basis(groups),
        )
        frames += [
            EigenFrame.of(group, Shares.of(groups, group, losses), unit, basis) for group in used
        ]
    else:
        for covariance, group in pairs:
            least = _least_eigenvalue(covariance)
            if not isinstance(covariance, FullCovariance) or least <= least_eigenvalue:
                return None
            left = _least_left(group, covariance.rank, least)
            frames.append(WhitenedFrame(covariance, group.denominator, left))
    unserved = _unserved(statistics, settings, shared, covariances[0].rank)
    squares = statistics.squares.sum(axis=0) if shrunk else None
    return FullForm(_parts(groups, frames, covariances, shared), unserved, squares)


def _parts(
    groups: Groups, frames: Sequence[Frame], covariances: Sequence[Covariance], shared: Indices
) -> tuple[OwnCovariance | SharedCovariance, ...]:
    means, pooling = groups.statistics.means, groups.settings.pooling
    parts: list[OwnCovariance | SharedCovariance] = [
        OwnCovariance(c, frames[c], covariances[c], means, pooling)
        for c in range(len(frames))
        if c not in shared
    ]
    if len(shared):
        frame = frames[0 if groups.shared else shared[0]]
        parts.append(SharedCovariance.of(shared, frame, means))
    return tuple(parts)


def _unserved(statistics: Statistics, settings: Settings, shared: Indices, rank: int) -> Array:
    """Classes that are gone without one row, or whose covariance is then singular, (k,)."""
    count, k = statistics.count, len(statistics.classes)
    out = count <= 1
    if settings.shrinkage == 0:
        if len(shared) or settings.pooling > 0:
            out |= int(count.sum()) - k <= rank
        if settings.pooling == 0:
            own = ~np.isin(np.arange(k), shared)
            out |= own & (count - 1 <= rank)
    return np.asarray(out)


def _basis(groups: Groups) -> Floats | None:
    """Orthonormal rows that span all rows about a class mean, where those are few, (m, d)."""
    factor, means = groups.statistics.factor, groups.statistics.means
    if not groups.wide or factor is None:
        return None
    steps = difference(means, means[np.zeros(len(means.high), np.int64)])
    return span(np.concatenate([factor, steps[1:]]))[1]


def _as_requested(covariance: Covariance, groups: Groups, group: Group) -> bool:
    """Whether a covariance is what the settings say, without a repair."""
    if isinstance(covariance, LowRankCovariance) and group.denominator > 0:
        return groups.share(group) > 0
    if not isinstance(covariance, FullCovariance) or group.denominator <= 0:
        return False
    few = group.rows <= groups.statistics.n_features
    if groups.settings.shrinkage != 0 and few and groups.share(group) == 0:
        return False
    requested = groups.shrunk(group)
    scale = np.sqrt(np.maximum(requested.diagonal(), 0.0))
    gap = np.abs(covariance.matrix - requested)
    return bool((gap <= 1e-9 * scale * scale[:, None]).all())


def _least_eigenvalue(covariance: Covariance) -> float:
    """The smallest eigenvalue of the correlations, as a share of the largest, about."""
    if not isinstance(covariance, FullCovariance) or covariance.rank == 0:
        return 0.0
    whitener = covariance.whitener
    if isinstance(whitener, Cholesky):
        least = float((whitener.factor.diagonal() ** 2).min())
        if least > 1e-2:  # large pivots bound the eigenvalues well enough
            return least
    rows = whitener.colouring
    scale = np.sqrt(np.einsum("ij,ij->j", rows, rows))
    sizes = np.linalg.svd(rows * reciprocal(scale), compute_uv=False)
    return float((sizes[-1] / sizes[0]) ** 2)


def _least_left(group: Group, rank: int, least: float) -> float:
    """What a removal must leave of the determinant.

    More where there are fewer than ten rows per direction: then the rows themselves make a
    covariance nearly singular, and one less may make it more so.
    """
    few = group.rows <= 10 * rank
    return max(LEAST_LEFT, 1e-5 / least) if few else LEAST_LEFT
