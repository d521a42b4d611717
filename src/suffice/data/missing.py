"""Missing: what stands for a value that is not there, among Python objects."""

from __future__ import annotations

from typing import Any

# What pandas puts there, by the names of their types: pandas itself need not be installed.
_TYPES = ("NAType", "NaTType")


def is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, or what pandas takes for missing."""
    if value is None or type(value).__name__ in _TYPES:
        return True
    return bool(value != value)
