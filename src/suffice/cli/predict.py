"""`suffice predict`: a model and a table -> classes and their probabilities."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from suffice.cli import options


def predict(
    model: options.ModelFile,
    data: options.Data,
    *,
    probabilities: Annotated[
        bool, typer.Option(help="Also write the probability of each class.")
    ] = True,
    keep: options.Keep = False,
    priors: Annotated[
        str | None,
        options.option("Other class probabilities: uniform, or a=0.3,b=0.7."),
    ] = None,
    threshold: Annotated[
        str | None,
        options.option(
            "Predict a class from this probability on: 0.3 for the second of two classes, or "
            "label=0.3. `suffice thresholds` finds one."
        ),
    ] = None,
    costs: options.Costs = None,
    reading: options.Reading,
    output: options.TableOutput,
) -> None:
    """Predict the most probable class of each row, and the probability of each class.

    Or the class of least expected cost (--costs), or one class from a probability on (--threshold).
    Columns are matched by name, in any order; others are ignored. Values may be missing.
    """
    import numpy as np

    from suffice.answers.decision import decide
    from suffice.cli.loaded import load_model
    from suffice.cli.models import parse_costs, parse_priors, parse_threshold
    from suffice.cli.output import free_name, working
    from suffice.estimators.automatic.auto import under_priors

    output.check()
    loaded = load_model(model)
    labels = loaded.classes
    rule = {"costs": parse_costs(costs, labels), "threshold": parse_threshold(threshold, labels)}
    table = loaded.read(data, reading)
    X = loaded.rows(table)
    chosen = loaded.model
    if priors is not None:
        chosen = under_priors(chosen, parse_priors(priors, labels))
    with working("predicting"):
        posterior = np.asarray(chosen.predict_proba(X))
        best = chosen.predict(X)
        if costs is not None or threshold is not None:
            best = decide(posterior, chosen.classes_, **rule)
    columns: dict[str, Any] = dict(table.frame.to_dict()) if keep else {}
    kept = len(columns)
    columns[free_name("prediction", columns)] = best.tolist()
    if probabilities:
        for c, label in enumerate(labels):
            columns[free_name(f"probability_{label}", columns)] = posterior[:, c]
    output.write(columns, kept)
