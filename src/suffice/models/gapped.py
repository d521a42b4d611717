"""Gapped: scores of rows with missing values, which are integrated out exactly.

The missing values of a row with observed features o are set to their conditional mean. They then
add nothing to its squared distance, which is that of o alone, and
ln p(x_o) = ln p(filled row) - ln p(filled values | x_o).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.gaps import Gaps
from suffice.models.covariances.covariance import Covariance, DiagonalCovariance, FullCovariance
from suffice.models.covariances.linalg import Cholesky, cholesky_solve
from suffice.models.em.filling import ROWS_PER_PATTERN, peaks
from suffice.models.scoring import (
    IndependentClasses,
    in_shares,
    rows_per_block,
)

if TYPE_CHECKING:
    from suffice.models.gaussian import GaussianModel


def mostly_gaps(X: Array) -> bool:
    """Whether most rows of a large table have missing values, judged by a few of them."""
    large = 1 << 13  # rows
    if len(X) < large:
        return False
    checked_rows = 128
    some = X[:: len(X) // checked_rows]
    return bool(np.isnan(some).any(axis=1).mean() > 0.5)


def with_gaps(
    model: GaussianModel,
    X: Array,
    complete: Callable[[Array], Floats],
    gapped: Callable[[GaussianModel, Gapped], Floats],
    unknown: Floats | float,
) -> Floats:
    """complete(rows) for rows without missing values, gapped(model, rows) for the others, (n, k).

    unknown : the answer for a row in which all values are missing
    """
    if mostly_gaps(X):
        answers_of_all = np.full((len(X), len(model.classes)), np.nan)
        whole = np.flatnonzero(~np.isnan(X).any(axis=1))
        if len(whole):
            answers_of_all[whole] = complete(X[whole])
    else:
        answers_of_all = complete(X)
    # Missing values give NaN in the answer; checking that saves a pass over the rows.
    if np.isfinite(answers_of_all).all():
        return answers_of_all
    at = np.flatnonzero(np.isnan(answers_of_all[:, 0]))
    if not len(at):
        return answers_of_all
    all_gapped = len(at) == len(X)
    if all_gapped:
        missing = np.isnan(X)
    else:
        missing = np.isnan(X)[at] if 8 * len(at) > len(X) else np.isnan(X[at])
    answers = gapped(model, Gapped(X, at, missing))
    if all_gapped:
        answers_of_all = answers
    else:
        answers_of_all[at] = answers
    first_missing = np.flatnonzero(missing[:, 0])
    answers_of_all[at[first_missing[missing[first_missing].all(axis=1)]]] = unknown
    return answers_of_all


def gapped_scores(model: GaussianModel, rows: Gapped) -> Floats:
    """ln p(x, y) of the observed values up to a constant of the row, (m, k)."""

    def work(x: Floats, gaps: Gaps, _: Indices) -> Floats:
        return run_scores(model, x, gaps)

    alone = model.independent is not None
    scores = rows.by_runs(len(model.classes), work, as_they_come=alone)
    if not model.shared:
        far = np.flatnonzero(~np.isfinite(scores).any(axis=1))
        far = far[~np.isinf(rows.X[rows.at[far]]).any(axis=1)]
        scores[far] = far_scores(model, rows.X[rows.at[far]])
    return scores


def far_scores(model: GaussianModel, X: Array) -> Floats:
    """Scores of rows whose squares overflow, (m, k): the nearest class is certain there."""
    rows, n = X.astype(np.float64), len(X)
    size = np.nanmax(np.abs(rows), axis=1, keepdims=True, initial=1.0)
    distances = np.empty((n, len(model.classes)))
    for c, mean in enumerate(model.means):
        covariance = model.covariance_of(c)
        steps = Gapped(rows / size - mean / size, np.arange(n), np.isnan(rows))

        def work(x: Floats, gaps: Gaps, _: Indices, covariance: Covariance = covariance) -> Floats:
            covariance.fill(x, gaps)
            return covariance.squared_lengths(x)[:, None]

        distances[:, c] = steps.by_runs(1, work)[:, 0]
    distances[:, model.priors == 0] = np.inf
    nearest = distances.argmin(axis=1)[:, None]
    return np.where(np.arange(len(model.classes)) == nearest, 0.0, -np.inf)


@dataclass(frozen=True, slots=True)
class Gapped:
    """Some rows of X, with their missing values."""

    X: Array  # (n, d)
    at: Indices  # (m,)
    missing: Array  # (m, d)

    @classmethod
    def of(cls, X: Array) -> Gapped:
        """The rows with missing values."""
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
        """work(rows, gaps, which) -> (rows, width) for all rows, sorted by pattern, in blocks.

        which : positions of the rows among these
        as_they_come : unsorted, if rows of a pattern share no computation
        """
        n, d = self.missing.shape
        if as_they_come:
            order, gaps = np.arange(n), Gaps(self.missing, np.arange(n + 1))
        else:
            order, gaps = Gaps.sorted(self.missing)
        out = np.empty((n, width))
        step = rows_per_block(max(d, width))

        def share(start: int, stop: int) -> None:
            for low in range(start, stop, step):
                high = min(stop, low + step)
                which = order[low:high]
                rows = self.X[self.at[which]].astype(np.float64, copy=False)
                out[which] = work(rows, gaps.between(low, high), which)

        in_shares(share, n, d)
        return out


def run_scores(model: GaussianModel, rows: Floats, gaps: Gaps) -> Floats:
    """Joint log densities up to a constant of the row, (n, k), of rows sorted by pattern."""
    if not model.shared:
        return _separate(model, rows, gaps)
    covariance = model.covariances[0]
    few = ROWS_PER_PATTERN * len(gaps.patterns) <= len(rows)
    if few and isinstance(covariance, FullCovariance) and isinstance(covariance.whitener, Cholesky):
        return _by_slopes(model, covariance.whitener, rows, gaps)
    return _linear(model, rows, gaps)[0]


def _by_slopes(model: GaussianModel, whitener: Cholesky, rows: Floats, gaps: Gaps) -> Floats:
    """Linear scores with slopes for each pattern, so that no row has to be filled."""
    linear, precision = model.linear, whitener.precision
    constants = model.log_priors - _mean_lengths(model, gaps) / 2
    out = np.empty((len(rows), len(model.classes)))
    for i, (missing, run) in enumerate(gaps):
        steps, slopes = rows[run] - linear.centre, linear.slopes
        if len(missing):
            pulls = precision[missing]
            solution, _ = cholesky_solve(pulls[:, missing], pulls)
            slopes = slopes - solution.T @ slopes[missing]
            for j in missing.tolist():
                steps[:, j] = 0.0
        np.matmul(steps, slopes, out=out[run])
        out[run] += constants[i]
    return out


def gapped_joint(model: GaussianModel, rows: Gapped) -> Floats:
    """ln p(x, y) of the observed values, (m, k)."""

    def work(x: Floats, gaps: Gaps, _: Indices) -> Floats:
        if not model.shared:
            return _separate(model, x, gaps)
        scores, steps, peak = _linear(model, x, gaps)
        lengths = model.covariances[0].squared_lengths(steps)
        return scores - (lengths / 2 + model.volumes + peak)[:, None]

    return rows.by_runs(len(model.classes), work)


def _linear(model: GaussianModel, rows: Floats, gaps: Gaps) -> tuple[Floats, Floats, Floats]:
    """Linear scores, rows filled about the centre, and the log density of the filled values."""
    steps = rows - model.linear.centre
    peak = model.covariances[0].fill(steps, gaps)
    constants = model.log_priors - _mean_lengths(model, gaps) / 2
    scores = steps @ model.linear.slopes
    scores += np.repeat(constants, np.diff(gaps.starts), axis=0)
    return scores, steps, peak


def _mean_lengths(model: GaussianModel, gaps: Gaps) -> Floats:
    """Squared lengths of class means about the centre, in the observed features, (p, k)."""
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
    """Independent features: missing ones drop out of every sum."""
    assert model.variances is not None
    constants = model.constants - gaps.patterns @ peaks(model.variances).T
    return (
        np.repeat(constants, np.diff(gaps.starts), axis=0)
        - independent.observed_distances(rows).T / 2
    )


def gapped_distances(model: GaussianModel, rows: Gapped) -> Floats:
    """Squared distances to the class means in the observed features, (m, k)."""

    def work(x: Floats, gaps: Gaps, _: Indices) -> Floats:
        out = np.empty((len(x), len(model.classes)))
        for c in range(len(model.classes)):
            covariance = model.covariance_of(c)
            steps = model.about_mean(x, c)
            covariance.fill(steps, gaps)
            out[:, c] = covariance.squared_lengths(steps)
        return out

    return rows.by_runs(len(model.classes), work)
