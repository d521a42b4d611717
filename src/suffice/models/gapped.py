"""Gapped: scores of rows with missing values, which are integrated out exactly.

A row that knows the features o is filled at the conditional mean of the others. There the
missing values pull in no direction, so its squared distance is that of o alone, and
ln p(x_o) = ln p(filled row) - ln p(filled values | x_o).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.gaps import Gaps
from suffice.models.covariance import Covariance, DiagonalCovariance, FullCovariance
from suffice.models.filling import ROWS_OF_PATTERN, peaks
from suffice.models.linalg import Cholesky, cholesky_solve
from suffice.models.scoring import (
    BLOCK_BYTES,
    PARALLEL_FROM,
    IndependentClasses,
)
from suffice.statistics.threads import blas_threads, in_parallel, n_threads, shares

# Smaller tables are not looked at for gaps beforehand, and of larger ones so many rows.
FEW_ROWS = 1 << 13
LOOKED_AT = 128

if TYPE_CHECKING:
    from suffice.models.gaussian import GaussianModel


def mostly_gaps(X: Array) -> bool:
    """Whether a large table has gaps in most of a few rows: then asking for all is in vain."""
    if len(X) < FEW_ROWS:
        return False
    some = X[:: len(X) // LOOKED_AT]
    return bool(np.isnan(some).any(axis=1).mean() > 0.5)


def with_gaps(
    model: GaussianModel,
    X: Array,
    complete: Callable[[Array], Floats],
    gapped: Callable[[GaussianModel, Gapped], Floats],
    unknown: Floats | float,
) -> Floats:
    """complete(rows) for rows without missing values, gapped(model, rows) for the others, (n, k).

    unknown : the answer for a row of which nothing is known
    """
    if mostly_gaps(X):
        found = np.full((len(X), len(model.classes)), np.nan)
        whole = np.flatnonzero(~np.isnan(X).any(axis=1))
        if len(whole):
            found[whole] = complete(X[whole])
    else:
        found = complete(X)
    # A gap shows in the answer; looking there spares a pass over the rows.
    if np.isfinite(found).all():
        return found
    at = np.flatnonzero(np.isnan(found[:, 0]))
    if not len(at):
        return found
    everywhere = len(at) == len(X)
    if everywhere:
        missing = np.isnan(X)
    else:
        missing = np.isnan(X)[at] if 8 * len(at) > len(X) else np.isnan(X[at])
    answers = gapped(model, Gapped(X, at, missing))
    if everywhere:
        found = answers
    else:
        found[at] = answers
    nothing = np.flatnonzero(missing[:, 0])
    found[at[nothing[missing[nothing].all(axis=1)]]] = unknown
    return found


def gapped_scores(model: GaussianModel, rows: Gapped) -> Floats:
    """ln p(x, y) of what is known up to a constant of the row, (m, k)."""

    def work(x: Floats, gaps: Gaps, _: Indices) -> Floats:
        return run_scores(model, x, gaps)

    alone = model.independent is not None
    found = rows.by_runs(len(model.classes), work, as_they_come=alone)
    if not model.shared:
        _settle_far_rows(model, rows, found)
    return found


def _settle_far_rows(model: GaussianModel, gapped: Gapped, found: Floats) -> None:
    """Rows so far out that squares overflow: there the nearest class is certain."""
    far = np.flatnonzero(~np.isfinite(found).any(axis=1))
    far = far[~np.isinf(gapped.X[gapped.at[far]]).any(axis=1)]
    if not len(far):
        return
    rows = gapped.X[gapped.at[far]].astype(np.float64)
    size = np.nanmax(np.abs(rows), axis=1, keepdims=True)
    missing = np.isnan(rows)
    distances = np.empty((len(far), len(model.classes)))
    for c, mean in enumerate(model.means):
        covariance = model.covariances[c]
        steps = Gapped(rows / size - mean / size, np.arange(len(far)), missing)

        def work(x: Floats, gaps: Gaps, _: Indices, covariance: Covariance = covariance) -> Floats:
            covariance.fill(x, gaps)
            return covariance.squared_lengths(x)[:, None]

        distances[:, c] = steps.by_runs(1, work)[:, 0]
    distances[:, model.priors == 0] = np.inf
    nearest = distances.argmin(axis=1)[:, None]
    found[far] = np.where(np.arange(len(model.classes)) == nearest, 0.0, -np.inf)


@dataclass(frozen=True, slots=True)
class Gapped:
    """Some rows of X, with what they miss."""

    X: Array  # (n, d)
    at: Indices  # (m,)
    missing: Array  # (m, d)

    @classmethod
    def of(cls, X: Array) -> Gapped:
        """The rows that miss a value."""
        missing = np.isnan(X)
        at = np.flatnonzero(missing.any(axis=1))
        return cls(X, at, missing[at])

    def __len__(self) -> int:
        return len(self.at)

    def by_runs(
        self,
        width: int,
        work: Callable[[Floats, Gaps, Indices], Floats],
        as_they_come: bool = False,
    ) -> Floats:
        """work(rows, gaps, which) -> (rows, width) for all of them, sorted by pattern, in blocks.

        which : their positions among these rows
        as_they_come : unsorted, where rows of a pattern have nothing to share
        """
        n, d = self.missing.shape
        if as_they_come:
            order, gaps = np.arange(n), Gaps(self.missing, np.arange(n + 1))
        else:
            order, gaps = Gaps.sorted(self.missing)
        out = np.empty((n, width))
        step = max(16, BLOCK_BYTES // (8 * max(d, width)))

        def share(start: int, stop: int) -> None:
            for low in range(start, stop, step):
                high = min(stop, low + step)
                which = order[low:high]
                rows = self.X[self.at[which]].astype(np.float64, copy=False)
                out[which] = work(rows, gaps.between(low, high), which)

        if n * d < PARALLEL_FROM:
            share(0, n)
        else:
            with blas_threads(1):
                in_parallel(share, [*shares(n, n_threads())])
        return out


def run_scores(model: GaussianModel, rows: Floats, gaps: Gaps) -> Floats:
    """Joint log densities up to a constant of the row, (n, k), of rows sorted by pattern."""
    if not model.shared:
        return _separate(model, rows, gaps)
    covariance = model.covariances[0]
    few = ROWS_OF_PATTERN * len(gaps.patterns) <= len(rows)
    if few and isinstance(covariance, FullCovariance) and isinstance(covariance.whitener, Cholesky):
        return _by_slopes(model, covariance.whitener, rows, gaps)
    return _linear(model, rows, gaps)[0]


def _by_slopes(model: GaussianModel, whitener: Cholesky, rows: Floats, gaps: Gaps) -> Floats:
    """Linear scores with slopes for each pattern, so that rows need not be filled."""
    linear, precision = model.linear, whitener.precision
    constants = model.log_priors - _mean_lengths(model, gaps) / 2
    out = np.empty((len(rows), len(model.classes)))
    for i, (missing, run) in enumerate(gaps):
        steps, slopes = rows[run] - linear.centre, linear.slopes
        if len(missing):
            pulls = precision[missing]
            found, _ = cholesky_solve(pulls[:, missing], pulls)
            slopes = slopes - found.T @ slopes[missing]
            for j in missing.tolist():
                steps[:, j] = 0.0
        np.matmul(steps, slopes, out=out[run])
        out[run] += constants[i]
    return out


def gapped_joint(model: GaussianModel, rows: Gapped) -> Floats:
    """ln p(x, y) of what is known, (m, k)."""

    def work(x: Floats, gaps: Gaps, _: Indices) -> Floats:
        if not model.shared:
            return _separate(model, x, gaps)
        scores, steps, peak = _linear(model, x, gaps)
        lengths = model.covariances[0].squared_lengths(steps)
        return scores - (lengths / 2 + model.volumes + peak)[:, None]

    return rows.by_runs(len(model.classes), work)


def _linear(model: GaussianModel, rows: Floats, gaps: Gaps) -> tuple[Floats, Floats, Floats]:
    """Linear scores of what is known, rows filled about the centre, and how likely the filling."""
    steps = rows - model.linear.centre
    peak = model.covariances[0].fill(steps, gaps)
    constants = model.log_priors - _mean_lengths(model, gaps) / 2
    scores = steps @ model.linear.slopes
    scores += np.repeat(constants, np.diff(gaps.starts), axis=0)
    return scores, steps, peak


def _mean_lengths(model: GaussianModel, gaps: Gaps) -> Floats:
    """Squared lengths of the class means about the centre in what each pattern knows, (p, k)."""
    covariance, k = model.covariances[0], len(model.classes)
    means = model.means_about(model.linear.centre)
    if isinstance(covariance, DiagonalCovariance):
        return np.asarray(~gaps.patterns @ (means**2 * covariance.precisions).T)
    means = np.tile(means, (len(gaps.patterns), 1))
    means[np.repeat(gaps.patterns, k, axis=0)] = np.nan
    covariance.fill(means, gaps.of_each(k))
    return covariance.squared_lengths(means).reshape(-1, k)


def _separate(model: GaussianModel, rows: Floats, gaps: Gaps) -> Floats:
    if model.independent is not None:
        return _independent(model, model.independent, rows, gaps)
    out = np.empty((len(rows), len(model.classes)))
    for c in range(len(model.classes)):
        steps = model.about_mean(rows, c)
        peak = model.covariances[c].fill(steps, gaps)
        out[:, c] = model.constants[c] - peak - model.covariances[c].squared_lengths(steps) / 2
    return out


def _independent(
    model: GaussianModel, independent: IndependentClasses, rows: Floats, gaps: Gaps
) -> Floats:
    """Independent features: those that are missing drop out of every sum."""
    heights = np.array(
        [peaks(c.variances) for c in model.covariances if isinstance(c, DiagonalCovariance)]
    )
    constants = model.constants - gaps.patterns @ heights.T
    return np.repeat(constants, np.diff(gaps.starts), axis=0) - independent.known(rows).T / 2


def gapped_distances(model: GaussianModel, rows: Gapped) -> Floats:
    """Squared distances to the class means in what is known, (m, k)."""

    def work(x: Floats, gaps: Gaps, _: Indices) -> Floats:
        out = np.empty((len(x), len(model.classes)))
        for c in range(len(model.classes)):
            covariance = model.covariances[0 if model.shared else c]
            steps = model.about_mean(x, c)
            covariance.fill(steps, gaps)
            out[:, c] = covariance.squared_lengths(steps)
        return out

    return rows.by_runs(len(model.classes), work)
