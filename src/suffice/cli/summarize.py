"""`suffice summarize`: a table -> its statistics, which merge and subtract."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from suffice.cli import options
from suffice.cli.grids import GridOption, grid_of
from suffice.errors import InvalidParameter

EXAMPLE = (
    "suffice summarize part1.parquet --target y --out part1.stats\n"
    "suffice summarize 'rows/*.parquet' --target y --checkpoint half --out all.stats\n"
    "suffice summarize visits.csv --target y --grid decimals=2 --out visits.stats"
)


class Detail(StrEnum):
    """How much is kept."""

    SEPARATE = "separate"
    SHARED = "shared"
    DIAGONAL = "diagonal"


def summarize(
    data: options.Tables,
    *,
    target: options.Target,
    out: options.OutFile,
    detail: Annotated[
        Detail,
        typer.Option(
            help="One covariance per class (for any model), one for all (lda), or variances only "
            "(nb, diagonal-lda)."
        ),
    ] = Detail.SEPARATE,
    weights: options.Weights = None,
    table: options.TableOptions,
    checkpoint: options.Checkpoint = None,
    grid: GridOption = None,
    json: options.Json = False,
) -> None:
    """Read a table once and keep what every model of it needs.

    Statistics of parts add up (`suffice merge`), rows can be removed (`suffice forget`), and
    `suffice fit` makes models from them: the table is not needed again.
    """
    from suffice.cli.output import check_model_out, save_and_report, working
    from suffice.cli.streaming import is_streamed, summarize_files
    from suffice.cli.training import read_training

    check_model_out(out)
    roles = table.roles(target, weights)
    if is_streamed(data, roles, table, checkpoint):
        found = summarize_files(data, roles, str(detail), checkpoint, grid)
    else:
        rows = read_training(data[0], target, table, weights, several=False)
        with working("summarizing"):
            found = statistics_of(rows, detail, grid_of(grid, lambda: measured_grid(rows)))
    save_and_report(found, out, json)


def measured_grid(rows: Any) -> Any:
    """A grid for the numeric columns of a table."""
    import suffice as sf

    if not rows.has_levels:
        return sf.Grid.of(rows.prepared)
    found = statistics_of(rows, Detail.DIAGONAL).numeric
    if found is None:
        raise InvalidParameter(
            "no column holds numbers; levels are counted exactly without --grid."
        )
    return sf.Grid.of(found)


def statistics_of(rows: Any, detail: str, grid: Any = None) -> Any:
    """Moments of a table of numbers, with counts if there are categories."""
    import suffice as sf

    if not rows.has_levels:
        return sf.summarize(rows.prepared, rows.labels, rows.weights, detail, grid=grid)
    model = sf.MixedNB(
        columns=rows.layout,
        structure="diagonal" if detail == Detail.DIAGONAL else "full",
        pooling=1.0 if detail == Detail.SHARED else 0.0,
        grid=grid,
    )
    # A part may have too few rows for a model; partial_fit makes none.
    return model.partial_fit(rows.features, rows.labels, sample_weight=rows.weights).statistics_
