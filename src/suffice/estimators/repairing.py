"""Repairing: one warning for a fitted model that differs from the one requested."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from sklearn.base import clone

from suffice.data.caller import stacklevel
from suffice.errors import RepairedModel
from suffice.models.covariances.repairs import MOST_NAMED, Repair
from suffice.models.settings import Settings
from suffice.models.structures import BUILT_IN
from suffice.statistics.table_statistics import TableStatistics
from suffice.text import quote_names

_expected: ContextVar[bool] = ContextVar("repairs_expected", default=False)


@contextmanager
def repairs_expected() -> Iterator[None]:
    """A context in which repaired models are expected and give no warning."""
    token = _expected.set(True)
    try:
        yield
    finally:
        _expected.reset(token)


def warn_repaired(
    estimator: Any, model: Any, statistics: Any, settings: Any, source: Any = None
) -> None:
    """Warn once of all repairs in a model of these statistics.

    source : those of the user's table, if it has columns of categories (levels)
    """
    if _expected.get():
        return
    made = settings.repairs(model, statistics)
    if made:
        warnings.warn(_message(estimator, made, settings, source), RepairedModel, stacklevel())


def _message(estimator: Any, made: tuple[Repair, ...], settings: Any, source: Any) -> str:
    changes = {name: value for repair in made for name, value in repair.changes.items()}
    advice = [repair.advice for repair in made if repair.advice]
    advice += [_drop(repair.drop, source) for repair in made if repair.drop]
    if changes:
        advice.append(f"use {_call(estimator, changes, settings)}")
    what = "; ".join(repair.what for repair in made)
    return f"{type(estimator).__name__}: {what}. To avoid it, {', or '.join(advice)}."


def _drop(features: tuple[Any, ...], source: Any) -> str:
    """The advice to drop the columns of the user's table that features were made of."""
    groups = source.groups if isinstance(source, TableStatistics) else ()
    columns = {name: group.name for group in groups for name in group.names}
    names = list(dict.fromkeys(columns.get(name, name) for name in features))
    repeats = "it repeats" if len(names) == 1 else "they repeat"
    return f"drop {quote_names(names, MOST_NAMED)} if {repeats} the label"


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
