"""Streaming: tables that are read in parts, because they are large or several."""

from __future__ import annotations

from collections.abc import Sequence
from glob import has_magic
from pathlib import Path
from typing import Any

from suffice.cli.options import Reading
from suffice.errors import InvalidParameter

# From this size on a single file is read in parts; below, it takes little memory.
LARGE_BYTES = 1 << 26

# By so many bytes it is told whether a large CSV has columns of text.
SAMPLE_BYTES = 1 << 20


def is_streamed(
    data: Sequence[Path],
    wanted: Any,
    reading: Reading,
    categorical: Sequence[str],
    checkpoint: Path | None = None,
) -> bool:
    """Whether to read in parts: several files always, a large one where all features are numbers.

    wanted : which columns have which role
    checkpoint : makes any file a large one
    """
    if are_several(data):
        if categorical or reading.encoding:
            raise InvalidParameter(
                "--categorical and --encoding are for a single table that fits into memory; "
                "several files are read in parts, as UTF-8 and numbers."
            )
        return True
    path = data[0]
    whole = categorical or reading.encoding or not path.is_file()
    large = not whole and (checkpoint is not None or path.stat().st_size >= LARGE_BYTES)
    if large and not _has_levels(path, wanted):
        return True
    if checkpoint is not None:
        raise InvalidParameter(
            f"--checkpoint is for files of numbers that are read in parts; {path} is read as a "
            "whole. Leave it out, or leave columns of text out by --drop."
        )
    return False


def are_several(data: Sequence[Path]) -> bool:
    """Whether several files are named, or a pattern of them."""
    return len(data) > 1 or (has_magic(str(data[0])) and not data[0].exists())


def summarized(
    data: Sequence[Path], wanted: Any, detail: str, checkpoint: Path | None = None
) -> Any:
    """The statistics of files, with a bar on a terminal."""
    from suffice.statistics.summarize import summarize_parts

    names = [str(path) for path in data]
    return summarize_parts(names, wanted, detail, checkpoint=checkpoint, progress=True)


def wanted_of(
    target: str,
    weights: str | None,
    drop: Sequence[str],
    reading: Reading,
    drop_unlabelled: bool,
) -> Any:
    """The roles of columns, from the options of a command."""
    from suffice.data.roles import Wanted

    return Wanted(
        target,
        weights,
        drop=tuple(drop),
        missing=reading.missing,
        drop_unlabelled=drop_unlabelled,
    )


def _has_levels(path: Path, wanted: Any) -> bool:
    from suffice.data.source import open_source
    from suffice.data.table_file import JSON_LINES, ending_of

    if ending_of(path) in JSON_LINES:
        return True
    source = open_source(path, wanted)
    schema = source.schema if source.typed else _first_types(path, source)
    others = {wanted.target, wanted.weight, *wanted.drop}
    return any(
        not (dtype.is_numeric() or str(dtype) in ("Null", "Unknown"))
        for name, dtype in schema.items()
        if name not in others
    )


def _first_types(path: Path, source: Any) -> dict[str, Any]:
    """The types of the columns of a CSV by its first rows."""
    from suffice.data.table import polars
    from suffice.data.text_blocks import blocks

    pl = polars()
    sample = next(blocks(path, source.start, SAMPLE_BYTES), None)
    if sample is None:
        return {}
    frame = pl.read_csv(
        sample.data,
        has_header=False,
        new_columns=source.how.names,
        separator=source.how.separator,
        null_values=list(source.missing),
        infer_schema_length=None,
    )
    return dict(frame.schema)
