"""Exact removal: what remains of sums of integers, and whether any rows can have it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.data.labels import shown
from suffice.errors import NeverIncluded
from suffice.statistics.alignment import align
from suffice.statistics.exact.triangle import diagonal_places

if TYPE_CHECKING:
    from suffice.statistics.exact.exact_statistics import ExactStatistics

# Sums of squares in floats are right to this share, so only smaller remainders need integers.
ROUNDING = 2.0**-44


def remove(whole: ExactStatistics, removed: ExactStatistics) -> ExactStatistics:
    """The statistics of the rows of `whole` that are not in `removed`."""
    if not len(removed.classes):
        return whole
    at = align(whole.classes, removed.classes)
    if at.has_new or not len(whole.classes):
        unknown = [label for label in removed.classes if label not in whole.classes]
        raise NeverIncluded(
            f"class {shown(unknown[0])} has rows to remove, but none were ever added."
        )
    count, weights = whole.count.copy(), whole.weights.copy()
    count[at.right] -= removed.count
    weights[at.right] -= removed.weights
    where = slice(0, 1) if whole.detail == "shared" else at.right
    left = replace(
        whole,
        count=count,
        weights=weights,
        sums=whole.sums.add_rows(at.right, removed.sums, -1),
        products=whole.products.add_rows(where, removed.products, -1),
    )
    touched = np.arange(at.size)[at.right]
    reason = impossible(left, touched)
    if reason is not None:
        raise NeverIncluded(
            f"removing these rows would leave {reason}. Were they added, with the same weights?"
        )
    kept = np.flatnonzero(count > 0)
    return left if len(kept) == at.size else left.keep_classes(kept)


def impossible(s: ExactStatistics, touched: Indices) -> str | None:
    """Why no rows can have the sums of these classes; None if some can, as far as this tells."""
    for c in touched.tolist():
        label, count, weight = s.classes[c], int(s.count[c]), int(s.weights[c])
        if count < 0 or weight < count * min(1, weight):
            return f"{count} rows of weight {weight} (in units) in class {shown(label)}"
        if (count == 0) != (weight == 0):
            return f"{count} rows of weight {weight} (in units) in class {shown(label)}"
    emptied = touched[s.count[touched] == 0]
    sums, products = s.sums.limbs[:, emptied], s.products.limbs
    if s.detail != "shared":
        products = products[:, emptied]
    elif s.count.any():
        products = products[:, :0]
    if sums.any() or products.any():
        return (
            f"no rows in class {shown(s.classes[emptied[0]])}, but sums: they are not the same rows"
        )
    return _beyond_range(s, touched) or _against_cauchy_schwarz(s, touched)


def _beyond_range(s: ExactStatistics, touched: Indices) -> str | None:
    """A mean outside the range of the grid, which no rows have."""
    sums, weights = s.sums[touched].floats(), s.weights[touched].astype(np.float64)[:, None]
    slack = ROUNDING * weights * np.maximum(np.abs(s.grid.lowest), np.abs(s.grid.highest))
    bad = (sums < weights * s.grid.lowest - slack) | (sums > weights * s.grid.highest + slack)
    if not bad.any():
        return None
    c, j = (int(at[0]) for at in np.nonzero(bad))
    return f"a mean of {_feature(s, j)} outside the grid in class {shown(s.classes[touched[c]])}"


def _against_cauchy_schwarz(s: ExactStatistics, touched: Indices) -> str | None:
    """A negative variance, or one of a single row: W S < s s, exactly."""
    d = s.n_features
    at = np.arange(d) if s.detail == "diagonal" else diagonal_places(d)
    weights = s.weights.astype(np.float64)[:, None]
    sums, squares = s.sums.floats(), s.products[:, at].floats()
    means = np.divide(sums * sums, weights, out=np.zeros_like(sums), where=weights > 0)
    if s.detail == "shared":
        means, single = means.sum(axis=0, keepdims=True), np.array([bool((s.count <= 1).all())])
        classes = [0]
    else:
        squares, means = squares[touched], means[touched]
        single, classes = s.count[touched] <= 1, touched.tolist()
    doubtful = (squares - means <= ROUNDING * (squares + means)) | single[:, None]
    for row, j in zip(*np.nonzero(doubtful), strict=True):
        rest = _variance(s, classes[row], int(j), int(at[j]))
        if rest < 0 or (single[row] and rest != 0):
            place = "" if s.detail == "shared" else f" in class {shown(s.classes[classes[row]])}"
            return f"an impossible variance of {_feature(s, int(j))}{place}"
    if s.detail == "diagonal":
        return None
    return _against_pairs(s, touched, squares, means)


def _variance(s: ExactStatistics, c: int, j: int, place: int) -> Fraction:
    """The sum of squares of a feature about its mean, exactly, in units."""
    if s.detail != "shared":
        weight = int(s.weights[c])
        total, square = s.sums[c, j : j + 1].tolist()[0], s.products[c, place : place + 1].tolist()
        return Fraction(square[0]) - (Fraction(total * total, weight) if weight else 0)
    rest = Fraction(s.products[0, place : place + 1].tolist()[0])
    for weight, total in zip(s.weights.tolist(), s.sums[:, j].tolist(), strict=True):
        rest -= Fraction(total * total, weight) if weight else 0
    return rest


def _against_pairs(
    s: ExactStatistics, touched: Indices, squares: Floats, means: Floats
) -> str | None:
    """A correlation beyond one: a product of two features larger than their squares allow."""
    d = s.n_features
    i, j = np.triu_indices(d)
    weights = s.weights.astype(np.float64)
    sums = s.sums.floats()
    groups = [0] if s.detail == "shared" else touched.tolist()
    for row, group in enumerate(groups):
        own = np.arange(len(weights)) if s.detail == "shared" else np.array([group])
        own = own[weights[own] > 0]
        if not len(own):
            continue
        scaled = sums[own] / weights[own, None]
        cross = s.products[group].floats() - (scaled.T @ sums[own])[i, j]
        spread = np.maximum(squares[row] - means[row], 0.0)
        slack = ROUNDING * np.sqrt(squares[row][i] * squares[row][j])
        bad = np.abs(cross) > np.sqrt(spread[i]) * np.sqrt(spread[j]) * (1 + ROUNDING) + slack
        # A difference of large numbers is judged in integers by the variances alone.
        bad &= spread[i] > 2**8 * ROUNDING * squares[row][i]
        bad &= spread[j] > 2**8 * ROUNDING * squares[row][j]
        if bad.any():
            at = int(bad.argmax())
            return f"an impossible covariance of {_feature(s, i[at])} and {_feature(s, j[at])}"
    return None


def _feature(s: ExactStatistics, j: int) -> str:
    return f"feature {j}" if s.feature_names is None else f"feature {s.feature_names[j]!r}"
