"""`suffice evaluate`: a model and a table with classes -> how good it is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from suffice.cli import options


def evaluate(
    model: options.ModelFile,
    data: options.Data,
    *,
    labelled: options.LabelledReading,
    out: Annotated[
        Path | None,
        options.option("Also write JSON to this file.", "--out", "-o"),
    ] = None,
    json: options.Json = False,
) -> None:
    """Compare predictions with known classes: log-loss, accuracy, ROC AUC, F1, recall, calibration.

    Each beside its standard error, and beside a prediction that ignores all columns: the class
    shares of these rows.

    Use rows that the model has not seen: on its training rows it looks better than it is.
    """
    from suffice.cli.loaded import load_model
    from suffice.cli.output import check_out, is_stdout, json_text, print_json, working, write_out
    from suffice.errors import InvalidLabels
    from suffice.estimators.evaluating import evaluate as evaluate_model
    from suffice.selection.metrics import METRICS

    check_out(out)
    if out is not None and is_stdout(out):
        out, json = None, True
    loaded = load_model(model)
    rows = loaded.read_labelled(data, labelled)
    with working("evaluating"):
        try:
            evaluation = evaluate_model(loaded.model, rows.features, rows.labels, rows.weights)
        except InvalidLabels as error:
            name = loaded.target_or(labelled.target)
            raise InvalidLabels(f"the target {name!r} of {rows.source}: {error}") from None
    facts = {
        "rows": len(rows.labels),
        **{name: evaluation.metrics[name] for name in METRICS},
        "standard_errors": {name: evaluation.errors[name] for name in METRICS},
        "baseline": {name: evaluation.baseline[name] for name in METRICS},
        "classes": evaluation.classes,
        "confusion": evaluation.confusion,
        "recall": evaluation.recall,
        "recall_se": evaluation.recall_se,
        "precision": evaluation.precision,
    }
    if out is not None:
        write_out(out, json_text(facts).encode())
    if json:
        print_json(facts)
    else:
        _print(facts, evaluation)


def _print(facts: dict[str, Any], evaluation: Any) -> None:
    from suffice.cli.output import columns_that_fit, print_lines, say
    from suffice.selection.metrics import METRICS
    from suffice.selection.selection import BASELINE, format_score

    sources = (evaluation.metrics, evaluation.errors, evaluation.baseline)
    print_lines(
        ["", "value", "±", BASELINE],
        [[one.title, *(format_score(s[name]) for s in sources)] for name, one in METRICS.items()],
        f"{facts['rows']} rows",
    )
    say("")
    labels = [str(label) for label in evaluation.classes]
    lines = [
        [
            label,
            *(f"{value:g}" for value in row),
            _share(evaluation.recall[c]),
            _share(evaluation.recall_se[c]),
        ]
        for c, (label, row) in enumerate(zip(labels, evaluation.confusion, strict=True))
    ]
    lines.append(["precision", *(_share(value) for value in evaluation.precision), "", ""])
    head = ["true \\ predicted", *labels, "recall", "±"]
    if columns_that_fit(head, lines) == len(head):
        print_lines(head, lines, "Confusion: true classes in rows, predicted in columns")
    else:
        _print_confusions(evaluation, labels)


def _print_confusions(evaluation: Any, labels: list[str]) -> None:
    """The pairs of classes that are confused most often, if all would be too many."""
    import numpy as np

    from suffice.cli.output import print_lines

    wrong = evaluation.confusion.copy()
    np.fill_diagonal(wrong, 0.0)
    most_confusions = 10  # pairs of classes that are listed if the matrix of all is too wide
    order = np.argsort(-wrong, axis=None, kind="stable")[:most_confusions]
    pairs = [divmod(int(at), len(labels)) for at in order if wrong.flat[at] > 0]
    lines = [
        [labels[a], labels[b], f"{wrong[a, b]:g}", _share(evaluation.recall[a])] for a, b in pairs
    ]
    head = ["true", "predicted", "rows", "recall"]
    print_lines(head, lines, "Confused most often; --json prints all")


def _share(value: float) -> str:
    return "-" if value != value else f"{value:.1%}"
