"""`suffice sample`: new rows from a model."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from suffice.cli import options
from suffice.errors import InvalidParameter

EXAMPLE = "suffice sample iris.suffice -n 1000 --out synthetic.csv"


def sample(
    model: options.ModelFile,
    n: Annotated[int, typer.Option("-n", "--rows", min=1, help="How many rows.")] = 10,
    out: options.Out = None,
    label: Annotated[
        str | None,
        typer.Option("--class", help="Rows of this class only.", show_default=False),
    ] = None,
    given: Annotated[
        str | None,
        typer.Option(help="What is known of every row, such as a=1.5,b=red.", show_default=False),
    ] = None,
    target: Annotated[
        str, typer.Option("--target", "-t", help="Name of the column with the classes.")
    ] = "label",
    seed: options.Seed = None,
    formulas: options.Formulas = False,
    json: options.Json = False,
) -> None:
    """Draw rows and their classes from what the model believes."""
    from suffice.cli.loaded import load_model
    from suffice.cli.models import parsed_label
    from suffice.cli.output import check_out, working, write_table

    check_out(out, table=True)
    loaded = load_model(model)
    draw = loaded.asked("sample", "way to draw rows")
    names = _names(loaded)
    if target in names:
        raise InvalidParameter(f"{target!r} is a feature; name the classes otherwise by --target.")
    options_given: dict[str, Any] = {"random_state": seed}
    if label is not None:
        options_given["y"] = parsed_label(label, loaded.classes)
    if given is not None:
        options_given["given"] = _given(given, names, loaded.text_columns)
    with working("drawing rows"):
        rows, labels = draw(n, **options_given)
    columns = {name: rows[:, j] for j, name in enumerate(names)}
    write_table({**columns, target: labels.tolist()}, out, as_json=json, formulas=formulas)


def _names(loaded: Any) -> list[str]:
    known = loaded.names
    return known or [f"x{j + 1}" for j in range(loaded.model.n_features_in_)]


def _given(text: str, names: list[str], levels: list[str]) -> dict[str, Any]:
    """Values by feature; numbers but for columns of text."""
    from suffice.data.table import named, nearest

    found: dict[str, Any] = {}
    for part in options.listed(text):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or name not in names:
            near = nearest(name, names)
            hint = f" Did you mean {near!r}?" if near else ""
            raise InvalidParameter(
                f"--given {part!r} is not feature=value.{hint} The features are {named(names)}."
            )
        try:
            found[name] = value if name in levels else float(value)
        except ValueError:
            raise InvalidParameter(f"--given {part!r}: {name!r} takes a number.") from None
    return found
