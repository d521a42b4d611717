"""Anywhere: methods that take rows wherever they are stored.

Rows on a cluster or a device go to their engine. One decorator for each kind of method says
whether y holds labels, which may be the name of a column of X, and whether the estimator changes.
Methods after `fit` ignore the column that held the labels.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from suffice.data.batches import split_named, without_target
from suffice.data.engine import engine_of
from suffice.estimators.state import snapshot

Method = TypeVar("Method", bound=Callable[..., Any])


def on_rows(method: Method) -> Method:
    """A method that answers questions about rows X, from a single state of the estimator."""
    return _wherever_rows_are(method, labelled=False)


def on_labelled_rows(method: Method) -> Method:
    """The same for a method that takes the labels y of the rows, too."""
    return _wherever_rows_are(method)


def learns(method: Method) -> Method:
    """A method that changes what the estimator has learned by labelled rows."""
    return _wherever_rows_are(method, changes=True)


def learns_afresh(method: Method) -> Method:
    """The same for a method that discards what was learned before, the name of y included."""
    return _wherever_rows_are(method, changes=True, afresh=True)


def _wherever_rows_are(
    method: Method, *, labelled: bool = True, changes: bool = False, afresh: bool = False
) -> Method:
    """The method, called by the engine of rows that are not in memory.

    labelled : whether it takes labels y, which may be the name of a column of X
    changes : whether it changes the estimator; otherwise it answers from a snapshot
    afresh : whether the column of the labels of an earlier fit may be a feature now
    """

    @wraps(method)
    def call(self: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        here, engine = self if changes else snapshot(self), engine_of(X)
        if engine is not None:
            return engine.call(here, method.__name__, X, *args, **kwargs)
        y = args[0] if args else kwargs.get("y")
        if labelled and y is not None:
            X, y = split_named(X, y)
            args, kwargs = ((y, *args[1:]), kwargs) if args else (args, {**kwargs, "y": y})
        return method(here, X if afresh else _features(here, X), *args, **kwargs)

    return cast(Method, call)


def _features(estimator: Any, X: Any) -> Any:
    """X without the column that held the labels when the estimator was fitted."""
    state = estimator._state
    if state is None or state.target is None:
        return X
    return without_target(X, state.target, state.columns.names)
