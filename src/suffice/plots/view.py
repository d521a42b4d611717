"""View: the features of a model that a picture shows, and the values of the others."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.data.batches import split_named
from suffice.data.features import as_frame
from suffice.data.gaps import is_missing
from suffice.data.parameters import count
from suffice.data.tables.table_rows import TableReader
from suffice.errors import InvalidParameter, NotNumbers, SufficeError
from suffice.plots.box import Box, line_limits, plane_box
from suffice.plots.columns import (
    as_value,
    feature_names,
    numbers,
    one_feature,
    position,
    two_features,
    used_table,
)
from suffice.plots.points import PlottedRows
from suffice.text import shown

RESOLUTION = 240  # grid points along each of two features


@dataclass(frozen=True, eq=False)
class View:
    """The points at which a picture evaluates a model: one or two features vary, others are held.

    features : positions of the features shown
    names : of all features
    held : (d,) values of all features, None where unknown; those of the features shown are unused
    box : (min, max) of each feature shown
    resolution : grid points along each feature
    note : how the other features are held, in words
    frame : the data frame whose kind the model's rows must have; None for arrays
    points : the rows to draw, or None
    box_given : whether a user gave the box
    """

    model: Any
    features: tuple[int, ...]
    names: tuple[str, ...]
    held: Array
    box: Box
    resolution: int = RESOLUTION
    note: str = ""
    frame: Any = None
    points: PlottedRows | None = None
    box_given: bool = False

    @classmethod
    def of(
        cls,
        model: Any,
        X: Any = None,
        y: Any = None,
        features: Any = None,
        at: Any = None,
        box: Any = None,
        resolution: int = RESOLUTION,
    ) -> View:
        """A plane of two features.

        X, y : rows that the box holds, and their labels; without rows it holds the class ellipses
        features : the two, by name or position; None if there are only two
        at : values of the others: None for their means; a mapping by feature, the rest at their
            means; a row (d,); or "unknown", which the model integrates out. None or NaN for a
            feature means that it is unknown.
        box : ((xmin, xmax), (ymin, ymax)) in place of the box that holds the rows
        resolution : grid points along each feature
        """
        if not hasattr(model, "fit"):
            raise InvalidParameter(f"model is {shown(model)}; pass a fitted one: LDA().fit(X, y).")
        if X is not None:
            X, y = split_named(X, y)
        X = used_table(model, X)
        names = feature_names(model, X)
        pair = two_features(names, features, X)
        held, note = _held(model, X, names, pair, at)
        limits = plane_box(model, X, pair, box)
        _check_resolution(resolution, most=4096)
        points = None if X is None else PlottedRows.of(numbers(X, pair), y, model)
        frame, given = _frame(X), box is not None
        return cls(model, pair, names, held, limits, resolution, note, frame, points, given)

    @classmethod
    def along(cls, model: Any, X: Any, feature: Any, limits: Any, resolution: int) -> View:
        """A line along one feature, the others unknown.

        feature : by name or position; None if there is only one
        limits : (from, to) in place of those that hold the rows
        """
        X = used_table(model, X)
        names = feature_names(model, X)
        j = one_feature(names, feature)
        box = (line_limits(model, None if X is None else numbers(X, [j])[:, 0], j, limits),)
        _check_resolution(resolution, most=1_000_000)
        unknown = np.full(len(names), None, object)
        return cls(model, (j,), names, unknown, box, resolution, frame=_frame(X))

    def alone(self) -> View:
        """The same view, where the features that are not shown are unknown."""
        held, note = _held(self.model, None, self.names, self.features, "unknown")
        return replace(self, held=held, note=note)

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the features shown."""
        return tuple(self.names[j] for j in self.features)

    @property
    def complete(self) -> bool:
        """Whether the values of all other features are known."""
        return not any(is_missing(value) for value in self._others)

    @property
    def classes(self) -> Array:
        """The classes of the model, or the numbers of its components."""
        classes = getattr(self.model, "classes_", None)
        return np.arange(self.model.n_components) if classes is None else np.asarray(classes)

    @property
    def axes(self) -> tuple[Floats, ...]:
        """Coordinates (n,) along each feature shown."""
        return tuple(np.linspace(low, high, self.resolution) for low, high in self.box)

    @property
    def grid(self) -> Floats:
        """All points of the grid, (n, 1) or (n * n, 2), row by row from below."""
        first, *others = self.axes
        if not others:
            return first[:, None]
        n = self.resolution
        return np.column_stack([np.tile(first, n), np.repeat(others[0], n)])

    def ask(self, method: str, points: Floats, *more: Any) -> Any:
        """What a method of the model returns for points in the features shown."""
        return ask(self.model, method, self._rows(points), *more)

    def scores(self, points: Floats) -> Floats:
        """ln p(class | x) of points, up to a constant of the point, (n, k)."""
        if hasattr(self.model, "discriminants"):
            return np.asarray(self.ask("discriminants", points))
        # Zero probabilities would make differences of classes infinite or NaN.
        return np.asarray(np.log(np.maximum(self.ask("predict_proba", points), 1e-300)))

    @property
    def _others(self) -> list[Any]:
        return [value for j, value in enumerate(self.held) if j not in self.features]

    def _rows(self, points: Floats) -> Any:
        """PlottedRows as rows of the model."""
        if self.frame is not None:
            columns: dict[str, Any] = {
                name: [self.held[m]] * len(points) for m, name in enumerate(self.names)
            }
            columns |= dict(zip(self.labels, points.T, strict=True))
            backend = self.frame.implementation
            return type(self.frame).from_dict(columns, backend=backend).to_native()
        text = any(isinstance(value, str | bool | np.bool_) for value in self._others)
        rows = np.empty((len(points), len(self.names)), object if text else np.float64)
        rows[:] = self.held
        rows[:, list(self.features)] = points
        return rows


def ask(model: Any, method: str, rows: Any, *more: Any) -> Any:
    """What a method of a model returns for rows, whatever kind of table it was fitted to."""
    if not hasattr(model, method):
        raise InvalidParameter(
            f"a {type(model).__name__} has no {method}, which this picture shows."
        )
    with warnings.catch_warnings(), np.errstate(divide="ignore"):
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        try:
            return getattr(model, method)(rows, *more)
        except SufficeError:
            raise
        except ValueError as error:
            raise InvalidParameter(
                f"the {type(model).__name__} cannot be evaluated here: {error}"
            ) from None


def _check_resolution(n: Any, most: int) -> None:
    # A finer grid would not fit into memory.
    if count("resolution", n, most) < 2:
        raise InvalidParameter(f"resolution is {shown(n)}; it must be a whole number from 2.")


def _frame(X: Any) -> Any:
    return None if X is None or isinstance(X, np.ndarray) else as_frame(X)


def _held(
    model: Any, X: Any, names: tuple[str, ...], pair: tuple[int, ...], at: Any
) -> tuple[Array, str]:
    """Values of all features, and in words those of features that are not shown."""
    d, held = len(names), np.full(len(names), None, object)
    others = [j for j in range(d) if j not in pair]
    if not others:
        return held, ""
    if isinstance(at, str):
        if at != "unknown":
            raise InvalidParameter(
                f"at is {shown(at)}; it may be 'unknown', a mapping, a row or None."
            )
        return held, "other features unknown"
    if at is None or isinstance(at, Mapping):
        given = {position(names, feature): value for feature, value in (at or {}).items()}
        if len(given) < d:
            held[:] = _means(model, X, d)
        for j, value in given.items():
            held[j] = value
    elif np.shape(at) == (d,):
        given = dict(enumerate(at))
        held[:] = list(at)
    else:
        raise InvalidParameter(
            f"at is {shown(at)}; it must be a row of {d} values or a mapping from features to them."
        )
    return held, _note(names, held, others, given)


def _note(
    names: Sequence[str], held: Array, others: Sequence[int], given: Any, most: int = 4
) -> str:
    """The values of features that are not shown, in words; `most` of them by name."""
    named = [j for j in others if j in given]
    unknown = [j for j in others if j not in given and is_missing(held[j])]
    parts = [f"{names[j]} = {as_value(held[j], 'unknown')}" for j in named[:most]]
    if len(named) > most:
        parts.append(f"{len(named) - most} more as given")
    if unknown:
        parts.append(f"{'other features' if len(unknown) > 1 else 'another feature'} unknown")
    if len(named) + len(unknown) < len(others):
        parts.append("other features at their means")
    return ", ".join(parts)


def _means(model: Any, X: Any, d: int) -> list[Any]:
    """The mean of every feature by the model, or else by the rows; None where there is none."""
    means, priors = getattr(model, "means_", None), getattr(model, "priors_", None)
    layout = getattr(model, "columns_", None)
    if layout is not None:  # the means are those of indicators, too
        levels = TableReader(layout).level_owners
        return [None if X is None or j in levels else _mean(X, j) for j in range(d)]
    if means is not None and priors is not None and np.shape(means) == (len(priors), d):
        return list(priors @ means)
    return [None if X is None else _mean(X, j) for j in range(d)]


def _mean(X: Any, j: int) -> float | None:
    try:
        column = numbers(X, [j])
    except NotNumbers:
        return None
    observed = column[~np.isnan(column)]
    return float(observed.mean()) if len(observed) else None
