"""Write down the public surface: every name, its signature, its methods and properties.

python tests/reference/make_surface.py > tests/reference/surface.txt
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

from sklearn.base import BaseEstimator

import suffice as sf


def surface() -> Iterator[str]:
    """One line for each thing that users can name."""
    for name in sorted(sf.__all__):
        yield from lines(name, getattr(sf, name))
    for name in sorted(sf.plots.__all__):
        yield from lines(f"plots.{name}", getattr(sf.plots, name))


def lines(name: str, value: Any) -> Iterator[str]:
    """A name, and if it is a class what its instances have."""
    if inspect.isclass(value):
        yield f"{name}{signature(value)}"
        # Parameters of estimators stand in the signature.
        parameters = value().get_params() if issubclass(value, BaseEstimator) else ()
        for member in sorted(dir(value)):
            if not member.startswith("_") and member not in parameters:
                found = inspect.getattr_static(value, member)
                yield f"{name}.{member}{signature(getattr(value, member, found))}"
    elif callable(value):
        yield f"{name}{signature(value)}"
    else:
        yield name


def signature(value: Any) -> str:
    """How a thing is called, without types; nothing for what is not."""
    if not callable(value):
        return ""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return "(...)"
    plain = [p.replace(annotation=p.empty) for p in found.parameters.values()]
    return str(found.replace(parameters=plain, return_annotation=found.empty))


if __name__ == "__main__":
    print("\n".join(surface()))
