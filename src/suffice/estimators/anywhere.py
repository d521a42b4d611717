"""Anywhere: methods that take rows wherever they are stored."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, TypeVar, cast

from suffice.data.batches import split_named, without_target
from suffice.data.engine import engine_of
from suffice.estimators.state import snapshot

Method = TypeVar("Method", bound=Callable[..., Any])

# Methods that change the estimator; all others answer from one state of it.
LEARNING = ("fit", "partial_fit", "forget", "fit_predict")

# Methods that discard what was learned before, the column of the labels included.
AFRESH = ("fit", "fit_predict")

# Methods whose y may be a single class: a text is then a label, not the name of a column.
OF_ONE_CLASS = ("impute", "impute_draws")


def anywhere(method: Method) -> Method:
    """A method for rows in memory that passes rows stored elsewhere to their engine.

    Labels may be the name of a column of X. Methods after `fit` ignore the column that held them.
    """
    learns, afresh = method.__name__ in LEARNING, method.__name__ in AFRESH
    takes_labels = "y" in signature(method).parameters and method.__name__ not in OF_ONE_CLASS

    @wraps(method)
    def dispatch(self: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        here = self if learns else snapshot(self)
        engine = engine_of(X)
        if engine is not None:
            return engine.call(here, method.__name__, X, *args, **kwargs)
        y = args[0] if args else kwargs.get("y")
        if takes_labels and isinstance(y, str):
            X, y = split_named(X, y)
            args, kwargs = (y, *args[1:]), {k: v for k, v in kwargs.items() if k != "y"}
        state = here._state
        if not afresh and state is not None and state.target is not None:
            X = without_target(X, state.target, state.columns.names)
        return method(here, X, *args, **kwargs)

    return cast(Method, dispatch)
