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
    target: options.Target,
    folds: Annotated[int, typer.Option(min=2, help="Parts of the cross-validation.")] = 5,
    weights: options.Weights = None,
    categorical: options.Categorical = None,
    drop: options.Drop = None,
    drop_unlabelled: options.DropUnlabelled = False,
    missing: options.Missing = None,
    encoding: options.Encoding = None,
    out: options.Out = None,
    json: options.Json = False,
) -> None:
    """Try the family, mixtures and logistic regression by cross-validation.

    Also with outliers among the training rows, and with few of them.
    """
    import suffice as sf
    from suffice.cli.output import check_out, print_json, print_lines, say, working, write_table
    from suffice.cli.training import read_training

    check_out(out, table=True)
    rows = read_training(
        data,
        target,
        weights=weights,
        categorical=options.listed(categorical),
        drop=options.listed(drop),
        reading=options.Reading.of(missing, encoding),
        drop_unlabelled=drop_unlabelled,
    )
    with working("comparing models by cross-validation") as told:
        found = sf.compare(
            rows.features, rows.labels, cv=folds, sample_weight=rows.weights, progress=told
        )
    if out is not None:
        write_table(found.table, out, as_json=json, formulas=False)
        return
    if json:
        table = {name: column.tolist() for name, column in found.table.items()}
        lines = zip(*table.values(), strict=True)
        models = [dict(zip(table, line, strict=True)) for line in lines]
        print_json({"models": models, "notes": list(found.selection.notes)})
        return
    dealt = found.selection.scores["log_loss"].shape[1]
    title = f"{len(rows.labels)} rows, {dealt} folds, the best log-loss first"
    print_lines(list(HEADS.values()), _lines(found.table), title)
    for note in found.selection.notes:
        say(note)


def _lines(table: Mapping[str, Any]) -> list[list[str]]:
    order = table["log_loss"].argsort(kind="stable")
    return [[_cell(name, table[name][i]) for name in HEADS] for i in order]


def _cell(name: str, value: Any) -> str:
    if name == "name":
        return str(value)
    if value != value:
        return "-"
    return f"{value:g}" if name == "parameters" else f"{value:.4f}"
