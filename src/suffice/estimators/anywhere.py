"""Anywhere: methods that take rows wherever they lie."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from suffice.data.engine import engine_of

Method = TypeVar("Method", bound=Callable[..., Any])


def anywhere(method: Method) -> Method:
    """A method of rows in memory, passed on to the engine of rows that lie elsewhere."""

    @wraps(method)
    def asked(self: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        engine = engine_of(X)
        if engine is None:
            return method(self, X, *args, **kwargs)
        return engine.call(self, method.__name__, X, *args, **kwargs)

    return cast(Method, asked)
