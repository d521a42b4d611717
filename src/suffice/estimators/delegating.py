"""Delegating: methods of an estimator that its chosen model answers, if it has them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from sklearn.utils.metaestimators import available_if


def delegated(method: Any, always: bool = False) -> Any:
    """The method of the same name of `model_`: there is one only if the model has one.

    method : a function of a class, whose signature and documentation it has
    always : whether an estimator that is not fitted has it, too
    """
    inner: Callable[..., Any] = getattr(method, "fn", method)
    name = inner.__name__

    @wraps(inner)
    def answer(self: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(self.model_, name)(*args, **kwargs)

    def has(estimator: Any) -> bool:
        fitted = estimator._state is not None
        return hasattr(estimator.model_, name) if fitted else always

    return available_if(has)(answer)


def delegated_value(name: str, documentation: str) -> Any:
    """The fitted attribute of this name of `model_`, if it has one."""

    def value(self: Any) -> Any:
        return getattr(self.model_, name)

    value.__doc__ = documentation
    return property(value)
