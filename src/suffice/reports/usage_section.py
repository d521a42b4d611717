"""Usage: the model in code, and on the command line."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.html import Html, joined
from suffice.reports.choice_section import Choice, last_step
from suffice.reports.code import imports
from suffice.reports.markup import code, heading
from suffice.reports.material import Material


@dataclass(frozen=True, slots=True)
class Usage:
    """Listings to copy.

    python : fits the model to the table and predicts
    command : does the same for files; "" if the model is not one of this package
    """

    python: str
    command: str


def usage(data: Material, choice: Choice) -> Usage:
    """The listings for the chosen model."""
    model = choice.model
    lines = [*imports(model), "", *_table(data)]
    lines += [f"model = {choice.code}", "model.fit(X, y)", ""]
    lines += ["labels = model.predict(X)", "probabilities = model.predict_proba(X)"]
    own = type(last_step(model)).__module__.startswith("suffice.")
    density = getattr(last_step(model), "_has_density", False)
    if density and hasattr(model, "outlier_pvalue"):
        lines.append("unusual = model.outlier_pvalue(X) < 0.01")
    if _explains(model, data):
        lines.append("print(model.explain(X, row=0))")
    own = own and density
    if own:
        lines += ["", "sf.save(model, 'model.suffice')", "model = sf.load('model.suffice')"]
    return Usage("\n".join(lines), _command(data, choice) if own else "")


def _explains(model: Any, data: Material) -> bool:
    """Whether the model can give reasons: some densities cannot."""
    try:
        model.explain(data.at(np.array([0])))
    except (AttributeError, NotImplementedError, ValueError):
        return False
    return True


def _table(data: Material) -> list[str]:
    """The lines that take X and y from a table."""
    frame = data.frame
    if data.target is None:
        return ["# X, y: the rows and labels of this report"]
    target = repr(data.target)
    # In the words that pandas and polars share.
    others = f"table[[name for name in table.columns if name != {target}]]"
    if frame is not None and frame.implementation.is_pyarrow():
        others = f"table.drop_columns([{target}])"
    return ["# table: the data frame of this report", f"X = {others}", f"y = table[{target}]"]


def _command(data: Material, choice: Choice) -> str:
    predict = "suffice predict model.suffice new.csv --out predictions.csv"
    if choice.given:
        return predict
    target = shlex.quote(data.target or "label")
    return f"suffice fit table.csv --target {target} --out model.suffice\n{predict}"


def usage_html(found: Usage) -> Html:
    """The section."""
    parts = [heading("In Python"), code(found.python, "Python code")]
    if found.command:
        parts += [heading("On the command line"), code(found.command, "Shell commands")]
    return joined(parts)
