"""`suffice predict`: a model and a table -> classes and their probabilities."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from suffice.cli import options
from suffice.cli.models import parsed_priors, with_priors
from suffice.cli.output import free_name

EXAMPLE = "suffice predict iris.suffice new.csv --out predictions.csv"


def predict(
    model: options.ModelFile,
    data: options.Data,
    out: options.Out = None,
    probabilities: Annotated[
        bool, typer.Option(help="Write the probability of each class, too.")
    ] = True,
    keep: Annotated[bool, typer.Option(help="Write the columns of the table, too.")] = False,
    priors: Annotated[
        str | None,
        typer.Option(
            help="Other class probabilities: uniform, or a=0.3,b=0.7.", show_default=False
        ),
    ] = None,
    missing: options.Missing = None,
    encoding: options.Encoding = None,
    formulas: options.Formulas = False,
    json: options.Json = False,
) -> None:
    """Say the most probable class of each row, and how probable each class is.

    Columns are found by name, in any order; others are ignored. Missing values are fine.
    """
    from suffice.cli.loaded import load_model
    from suffice.cli.output import check_out, working, write_table

    check_out(out, table=True)
    loaded = load_model(model)
    labels = loaded.classes
    table = loaded.read(data, options.Reading.of(missing, encoding))
    X = loaded.rows(table)
    chosen = loaded.model
    if priors is not None:
        chosen = with_priors(chosen, parsed_priors(priors, labels))
    with working("predicting"):
        chances = chosen.predict_proba(X)
        best = chosen.predict(X).tolist()
    columns: dict[str, Any] = dict(table.frame.to_dict()) if keep else {}
    columns[free_name("prediction", columns)] = best
    if probabilities:
        for c, label in enumerate(labels):
            columns[free_name(f"probability_{label}", columns)] = chances[:, c]
    given = len(table.columns) if keep else 0
    write_table(columns, out, as_json=json, formulas=formulas, kept=given)
