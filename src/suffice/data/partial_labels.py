"""Partial labels: classes of rows of which some have none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from suffice.data.arrays import Array, Indices
from suffice.data.labels import Labels
from suffice.data.missing import is_missing
from suffice.errors import InvalidLabels


def label_column(y: Any) -> Any:
    """One label a row, missing ones as None or NaN."""
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


def _objects(labels: Sequence[Any]) -> Array:
    values = np.empty(len(labels), object)
    values[:] = labels
    return values


def partial_classes(y: Any, unlabelled: Any) -> tuple[Array, Indices]:
    """The classes, and the position of each row's class, -1 for those without a label."""
    values = np.asarray(y)
    if values.ndim != 1 or values.dtype.kind not in "biufUSTO":
        return Labels.of(y).encode()  # which says what is wrong with it
    missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), bool)
    if values.dtype.kind == "O":
        missing = np.array([is_missing(label) for label in values.tolist()], bool)
    marked = np.zeros(len(values), bool)
    marked[~missing] = _equal(values[~missing], unlabelled)
    others = values[~missing & ~marked]
    if marked.any() and len(others) and len(Labels.of(others).classes()) == 1:
        marked[:] = False
    known = ~missing & ~marked
    if not known.any():
        raise InvalidLabels(
            f"none of the {len(values)} rows has a label; label some rows of each class, or use "
            "GaussianMixture, which takes none."
        )
    codes = np.full(len(values), -1)
    classes, codes[known] = Labels.of(y if known.all() else values[known]).encode()
    return classes, codes


def _equal(values: Array, label: Any) -> Any:
    """Which values are the label: of the same type, since "-1" is not -1 nor True 1."""
    if label is None:
        return False
    text = isinstance(label, str)
    return [
        value == label and isinstance(value, str) == text and not isinstance(value, bool)
        for value in values.tolist()
    ]
