"""`suffice summarize`: a table -> its statistics, which merge and subtract."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from suffice.cli import options

EXAMPLE = (
    "suffice summarize part1.parquet --target y --out part1.stats\n"
    "suffice summarize 'rows/*.parquet' --target y --checkpoint half --out all.stats"
)


class Detail(StrEnum):
    """How much is kept."""

    SEPARATE = "separate"
    SHARED = "shared"
    DIAGONAL = "diagonal"


def summarize(
    data: options.Tables,
    target: options.Target,
    out: options.OutFile,
    detail: Annotated[
        Detail,
        typer.Option(
            help="A covariance for each class (for any model), one for all (lda), or variances "
            "only (nb, diagonal-lda)."
        ),
    ] = Detail.SEPARATE,
    weights: options.Weights = None,
    categorical: options.Categorical = None,
    drop: options.Drop = None,
    drop_unlabelled: options.DropUnlabelled = False,
    missing: options.Missing = None,
    encoding: options.Encoding = None,
    checkpoint: options.Checkpoint = None,
    json: options.Json = False,
) -> None:
    """Read a table once and keep what every model of it needs.

    Statistics of parts add up (`suffice merge`), rows can be taken out (`suffice forget`), and
    `suffice fit` makes models of them: the table is not needed again.
    """
    from suffice.cli.describe import facts
    from suffice.cli.output import check_model_out, report, save
    from suffice.cli.streaming import is_streamed, summarized, wanted_of

    check_model_out(out)
    reading = options.Reading.of(missing, encoding)
    left_out, levels = options.listed(drop), options.listed(categorical)
    wanted = wanted_of(target, weights, left_out, reading, drop_unlabelled)
    if is_streamed(data, wanted, reading, levels, checkpoint):
        found = summarized(data, wanted, str(detail), checkpoint)
    else:
        found = _in_memory(data[0], wanted, reading, levels, detail)
    save(found, out)
    report({"out": str(out), **facts(found)}, json, f"{found!r} written to {out}")


def _in_memory(
    path: Path, wanted: Any, reading: options.Reading, categorical: list[str], detail: str
) -> Any:
    from suffice.cli.output import working
    from suffice.cli.training import read_training

    rows = read_training(
        path,
        wanted.target,
        weights=wanted.weight,
        categorical=categorical,
        drop=wanted.drop,
        reading=reading,
        drop_unlabelled=wanted.drop_unlabelled,
        several=False,
    )
    with working("summarizing"):
        return statistics_of(rows, detail)


def statistics_of(rows: Any, detail: str) -> Any:
    """Moments of a table of numbers, with counts where there are levels."""
    import suffice as sf

    if not rows.has_levels:
        return sf.summarize(rows.features, rows.labels, rows.weights, detail)
    model = sf.MixedNB(
        structure="diagonal" if detail == Detail.DIAGONAL else "full",
        pooling=1.0 if detail == Detail.SHARED else 0.0,
    )
    # A part may have too few rows for a model; partial_fit makes none.
    return model.partial_fit(rows.features, rows.labels, sample_weight=rows.weights).statistics_
