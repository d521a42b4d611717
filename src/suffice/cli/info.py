"""`suffice info`: what is in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from suffice.cli import options

EXAMPLE = "suffice info iris.suffice"


def info(
    file: Annotated[
        Path, typer.Argument(help="File of a model or of statistics.", show_default=False)
    ],
    json: options.Json = False,
) -> None:
    """Say what a file holds: the model or statistics, columns, classes, rows."""
    from suffice.cli.describe import facts
    from suffice.cli.loaded import load_any
    from suffice.cli.output import print_json, print_lines, say
    from suffice.cli.signing import key

    found = load_any(file)
    if json:
        print_json({"file": str(file), **facts(found)})
    elif hasattr(found, "get_params"):
        from suffice.estimators.card import model_card

        say(*model_card(file, key=key()).split("\n"))
    else:
        told = facts(found)
        say(*_statistics(told))
        lines = [
            [str(label), str(n), f"{w:g}"]
            for label, n, w in zip(told["classes"], told["rows"], told["weight"], strict=True)
        ]
        print_lines(["class", "rows", "weight"], lines)


def _statistics(told: dict[str, Any]) -> list[str]:
    from suffice.data.table import SHOWN

    names = told["columns"] or []
    more = f", ... {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    listed = f" ({', '.join(names[:SHOWN])}{more})" if names else ""
    return [
        f"statistics of {sum(told['rows'])} rows",
        f"features: {told['features']}{listed}",
        f"detail: {told['detail']}",
    ]
