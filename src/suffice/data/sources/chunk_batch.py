"""Chunk batch: the columns of a chunk -> a batch of rows, labels and weights, all checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.batches import Batch
from suffice.data.columns.cell_reading import text_codes
from suffice.data.feature_rows import ArrayFeatures, Features
from suffice.data.labels import Labels, string_array
from suffice.data.number_columns import number_array, to_rows
from suffice.data.sources.chunk import Chunk, is_large
from suffice.data.sources.roles import Roles
from suffice.data.sources.text_source import NULL_MARKERS
from suffice.data.tables.indicator_rows import MOST_LEVELS, indicator_rows
from suffice.data.tables.levels import MISSING
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
    own = [frame.select(list(roles.features)) for frame in frames]
    if reader is None:
        compiled = is_long or is_large(sum(map(len, own)), len(roles.features))
        return ArrayFeatures(to_rows(own, room, compiled), roles.features)
    whole = nw.concat(own)
    return indicator_rows(reader.read(whole.to_native(), first_row), reader, MOST_LEVELS)


def _join(frames: Sequence[nw.DataFrame[Any]], name: str) -> nw.Series[Any]:
    if len(frames) == 1:
        return frames[0][name]
    return nw.concat([frame[name].to_frame() for frame in frames])[name]


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
    codes, spellings = text_codes(series)
    markers = (*(() if roles.typed else NULL_MARKERS), *roles.options.null_markers)
    meant = spellings if roles.typed else [text.strip() for text in spellings]
    labels = sorted({label for label in meant if label not in markers})
    at = {label: code for code, label in enumerate(labels)}
    # One more for MISSING, which counts from the end.
    table = np.array([*(at.get(text, MISSING) for text in meant), MISSING], np.int64)
    return string_array(labels, "the label column", InvalidLabels), table[codes]


def _weights(series: nw.Series[Any], chunk: Chunk) -> Floats:
    values = number_array(series).astype(np.float64)
    bad = ~(values >= 0) | np.isinf(values)
    if bad.any():
        row = int(bad.argmax())
        value = "missing" if np.isnan(values[row]) else f"{values[row]:g}"
        raise InvalidWeights(
            f"the weight {series.name!r} in row {chunk.row + row} is {value}; weights must be "
            "finite and not negative."
        )
    return values
