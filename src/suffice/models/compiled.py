"""Compiled loops over rows: imported only when there are enough rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.jit import jit


@jit(fastmath={"contract", "reassoc", "nsz"})
def squared_distances(X: Any, means: Any, precisions: Any, out: Any) -> None:
    """Sum over features of precision (x - mean)², for each row and class."""
    for i in range(len(X)):
        x = X[i]
        for c in range(len(means)):
            m = means[c]
            p = precisions[c]
            total = 0.0
            for j in range(len(m)):
                step = np.float64(x[j]) - m[j]
                total += step * step * p[j]
            out[c, i] = total


@jit(fastmath={"contract", "reassoc", "nsz"})
def centred_distances(X: Any, means: Any, roots: Any, shifts: Any, out: Any) -> None:
    """The same, with features scaled before they are squared: ((x - mean) root - shift)²."""
    for i in range(len(X)):
        x = X[i]
        for c in range(len(means)):
            m, r, s = means[c], roots[c], shifts[c]
            total = 0.0
            for j in range(len(m)):
                step = (np.float64(x[j]) - m[j]) * r[j] - s[j]
                total += step * step
            out[c, i] = total


@jit(fastmath={"contract", "reassoc", "nsz"})
def observed_distances(X: Any, means: Any, roots: Any, shifts: Any, out: Any) -> None:
    """The same, over the features that are not NaN."""
    for i in range(len(X)):
        x = X[i]
        for c in range(len(means)):
            m, r, s = means[c], roots[c], shifts[c]
            total = 0.0
            for j in range(len(m)):
                step = (x[j] - m[j]) * r[j] - s[j]
                part = step * step
                total += part if part == part else 0.0
            out[c, i] = total


@jit()
def fill(steps: Any, forces: Any, patterns: Any, starts: Any, precision: Any, out: Any) -> None:
    """Solve P_mm x_m = -f_m for each row; steps are zero where values are missing."""
    d = len(precision)
    at = np.empty(d, np.int64)
    L = np.empty((d, d))
    for p in range(len(patterns)):
        m = 0
        for j in range(d):
            if patterns[p, j]:
                at[m] = j
                m += 1
        log_determinant = 0.0
        for i in range(m):
            for j in range(i + 1):
                total = precision[at[i], at[j]]
                for h in range(j):
                    total -= L[i, h] * L[j, h]
                if i == j:
                    L[i, i] = np.sqrt(total)
                    log_determinant += 2 * np.log(L[i, i])
                else:
                    L[i, j] = total / L[j, j]
        for r in range(starts[p], starts[p + 1]):
            x = steps[r]
            for i in range(m):
                total = -forces[r, at[i]]
                for h in range(i):
                    total -= L[i, h] * x[at[h]]
                x[at[i]] = total / L[i, i]
            for i in range(m - 1, -1, -1):
                total = x[at[i]]
                for h in range(i + 1, m):
                    total -= L[h, i] * x[at[h]]
                x[at[i]] = total / L[i, i]
            out[r] = (log_determinant - m * np.log(2 * np.pi)) / 2


@jit()
def add_levels(codes: Any, offsets: Any, sizes: Any, table: Any, out: Any) -> None:
    """Add to each row the table line of each of its levels."""
    n, d = codes.shape
    k = out.shape[1]
    for i in range(n):
        row = out[i]
        for j in range(d):
            x = np.int64(codes[i, j])
            at = offsets[j] + x
            if x < 0 or x >= sizes[j]:
                at = offsets[j] + sizes[j] + (1 if x == -1 else 0)
            line = table[at]
            for c in range(k):
                row[c] += line[c]
