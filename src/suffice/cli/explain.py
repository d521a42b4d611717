"""`suffice explain`: why one row belongs to its class, in words."""

from __future__ import annotations

from typing import Annotated

import typer

from suffice.cli import options
from suffice.errors import InvalidParameter


def explain(
    model: options.ModelFile,
    data: options.Data,
    *,
    row: Annotated[int, typer.Option(min=0, help="Number of the row, from 0.")] = 0,
    label: Annotated[
        str | None,
        options.option("Class to explain; by default the most probable.", "--class"),
    ] = None,
    against: Annotated[
        str | None,
        options.option("Class to compare it with; by default the next most probable."),
    ] = None,
    reading: options.Reading,
    json: options.Json = False,
) -> None:
    """Show how much each column of a row supports its class rather than another.

    The contributions add up to the log-odds of the two classes.
    """
    from suffice.cli.loaded import GAUSSIAN, load_model
    from suffice.cli.models import parse_label
    from suffice.cli.output import answer

    loaded = load_model(model)
    classes = loaded.classes
    if len(classes) < 2:
        raise InvalidParameter(f"{model} has a single class; there is nothing to explain.")
    table = loaded.read(data, reading)
    if row >= len(table):
        raise InvalidParameter(
            f"there is no row {row}; {table.source} has rows 0 to {len(table) - 1}."
        )
    X = loaded.rows(table)[row : row + 1]
    why = "whose log-odds are not a sum over columns"
    contributions = loaded.method("contributions", why, GAUSSIAN)
    order = (-loaded.model.predict_log_proba(X)[0]).argsort(kind="stable")
    a = None if label is None else parse_label(label, classes)
    b = None if against is None else parse_label(against, classes)
    a = next(classes[c] for c in order if classes[c] != b) if a is None else a
    b = next(classes[c] for c in order if classes[c] != a) if b is None else b
    if a == b:
        raise InvalidParameter(f"--class and --against are both {a!r}; name two classes.")
    terms, text = contributions(X, a, b), loaded.model.explain(X, 0, a, b)
    facts = {
        "row": row,
        "class": a,
        "against": b,
        "log_odds": terms.log_odds[0],
        "base": terms.base[0],
        "contributions": dict(zip(loaded.all_names, terms.values[0].tolist(), strict=True)),
        "text": text,
    }
    answer(facts, json, f"Row {row}: {text}")
