"""`suffice forget`: a model or statistics without some rows, as if they had never been seen."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from suffice.cli import options
from suffice.errors import InvalidParameter, NeverIncluded

EXAMPLE = (
    "suffice forget model.suffice gone.csv --target y --out model.suffice\n"
    "suffice forget all.stats part1.stats --out rest.stats"
)


def forget(
    learnt: Annotated[
        Path, typer.Argument(help="File of a model or of statistics.", show_default=False)
    ],
    gone: Annotated[
        Path,
        typer.Argument(
            help=f"The rows to forget: {options.TABLE}. Or statistics of them.", show_default=False
        ),
    ],
    out: options.OutFile,
    target: options.AnyTarget = None,
    weights: options.Weights = None,
    drop_unlabelled: options.DropUnlabelled = False,
    missing: options.Missing = None,
    encoding: options.Encoding = None,
    json: options.Json = False,
) -> None:
    """Take rows out again, exactly: what is left is what the other rows alone would give."""
    from suffice.cli.describe import facts
    from suffice.cli.loaded import is_ours, load_statistics
    from suffice.cli.output import check_model_out, report, save

    check_model_out(out)
    if is_ours(gone):
        left: Any = load_statistics(learnt) - load_statistics(gone)
    elif target is None:
        raise InvalidParameter("name the column with the classes by --target.")
    else:
        reading = options.Reading.of(missing, encoding)
        left = _without_rows(learnt, gone, target, weights, reading, drop_unlabelled)
    if not len(left.classes if hasattr(left, "classes") else left.classes_):
        raise NeverIncluded("forgetting these rows would leave none; nothing was written.")
    save(left, out)
    report({"out": str(out), **facts(left)}, json, f"{left!r} written to {out}")


def _without_rows(
    learnt: Path,
    gone: Path,
    target: str,
    weights: str | None,
    reading: options.Reading,
    drop_unlabelled: bool,
) -> Any:
    from suffice.cli.loaded import Loaded, load_any
    from suffice.cli.summarize import statistics_of
    from suffice.cli.training import read_training, read_weights
    from suffice.data.table_labels import class_column

    found = load_any(learnt)
    if hasattr(found, "predict") or hasattr(found, "steps"):
        loaded = Loaded(found, str(learnt))
        loaded.asked("forget", "statistics to take rows from")
        table = loaded.read(gone, reading, target)
        if drop_unlabelled:
            table = table.rows(table.column(target).is_not_null())
        y = class_column(table, target, several=False, discrete=False)
        given = None if weights is None else read_weights(table, weights)
        return found.forget(loaded.rows(table), y, given)
    names = found.feature_names
    text = [names[j] for j in found.layout.discrete] if hasattr(found, "layout") and names else []
    rows = read_training(
        gone,
        target,
        weights=weights,
        reading=reading,
        drop_unlabelled=drop_unlabelled,
        several=False,
        discrete=False,
        text=text,
    )
    if names is not None:
        from dataclasses import replace

        from suffice.data.table import Table

        chosen = Table(rows.features, rows.source).only(names)
        rows = replace(rows, features=chosen.frame)
    return found - statistics_of(rows, found.detail)
