"""Repairing: one warning for a fitted model that differs from the one requested."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from sklearn.base import clone

from suffice.errors import RepairedModel
from suffice.models.likelihood import Likelihood
from suffice.models.repairs import Repair
from suffice.models.settings import Settings
from suffice.models.structures import BUILT_IN

_expected: ContextVar[bool] = ContextVar("repairs_expected", default=False)


@contextmanager
def repairs_expected() -> Iterator[None]:
    """A context in which repaired models are expected and give no warning."""
    token = _expected.set(True)
    try:
        yield
    finally:
        _expected.reset(token)


def warn_repaired(estimator: Any, model: Any, statistics: Any, settings: Any) -> None:
    """Warn once of all repairs in a model of these statistics."""
    if _expected.get() or not isinstance(settings, Likelihood):
        return
    made = settings.repairs(model, statistics)
    if made:
        warnings.warn(_message(estimator, made, settings), RepairedModel, _caller())


def _message(estimator: Any, made: tuple[Repair, ...], settings: Any) -> str:
    changes = {name: value for repair in made for name, value in repair.changes.items()}
    advice = [repair.advice for repair in made if repair.advice]
    if changes:
        advice.append(f"use {_call(estimator, changes, settings)}")
    what = "; ".join(repair.what for repair in made)
    return f"{type(estimator).__name__}: {what}. To avoid it, {', or '.join(advice)}."


def _call(estimator: Any, changes: dict[str, Any], settings: Settings) -> str:
    """The constructor of the same model with some parameters changed."""
    from suffice.estimators.gaussian import GaussianDiscriminant

    given = estimator.get_params(deep=False)
    if changes.keys() <= given.keys():
        return _line(clone(estimator).set_params(**changes))
    parameters = GaussianDiscriminant().get_params()
    kept = {
        name: value for name, value in given.items() if name in parameters and value is not None
    }
    structure: Any = settings.structure
    if BUILT_IN.get(structure.name) == structure:
        structure = structure.name
    shape = {"structure": structure, "pooling": settings.pooling}
    return _line(GaussianDiscriminant(**{**kept, **shape, **changes}))


def _line(estimator: Any) -> str:
    # A description of columns would fill the page.
    if getattr(estimator, "columns", None) is not None:
        estimator = clone(estimator).set_params(columns=None)
    text = " ".join(repr(estimator).split())
    # A grid has no call of its own: the user's variable stands for it.
    return re.sub(r"\bgrid=<[^>]*>", "grid=grid", text)


def _caller() -> int:
    """Number of frames up to the first one outside this package."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("suffice."):
        level, frame = level + 1, frame.f_back
    return level
