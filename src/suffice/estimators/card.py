"""Card: a short description of a model."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from os import PathLike
from typing import Any

from suffice.selection.selection import Selection, standard_error
from suffice.text import markdown


def model_card(model: Any, *, key: bytes | None = None) -> str:
    """A fitted estimator, a pipeline of them, or the file of one, described in Markdown.

    Characters of names and labels that Markdown would take for markup are escaped.

    key : of a signed file, see `suffice.save`

    >>> import suffice as sf
    >>> X, y = [[1.0, 0.0], [1.2, 0.1], [3.0, 0.2], [3.1, 0.0]], ["a", "a", "b", "b"]
    >>> print(model_card(sf.DiagonalLDA(priors="uniform").fit(X, y)))
    DiagonalLDA
    features: 2
    classes: 2 (a, b)
    trained on: 4 rows (a 2, b 2)
    parameters: priors='uniform'
    """
    return "\n".join(map(markdown, card_lines(model, key)))


def card_lines(model: Any, key: bytes | None = None) -> list[str]:
    """The same as plain text, line by line."""
    return _of_file(model, key) if isinstance(model, str | PathLike) else _of_model(model)


def _of_model(model: Any) -> list[str]:
    steps = getattr(model, "steps", None)
    if steps is None:
        return _lines(model)
    lines = [f"Pipeline of {len(steps)} steps"]
    for name, step in steps:
        first, *more = _lines(step)
        lines += [f"- {name}: {first}", *(f"  {line}" for line in more)]
    return lines


def _of_file(path: str | PathLike[str], key: bytes | None) -> list[str]:
    from suffice.data.parameters import check_path
    from suffice.estimators.files import read_file

    check_path(path)
    stored, model = read_file(path, key)
    if stored is model:
        return [f"statistics, no model: {repr(model).strip('<>')}"]
    lines = _of_model(model)
    for own in (stored, *getattr(stored, "steps", {}).values()):
        lines += [line for line in _left_out(own.dropped) if line not in lines]
    lines.append(f"written by: suffice {stored.library}")
    if stored.created is not None:
        lines.append(f"created: {stored.created}")
    return lines


def _lines(model: Any) -> list[str]:
    from suffice.estimators.model_file.learner_content import is_built
    from suffice.estimators.model_file.model import check_ours
    from suffice.estimators.model_file.parameters import split_storable
    from suffice.estimators.model_file.schema import schema_of, training_of

    check_ours(model)
    if hasattr(model, "model_"):
        return [f"{type(model).__name__}, which chose:", *_of_model(model.model_), *_choice(model)]
    dropped = split_storable(model.get_params(deep=False))[1]
    lines = [type(model).__name__, *_features(schema_of(model)), *_training(training_of(model))]
    if hasattr(model, "converged_"):
        state = "converged" if model.converged_ else "not converged"
        after = f"{state} after {model.n_iter_} iterations" if model.n_iter_ else "given"
        lines.append(f"components: {len(model.means_)} ({after})")
    if hasattr(model, "members_"):
        lines.append(f"members: {_some(_members(model))}")
    if hasattr(model, "statistics_") and not is_built(model):
        lines.append("state: too few rows for a model yet")
    parameters = model.get_params(deep=False).items()
    shown = {name: value for name, value in parameters if name != "columns"}
    given = _given(type(model), shown, dropped)
    lines += [f"parameters: {', '.join(given)}"] if given else []
    return [*lines, *_choice(model), *_left_out(dropped)]


def _choice(model: Any) -> list[str]:
    """How parameters, or the model itself, were chosen."""
    selection = getattr(model, "selection_", None)
    return [] if selection is None else [_selection_line(selection)]


def _members(model: Any) -> list[str]:
    """Members of a pool with their weights."""
    weights = [*model.weights_, *([model.share_weight_] if model.share_weight_ else [])]
    names = [*model.members_, "class shares"]
    return [f"{name} {weight:.3g}" for name, weight in zip(names, weights, strict=False)]


def _left_out(dropped: Mapping[str, str]) -> list[str]:
    """Lines on parameters that a file leaves out."""
    return [f"parameter not kept in the file: {name} ({why})" for name, why in dropped.items()]


def _features(schema: dict[str, Any]) -> list[str]:
    names, discrete = schema["names"], schema["discrete"]
    listed = "" if names is None else f" ({_some(names)})"
    lines = [f"features: {schema['features']}{listed}"]
    if discrete:
        shown = discrete if names is None else [names[j] for j in discrete]
        counted = [
            f"{name} {len(own['values'])}"
            for name, own in zip(shown, schema["levels"], strict=True)
        ]
        lines.append(f"levels: {_some(counted)}")
    return lines


def _training(training: dict[str, Any]) -> list[str]:
    classes, rows, weight = (training[name] for name in ("classes", "rows", "weight"))
    if classes is None:
        return []
    lines = [f"classes: {len(classes)} ({_some(classes)})"]
    if rows is not None:
        parts = [f"{label} {n}" for label, n in zip(classes, rows, strict=True)]
        lines.append(f"trained on: {sum(rows)} rows ({_some(parts)})")
    if weight is None:
        return [*lines, "parameters of the classes: known, not estimated"]
    if rows is None or [float(n) for n in rows] != weight:
        parts = [f"{label} {w:.6g}" for label, w in zip(classes, weight, strict=True)]
        lines.append(f"weight of rows: {math.fsum(weight):.6g} ({_some(parts)})")
    return lines


def _given(kind: Any, parameters: dict[str, Any], dropped: Mapping[str, str]) -> list[str]:
    """Parameters that are not left at their defaults."""
    defaults = {name: p.default for name, p in inspect.signature(kind).parameters.items()}
    return [
        f"{name}={_brief(value)}"
        for name, value in sorted(parameters.items())
        if name not in dropped and _brief(value) != _brief(defaults[name])
    ]


def _brief(value: Any) -> str:
    if hasattr(value, "shape") and getattr(value, "shape", ()) != ():
        return f"array {'x'.join(map(str, value.shape))}"
    text = repr(value.item() if hasattr(value, "item") else value)
    return text if len(text) <= 100 else f"{text[:97]}..."


def _selection_line(selection: Selection) -> str:
    at = selection.careful if selection.chosen is None else selection.chosen
    scores = selection.scores[selection.metric]
    values = ", ".join(
        f"{name}={_brief(value)}" for name, value in selection.candidates[at].items()
    )
    score = f"{scores[at].mean():.4g} ± {standard_error(scores, selection.repeats)[at]:.2g}"
    return (
        f"chosen: {values} among {len(selection.candidates)} by cross-validation "
        f"({selection.metric} {score})"
    )


def _some(values: list[Any]) -> str:
    # Number of entries of long lists that are shown.
    shown = 8
    text = ", ".join(map(str, values[:shown]))
    return text if len(values) <= shown else f"{text}, ... {len(values) - shown} more"
