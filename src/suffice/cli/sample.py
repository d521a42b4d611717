"""`suffice sample`: new rows from a model."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from suffice.cli import options
from suffice.errors import InvalidParameter


def sample(
    model: options.ModelFile,
    *,
    n: Annotated[int, typer.Option("-n", "--rows", min=1, help="Number of rows.")] = 10,
    label: Annotated[
        str | None,
        options.option("Rows of this class only.", "--class"),
    ] = None,
    given: Annotated[
        str | None,
        options.option("Known values of every row, such as a=1.5,b=red."),
    ] = None,
    target: Annotated[
        str | None,
        options.option(
            "Name of the column with the classes; by default as in the training table.",
            "--target",
            "-t",
        ),
    ] = None,
    seed: options.Seed = None,
    output: options.TableOutput,
) -> None:
    """Draw random rows and their classes from the model."""
    from suffice.cli.loaded import load_model
    from suffice.cli.models import parse_label
    from suffice.cli.output import working

    output.check()
    loaded = load_model(model)
    draw = loaded.method("sample", "which cannot draw rows", "mixed")
    names = loaded.all_names
    target = target or loaded.target or "label"
    if target in names:
        raise InvalidParameter(
            f"{target!r} is a feature; give the classes another name by --target."
        )
    conditions: dict[str, Any] = {"random_state": seed}
    if label is not None:
        conditions["y"] = parse_label(label, loaded.classes)
    if given is not None:
        conditions["given"] = _parse_given(given, names, loaded.text_columns)
    with working("drawing rows"):
        rows, labels = draw(n, **conditions)
    framed = hasattr(rows, "columns")
    columns = {name: list(rows[name]) if framed else rows[:, j] for j, name in enumerate(names)}
    output.write({**columns, target: labels.tolist()})


def _parse_given(text: str, names: list[str], text_columns: list[str]) -> dict[str, Any]:
    """Values by feature; numbers except in columns of text."""
    from suffice.text import did_you_mean, quote_names

    values: dict[str, Any] = {}
    for part in options.listed(text):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or name not in names:
            hint = did_you_mean(name, names)
            raise InvalidParameter(
                f"--given {part!r} is not feature=value.{hint} The features are "
                f"{quote_names(names)}."
            )
        try:
            values[name] = value if name in text_columns else float(value)
        except ValueError:
            raise InvalidParameter(f"--given {part!r}: {name!r} takes a number.") from None
    return values
