"""`suffice summarize`: a table -> its statistics, which merge and subtract."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from suffice.cli import options
from suffice.cli.grids import GridOption, grid_of, statistics_in


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
    import suffice as sf
    from suffice.cli.output import check_model_out, save_and_report, working
    from suffice.cli.streaming import is_streamed, summarize_files
    from suffice.cli.training import read_training, rows_like

    check_model_out(out)
    like = None if table.describes else statistics_in(grid)
    if is_streamed(data, table, checkpoint):
        statistics = summarize_files(
            data, target, weights, table, str(detail), checkpoint, grid, like
        )
    else:
        if like is None:
            rows = read_training(data[0], target, table, weights, several=False)
        else:
            rows = rows_like(like, data[0], table.labelled(target, weights))
        with working("summarizing"):
            own = grid_of(grid, lambda: sf.Grid.of(rows.features, columns=rows.layout))
            statistics = statistics_of(rows, detail, own)
    save_and_report(statistics, out, json)


def statistics_of(rows: Any, detail: str, grid: Any = None) -> Any:
    """Statistics of a table, with an indicator for each category if there are any."""
    import suffice as sf

    return sf.summarize(
        rows.features, rows.labels, rows.weights, detail, columns=rows.layout, grid=grid
    )


def counts_of(rows: Any, detail: str, grid: Any = None) -> Any:
    """Moments of the numbers of a table, and counts of its categories."""
    import suffice as sf

    model = sf.MixedNB(
        columns=rows.layout,
        structure="diagonal" if detail == Detail.DIAGONAL else "full",
        pooling=1.0 if detail == Detail.SHARED else 0.0,
        grid=grid,
    )
    # A part may have too few rows for a model; partial_fit makes none.
    return model.partial_fit(rows.features, rows.labels, sample_weight=rows.weights).statistics_
