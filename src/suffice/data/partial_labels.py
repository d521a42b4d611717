"""Partial labels: classes of rows where some rows have none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from suffice.data.arrays import Array, Indices
from suffice.data.gaps import is_missing
from suffice.data.labels import Labels
from suffice.errors import InvalidLabels, InvalidParameter
from suffice.text import shown


def label_column(y: Any) -> Any:
    """One label per row, missing ones as None or NaN."""
    if isinstance(y, np.ma.MaskedArray):
        values = np.array(y, object)
        values[np.ma.getmaskarray(y)] = None
        return values
    if isinstance(y, list | tuple):
        # np.asarray(["a", nan]) would make a label of "nan".
        return _objects(y)
    series = nw.from_native(y, series_only=True, pass_through=True)
    if isinstance(series, nw.Series) and series.null_count():
        # np.asarray would make floats of integers beside a missing one.
        return _objects(series.to_list())
    return y


def check_label(name: str, value: Any) -> None:
    """Raise unless a parameter is one label, or None for no label."""
    single = isinstance(value, str | bool | int | float | np.generic)
    if value is not None and (not single or np.asarray(value).dtype.kind not in "biufUO"):
        raise InvalidParameter(
            f"{name} is {shown(value)}; it must be one label (a string, a number or a "
            "boolean), or None."
        )


def _objects(labels: Sequence[Any]) -> Array:
    values = np.empty(len(labels), object)
    values[:] = labels
    return values


def partial_classes(y: Any, unlabelled: Any) -> tuple[Array, Indices]:
    """The classes, and the position of each row's class, -1 for those without a label."""
    partial = PartialLabels.of(y, unlabelled)
    marked = partial.marked
    others = partial.values[~partial.missing & ~marked]
    if marked.any() and len(others) and len(Labels.of(others).classes()) == 1:
        marked = np.zeros_like(marked)
    known = ~partial.missing & ~marked
    if not known.any():
        raise InvalidLabels(
            f"none of the {len(known)} rows has a label; label some rows of each class, or use "
            "GaussianMixture, which takes none."
        )
    codes = np.full(len(known), -1)
    classes, codes[known] = Labels.of(y if known.all() else partial.values[known]).encode()
    return classes, codes


@dataclass(frozen=True, slots=True)
class PartialLabels:
    """Labels of some rows, and which of them mean that a row has no label.

    >>> partial = PartialLabels.of([0.0, float("nan"), -1.0], -1)
    >>> partial.missing, partial.marked
    (array([False,  True, False]), array([False, False,  True]))
    """

    values: Array  # (n,)
    missing: Array  # (n,) bool: no label at all
    marked: Array  # (n,) bool: the label of rows without a class

    @classmethod
    def of(cls, y: Any, unlabelled: Any) -> PartialLabels:
        """The labels that a user passed."""
        values = np.asarray(y)
        if values.ndim != 1 or values.dtype.kind not in "biufUSTO":
            classes, codes = Labels.of(y).encode()  # raises with what is wrong
            values = classes[codes]
        missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), bool)
        if values.dtype.kind == "O":
            missing = np.array([is_missing(label) for label in values.tolist()], bool)
        marked = np.zeros(len(values), bool)
        marked[~missing] = _equal(values[~missing], unlabelled)
        return cls(values, missing, marked)


def _equal(values: Array, label: Any) -> Any:
    """Which values are the label: of the same type, since "-1" is not -1 nor True 1."""
    if label is None:
        return False
    text, kind = isinstance(label, str), values.dtype.kind
    if kind in "iufb" and (text or isinstance(label, int | float | np.number)):
        return values == label if kind != "b" and not text else False
    if kind == "U" and text:
        return values == label
    return [
        value == label and isinstance(value, str) == text and not isinstance(value, bool)
        for value in values.tolist()
    ]
