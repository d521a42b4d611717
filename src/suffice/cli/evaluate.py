"""`suffice evaluate`: a model and a table with classes -> how good it is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from suffice.cli import options

EXAMPLE = "suffice evaluate iris.suffice test.csv --target species"

# So many confusions are told where the matrix of all is too wide.
MOST_CONFUSIONS = 10

NAMES = {
    "accuracy": "accuracy",
    "log_loss": "log-loss",
    "brier": "Brier score",
    "calibration_error": "calibration error",
}


def evaluate(
    model: options.ModelFile,
    data: options.Data,
    target: options.Target,
    weights: options.Weights = None,
    drop_unlabelled: options.DropUnlabelled = False,
    missing: options.Missing = None,
    encoding: options.Encoding = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="File to write as JSON, too.", show_default=False),
    ] = None,
    json: options.Json = False,
) -> None:
    """Compare what a model says with what is known: errors, log-loss, Brier score, calibration.

    Use rows that the model has not seen: on its own it looks better than it is.
    """
    from suffice.cli.loaded import load_model
    from suffice.cli.output import check_out, is_stdout, working
    from suffice.cli.training import read_weights
    from suffice.data.table_labels import class_column
    from suffice.errors import InvalidLabels
    from suffice.estimators.trial import log_probabilities
    from suffice.selection import evaluation

    check_out(out)
    if out is not None and is_stdout(out):
        out, json = None, True
    loaded = load_model(model)
    table = loaded.read(data, options.Reading.of(missing, encoding), target)
    if drop_unlabelled:
        table = table.rows(table.column(target).is_not_null())
    y = class_column(table, target, several=False, discrete=False)
    X = loaded.rows(table)
    given = None if weights is None else read_weights(table, weights)
    with working("evaluating"):
        try:
            found = evaluation.evaluate(
                log_probabilities(loaded.model, X), loaded.last.classes_, y, given
            )
        except InvalidLabels as error:
            raise InvalidLabels(f"the target {target!r} of {table.source}: {error}") from None
    facts = {
        "rows": len(table),
        **found.metrics,
        "classes": found.classes,
        "confusion": found.confusion,
        "recall": found.recall,
        "precision": found.precision,
    }
    _tell(facts, found, out, json)


def _tell(facts: dict[str, Any], found: Any, out: Path | None, as_json: bool) -> None:
    from suffice.cli.output import (
        fits,
        json_text,
        print_json,
        print_lines,
        say,
        write_out,
    )

    if out is not None:
        write_out(out, json_text(facts).encode())
    if as_json:
        print_json(facts)
        return
    print_lines(
        ["", "value"],
        [[text, f"{facts[name]:.4f}"] for name, text in NAMES.items()],
        f"{facts['rows']} rows",
    )
    say("")
    labels = [str(label) for label in found.classes]
    lines = [
        [label, *(f"{value:g}" for value in row), _share(found.recall[c])]
        for c, (label, row) in enumerate(zip(labels, found.confusion, strict=True))
    ]
    lines.append(["precision", *(_share(value) for value in found.precision), ""])
    head = ["true \\ said", *labels, "recall"]
    if fits(head, lines) == len(head):
        print_lines(head, lines, "Confusion: rows are true, columns are said")
    else:
        _tell_confusions(found, labels)


def _tell_confusions(found: Any, labels: list[str]) -> None:
    """The pairs of classes that are taken for each other most often, where all would be many."""
    import numpy as np

    from suffice.cli.output import print_lines

    wrong = found.confusion.copy()
    np.fill_diagonal(wrong, 0.0)
    order = np.argsort(-wrong, axis=None, kind="stable")[:MOST_CONFUSIONS]
    pairs = [divmod(int(at), len(labels)) for at in order if wrong.flat[at] > 0]
    lines = [[labels[a], labels[b], f"{wrong[a, b]:g}", _share(found.recall[a])] for a, b in pairs]
    print_lines(["true", "said", "rows", "recall"], lines, "Confused most often; all by --json")


def _share(value: float) -> str:
    return "-" if value != value else f"{value:.1%}"
