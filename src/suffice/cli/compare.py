"""`suffice compare`: models side by side on one table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from suffice.cli import options

EXAMPLE = "suffice compare iris.csv --target species"

HEADS = {
    "name": "model",
    "accuracy": "accuracy",
    "log_loss": "log-loss",
    "log_loss_se": "±",
    "brier": "Brier",
    "calibration_error": "calib.",
    "log_loss_with_outliers": "outliers",
    "parameters": "params",
}


def compare(
    data: options.Data,
    *,
    target: options.Target,
    folds: Annotated[int, typer.Option(min=2, help="Number of cross-validation folds.")] = 5,
    weights: options.Weights = None,
    table: options.TableOptions,
    out: options.Out = None,
    json: options.Json = False,
) -> None:
    """Compare the family, mixtures and logistic regression by cross-validation.

    Also with outliers among the training rows, and with few training rows.
    """
    import suffice as sf
    from suffice.cli.output import check_out, print_json, print_lines, say, working, write_table
    from suffice.cli.training import read_training

    check_out(out, table=True)
    rows = read_training(data, target, table, weights)
    with working("comparing models by cross-validation") as progress:
        found = sf.compare(
            rows.features, rows.labels, cv=folds, sample_weight=rows.weights, progress=progress
        )
    if out is not None:
        write_table(found.table, out, as_json=json, formulas=False)
        return
    if json:
        columns = {name: column.tolist() for name, column in found.table.items()}
        lines = zip(*columns.values(), strict=True)
        models = [dict(zip(columns, line, strict=True)) for line in lines]
        print_json({"models": models, "notes": list(found.selection.notes)})
        return
    n_folds = found.selection.scores["log_loss"].shape[1]
    title = f"{len(rows.labels)} rows, {n_folds} folds, the best log-loss first"
    print_lines(list(HEADS.values()), _lines(found.table), title)
    say(*found.selection.notes)


def _lines(table: Mapping[str, Any]) -> list[list[str]]:
    order = table["log_loss"].argsort(kind="stable")
    return [[_cell(name, table[name][i]) for name in HEADS] for i in order]


def _cell(name: str, value: Any) -> str:
    if name == "name":
        return str(value)
    if value != value:
        return "-"
    return f"{value:g}" if name == "parameters" else f"{value:.4f}"
