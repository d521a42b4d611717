"""Anywhere: methods that take rows wherever they are stored."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from suffice.data.engine import engine_of
from suffice.estimators.state import snapshot

Method = TypeVar("Method", bound=Callable[..., Any])

# Methods that change the estimator; all others answer from one state of it.
LEARNING = ("fit", "partial_fit", "forget", "fit_predict")


def anywhere(method: Method) -> Method:
    """A method for rows in memory that passes rows stored elsewhere to their engine."""
    learns = method.__name__ in LEARNING

    @wraps(method)
    def dispatch(self: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        here = self if learns else snapshot(self)
        engine = engine_of(X)
        if engine is None:
            return method(here, X, *args, **kwargs)
        return engine.call(here, method.__name__, X, *args, **kwargs)

    return cast(Method, dispatch)
