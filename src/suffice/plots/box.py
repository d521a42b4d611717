"""Box: the ranges of the features that a picture shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from suffice.answers import curve
from suffice.data.arrays import Floats
from suffice.errors import InvalidParameter
from suffice.plots.columns import numbers
from suffice.text import shown

Limits = tuple[float, float]
Box = tuple[Limits, ...]


def plane_box(model: Any, X: Any, pair: tuple[int, int], box: Any) -> Box:
    """The ranges of two features: as given, of the rows, or of the class ellipses."""
    if box is not None:
        return checked_box(box)
    if X is not None:
        rows = numbers(X, pair)
        return around(rows[~np.isnan(rows).any(axis=1)])
    if not hasattr(model, "ellipse"):
        raise InvalidParameter(
            f"a {type(model).__name__} does not say where its classes lie; pass X or box."
        )
    features = ellipse_features(model, pair)
    ellipses = [model.ellipse(label, features, deviations=3.0) for label in model.classes_]
    return around(np.concatenate([ellipse.points() for ellipse in ellipses]), margin=0.0)


def around(rows: Floats, margin: float = 0.08) -> Box:
    """The box that holds rows (n, 2), with a margin as a share of their range; (0, 0) if none."""
    if not len(rows):
        rows = np.zeros((1, 2))
    low, high = rows.min(axis=0), rows.max(axis=0)
    room = np.where(high > low, margin * (high - low), 0.5)
    (x, y), (right, top) = (low - room).tolist(), (high + room).tolist()
    return (x, right), (y, top)


def checked_box(box: Any) -> Box:
    """A box that a user gives, checked."""
    given = curve.Box.checked(box)
    (left, bottom), (right, top) = given.low.tolist(), given.high.tolist()
    return (left, right), (bottom, top)


def ellipse_features(model: Any, pair: Sequence[int]) -> Any:
    """Two features of a picture as `ellipse` takes them: by name, where a model encodes columns."""
    if getattr(model, "columns_", None) is None:
        return tuple(pair)
    return tuple(model.feature_names_in_[j] for j in pair)


def line_limits(model: Any, column: Floats | None, j: int, limits: Any) -> Limits:
    """The range of one feature: as given, of the rows, or of the classes."""
    if limits is not None:
        low, high = (float(limit) for limit in limits)
        if not low < high:
            raise InvalidParameter(
                f"limits is {shown(limits)}; the first must be below the second."
            )
        return low, high
    if column is not None and not np.isnan(column).all():
        low, high = float(np.nanmin(column)), float(np.nanmax(column))
        room = 0.1 * (high - low) or 0.5
        return low - room, high + room
    if not hasattr(model, "means_") or not hasattr(model, "covariances_"):
        raise InvalidParameter(
            f"a {type(model).__name__} does not say where its classes lie; pass X or limits."
        )
    means = np.asarray(model.means_)[:, j]
    reach = 4.0 * np.sqrt(np.array([matrix[j, j] for matrix in model.covariances_]))
    return float((means - reach).min()), float((means + reach).max())
