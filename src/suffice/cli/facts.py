"""Facts: a model or statistics as values for programs."""

from __future__ import annotations

from typing import Any

from suffice.cli.grids import own_grid


def facts(content: Any) -> dict[str, Any]:
    """The content of a model or statistics, as JSON values."""
    if hasattr(content, "steps"):
        first, last = content.steps[0][1], content.steps[-1][1]
        return {**facts(last), **_columns(first), "on_indicators": True}
    if hasattr(content, "get_params"):
        from suffice.estimators.model_file.schema import training_of

        training = training_of(content)
        own = content.get_params(deep=False).items()
        parameters = {name: _plain(value) for name, value in own if name != "columns"}
        return {
            "kind": "model",
            "model": type(content).__name__,
            **_columns(content),
            "classes": training["classes"],
            "rows": training["rows"],
            "weight": training["weight"],
            "parameters": parameters,
        }
    if not hasattr(content, "classes"):
        return {"kind": "grid", "grid": repr(content)}
    grid = own_grid(content)
    return {
        "kind": "statistics",
        "statistics": type(content).__name__,
        "features": content.n_features,
        "columns": None if content.feature_names is None else list(content.feature_names),
        "classes": content.classes.tolist(),
        "rows": content.count.tolist(),
        "weight": content.weight.tolist(),
        "detail": getattr(content, "detail", "counts"),
        "grid": None if grid is None else repr(grid),
    }


def _columns(model: Any) -> dict[str, Any]:
    from suffice.estimators.model_file.schema import schema_of

    schema = schema_of(model)
    names = schema["names"] or list(range(schema["features"]))
    pairs = zip(schema["discrete"], schema["levels"], strict=True)
    return {
        "features": schema["features"],
        "columns": schema["names"],
        "levels": {str(names[j]): own["values"] for j, own in pairs},
    }


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int | float | bool | None) else repr(value)
