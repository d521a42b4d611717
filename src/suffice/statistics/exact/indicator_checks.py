"""Indicator checks: whether rows can have the integers of indicators, which are 0 or 1."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from suffice.data.arrays import Indices
from suffice.statistics.by_pattern import features_of
from suffice.statistics.exact.exact_incomplete import AnyExact
from suffice.statistics.exact.exact_statistics import ExactStatistics
from suffice.statistics.exact.triangle import diagonal_places, triangle


def impossible_indicators(s: AnyExact, first: int) -> str | None:
    """Why no rows can have these sums, where features from `first` on are indicators.

    What is checked: no two indicators are one together in fewer than no rows, and an indicator that
    is zero in all rows of a class has products of zero. None if that is so.
    """
    names = s.feature_names or ()
    for part, own in _parts(s) if s.detail != "diagonal" else ():
        i, j = triangle(part.n_features)
        indicator = own >= first
        negative = (part.products.limbs[-1] < 0).any(axis=0) & indicator[i] & indicator[j]
        if negative.any():
            at = int(negative.argmax())
            pair = f"{names[own[i[at]]]!r} and {names[own[j[at]]]!r}"
            return f"fewer than no rows with {pair}"
        absent = indicator & (part.sums.limbs == 0).all(axis=0)
        if s.detail == "shared":
            absent = absent.all(axis=0, keepdims=True)
        left = (absent[:, i] | absent[:, j]) & (part.products.limbs != 0).any(axis=0)
        if left.any():
            group, at = (int(index[0]) for index in np.nonzero(left))
            lost = own[i[at] if absent[group, i[at]] else j[at]]
            return f"no rows with {names[lost]!r}, but products of it with another column"
    return None


def check_indicators(s: AnyExact, column: Indices) -> None:
    """Raise a ValueError unless each indicator is its own square, and excludes those beside it.

    column : of levels, that each feature is an indicator of; -1 for numbers
    """
    for part, own in _parts(s):
        at = np.flatnonzero(column[own] >= 0)
        places = diagonal_places(part.n_features)
        sums = part.sums[:, at].objects()
        if s.detail == "diagonal":
            places = np.arange(part.n_features)
        if s.detail == "shared":
            sums = sums.sum(axis=0, keepdims=True)
        if (part.products[:, places[at]].objects() != sums).any():
            raise ValueError("an indicator of a level is not its own square")
        if s.detail == "diagonal":
            continue
        i, j = triangle(part.n_features)
        beside = (column[own[i]] == column[own[j]]) & (column[own[i]] >= 0) & (i != j)
        if part.products.limbs[:, :, beside].any():
            raise ValueError("a row has two levels of one column")


def _parts(s: AnyExact) -> Iterator[tuple[ExactStatistics, Indices]]:
    """The parts in which all values are observed, and the features of each."""
    if isinstance(s, ExactStatistics):
        yield s, np.arange(s.n_features)
        return
    for key, part in s.parts.items():
        yield part, features_of(key, s.n_features)
