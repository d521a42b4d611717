"""Caller: the line of a user's code that a warning is about."""

from __future__ import annotations

import sys


def stacklevel() -> int:
    """The `stacklevel` of `warnings.warn`, called beside this, that names the user's line."""
    level, frame = 1, sys._getframe(1)
    # Modules between a user's line and ours: decorators run functions from the second.
    ours = ("suffice", "contextlib")
    while frame.f_back is not None and _root(frame.f_globals.get("__name__", "")) in ours:
        level, frame = level + 1, frame.f_back
    return level


def _root(module: str) -> str:
    return module.partition(".")[0]
