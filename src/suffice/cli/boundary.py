"""`suffice boundary`: the equation of where two classes are equally probable."""

from __future__ import annotations

from typing import Annotated

import typer

from suffice.cli import options
from suffice.errors import InvalidParameter


def boundary(
    model: options.ModelFile,
    class_a: Annotated[str, options.argument("A class.")],
    class_b: Annotated[str, options.argument("Another class.")],
    latex: Annotated[bool, typer.Option("--latex", help="Write the equation in LaTeX.")] = False,
    digits: Annotated[int, typer.Option(min=1, max=17, help="Digits of each number.")] = 4,
    json: options.Json = False,
) -> None:
    """Print the equation of the boundary between two classes.

    Its left side is the log-odds of the first class: where it is positive, that class is more
    probable.
    """
    from dataclasses import replace

    from suffice.cli.loaded import GAUSSIAN, load_model
    from suffice.cli.models import parse_label
    from suffice.cli.output import answer

    loaded = load_model(model)
    first, second = (parse_label(text, loaded.classes) for text in (class_a, class_b))
    if first == second:
        raise InvalidParameter(f"both classes are {first!r}; name two.")
    between = loaded.method("boundary", "whose boundaries have no such equation", GAUSSIAN)
    line = between(first, second)
    names = list(line.feature_names or loaded.all_names)
    line = replace(line, feature_names=tuple(names))
    equation = line.latex(digits) if latex else line.equation(digits)
    facts = {
        "classes": [first, second],
        "features": names,
        "quadratic": line.quadratic,
        "linear": line.linear,
        "constant": line.constant,
        "equation": equation,
    }
    answer(facts, json, equation)
