"""Shape: the features of statistics and their detail, in which two must agree to be added."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np

from suffice.data.arrays import Indices
from suffice.data.parameters import choice
from suffice.errors import InvalidParameter, Mismatch
from suffice.text import quote_names, shown

DETAILS = ("separate", "shared", "diagonal")


def positions(features: Any, names: tuple[str, ...], n_features: int) -> Indices:
    """The positions of some features, given by name or position."""
    if isinstance(features, str) or not isinstance(features, Iterable):
        raise InvalidParameter(
            f"select takes a list of features, such as [0], not {shown(features)}."
        )
    at = [_position(feature, names, n_features) for feature in features]
    if not at:
        raise InvalidParameter("select needs at least one feature.")
    if len(set(at)) < len(at):
        raise InvalidParameter("select was given the same feature twice.")
    return np.array(at, np.int64)


def _position(feature: Any, names: tuple[str, ...], n_features: int) -> int:
    if isinstance(feature, str):
        if feature in names:
            return names.index(feature)
        available = quote_names(names) if names else "unnamed, so use positions"
        raise InvalidParameter(
            f"there is no feature {shown(feature)}; the features are {available}."
        )
    if isinstance(feature, bool | np.bool_) or not isinstance(feature, int | np.integer):
        raise InvalidParameter(
            f"select takes names or positions of features, not {shown(feature)}; "
            "for a mask, pass np.flatnonzero(mask)."
        )
    if not 0 <= feature < n_features:
        raise InvalidParameter(f"there is no feature {feature}; positions run to {n_features - 1}.")
    return int(feature)


def names_at(names: tuple[str, ...] | None, at: Iterable[int]) -> tuple[str, ...] | None:
    """The names of the features at some positions, if they have any."""
    return None if names is None else tuple(names[j] for j in at)


class Shaped(Protocol):
    """Anything with features and a detail."""

    @property
    def n_features(self) -> int: ...  # noqa: D102
    @property
    def feature_names(self) -> tuple[str, ...] | None: ...  # noqa: D102
    @property
    def detail(self) -> str: ...  # noqa: D102


def is_coarser(detail: str, own: str) -> bool:
    """Whether a detail is less than the own one; raises if it cannot be computed from it."""
    choice("detail", detail, DETAILS)
    if detail != own and own != "separate":
        raise InvalidParameter(
            f"detail {own!r} cannot become {shown(detail)}; summarize the rows again."
        )
    return detail != own


def check_same_shape(a: Shaped, b: Shaped) -> None:
    """Raise unless both describe the same features in the same detail."""
    if a.n_features != b.n_features:
        raise Mismatch(f"one side has {a.n_features} features and the other {b.n_features}.")
    if a.feature_names != b.feature_names:
        raise Mismatch(_names_differ(a.feature_names, b.feature_names))
    if a.detail != b.detail:
        raise Mismatch(
            f"one side has detail {a.detail!r} and the other {b.detail!r}; "
            "coarsen('shared') or coarsen('diagonal') brings 'separate' to either."
        )


def _names_differ(a: tuple[str, ...] | None, b: tuple[str, ...] | None) -> str:
    if a is None or b is None:
        return "one side has feature names and the other has none; pass data frames on both sides."
    if sorted(a) == sorted(b):
        return "both sides have the same features in a different order; use select on one of them."
    only_a = [name for name in a if name not in b]
    only_b = [name for name in b if name not in a]
    return (
        f"features differ: {quote_names(only_a)} on one side, {quote_names(only_b)} on the other."
    )
