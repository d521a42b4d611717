"""Streaming: tables that are read in parts because they are large or several."""

from __future__ import annotations

from collections.abc import Sequence
from glob import has_magic
from pathlib import Path
from typing import Any

from suffice.cli.grids import grid_of
from suffice.cli.options import TableOptions
from suffice.errors import InvalidParameter

LARGE_BYTES = 1 << 26  # a single file of this size is read in parts


def is_streamed(
    data: Sequence[Path],
    roles: Any,
    options: TableOptions,
    checkpoint: Path | None = None,
) -> bool:
    """Whether to read in parts: several files always, a large one if all features are numbers.

    checkpoint : any file counts as large
    """
    needs_memory = options.categorical or options.text or options.encoding
    if are_several(data):
        if needs_memory:
            raise InvalidParameter(
                "--categorical, --text and --encoding are for a single table that fits into "
                "memory; several files are read in parts, as UTF-8 and numbers."
            )
        return True
    path = data[0]
    whole = needs_memory or not path.is_file()
    large = not whole and (checkpoint is not None or path.stat().st_size >= LARGE_BYTES)
    if large and not _has_text(path, roles):
        return True
    if checkpoint is not None:
        raise InvalidParameter(
            f"--checkpoint is for files of numbers that are read in parts; {path} is read as a "
            "whole. Leave --checkpoint out, or drop the columns of text by --drop."
        )
    return False


def are_several(data: Sequence[Path]) -> bool:
    """Whether several files are named, or a pattern of them."""
    return len(data) > 1 or (has_magic(str(data[0])) and not data[0].exists())


def summarize_files(
    data: Sequence[Path],
    roles: Any,
    detail: str,
    checkpoint: Path | None = None,
    grid: str | None = None,
) -> Any:
    """The statistics of files, with a progress bar on a terminal."""
    from suffice.statistics.summarize import summarize_parts

    names = [str(path) for path in data]

    def measured() -> Any:
        import suffice as sf

        return sf.Grid.of(summarize_parts(names, roles, "diagonal", progress=True))

    own = grid_of(grid, measured)
    return summarize_parts(names, roles, detail, checkpoint=checkpoint, progress=True, grid=own)


def _has_text(path: Path, roles: Any) -> bool:
    from suffice.data.source import file_format, open_source
    from suffice.data.text_source import TextSource

    if file_format(path) == "json":
        return True
    source = open_source(path, roles)
    types = source.first_types() if isinstance(source, TextSource) else source.schema
    others = {roles.target, roles.weight, *roles.drop}
    return any(
        not (dtype.is_numeric() or str(dtype) in ("Null", "Unknown"))
        for name, dtype in types.items()
        if name not in others
    )
