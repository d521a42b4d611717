"""Chunk batch: the columns of a chunk -> a batch of rows, labels and weights, all checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from suffice.data import packages
from suffice.data.arrays import Array, Floats, Indices
from suffice.data.batches import Batch
from suffice.data.feature_rows import ArrayFeatures, Features
from suffice.data.labels import Labels, string_array
from suffice.data.sources.chunk import Chunk, is_large
from suffice.data.sources.roles import Roles
from suffice.data.sources.text_source import NULL_MARKERS
from suffice.data.tables.indicator_rows import MOST_LEVELS, indicator_rows
from suffice.errors import InvalidInput, InvalidLabels, InvalidWeights


def batch_of(
    chunk: Chunk,
    roles: Roles,
    room: Callable[[tuple[int, int]], Floats] = np.empty,
    is_long: bool = False,
) -> Batch | None:
    """The batch of a chunk; None where no row has weight.

    room : returns an array of a shape for the rows, new or used before
    is_long : whether the stream has enough rows to repay compiled loops
    """
    source = f"{chunk.source}: " if chunk.source else ""
    frames, weights = chunk.frames, None
    try:
        classes, codes = _labels(_join(frames, roles.options.target), roles, chunk.row)
        unknown = codes < 0
        if unknown.any() and not roles.options.drop_unlabelled:
            raise _missing_label(unknown, chunk, roles)
        if unknown.any():
            # Without the labels: pyarrow cannot filter all kinds of text.
            others = [name for name in roles.names if name != roles.options.target]
            rows = nw.concat([frame.select(others) for frame in frames])
            frames = (rows.filter((~unknown).tolist()),)
            codes = codes[~unknown]
        if roles.options.weight is not None:
            weights = _weights(_join(frames, roles.options.weight), chunk)
    except InvalidInput as error:
        raise type(error)(f"{source}{error}") from None
    ignored = np.zeros(len(codes), bool) if weights is None else weights == 0
    if ignored.all():
        return None
    some = bool(ignored.any())
    if some:
        codes = np.where(ignored, len(classes), codes)
    features: Features
    try:
        features = _features(frames, roles, chunk.row, room, is_long)
    except InvalidInput as error:
        raise type(error)(f"{source}{error}") from None
    return Batch(
        features,
        classes,
        codes,
        weights,
        chunk.row,
        source,
        ignores_rows=some,
        is_chunk=True,
        is_long=is_long,
        reader=roles.reader,
    )


def _features(
    frames: Sequence[nw.DataFrame[Any]],
    roles: Roles,
    first_row: int,
    room: Callable[[tuple[int, int]], Floats],
    is_long: bool,
) -> Features:
    """The features of a chunk: numbers alone, or also the indicators of levels."""
    reader = roles.reading
    if reader is None:
        return ArrayFeatures(floats(frames, roles.features, room, is_long), roles.features)
    whole = nw.concat([frame.select(list(roles.features)) for frame in frames])
    return indicator_rows(reader.read(whole.to_native(), first_row), reader, MOST_LEVELS)


def floats(
    frames: Sequence[nw.DataFrame[Any]],
    names: Sequence[str],
    room: Callable[[tuple[int, int]], Floats] = np.empty,
    is_long: bool = False,
) -> Floats:
    """Columns of numbers as rows, C-ordered, NaN where a value is missing.

    >>> import polars as pl
    >>> floats([nw.from_native(pl.DataFrame({"a": [1, None], "b": [True, False]}))], ["b", "a"])
    array([[ 1.,  1.], [ 0., nan]])
    """
    shape = (sum(map(len, frames)), len(names))
    out, at, write = room(shape), 0, _to_rows
    if is_long or is_large(*shape):
        from suffice.data.transposing import to_rows as write
    for frame in frames:
        write(_columns(frame, names), out[at : at + len(frame)])
        at += len(frame)
    return out


def _to_rows(columns: Sequence[Array], out: Floats) -> None:
    block_bytes = 1 << 19  # transposed at a time, so that they stay in the cache
    step = max(64, block_bytes // (8 * len(columns)))
    for start in range(0, len(out), step):
        block = out[start : start + step]
        for j, column in enumerate(columns):
            block[:, j] = column[start : start + step]


def _package(native: Any) -> str:
    return type(native).__module__.partition(".")[0]


def _join(frames: Sequence[nw.DataFrame[Any]], name: str) -> nw.Series[Any]:
    if len(frames) == 1:
        return frames[0][name]
    return nw.concat([frame.select(name) for frame in frames])[name]


def _column(series: nw.Series[Any]) -> Array:
    missing = series.null_count()
    if missing == len(series):
        return np.full(len(series), np.nan)
    if missing or series.dtype == nw.Decimal:
        series = series.cast(nw.Float64).fill_null(np.nan)
    return np.asarray(series.to_numpy())


def _columns(frame: nw.DataFrame[Any], names: Sequence[str]) -> list[Array]:
    # There are many frames of a few thousand rows: narwhals would take as long as the sums.
    native = frame.to_native()
    plain = {"pyarrow": _plain_arrow, "polars": _plain_polars}.get(_package(native))
    columns = []
    for name in names:
        column = None if plain is None else plain(native, name)
        columns.append(_column(frame[name]) if column is None else column)
    return columns


def _plain_arrow(table: Any, name: str) -> Array | None:
    column = table.column(name)
    if column.num_chunks != 1:
        return None
    array = column.chunk(0)
    # Arrow types that NumPy reads without a copy.
    plain = ("double", "float", "int64", "int32", "int16", "int8", "uint32", "uint16", "uint8")
    if array.null_count or str(array.type) not in plain:
        return None
    return np.asarray(array.to_numpy())


def _plain_polars(frame: Any, name: str) -> Array | None:
    column = frame.get_column(name)
    if column.null_count() or not (column.dtype.is_float() or column.dtype.is_integer()):
        return None
    return np.asarray(column.to_numpy())


def _labels(series: nw.Series[Any], roles: Roles, row: int) -> tuple[Array, Indices]:
    """Sorted classes and the code of each row, -1 for a row without a label.

    row : number of the first row
    """
    if roles.labels == "U":
        return _text_codes(series, roles)
    if not series.null_count() and roles.labels != "f":
        return Labels.of(np.asarray(series.to_numpy())).encode()
    if roles.labels == "f":
        values = np.asarray(series.cast(nw.Float64).fill_null(np.nan).to_numpy())
        known = ~np.isnan(values)
        if (infinite := np.isinf(values)).any():
            raise InvalidLabels(
                f"the label {roles.options.target!r} in row {row + int(infinite.argmax())} is "
                "infinite. Drop such rows or give them a label."
            )
    else:
        known = ~np.asarray(series.is_null().to_numpy()).astype(bool)
        values = np.asarray((series if known.all() else series.drop_nulls()).to_numpy())
    codes = np.full(len(series), -1)
    if not known.any():
        return np.zeros(0, np.int64), codes
    classes, known_codes = Labels.of(
        values[known] if len(values) == len(known) else values
    ).encode()
    if known.all():
        return classes, known_codes
    codes[known] = known_codes
    return classes, codes


def _missing_label(unknown: Array, chunk: Chunk, roles: Roles) -> InvalidLabels:
    more = int(unknown.sum()) - 1
    also = f", and in {more} of the {len(unknown) - 1} rows around it" if more else ""
    return InvalidLabels(
        f"the label {roles.options.target!r} is missing in row {chunk.row + int(unknown.argmax())}"
        f"{also}. Drop such rows or give them a label."
    )


def _text_codes(series: nw.Series[Any], roles: Roles) -> tuple[Array, Indices]:
    """Classes and codes of texts; null markers have no class, and spaces in a CSV do not count."""
    series = _plain_text(series)
    spellings = series.drop_nulls().unique().to_list()
    markers = (*(() if roles.typed else NULL_MARKERS), *roles.options.null_markers)
    meant = {text: text if roles.typed else text.strip() for text in spellings}
    labels = sorted({label for label in meant.values() if label not in markers})
    at = {label: code for code, label in enumerate(labels)}
    table = [at.get(meant[text], -1) for text in spellings]
    if not labels:
        return np.zeros(0, "U1"), np.full(len(series), -1)
    codes = series.replace_strict([*spellings, None], [*table, -1], return_dtype=nw.Int64)
    classes = string_array(labels, "the label column", InvalidLabels)
    return classes, np.asarray(codes.to_numpy()).astype(np.int64, copy=False)


def _plain_text(series: nw.Series[Any]) -> nw.Series[Any]:
    native = series.to_native()
    if "string_view" in str(getattr(native, "type", "")):
        # Few functions of pyarrow take the text type of polars.
        arrow: Any = packages.pyarrow()
        native = arrow.chunked_array([_from_view(one) for one in native.chunks], "large_string")
        return nw.from_native(native, series_only=True)
    return series if series.dtype == nw.String else series.cast(nw.String)


def _from_view(array: Any) -> Any:
    if hasattr(array, "dictionary"):
        return array.dictionary.cast("large_string").take(array.indices)
    return array.cast("large_string")


def _weights(series: nw.Series[Any], chunk: Chunk) -> Floats:
    values = _column(series).astype(np.float64)
    bad = ~(values >= 0) | np.isinf(values)
    if bad.any():
        row = int(bad.argmax())
        value = "missing" if np.isnan(values[row]) else f"{values[row]:g}"
        raise InvalidWeights(
            f"the weight {series.name!r} in row {chunk.row + row} is {value}; weights must be "
            "finite and not negative."
        )
    return values
