"""Sample: some rows of files, spread over them, by which their columns are described."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from suffice.data import packages
from suffice.data.features import as_frame
from suffice.data.sources.chunk import Position
from suffice.data.sources.roles import ReadOptions
from suffice.data.sources.source import Source, open_source
from suffice.data.sources.text_source import TextSource
from suffice.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class SampleSize:
    """How much of a table is looked at to learn what its columns are.

    >>> size = SampleSize()
    >>> size.rows_of(10), size.rows_of(1000), size.rows_of(100_000)
    (65536, 4194, 100)
    """

    rows: int = 1 << 16
    cells: int = 1 << 22  # of very wide tables, fewer rows
    fewest_rows: int = 100
    files: int = 64

    def rows_of(self, columns: int) -> int:
        """How many rows of a table with this number of columns."""
        return max(self.fewest_rows, min(self.rows, self.cells // max(1, columns)))


def sample_rows(
    paths: Sequence[Path],
    first: Source,
    options: ReadOptions,
    names: Sequence[str],
    size: SampleSize | None = None,
) -> Any | None:
    """The first rows of each of some files as one data frame; None where there are none.

    Files that cannot be read, or that have other columns than the first, are left out: reading
    all rows reports what is wrong with them. An error if none can be read.
    """
    size = size or SampleSize()
    chosen = _spread(paths, size.files)
    rows = -(-size.rows_of(len(names)) // len(chosen))
    heads, errors = [], []
    for path in chosen:
        try:
            source = first if path == paths[0] else open_source(path, options)
            if type(source) is type(first) and {*names} <= {*source.schema}:
                heads.append(_head(source, names, rows))
        except InvalidInput as error:
            errors.append(error)
    known = [head for head in heads if head is not None]
    if not known:
        if errors:
            raise errors[0]
        return None
    return first.infer(known) if isinstance(first, TextSource) else _stack(known)


def _spread(paths: Sequence[Path], most: int) -> list[Path]:
    """The first file, the last one, and some between, at equal distances."""
    most = min(len(paths), most)
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
    """Tables of pyarrow below each other, in types that hold the values of all."""
    arrow: Any = packages.pyarrow()
    try:
        return arrow.concat_tables(frames, promote_options="permissive")
    except arrow.ArrowException:
        return arrow.concat_tables([one for one in frames if one.schema == frames[0].schema])


def joined(parts: Sequence[Any]) -> Any:
    """Tables in memory below each other; the first alone where their types differ."""
    frames = [frame for frame in map(as_frame, parts) if frame is not None]
    if len(frames) < len(parts):
        arrays = [np.asarray(part) for part in parts]
        alike = [one for one in arrays if one.shape[1:] == arrays[0].shape[1:]]
        return np.concatenate(alike)
    try:
        return nw.concat(frames).to_native()
    except (TypeError, ValueError, nw.exceptions.NarwhalsError):
        return parts[0]
