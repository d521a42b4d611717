"""Facts: a model or statistics as values for programs."""

from __future__ import annotations

from typing import Any


def facts(found: Any) -> dict[str, Any]:
    """The content of a model or statistics, as JSON values."""
    if hasattr(found, "steps"):
        first, last = found.steps[0][1], found.steps[-1][1]
        return {**facts(last), **_columns(first), "on_indicators": True}
    if hasattr(found, "get_params"):
        from suffice.estimators.model_file.schema import training_of

        training = training_of(found)
        given = found.get_params(deep=False).items()
        parameters = {name: _plain(value) for name, value in given if name != "columns"}
        return {
            "kind": "model",
            "model": type(found).__name__,
            **_columns(found),
            "classes": training["classes"],
            "rows": training["rows"],
            "weight": training["weight"],
            "parameters": parameters,
        }
    if not hasattr(found, "classes"):
        return {"kind": "grid", "grid": repr(found)}
    return {
        "kind": "statistics",
        "statistics": type(found).__name__,
        "features": found.n_features,
        "columns": None if found.feature_names is None else list(found.feature_names),
        "classes": found.classes.tolist(),
        "rows": found.count.tolist(),
        "weight": found.weight.tolist(),
        "detail": getattr(found, "detail", "counts"),
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
