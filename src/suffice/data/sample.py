"""Sample: some rows of files, spread over them, by which their columns are described."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from suffice.data import packages
from suffice.data.chunk import Position
from suffice.data.features import as_frame
from suffice.data.roles import ReadOptions, Roles
from suffice.data.source import Source, open_source
from suffice.data.text_source import TextSource
from suffice.errors import InvalidInput

SAMPLE_ROWS = 1 << 16
SAMPLE_CELLS = 1 << 22  # of very wide tables, fewer rows
FEWEST_ROWS = 100
SAMPLE_FILES = 64


def sample_size(columns: int) -> int:
    """How many rows of a table with so many columns are looked at.

    >>> sample_size(10), sample_size(1000), sample_size(100_000)
    (65536, 4194, 100)
    """
    return max(FEWEST_ROWS, min(SAMPLE_ROWS, SAMPLE_CELLS // max(1, columns)))


def sample_files(paths: Sequence[Path], roles: Roles) -> Any | None:
    """The features of the first rows of files; None where no row can be inspected."""
    if not roles.typed and packages.polars() is None:
        return None
    return sample_rows(paths, roles.options, roles.features)


def sample_rows(
    paths: Sequence[Path], options: ReadOptions, names: Sequence[str]
) -> Any | None:
    """The first rows of each of some files, all of the same format, as one data frame.

    Files that cannot be read, or that have other columns than the first, are left out: reading
    all rows reports what is wrong with them.
    """
    chosen = _spread(paths)
    rows = -(-sample_size(len(names)) // len(chosen))
    first = open_source(chosen[0], options)
    heads = []
    for path in chosen:
        with suppress(InvalidInput):
            source = open_source(path, options)
            if type(source) is type(first) and {*names} <= {*source.schema}:
                heads.append(_head(source, names, rows))
    known = [head for head in heads if head is not None]
    if not known:
        return None
    return first.infer(known) if isinstance(first, TextSource) else _stack(known)


def _spread(paths: Sequence[Path]) -> list[Path]:
    """The first file, the last one, and some between, at equal distances."""
    most = min(len(paths), SAMPLE_FILES)
    return [paths[i * (len(paths) - 1) // max(1, most - 1)] for i in range(most)]


def _head(source: Source, names: Sequence[str], rows: int) -> Any | None:
    """The first rows of a file; those of CSV as text."""
    if isinstance(source, TextSource):
        return source.first_rows(names, rows)
    frames: list[Any] = []
    for piece in source.pieces(names, Position(), rows):
        frames += piece.frames
        if sum(map(len, frames)) >= rows:
            break
    return nw.concat(frames)[:rows].to_native() if frames else None


def _stack(frames: list[Any]) -> Any:
    """Frames of one library below each other, in types that hold the values of all."""
    arrow = packages.pyarrow()
    if arrow is not None and isinstance(frames[0], arrow.Table):
        try:
            return arrow.concat_tables(frames, promote_options="permissive")
        except arrow.ArrowException:
            return arrow.concat_tables([one for one in frames if one.schema == frames[0].schema])
    polars = packages.require_polars()
    return polars.concat([one for one in frames if one.schema == frames[0].schema])


def joined(parts: Sequence[Any]) -> Any:
    """Tables in memory below each other; the first alone where their types differ."""
    frames = [frame for frame in map(as_frame, parts) if frame is not None]
    if len(frames) < len(parts):
        return np.concatenate([np.asarray(part) for part in parts])
    try:
        return nw.concat(frames).to_native()
    except (TypeError, ValueError, nw.exceptions.NarwhalsError):
        return parts[0]
