"""`suffice summarize`: a table -> its statistics, which merge and subtract."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from suffice.cli import options

EXAMPLE = "suffice summarize part1.parquet --target y --out part1.stats"


class Detail(StrEnum):
    """How much is kept."""

    SEPARATE = "separate"
    SHARED = "shared"
    DIAGONAL = "diagonal"


def summarize(
    data: options.Data,
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
    json: options.Json = False,
) -> None:
    """Read a table once and keep what every model of it needs.

    Statistics of parts add up (`suffice merge`), rows can be taken out (`suffice forget`), and
    `suffice fit` makes models of them: the table is not needed again.
    """
    from suffice.cli.describe import facts
    from suffice.cli.output import check_model_out, report, working
    from suffice.cli.training import read_training

    check_model_out(out)
    rows = read_training(
        data,
        target,
        weights=weights,
        categorical=options.listed(categorical),
        drop=options.listed(drop),
        reading=options.Reading.of(missing, encoding),
        drop_unlabelled=drop_unlabelled,
        several=False,
    )
    with working("summarizing"):
        found = statistics_of(rows, detail)
    found.save(out)
    report({"out": str(out), **facts(found)}, json, f"{found!r} written to {out}")


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
