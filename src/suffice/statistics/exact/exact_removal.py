"""Exact removal: what remains of sums of integers, and whether any rows can have it."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.errors import NeverIncluded
from suffice.statistics.alignment import align
from suffice.statistics.exact.exact_fourth import impossible_fourth
from suffice.statistics.exact.triangle import diagonal_places, triangle
from suffice.text import shown

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
    fourth = whole.fourth
    if fourth is not None and removed.fourth is not None:
        fourth = fourth.add_rows(at.right, removed.fourth, -1)
    left = whole.with_sums(
        whole.classes,
        count,
        weights,
        whole.sums.add_rows(at.right, removed.sums, -1),
        whole.products.add_rows(where, removed.products, -1),
        fourth,
    )
    touched = np.arange(at.size)[at.right]
    reason = impossible(left, touched)
    if reason is not None:
        raise NeverIncluded(
            f"removing these rows would leave {reason}. Were they added, with the same weights?"
        )
    return left if count.all() else left.keep_classes(np.flatnonzero(count))


def impossible(s: ExactStatistics, touched: Indices) -> str | None:
    """Why no rows can have the sums of these classes; None if some can, as far as this tells."""
    counts, weights = s.count[touched].tolist(), s.weights[touched].tolist()
    for c, count, weight in zip(touched.tolist(), counts, weights, strict=True):
        if count < 0 or weight < count or (count == 0) != (weight == 0):
            return f"{count} rows of weight {weight} (in units) in class {shown(s.classes[c])}"
    if not all(counts):
        emptied = touched[s.count[touched] == 0]
        left = [s.sums.limbs[:, emptied]]
        if s.fourth is not None:
            left.append(s.fourth.limbs[:, emptied])
        if s.detail != "shared":
            left.append(s.products.limbs[:, emptied])
        elif not s.count.any():
            left.append(s.products.limbs)
        if any(limbs.any() for limbs in left):
            return (
                f"no rows in class {shown(s.classes[emptied[0]])}, but sums: they are not the same "
                "rows"
            )
    for c in touched.tolist() if s.fourth is not None else ():
        if impossible_fourth(s, c):
            return f"impossible sums of fourth order in class {shown(s.classes[c])}"
    if s.detail == "shared":
        touched = np.arange(len(s.count))
    own = touched if s.count.all() else touched[s.count[touched] > 0]
    return _against_sums(s, own) if len(own) else None


def _against_sums(s: ExactStatistics, own: Indices) -> str | None:
    """A mean outside the grid, a negative variance or a correlation beyond one, of some classes."""
    weights = s.weights[own].astype(np.float64)[:, None]
    sums = s.sums[own].floats()
    mean = sums / weights
    slack = ROUNDING * s.grid.reach
    bad = (mean < s.grid.lowest - slack) | (mean > s.grid.highest + slack)
    if bad.any():
        c, j = (int(at[0]) for at in np.nonzero(bad))
        return f"a mean of {_feature(s, j)} outside the grid in class {shown(s.classes[own[c]])}"
    pooled, d = s.detail == "shared", s.n_features
    at = np.arange(d) if s.detail == "diagonal" else diagonal_places(d)
    products = s.products.floats() if pooled else s.products[own].floats()
    squares, beyond = products[:, at], mean * sums
    if pooled:
        beyond = beyond.sum(axis=0, keepdims=True)
    counts = s.count[own]
    single = np.array([(counts == 1).all()]) if pooled else counts == 1
    doubtful = (squares - beyond <= ROUNDING * (squares + beyond)) | single[:, None]
    for row, j in zip(*np.nonzero(doubtful), strict=True):
        rest = _variance(s, int(own[row]), int(j), int(at[j]))
        if rest < 0 or (single[row] and rest != 0):
            place = "" if pooled else f" in class {shown(s.classes[own[row]])}"
            return f"an impossible variance of {_feature(s, int(j))}{place}"
    if s.detail == "diagonal":
        return None
    return _against_pairs(s, products, mean, sums, squares, squares - beyond)


def _against_pairs(
    s: ExactStatistics,
    products: Floats,
    mean: Floats,
    sums: Floats,
    squares: Floats,
    spread: Floats,
) -> str | None:
    """A correlation beyond one: a product of two features larger than their squares allow."""
    i, j = triangle(s.n_features)
    beyond = (mean.T @ sums)[None, i, j] if s.detail == "shared" else mean[:, i] * sums[:, j]
    # Differences of large numbers are judged by the variances alone, in integers.
    clear = spread > 2**8 * ROUNDING * squares
    root = np.where(clear, np.sqrt(np.abs(spread) + 4 * ROUNDING * squares), np.inf)
    bad = np.abs(products - beyond) > root[:, i] * root[:, j]
    if not bad.any():
        return None
    at = int(np.nonzero(bad)[1][0])
    return f"an impossible covariance of {_feature(s, int(i[at]))} and {_feature(s, int(j[at]))}"


def _variance(s: ExactStatistics, c: int, j: int, place: int) -> Fraction:
    """The sum of squares of a feature about its mean, exactly, in units."""
    group, classes = (0, slice(None)) if s.detail == "shared" else (c, slice(c, c + 1))
    rest = Fraction(s.products[group, place].objects().item())
    for weight, total in zip(s.weights[classes].tolist(), s.sums[classes, j].tolist(), strict=True):
        rest -= Fraction(total * total, weight) if weight else 0
    return rest


def _feature(s: ExactStatistics, j: int) -> str:
    return f"feature {j}" if s.feature_names is None else f"feature {s.feature_names[j]!r}"
