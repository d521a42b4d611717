"""Columns: which features of a table are drawn, and their values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.data.batches import without_target
from suffice.data.features import as_features, as_frame, infinite
from suffice.data.gaps import is_missing
from suffice.data.tables.prepared_table import PreparedNumbers
from suffice.data.tables.table_rows import TableReader
from suffice.errors import InvalidFeatures, InvalidParameter, NotNumbers
from suffice.text import format_number, quote_names, shown


def width(X: Any) -> tuple[int, tuple[str, ...]]:
    """The number of columns of a table, and their names: x1, x2, ... if it has none."""
    frame = as_frame(X)
    if frame is not None:
        return len(frame.columns), tuple(map(str, frame.columns))
    d = plain(X).shape[1]
    return d, numbered(d)


def numbered(d: int) -> tuple[str, ...]:
    """Names of columns that have none: x1, x2, ..."""
    return tuple(f"x{j + 1}" for j in range(d))


def plain(X: Any) -> Array:
    """A table that is not a data frame as an array, of objects if it does not hold numbers."""
    table = X if isinstance(X, np.ndarray) else np.array(X, dtype=object)
    if table.ndim != 2 or not table.size:
        raise InvalidFeatures(
            f"X has shape {table.shape}; a picture takes rows and columns, (n, d)."
        )
    return table


def used_table(model: Any, X: Any) -> Any:
    """The columns of a table that a model uses, in its order; numbers in text are numbers."""
    layout = getattr(model, "columns_", None)
    if layout is None or X is None:
        names = getattr(model, "feature_names_in_", None)
        target = None if names is None else getattr(model, "target_name_", None)
        return X if target is None or X is None else without_target(X, target, names)
    reader = TableReader(layout)
    table = reader.read(X)
    single = {
        own: column.values
        for own, column in zip(reader.owners, table.columns, strict=True)
        if isinstance(column, PreparedNumbers) and reader.numeric_owners.count(own) == 1
    }
    frame = as_frame(X)
    if frame is None:
        out = plain(X)[:, [layout.names.index(name) for name in layout.used]].astype(object)
        for j, values in single.items():
            out[:, j] = values
        return out
    backend = frame.implementation
    new = [
        nw.new_series(layout.used[j], values, nw.Float64, backend=backend)
        for j, values in single.items()
    ]
    chosen = frame.select(list(layout.used))
    if backend.is_pandas_like():
        # By position: pandas would match the rows by their labels.
        labels = nw.maybe_get_index(chosen)
        new = [nw.maybe_set_index(one, index=labels) for one in new]
    return chosen.with_columns(*new).to_native()


def select_columns(X: Any, at: Sequence[int]) -> Any:
    """Some columns of a table, in this order, as the kind of table that it is."""
    frame = as_frame(X)
    return plain(X)[:, list(at)] if frame is None else frame[:, list(at)].to_native()


def numbers(X: Any, at: Sequence[int]) -> Floats:
    """Some columns of a table, (n, len(at)); NaN where a value is missing."""
    try:
        features = as_features(select_columns(X, at))
    except NotNumbers as error:
        raise NotNumbers(f"{error} Only numbers can be drawn{_numeric_columns(X)}.") from None
    rows = np.asarray(features.read(0, features.shape[0]), np.float64)
    names = width(X)[1]
    bad = infinite(rows, 0, tuple(names[j] for j in at))
    if bad is not None:
        raise bad
    return rows


def _numeric_columns(X: Any) -> str:
    """The columns of a data frame that hold numbers, as the end of a sentence."""
    names = _numeric_names(X)
    return f"; those are {quote_names(names)}" if names else ""


def _numeric_names(X: Any) -> list[str]:
    """The columns of a data frame that hold numbers; none for other tables."""
    frame = None if X is None else as_frame(X)
    kinds = {} if frame is None else frame.schema
    return [str(name) for name, kind in kinds.items() if kind.is_numeric()]


def feature_names(model: Any, X: Any = None) -> tuple[str, ...]:
    """The features of a model: its own names, or those of the table, or x1, x2, ..."""
    own = getattr(model, "feature_names_in_", None)
    if own is not None:
        return tuple(map(str, own))
    d = getattr(model, "n_features_in_", None)
    if X is not None:
        columns, names = width(X)
        if d is None or columns == d:
            return names
        raise InvalidParameter(f"X has {columns} features, but the model has {d}.")
    if d is None:
        raise InvalidParameter(f"the {type(model).__name__} is not fitted; call fit first.")
    return numbered(int(d))


def two_features(names: Sequence[str], features: Any, X: Any = None) -> tuple[int, int]:
    """Positions of the two features to draw; None is enough if there are only two.

    X : the table, of which two columns of numbers are suggested where there are more
    """
    d = len(names)
    if d < 2:
        raise InvalidParameter(
            f"the picture takes two features, and there is one, {names[0]!r}; add another."
        )
    if features is None:
        if d > 2:
            numeric = [name for name in _numeric_names(X) if name in names]
            one, other, *_ = dict.fromkeys([*numeric, *names])
            raise InvalidParameter(
                f"there are {d} features; name the two to draw, such as "
                f"features=({one!r}, {other!r}), or see all of them at once along the "
                "discriminant axes of an LDA: ProjectionDisplay."
            )
        return 0, 1
    if isinstance(features, str) or np.ndim(features) != 1 or len(features) != 2:
        raise InvalidParameter(f"features={shown(features)}: name two, by name or position.")
    first, second = (position(names, feature) for feature in features)
    if first == second:
        raise InvalidParameter(f"features={shown(tuple(features))}: both are {names[first]!r}.")
    return first, second


def one_feature(names: Sequence[str], feature: Any) -> int:
    """Position of the feature to draw; None is enough if there is only one."""
    if feature is not None:
        return position(names, feature)
    if len(names) > 1:
        raise InvalidParameter(
            f"there are {len(names)} features; name the one to draw, such as feature={names[0]!r}."
        )
    return 0


def position(names: Sequence[str], feature: Any) -> int:
    """The position of a feature given by name or position."""
    if isinstance(feature, str) and feature in names:
        return list(names).index(feature)
    whole = isinstance(feature, int | np.integer) and not isinstance(feature, bool)
    if not whole or not 0 <= feature < len(names):
        raise InvalidParameter(
            f"there is no feature {shown(feature)}; they are {quote_names(names)}."
        )
    return int(feature)


def as_value(value: Any, missing: str) -> str:
    """The value of a feature as text, to four digits; `missing` stands for a missing one."""
    if is_missing(value):
        return missing
    return format_number(float(value)) if isinstance(value, float | np.floating) else str(value)
