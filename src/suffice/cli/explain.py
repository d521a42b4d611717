"""`suffice explain`: why one row is of its class, in words."""

from __future__ import annotations

from typing import Annotated

import typer

from suffice.cli import options
from suffice.errors import InvalidParameter

EXAMPLE = "suffice explain iris.suffice new.csv --row 3"


def explain(
    model: options.ModelFile,
    data: options.Data,
    row: Annotated[int, typer.Option(min=0, help="Which row; the first is 0.")] = 0,
    label: Annotated[
        str | None,
        typer.Option(
            "--class", help="Class to explain; the likeliest if none.", show_default=False
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            help="Class to compare it with; the next likeliest if none.", show_default=False
        ),
    ] = None,
    missing: options.Missing = None,
    encoding: options.Encoding = None,
    json: options.Json = False,
) -> None:
    """Say how much each column of a row speaks for its class rather than for another.

    The shares add up to the log-odds of the two classes.
    """
    from suffice.answers.contributions import explanation
    from suffice.cli.loaded import load_model
    from suffice.cli.models import parsed_label
    from suffice.cli.output import print_json, say

    loaded = load_model(model)
    classes = loaded.classes
    if len(classes) < 2:
        raise InvalidParameter(f"{model} knows a single class; there is nothing to explain.")
    table = loaded.read(data, options.Reading.of(missing, encoding))
    if row >= len(table):
        raise InvalidParameter(
            f"there is no row {row}; {table.source} has rows 0 to {len(table) - 1}."
        )
    X = loaded.inner_rows(loaded.rows(table)[row : row + 1])
    inner = loaded.inner()
    if not hasattr(inner, "contributions"):
        raise InvalidParameter(
            f"{model} holds a {type(inner).__name__}, whose log-odds are no sum over columns. Fit "
            "with --model lda, qda, nb, diagonal-lda or gaussian."
        )
    order = (-inner.predict_log_proba(X)[0]).argsort(kind="stable")
    a = None if label is None else parsed_label(label, classes)
    b = None if against is None else parsed_label(against, classes)
    a = next(classes[c] for c in order if classes[c] != b) if a is None else a
    b = next(classes[c] for c in order if classes[c] != a) if b is None else b
    if a == b:
        raise InvalidParameter(f"--class and --against are both {a!r}; name two classes.")
    found, names = loaded.by_column(inner.contributions(X, a, b))
    text = explanation(found, 0, names)
    if not json:
        say(f"Row {row}: {text}")
        return
    print_json(
        {
            "row": row,
            "class": a,
            "against": b,
            "log_odds": found.log_odds[0],
            "base": found.base[0],
            "contributions": dict(zip(names, found.values[0].tolist(), strict=True)),
            "text": text,
        }
    )
