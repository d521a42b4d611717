"""Code: a model as the expression that makes it, and the imports that it needs."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

from suffice.statistics.exact.grid import Grid


def constructor(model: Any) -> str:
    """The expression that makes a model, unfitted; defaults are left out.

    >>> import suffice as sf
    >>> constructor(sf.GaussianDiscriminant(pooling=0.5))
    'sf.GaussianDiscriminant(pooling=0.5)'
    >>> constructor(sf.PooledDiscriminant([sf.GaussianNB(), sf.DiagonalLDA(ddof=1)]))
    'sf.PooledDiscriminant(models=[sf.GaussianNB(), sf.DiagonalLDA(ddof=1)])'
    """
    if hasattr(model, "steps"):
        return f"make_pipeline({', '.join(constructor(step) for _, step in model.steps)})"
    own = type(model).__module__.startswith("suffice.")
    name = f"sf.{type(model).__name__}" if own else type(model).__name__
    given = ", ".join(f"{key}={_literal(value)}" for key, value in _changed(model).items())
    return f"{name}({given})"


def imports(model: Any) -> list[str]:
    """Lines that import or load the names in `constructor`."""
    lines = ["import suffice as sf"]
    for step in _estimators(model):
        home = type(step).__module__
        if hasattr(step, "steps"):
            lines.append("from sklearn.pipeline import make_pipeline")
        elif not home.startswith("suffice."):
            public = home.split("._")[0]
            lines.append(f"from {public} import {type(step).__name__}")
        if isinstance(getattr(step, "grid", None), Grid):
            lines.append('grid = sf.load("own.grid")  # written by grid.save("own.grid")')
    return list(dict.fromkeys(lines))


def _estimators(value: Any) -> list[Any]:
    """An estimator and those that it is made of, or those in a list or mapping."""
    if isinstance(value, Mapping | list | tuple):
        parts = value.values() if isinstance(value, Mapping) else value
        return [one for part in parts for one in _estimators(part)]
    if not hasattr(value, "get_params"):
        return []
    given = [step for _, step in value.steps] if hasattr(value, "steps") else _changed(value)
    return [value, *_estimators(given)]


def _changed(model: Any) -> dict[str, Any]:
    """Parameters that differ from their defaults, in the order of the signature."""
    values = model.get_params(deep=False)
    parameters = inspect.signature(type(model)).parameters
    return {
        name: values[name]
        for name, parameter in parameters.items()
        if name in values and repr(values[name]) != repr(parameter.default)
    }


def _literal(value: Any) -> str:
    if isinstance(value, Grid):
        return "grid"  # no call makes it again from what it shows
    if isinstance(value, np.ndarray):
        return repr(value.tolist())
    if hasattr(value, "get_params"):
        return constructor(value)
    if isinstance(value, Mapping) and _estimators(value):
        lines = [f"    {key!r}: {_literal(one)},\n" for key, one in value.items()]
        return f"{{\n{''.join(lines)}}}"
    if isinstance(value, list | tuple) and _estimators(value):
        return f"[{', '.join(map(_literal, value))}]"
    return repr(value.item() if isinstance(value, np.generic) else value)
