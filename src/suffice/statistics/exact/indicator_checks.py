"""Indicator checks: whether rows can have the integers of indicators, which are 0 or 1."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from suffice.data.arrays import Indices
from suffice.statistics.by_pattern import features_of
from suffice.statistics.exact.exact_incomplete import AnyExact
from suffice.statistics.exact.exact_statistics import ExactStatistics
from suffice.statistics.exact.triangle import triangle


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


def _parts(s: AnyExact) -> Iterator[tuple[ExactStatistics, Indices]]:
    """The parts in which all values are observed, and the features of each."""
    if isinstance(s, ExactStatistics):
        yield s, np.arange(s.n_features)
        return
    for key, part in s.parts.items():
        yield part, features_of(key, s.n_features)
