"""Plane: two features of a model, drawn, while the others are held."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.data.features import as_frame
from suffice.data.labels import shown
from suffice.data.missing import is_missing
from suffice.data.parameters import count, positive
from suffice.errors import InvalidParameter, NotNumbers, SufficeError
from suffice.plots.columns import numbers, position, two_features, width
from suffice.plots.points import Points

# The box goes beyond the rows by this share of their range; without rows it holds ellipses of so
# many standard deviations.
MARGIN, DEVIATIONS = 0.08, 3.0

# Finer planes than this would not fit into memory, nor on any page.
MOST_CELLS = 4096

Box = tuple[tuple[float, float], tuple[float, float]]


@dataclass(frozen=True, eq=False)
class Plane:
    """Where a model is asked: two features that vary within a box, the others held.

    features : positions of the two
    names : of all features
    held : (d,) values of all features, None for what is not known; those of the two do not matter
    told : how the others are held, in words
    """

    model: Any
    features: tuple[int, int]
    names: tuple[str, ...]
    held: Array
    box: Box
    told: str = ""
    frame: Any = None  # the frame whose kind the model's rows are to have

    @classmethod
    def of(
        cls, model: Any, X: Any = None, features: Any = None, at: Any = None, box: Any = None
    ) -> Plane:
        """The plane that a user asks for.

        X : rows that the box is to hold; without them it holds the classes' ellipses
        features : the two, by name or position; None where there are but two
        at : where the others are held: None, at their means; a mapping by feature, the rest at
            their means; a row (d,); or "unknown", which the model integrates out. None or NaN for
            a feature means that it is unknown.
        box : ((xmin, xmax), (ymin, ymax)) in place of the one that holds the rows
        """
        if not hasattr(model, "fit"):
            raise InvalidParameter(f"model is {shown(model)}; pass a fitted one: LDA().fit(X, y).")
        names = feature_names(model, X)
        pair = two_features(names, features)
        held, told = _held(model, X, names, pair, at)
        frame = None if X is None or isinstance(X, np.ndarray) else as_frame(X)
        return cls(model, pair, names, held, _box(model, X, pair, box), told, frame)

    @property
    def labels(self) -> tuple[str, str]:
        """Names of the two features."""
        return self.names[self.features[0]], self.names[self.features[1]]

    @property
    def complete(self) -> bool:
        """Whether the other features are all known."""
        return not any(is_missing(value) for value in self._others)

    @property
    def classes(self) -> Array:
        """Of the model; numbers where it has none."""
        found = getattr(self.model, "classes_", None)
        return np.arange(self.model.n_components) if found is None else np.asarray(found)

    def points(self, X: Any, y: Any) -> Points | None:
        """The rows of a table in the two features."""
        return None if X is None else Points.of(numbers(X, self.features), y, self.model)

    def grid(self, n: int) -> tuple[Floats, Floats, Floats]:
        """Coordinates (n,) along both features, and all their pairs, (n * n, 2), by lines."""
        check_resolution(n, MOST_CELLS)
        x, y = (np.linspace(low, high, n) for low, high in self.box)
        return x, y, np.column_stack([np.tile(x, n), np.repeat(y, n)])

    def ask(self, question: str, points: Floats, *more: Any) -> Any:
        """What a method of the model says of points (n, 2) of the plane."""
        return answered(self.model, question, self._rows(points), *more)

    def scores(self, points: Floats) -> Floats:
        """ln p(class | x) of points (n, 2), but for what all classes share, (n, k)."""
        if hasattr(self.model, "discriminants"):
            return np.asarray(self.ask("discriminants", points))
        # Zero probabilities would make differences of classes infinite or no number at all.
        return np.asarray(np.log(np.maximum(self.ask("predict_proba", points), 1e-300)))

    @property
    def _others(self) -> list[Any]:
        return [value for j, value in enumerate(self.held) if j not in self.features]

    def _rows(self, points: Floats) -> Any:
        """Points of the plane as rows of the model."""
        i, j = self.features
        if self.frame is not None:
            columns: dict[str, Any] = {
                name: [self.held[m]] * len(points) for m, name in enumerate(self.names)
            }
            columns |= {self.names[i]: points[:, 0], self.names[j]: points[:, 1]}
            backend = self.frame.implementation
            return type(self.frame).from_dict(columns, backend=backend).to_native()
        text = any(isinstance(value, str | bool | np.bool_) for value in self._others)
        rows = np.empty((len(points), len(self.names)), object if text else np.float64)
        rows[:] = self.held
        rows[:, i], rows[:, j] = points.T
        return rows


def check_resolution(n: Any, most: int) -> None:
    """Raise unless n is a number of cells along a feature."""
    if count("resolution", n, most) < 2:
        raise InvalidParameter(f"resolution is {shown(n)}; it must be a whole number from 2.")


def radii(deviations: Any) -> tuple[float, ...]:
    """The distances of ellipses that a user asks for."""
    if isinstance(deviations, str | bytes) or not isinstance(deviations, Sequence | np.ndarray):
        raise InvalidParameter(
            f"deviations is {shown(deviations)}; it must be a list of distances, such as [1, 2]."
        )
    return tuple(positive("each of deviations", one) for one in list(deviations))


def answered(model: Any, question: str, rows: Any, *more: Any) -> Any:
    """What a method of a model says of rows, in whatever form it was fitted to."""
    if not hasattr(model, question):
        raise InvalidParameter(
            f"a {type(model).__name__} has no {question}, which this picture shows."
        )
    with warnings.catch_warnings(), np.errstate(divide="ignore"):
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        try:
            return getattr(model, question)(rows, *more)
        except SufficeError:
            raise
        except ValueError as error:
            raise InvalidParameter(
                f"the {type(model).__name__} cannot be asked here: {error}"
            ) from None


def feature_names(model: Any, X: Any = None) -> tuple[str, ...]:
    """Of the features of a model: its own, or those of the table, or x1, x2, ..."""
    known = getattr(model, "feature_names_in_", None)
    if known is not None:
        return tuple(map(str, known))
    d = getattr(model, "n_features_in_", None)
    if X is not None:
        columns, names = width(X)
        if d is None or columns == d:
            return names
        raise InvalidParameter(f"X has {columns} features, but the model has {d}.")
    if d is None:
        raise InvalidParameter(f"the {type(model).__name__} is not fitted; call fit first.")
    return tuple(f"x{j + 1}" for j in range(int(d)))


def _held(
    model: Any, X: Any, names: tuple[str, ...], pair: tuple[int, int], at: Any
) -> tuple[Array, str]:
    """Values of all features, and in words those of features that are not drawn."""
    d, held = len(names), np.full(len(names), None, object)
    others = [j for j in range(d) if j not in pair]
    if not others:
        return held, ""
    if isinstance(at, str):
        if at != "unknown":
            raise InvalidParameter(
                f"at is {shown(at)}; it may be 'unknown', a mapping, a row or None."
            )
        return held, "other features not known"
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
    return held, _told(names, held, others, given)


def _told(names: Sequence[str], held: Array, others: Sequence[int], given: Any) -> str:
    """Where features that are not drawn are held, in words."""
    named = [j for j in others if j in given]
    unknown = [j for j in others if j not in given and is_missing(held[j])]
    said = [f"{names[j]} = {_brief(held[j])}" for j in named[:4]]
    if len(named) > 4:
        said.append(f"{len(named) - 4} more as given")
    if unknown:
        said.append("other features not known" if len(unknown) > 1 else "another not known")
    if len(named) + len(unknown) < len(others):
        said.append("other features at their means")
    return ", ".join(said)


def _brief(value: Any) -> str:
    if is_missing(value):
        return "not known"
    return f"{value:.4g}" if isinstance(value, float | np.floating) else str(value)


def _means(model: Any, X: Any, d: int) -> list[Any]:
    """Of every feature by the model, or else by the rows; None where there is no such thing."""
    means, priors = getattr(model, "means_", None), getattr(model, "priors_", None)
    if means is not None and priors is not None and np.shape(means) == (len(priors), d):
        return list(priors @ means)
    return [None if X is None else _mean(X, j) for j in range(d)]


def _mean(X: Any, j: int) -> float | None:
    try:
        column = numbers(X, [j])
    except NotNumbers:
        return None
    known = column[~np.isnan(column)]
    return float(known.mean()) if len(known) else None


def _box(model: Any, X: Any, pair: tuple[int, int], box: Any) -> Box:
    if box is not None:
        return checked_box(box)
    if X is not None:
        rows = numbers(X, pair)
        return around(rows[~np.isnan(rows).any(axis=1)])
    if not hasattr(model, "ellipse"):
        raise InvalidParameter(
            f"a {type(model).__name__} does not say where its classes lie; pass X or box."
        )
    ellipses = [model.ellipse(label, pair, deviations=DEVIATIONS) for label in model.classes_]
    return around(np.concatenate([ellipse.points() for ellipse in ellipses]), margin=0.0)


def around(rows: Floats, margin: float = MARGIN) -> Box:
    """The box that holds rows (n, 2), with some room; of all values where there are none."""
    if not len(rows):
        rows = np.zeros((1, 2))
    low, high = rows.min(axis=0), rows.max(axis=0)
    room = np.where(high > low, margin * (high - low), 0.5)
    (x, y), (right, top) = (low - room).tolist(), (high + room).tolist()
    return (x, right), (y, top)


def checked_box(box: Any) -> Box:
    """A box that a user gives."""
    try:
        (left, right), (bottom, top) = np.asarray(box, np.float64)
    except (TypeError, ValueError):
        left = right = bottom = top = np.nan
    if not (np.isfinite([left, right, bottom, top]).all() and left < right and bottom < top):
        raise InvalidParameter(
            f"box is {shown(box)}; it must be ((xmin, xmax), (ymin, ymax)) with min below max."
        )
    return (float(left), float(right)), (float(bottom), float(top))
