"""Packages: which of those that read files are there."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from suffice.errors import MissingPackage

NEEDED = "reading files needs polars or pyarrow: pip install 'suffice[files]'"


def pyarrow(part: str = "") -> Any | None:
    """The pyarrow package, or a part of it; None where it is not installed."""
    return _imported(f"pyarrow.{part}" if part else "pyarrow")


def polars() -> Any | None:
    """The polars package, or None."""
    return _imported("polars")


def unreadable_by_polars() -> tuple[type[BaseException], ...]:
    """What polars raises at a file that it cannot read; a panic is no Exception."""
    found: Any = polars()
    return found.exceptions.PolarsError, found.exceptions.PanicException, OSError, ValueError


def _imported(name: str) -> Any | None:
    try:
        return import_module(name)
    except ImportError:
        return None


def check_some(what: str = "") -> None:
    """Raise if neither is there."""
    if polars() is None and pyarrow() is None:
        raise MissingPackage(f"{what}{NEEDED}")
