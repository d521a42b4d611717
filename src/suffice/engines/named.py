"""Named columns: frames that hold labels, and perhaps weights, beside the features."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from suffice.data.features import as_frame
from suffice.errors import InvalidFeatures, InvalidInput, InvalidLabels, InvalidWeights
from suffice.text import quote_names


@dataclass(frozen=True, slots=True)
class NamedSplit:
    """Which columns of a frame are features, labels and weights."""

    columns: tuple[Any, ...]
    target: Any = None
    weight: Any = None

    def __post_init__(self) -> None:
        if self.target is not None and self.target == self.weight:
            raise InvalidInput(f"column {self.target!r} cannot hold both labels and weights.")
        if not self.features:
            raise InvalidFeatures("X has no columns beside the labels and weights.")

    @property
    def features(self) -> list[Any]:
        """The columns of X."""
        return [name for name in self.columns if name not in (self.target, self.weight)]

    def apply(self, table: Any, y: Any, weight: Any) -> tuple[Any, Any, Any]:
        """X, y and weights of the rows of one partition."""
        frame = as_frame(table)
        if frame is None:
            raise InvalidFeatures(f"it is a {type(table).__name__}, not a data frame.")
        self._check_columns(list(frame.columns))
        y = y if self.target is None else frame[self.target].to_native()
        weight = weight if self.weight is None else frame[self.weight].to_native()
        others = [name for name in (self.target, self.weight) if name is not None]
        return (frame.drop(others).to_native() if others else table), y, weight

    def _check_columns(self, columns: list[Any]) -> None:
        if tuple(columns) == self.columns:
            return
        missing = [name for name in self.columns if name not in columns]
        new = [name for name in columns if name not in self.columns]
        what = f"it lacks {quote_names(missing)} and has {quote_names(new)} instead"
        if not missing and not new:
            what = f"its columns are in another order: {quote_names(columns)}"
        raise InvalidFeatures(
            f"its columns differ from those of the other partitions, {quote_names(self.columns)}: "
            f"{what}. Bring all partitions to one schema first."
        )


def split_rows(split: NamedSplit | None, table: Any, y: Any, weight: Any) -> tuple[Any, Any, Any]:
    """X, y and weights of the rows of one partition, whose columns may be named."""
    if split is None and (isinstance(y, str) or isinstance(weight, str)):
        frame = as_frame(table)
        split, y, weight = split_of(() if frame is None else frame.columns, y, weight)
    return (table, y, weight) if split is None else split.apply(table, y, weight)


def split_of(columns: Iterable[Any], y: Any, weight: Any) -> tuple[NamedSplit | None, Any, Any]:
    """The split by named columns, if X has any; and y and weights if they are not columns."""
    names = tuple(columns)
    target = _named(y, names, "labels", InvalidLabels)
    weights = _named(weight, names, "weights", InvalidWeights)
    split = NamedSplit(names, target, weights) if names else None
    return split, y if target is None else None, weight if weights is None else None


def _named(name: Any, columns: tuple[Any, ...], what: str, kind: type[InvalidInput]) -> Any:
    if not isinstance(name, str):
        return None
    if not columns:
        raise kind(f"{name!r} names a column, but X is an array; pass the {what} themselves.")
    if name not in columns:
        raise kind(
            f"there is no column {name!r} for the {what}; the columns are {quote_names(columns)}."
        )
    return name
