"""Filling: missing entries of rows about a mean, replaced by their conditional means.

Rows are sorted by pattern, with NaN where a value is missing, and are filled in place. The result
is, for each row, the log density of the filled values given the observed ones, so that
ln p(observed) = ln p(filled row) - result.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.data.gaps import Gaps
from suffice.models.conjugate_priors.gammas import LOG_2PI
from suffice.models.covariances.linalg import Cholesky, Whitener, cholesky_solve, latent

# Number of patterns from which the compiled loop saves more time than loading it takes.
COMPILED_FROM = 1 << 10

# Average rows per pattern below which missing values are zeroed entry by entry.
ROWS_PER_PATTERN = 64


def fill_independent(steps: Floats, gaps: Gaps, variances: Floats) -> Floats:
    """Independent features: the conditional means are the means."""
    blank(steps, gaps)
    return np.repeat(gaps.patterns @ peaks(variances), np.diff(gaps.starts))


def peaks(variances: Floats) -> Floats:
    """Log density of each independent feature at its mean; zero for one that never varies."""
    varies = variances > 0
    return np.where(varies, -(np.log(np.where(varies, variances, 1.0)) + LOG_2PI) / 2, 0.0)


def blank(steps: Floats, gaps: Gaps) -> None:
    """Set missing values to zero."""
    if ROWS_PER_PATTERN * len(gaps.patterns) > len(steps):
        steps[np.isnan(steps)] = 0.0
        return
    for missing, rows in gaps:
        for j in missing.tolist():
            steps[rows, j] = 0.0


def fill_regular(steps: Floats, gaps: Gaps, whitener: Cholesky) -> Floats:
    """A regular covariance: solves P_mm x_m = -P_mo x_o, P being the precision."""
    precision = whitener.precision
    if len(gaps.patterns) < COMPILED_FROM:
        return fill_by_pattern(steps, gaps, lambda m: precision[m])
    from suffice.models.compiled import fill

    blank(steps, gaps)
    out = np.empty(len(steps))
    forces = steps @ precision
    fill(steps, forces, gaps.patterns, gaps.starts, precision, out)
    return out


def fill_by_pattern(steps: Floats, gaps: Gaps, precision: Callable[[Indices], Floats]) -> Floats:
    """Any regular covariance, given by a function to rows of its precision (m, d)."""
    blank(steps, gaps)
    out = np.zeros(len(steps))
    for missing, run in gaps:
        if len(missing):
            rows, pulls = steps[run], precision(missing)
            inner = pulls[:, missing]
            if len(rows) < len(pulls.T):
                solution, log_determinant = cholesky_solve(inner, pulls @ rows.T)
                filled = -solution.T
            else:
                solution, log_determinant = cholesky_solve(inner, pulls)
                filled = rows @ -solution.T
            # Column by column: indexing both axes at once would take many times longer.
            for i, j in enumerate(missing.tolist()):
                rows[:, j] = filled[:, i]
            out[run] = (log_determinant - len(missing) * LOG_2PI) / 2
    return out


def fill_singular(steps: Floats, gaps: Gaps, whitener: Whitener) -> Floats:
    """A singular covariance B'B: rows are B't, with the shortest t that explains the observed."""
    colouring = whitener.colouring
    varying = np.flatnonzero(colouring.any(axis=0))
    if len(varying) == whitener.rank:
        return _fill_varying(steps, gaps, whitener.precision, varying)
    out = np.zeros(len(steps))
    for missing, rows in gaps:
        if len(missing):
            observed = np.delete(np.arange(steps.shape[1]), missing)
            inverse, rank, log_determinant = latent(colouring[:, observed])
            hidden = steps[rows][:, observed] @ inverse
            steps[rows, missing] = hidden @ colouring[:, missing]
            freed = whitener.rank - rank
            out[rows] = (log_determinant - whitener.log_determinant - freed * LOG_2PI) / 2
    return out


def _fill_varying(steps: Floats, gaps: Gaps, precision: Floats, varying: Indices) -> Floats:
    """A covariance that is regular but for constants: these are at their mean, and say nothing."""
    part, inner = steps[:, varying], precision[np.ix_(varying, varying)]
    out = fill_by_pattern(part, Gaps(gaps.patterns[:, varying], gaps.starts), lambda m: inner[m])
    steps[np.isnan(steps)] = 0.0
    steps[:, varying] = part
    return out


def pulls_singular(steps: Floats, gaps: Gaps, whitener: Whitener) -> Floats:
    """Rows times the pseudo-inverse covariance of their observed features; zero elsewhere."""
    out = np.zeros_like(steps)
    for missing, rows in gaps:
        observed = np.delete(np.arange(steps.shape[1]), missing)
        inverse = latent(whitener.colouring[:, observed])[0]
        hidden = steps[rows][:, observed] @ inverse
        block = np.zeros((hidden.shape[0], steps.shape[1]))
        block[:, observed] = hidden @ inverse.T
        out[rows] = block
    return out
