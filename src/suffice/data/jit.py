"""Compiling: numba, with a cache on disk where one can be written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit


def jit(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """A decorator that compiles a function to run without the interpreter lock."""

    def decorate(function: Callable[..., Any]) -> Any:
        try:
            return njit(nogil=True, cache=True, **options)(function)
        except RuntimeError:  # numba found no folder that it may write to
            return njit(nogil=True, **options)(function)

    return decorate
