"""Filling: missing entries of rows about a mean, by their conditional means.

Rows come sorted by pattern, with NaN where a value is missing, and are filled in place. What
comes back is, for each row, the log density of the filled values given the known ones: with it,
ln p(known) = ln p(filled row) - that.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.data.gaps import Gaps
from suffice.models.linalg import Cholesky, Whitener, cholesky_solve, latent

LOG_2PI = float(np.log(2 * np.pi))

# From this many patterns on, the time to load the compiled loop is repaid.
COMPILED_FROM = 1 << 10

# With fewer rows a pattern than this, gaps are blanked entry by entry.
ROWS_OF_PATTERN = 64


def fill_independent(steps: Floats, gaps: Gaps, variances: Floats) -> Floats:
    """Independent features: known ones say nothing of missing ones."""
    blank(steps, gaps)
    return np.repeat(gaps.patterns @ peaks(variances), np.diff(gaps.starts))


def peaks(variances: Floats) -> Floats:
    """Log density of each independent feature at its mean; zero for one that never varies."""
    varies = variances > 0
    return np.where(varies, -(np.log(np.where(varies, variances, 1.0)) + LOG_2PI) / 2, 0.0)


def blank(steps: Floats, gaps: Gaps) -> None:
    """Put zero where a value is missing."""
    if ROWS_OF_PATTERN * len(gaps.patterns) > len(steps):
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
    """Any regular precision, by some of its rows (m, d)."""
    blank(steps, gaps)
    out = np.zeros(len(steps))
    for missing, run in gaps:
        if len(missing):
            rows, pulls = steps[run], precision(missing)
            inner = pulls[:, missing]
            if len(rows) < len(pulls.T):
                found, log_determinant = cholesky_solve(inner, pulls @ rows.T)
                filled = -found.T
            else:
                found, log_determinant = cholesky_solve(inner, pulls)
                filled = rows @ -found.T
            # Column by column: indices for both axes at once would take many times longer.
            for i, j in enumerate(missing.tolist()):
                rows[:, j] = filled[:, i]
            out[run] = (log_determinant - len(missing) * LOG_2PI) / 2
    return out


def fill_singular(steps: Floats, gaps: Gaps, whitener: Whitener) -> Floats:
    """A singular covariance B'B: rows are B't, and the shortest t that explains what is known."""
    colouring = whitener.colouring
    out = np.zeros(len(steps))
    for missing, rows in gaps:
        if len(missing):
            known = np.delete(np.arange(steps.shape[1]), missing)
            inverse, rank, log_determinant = latent(colouring[:, known])
            hidden = steps[rows][:, known] @ inverse
            steps[rows, missing] = hidden @ colouring[:, missing]
            freed = whitener.rank - rank
            out[rows] = (log_determinant - whitener.log_determinant - freed * LOG_2PI) / 2
    return out


def pulls_singular(steps: Floats, gaps: Gaps, whitener: Whitener) -> Floats:
    """Rows times the pseudo-inverse of the covariance of what they know; zero elsewhere."""
    out = np.zeros_like(steps)
    for missing, rows in gaps:
        known = np.delete(np.arange(steps.shape[1]), missing)
        inverse = latent(whitener.colouring[:, known])[0]
        hidden = steps[rows][:, known] @ inverse
        block = np.zeros((hidden.shape[0], steps.shape[1]))
        block[:, known] = hidden @ inverse.T
        out[rows] = block
    return out
