"""`suffice forget`: a model or statistics without some rows, as if they had never been seen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from suffice.cli import options
from suffice.cli.grids import own_grid
from suffice.errors import NeverIncluded

if TYPE_CHECKING:
    from suffice.cli.training import TrainingTable


def forget(
    learnt: options.AnyFile,
    gone: Annotated[
        Path,
        typer.Argument(
            help=f"The rows to forget: {options.TABLE}. Or statistics of them.", show_default=False
        ),
    ],
    *,
    out: options.OutFile,
    target: options.AnyTarget = None,
    weights: options.Weights = None,
    drop_unlabelled: options.DropUnlabelled = False,
    reading: options.Reading,
    prove: Annotated[
        bool,
        typer.Option(
            "--prove",
            help="Show the digests before and after; what was learnt must be on a grid, so that "
            "nothing is left of the rows.",
        ),
    ] = False,
    json: options.Json = False,
) -> None:
    """Remove rows: the result is what the other rows alone would give.

    On a grid that holds for every bit; otherwise up to rounding.
    """
    from suffice.cli.loaded import load_any
    from suffice.cli.output import check_model_out, save_and_report
    from suffice.cli.proofs import check_exact

    check_model_out(out)
    before = ""
    if prove:
        found = load_any(learnt)
        check_exact(learnt, found)
        before = found.digest()
    left = without(learnt, gone, target, weights, reading, drop_unlabelled)
    if not len(left.classes if hasattr(left, "classes") else left.classes_):
        raise NeverIncluded("forgetting these rows would leave none; nothing was written.")
    proof = {"digest_before": before, "digest_after": left.digest()} if prove else {}
    save_and_report(left, out, json, proof)


def without(
    learnt: Path,
    gone: Path,
    target: str | None,
    weights: str | None,
    reading: options.Reading,
    drop_unlabelled: bool,
) -> Any:
    """What a file holds, without some rows or statistics of them."""
    from suffice.cli.loaded import is_ours, load_statistics

    if is_ours(gone):
        return load_statistics(learnt) - load_statistics(gone)
    target = options.needed(target)
    return _without_rows(learnt, gone, target, weights, reading, drop_unlabelled)


def _without_rows(
    learnt: Path,
    gone: Path,
    target: str,
    weights: str | None,
    reading: options.Reading,
    drop_unlabelled: bool,
) -> Any:
    from suffice.cli.loaded import Loaded, load_any
    from suffice.cli.summarize import counts_of, statistics_of

    content = load_any(learnt)
    if hasattr(content, "predict") or hasattr(content, "steps"):
        loaded = Loaded(content, str(learnt))
        loaded.method("forget", "statistics to remove rows from")
        rows = loaded.read_labelled(gone, reading, target, weights, drop_unlabelled)
        return content.forget(rows.features, rows.labels, rows.weights)
    rows = _rows_of(content, gone, target, weights, reading, drop_unlabelled)
    like = counts_of if hasattr(content, "discrete") else statistics_of
    return content - like(rows, content.detail, own_grid(content))


def _rows_of(
    statistics: Any,
    gone: Path,
    target: str,
    weights: str | None,
    reading: options.Reading,
    drop_unlabelled: bool,
) -> TrainingTable:
    """The rows of a table with the columns of statistics."""
    from suffice.cli.training import TrainingTable, checked_features, labels_and_weights, read
    from suffice.data.table_layout import TableLayout

    names, reader = statistics.feature_names, getattr(statistics, "reader", None)
    table = read(gone, reading, [] if reader is None else reader.level_names)
    kept, labels, own = labels_and_weights(
        table, target, weights, drop_unlabelled, several=False, discrete=False
    )
    if reader is not None:
        table.check_has(reader.names)
        return TrainingTable(kept.frame, labels, own, table.source, reader.layout)
    names = names or [name for name in table.columns if name not in (target, weights)]
    layout = TableLayout.of_features(names, {}, table.columns)
    table.check_has(layout.names)
    return TrainingTable(checked_features(kept, layout).select(names), labels, own, table.source)
