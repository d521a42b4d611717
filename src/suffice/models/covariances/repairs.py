"""Repairs: what a model does if its covariances cannot be estimated as requested."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.models.covariances.covariance import FullCovariance
from suffice.models.covariances.groups import Groups
from suffice.models.covariances.linalg import (
    Whitener,
    eigen,
    orthonormal,
    rank_tolerance,
    reciprocal,
)
from suffice.models.gaussian import GaussianModel
from suffice.models.separating import mean_steps
from suffice.models.settings import Settings
from suffice.statistics.incomplete import AnyStatistics, IncompleteStatistics
from suffice.statistics.statistics import Statistics
from suffice.text import plural, quote_names, shown

# Number of classes or columns that a sentence names before it counts the others.
MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Repair:
    """A problem and what was done about it, in one sentence.

    advice : what the user can do
    changes : parameters that avoid the problem
    drop : the features to leave out if they repeat the label
    """

    what: str
    advice: str = ""
    changes: Mapping[str, Any] = field(default_factory=dict)
    drop: tuple[Any, ...] = ()


def repairs(
    model: GaussianModel, statistics: AnyStatistics, settings: Settings
) -> tuple[Repair, ...]:
    """Everything that was done differently from the settings."""
    s, matrices = statistics, settings.structure.takes_matrices
    all_repairs: list[Repair | None] = []
    if len(s.classes) == 1 and matrices:
        all_repairs.append(_single_class(s))
    if model.shrunk:
        all_repairs.append(_shrunk(model, s, settings))
    if model.borrowed and matrices and not model.shrunk:
        all_repairs.append(_borrowed(model, s))
    if model.borrowed and not matrices:
        all_repairs.append(_without_spread(model, s))
    all_repairs.append(_dependent(model, s))
    squares = s.pooled_squares if isinstance(s, IncompleteStatistics) else s.squares.sum(axis=0)
    variances = squares / s.known_weight.sum(axis=0)
    if not variances.all():
        all_repairs.append(_separating(s, variances))
    pulled = settings.shrinkage != 0 and settings.target == "identity"
    # Variances that EM estimates are not those of the statistics.
    if pulled and not settings.takes_em(s) and variances.any():
        all_repairs.append(_dominated_by_target(s, settings, variances))
    return tuple(filter(None, all_repairs))


def _single_class(s: AnyStatistics) -> Repair:
    what = f"all rows belong to class {shown(s.classes[0])}, so it is predicted for every row"
    return Repair(what, "give it rows of two or more classes")


def _shrunk(model: GaussianModel, s: AnyStatistics, settings: Settings) -> Repair:
    n, k, d = int(s.count.sum()), len(s.classes), s.n_features
    what = f"{n} rows of {k} classes are too few for a covariance of {d} features"
    at = _separating_together(s, settings) if n - k >= d else np.zeros(0, np.int64)
    if len(at):
        what = f"a combination of columns {_columns(s, at)} is constant within every class"
        what += " but differs between them"
    what += ", so correlations are shrunk by OAS"
    if model.borrowed:
        what += " and the covariance is shared"
    changes = {"shrinkage": "oas", "target": "diagonal"}
    return Repair(what, changes=changes, drop=tuple(_names(s, at)))


def _separating_together(s: AnyStatistics, settings: Settings) -> Indices:
    """The features along which class means differ where no class varies."""
    if not isinstance(s, Statistics):
        return np.zeros(0, np.int64)
    groups = Groups(s, settings)
    if groups.wide:
        return np.zeros(0, np.int64)
    within = groups.shrunk(groups.pooled, 0.0)
    scale = np.sqrt(reciprocal(np.diag(within)))
    values, vectors = eigen(within * scale * scale[:, None])
    still = vectors[:, values <= rank_tolerance(len(within))]
    # The part of each class mean that lies in directions without variance.
    outside = np.abs(still @ (still.T @ (mean_steps(s) * scale).T)).max(axis=1)
    small_part = 1e-4  # of the largest, which is accurate to the root of the tolerance
    return np.flatnonzero(outside > small_part * outside.max(initial=0.0))


def _borrowed(model: GaussianModel, s: AnyStatistics) -> Repair:
    at, d = list(model.borrowed), s.n_features
    count, classes, parts = s.known_count[at].min(axis=1), s.classes[at], []
    few = count <= d
    if few.any():
        has = _fewest(s, np.array(at)[few])
        parts.append(f"{_named(classes[few])} {has}, too few for a covariance of {d} features")
    if not few.all():
        parts.append(f"in {_named(classes[~few])}, some columns are constant or dependent")
    what = f"{' and '.join(parts)}, so the pooled covariance is used there"
    return Repair(what, changes={"pooling": 0.5})


def _fewest(s: AnyStatistics, at: Array) -> str:
    """How many rows some classes have, or observed values of the column with most gaps."""
    known, count = s.known_count[at], s.count[at]
    has = "has" if len(at) == 1 else "have"
    if (known.min(axis=1) < count).any():
        column = _columns(s, [int(known.min(axis=0).argmin())])
        return f"{has} only {plural(int(known.min()), 'observed value')} of column {column}"
    least, most = int(count.min()), int(count.max())
    each = " each" if len(at) > 1 else ""
    return (
        f"{has} {plural(least, 'row')}{each}" if least == most else f"{has} {least} to {most} rows"
    )


def _named(classes: Array) -> str:
    return f"class{'es' if len(classes) > 1 else ''} {quote_names(classes, MOST_NAMED)}"


def _without_spread(model: GaussianModel, s: AnyStatistics) -> Repair | None:
    # A few features that are constant in a class are common and not worth a warning.
    at = [c for c in model.borrowed if not s.squares[c].any()]
    if not at:
        return None
    what = f"no column varies in {_named(s.classes[at])}, so the pooled variances are used there"
    return Repair(what, changes={"pooling": 0.5})


def _dependent(model: GaussianModel, s: AnyStatistics) -> Repair | None:
    dropped, involved = 0, np.zeros(0, np.int64)
    # Share of a feature that may lie in directions without variance because of rounding.
    small_part = 1e-6
    for covariance in model.covariances:
        # A Cholesky factor keeps every direction.
        if isinstance(covariance, FullCovariance) and isinstance(covariance.whitener, Whitener):
            outside = _outside(covariance.whitener)
            if outside is not None:
                dropped = max(dropped, round(float(outside.sum())))
                involved = np.union1d(involved, np.flatnonzero(outside > small_part))
    if not dropped:
        return None
    what = (
        f"columns {_columns(s, involved)} are linearly dependent to working precision, so "
        f"{dropped} of {s.n_features} directions {'is' if dropped == 1 else 'are'} left out"
    )
    advice = f"drop {dropped} of these columns"
    return Repair(what, advice, {"shrinkage": "oas", "target": "diagonal"})


def _separating(s: AnyStatistics, variances: Floats) -> Repair | None:
    at = np.flatnonzero((variances == 0) & (s.mean != s.mean[0]).any(axis=0))
    if not len(at):
        return None
    column, is_constant, differs, decides = (
        ("column", "is", "differs", "it decides")
        if len(at) == 1
        else ("columns", "are", "differ", "they decide")
    )
    what = f"{column} {_columns(s, at)} {is_constant} constant within every class"
    what += f" but {differs} between them, so {decides} alone"
    return Repair(what, drop=tuple(_names(s, at)))


def _dominated_by_target(s: AnyStatistics, settings: Settings, variances: Floats) -> Repair | None:
    at = np.flatnonzero(variances > 0)
    v = variances[at]
    # Largest acceptable factor by which shrinkage toward the identity multiplies the variance
    # of a typical feature. It is 1.2 for iris and 3 for handwritten digits, where the identity
    # works well, and 350 for wine at a share of 0.1, where a quarter of the labels are wrong.
    most_growth = 10.0
    # Estimating the share is worth it only if even the largest one would matter.
    share = _share(s, settings) if _growth(v, 1.0) > most_growth else 0.0
    if _growth(v, share) <= most_growth:
        return None
    smallest, largest = (_columns(s, [at[i]]) for i in (v.argmin(), v.argmax()))
    what = (
        f"shrinkage of {share:.2g} toward the identity multiplies the variance of a typical "
        f"column by {_growth(v, share):.0f}, because the columns have very different scales "
        f"(standard deviations from {np.sqrt(v.min()):.3g} in column {smallest} to "
        f"{np.sqrt(v.max()):.3g} in column {largest})"
    )
    changes: dict[str, Any] = {"target": "diagonal"}
    if settings.shrinkage == "ledoit-wolf":
        changes["shrinkage"] = "oas"
    return Repair(what, changes=changes)


def _share(s: AnyStatistics, settings: Settings) -> float:
    """Largest share of a covariance that the target replaces."""
    if settings.structure.shape(s.n_features) == ():
        return 0.0  # one variance for all features has no scales to lose
    if not isinstance(settings.shrinkage, str):
        return settings.shrinkage
    if not isinstance(s, Statistics):
        return 0.0
    groups = Groups(s, settings)
    return max(groups.share(groups.group(g)) for g in range(groups.size))


def _columns(s: AnyStatistics, at: Iterable[Any]) -> str:
    return quote_names(_names(s, at), MOST_NAMED)


def _names(s: AnyStatistics, at: Iterable[Any]) -> list[Any]:
    names = s.feature_names
    return [int(j) if names is None else names[int(j)] for j in at]


def _outside(whitener: Whitener) -> Floats | None:
    """Share of each feature in directions that are left out, (d,); None if there are none."""
    rows = whitener.colouring
    scale = np.sqrt(np.einsum("ij,ij->j", rows, rows))
    varies: Array = scale > 0
    if len(rows) >= varies.sum():
        return None
    kept = orthonormal(rows * reciprocal(scale))
    return np.where(varies, 1 - np.einsum("ij,ij->j", kept, kept), 0.0)


def _growth(variances: Floats, share: float) -> float:
    """Factor by which variances grow, as a geometric mean over features."""
    grown = (1 - share) + share * variances.mean() / variances
    return float(np.exp(np.log(grown).mean()))
