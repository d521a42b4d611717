"""`suffice forget`: a model or statistics without some rows, as if they had never been seen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from suffice.cli import options
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
    json: options.Json = False,
) -> None:
    """Remove rows exactly: the result is what the other rows alone would give."""
    from suffice.cli.loaded import is_ours, load_statistics
    from suffice.cli.output import check_model_out, save_and_report

    check_model_out(out)
    if is_ours(gone):
        left: Any = load_statistics(learnt) - load_statistics(gone)
    else:
        target = options.needed(target)
        left = _without_rows(learnt, gone, target, weights, reading, drop_unlabelled)
    if not len(left.classes if hasattr(left, "classes") else left.classes_):
        raise NeverIncluded("forgetting these rows would leave none; nothing was written.")
    save_and_report(left, out, json)


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
    return content - like(rows, content.detail)


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
