"""Packages: polars and pyarrow, which read files, where they are installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from suffice.errors import MissingPackage


def pyarrow(part: str = "") -> Any | None:
    """The pyarrow package, or a part of it; None where it is not installed."""
    return _import(f"pyarrow.{part}" if part else "pyarrow")


def polars() -> Any | None:
    """The polars package, or None."""
    return _import("polars")


def unreadable_by_polars() -> tuple[type[BaseException], ...]:
    """What polars raises at a file that it cannot read; a panic is not an Exception."""
    errors = require_polars().exceptions
    return errors.PolarsError, errors.PanicException, OSError, ValueError


def require_polars() -> Any:
    """The polars package; an error says how to install it."""
    package = polars()
    if package is None:
        raise MissingPackage(
            "reading and writing tables needs polars: pip install 'suffice[files]', or "
            "pip install 'suffice[cli]' for the command line"
        )
    return package


def require_pyarrow(what: str) -> Any:
    """The pyarrow package; an error says how to install it, and what needs it."""
    package = pyarrow()
    if package is None:
        raise MissingPackage(f"reading {what} needs pyarrow: pip install 'suffice[files]'")
    return package


def _import(name: str) -> Any | None:
    try:
        return import_module(name)
    except ImportError:
        return None
