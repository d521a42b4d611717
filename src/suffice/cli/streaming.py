"""Streaming: tables that are read in parts because they are large or several."""

from __future__ import annotations

from collections.abc import Sequence
from glob import has_magic
from pathlib import Path
from typing import Any

from suffice.cli.grids import grid_of
from suffice.cli.options import NamedColumns, TableOptions
from suffice.cli.output import working
from suffice.cli.training import described_features
from suffice.errors import InvalidParameter


def is_streamed(
    data: Sequence[Path],
    options: NamedColumns,
    checkpoint: Path | None = None,
    large_bytes: int = 1 << 26,
) -> bool:
    """Whether to read in parts: several files always, a single one if it is large.

    checkpoint : with one, any file counts as large
    """
    if are_several(data):
        if options.encoding or options.indicates:
            raise InvalidParameter(
                "--encoding and --missing indicator are for a single table that fits into memory; "
                "several files are read in parts, as UTF-8."
            )
        return True
    path = data[0]
    whole = options.encoding or options.indicates or not path.is_file() or _is_json(path)
    if whole and checkpoint is not None:
        raise InvalidParameter(
            f"--checkpoint is for files that are read in parts; {path} is read as a whole. Leave "
            "--checkpoint out, or save it as CSV in UTF-8 or as Parquet."
        )
    return not whole and (checkpoint is not None or path.stat().st_size >= large_bytes)


def are_several(data: Sequence[Path]) -> bool:
    """Whether several files are named, or a pattern of them."""
    return len(data) > 1 or (has_magic(str(data[0])) and not data[0].exists())


def summarize_files(
    data: Sequence[Path],
    target: str,
    weights: str | None,
    options: TableOptions,
    detail: str,
    checkpoint: Path | None = None,
    grid: str | None = None,
    like: Any = None,
) -> Any:
    """The statistics of files, with a progress bar on a terminal.

    like : statistics of which the columns are read in the same way, if there are any
    """
    from dataclasses import replace

    from suffice.statistics.exact.grid import Grid
    from suffice.statistics.passes.checkpoint import resumed_layout
    from suffice.statistics.summarize import summarize_parts

    names, roles = [str(path) for path in data], options.roles(target, weights)
    layout = None if checkpoint is None else resumed_layout(checkpoint)
    if layout is None and (reader := getattr(like, "reader", None)) is not None:
        layout = reader.layout
    if layout is not None:
        roles = replace(roles, layout=layout, allows_extra=True)
    else:
        roles = _described(data, roles, options)
    own = grid_of(grid, lambda: Grid.of(summarize_parts(names, roles, "diagonal", progress=True)))
    return summarize_parts(names, roles, detail, checkpoint=checkpoint, progress=True, grid=own)


def sample(data: Sequence[Path], options: NamedColumns) -> Any:
    """Some rows of files that are read in parts, as a table."""
    from suffice.data.sources.paths import file_paths
    from suffice.data.sources.table_file import sample_table

    paths, kinds = file_paths([str(path) for path in data]), options.kinds
    text = (*kinds["categorical"], *kinds["text"])
    with working(f"looking at {paths[0]}"):
        return sample_table(paths, text=text, null_markers=options.null_markers)


def _described(data: Sequence[Path], roles: Any, options: TableOptions) -> Any:
    """The roles with what the columns are, by a sample of rows; notes say what is set aside."""
    from dataclasses import replace

    table = sample(data, options)
    if options.drop_unlabelled:
        table = table.labelled(roles.target)
    _, description = described_features(table, roles.target, roles.weight, options)
    if not description.holds_numbers:
        return replace(roles, layout=description.layout)
    unused = tuple(column.name for column in description.set_aside)
    return replace(roles, layout=description.layout.without(unused), drop=(*roles.drop, *unused))


def _is_json(path: Path) -> bool:
    from suffice.data.sources.source import file_format

    return file_format(path) == "json"
