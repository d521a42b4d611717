"""`suffice forget`: a model or statistics without some rows, as if they had never been seen."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from suffice.cli import options
from suffice.cli.grids import check_exact, own_grid
from suffice.errors import InvalidParameter, NeverIncluded


def forget(
    file: options.AnyFile,
    rows: Annotated[
        Path,
        options.argument(f"The rows to forget: {options.TABLE}. Or statistics of them."),
    ],
    *,
    out: options.OutFile,
    labelled: options.LabelledReading,
    prove: Annotated[
        bool,
        typer.Option(
            "--prove",
            help="Show the digests before and after; what was learnt must be on a grid, so that "
            "nothing is left of the rows.",
        ),
    ] = False,
    keep_weights: Annotated[
        bool,
        typer.Option(
            "--keep-weights",
            help="Of a pool of models: let its weights and recalibrations, which were found with "
            "the rows, too, stay as they are.",
        ),
    ] = False,
    json: options.Json = False,
) -> None:
    """Remove rows: the result is what the other rows alone would give.

    On a grid that holds for every bit; otherwise up to rounding.
    """
    from suffice.cli.loaded import load_any
    from suffice.cli.output import check_model_out, save_and_report

    check_model_out(out)
    before = ""
    if prove:
        content = load_any(file)
        check_exact(file, content)
        before = content.digest()
    left = without(file, rows, labelled, keep_weights)
    if not len(left.classes if hasattr(left, "classes") else left.classes_):
        raise NeverIncluded(
            f"forgetting these rows would leave none; nothing was written. Delete {file} instead."
        )
    proof = {"digest_before": before, "digest_after": left.digest()} if prove else {}
    save_and_report(left, out, json, proof)


def without(
    file: Path, rows: Path, labelled: options.LabelledReading, keep_weights: bool = False
) -> Any:
    """What a file holds, without some rows or statistics of them."""
    from suffice.cli.loaded import Loaded, is_ours, load_any, load_statistics
    from suffice.cli.summarize import counts_of, statistics_of
    from suffice.cli.training import rows_like

    if is_ours(rows):
        return load_statistics(file) - load_statistics(rows)
    content = load_any(file)
    if hasattr(content, "predict") or hasattr(content, "steps"):
        loaded = Loaded(content, str(file))
        loaded.method("forget", "which has no statistics to remove rows from")
        table = loaded.read_labelled(rows, labelled)
        if not keep_weights:
            return content.forget(table.features, table.labels, table.weights)
        if not hasattr(content, "recalibrations_"):
            raise InvalidParameter(
                f"--keep-weights is for pools of models; leave it out for {file}, which holds "
                f"one {type(content).__name__}."
            )
        return content.forget(table.features, table.labels, table.weights, keep_weights=True)
    table = rows_like(content, rows, labelled)
    like = counts_of if hasattr(content, "discrete") else statistics_of
    return content - like(table, content.detail, own_grid(content))
