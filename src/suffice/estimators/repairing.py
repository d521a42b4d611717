"""Repairing: one warning for a fitted model that is not quite the one asked for."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from sklearn.base import clone

from suffice.errors import RepairedModel
from suffice.models.gaussian import GaussianModel
from suffice.models.product import ProductModel
from suffice.models.repairs import Repair, repairs
from suffice.models.settings import Settings
from suffice.models.structures import BUILT_IN

_expected: ContextVar[bool] = ContextVar("repairs_expected", default=False)


@contextmanager
def repairs_expected() -> Iterator[None]:
    """Within it, repaired models are what is looked for, and nobody is warned of them."""
    token = _expected.set(True)
    try:
        yield
    finally:
        _expected.reset(token)


def warn_repaired(estimator: Any, model: Any, statistics: Any, settings: Any) -> None:
    """Warn once of all that a model of these statistics had to do otherwise than asked for."""
    if isinstance(model, ProductModel):
        model, statistics, settings = model.gaussian, statistics.numeric, settings[0]
    if _expected.get() or type(model) is not GaussianModel:
        return
    found = repairs(model, statistics, settings)
    if found:
        warnings.warn(_message(estimator, found, settings), RepairedModel, _caller())


def _message(estimator: Any, found: tuple[Repair, ...], settings: Settings) -> str:
    changes = {name: value for repair in found for name, value in repair.changes.items()}
    advice = [repair.advice for repair in found if repair.advice]
    if changes:
        advice.append(f"use {_call(estimator, changes, settings)}")
    what = "; ".join(repair.what for repair in found)
    return f"{type(estimator).__name__}: {what}. To avoid it, {', or '.join(advice)}."


def _call(estimator: Any, changes: dict[str, Any], settings: Settings) -> str:
    """The constructor of the same model with some parameters changed."""
    from suffice.estimators.gaussian import GaussianDiscriminant

    given = estimator.get_params(deep=False)
    if changes.keys() <= given.keys():
        return _line(clone(estimator).set_params(**changes))
    known = GaussianDiscriminant().get_params()
    kept = {name: value for name, value in given.items() if name in known and value is not None}
    structure: Any = settings.structure
    if BUILT_IN.get(structure.name) == structure:
        structure = structure.name
    shape = {"structure": structure, "pooling": settings.pooling}
    return _line(GaussianDiscriminant(**{**kept, **shape, **changes}))


def _line(estimator: Any) -> str:
    return " ".join(repr(estimator).split())


def _caller() -> int:
    """How many frames up the first one outside this package is."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("suffice."):
        level, frame = level + 1, frame.f_back
    return level
