"""Storage: statistics to a file and back."""

from __future__ import annotations

import hashlib
from os import PathLike
from typing import Any

from suffice.data.parameters import check_path
from suffice.data.sources.files import write_whole
from suffice.data.tables.mixed import ColumnLayout
from suffice.errors import InvalidFile, SufficeError
from suffice.statistics import (  # noqa: F401 - registers all kinds
    counts,
    incomplete,
    mixed,
    table_statistics,
)
from suffice.statistics.exact import exact_incomplete, private_statistics  # noqa: F401
from suffice.statistics.storage.container import OUTER, brief, pack
from suffice.statistics.storage.rebuilding import read
from suffice.statistics.storage.registry import STORABLE, storable
from suffice.statistics.storage.room import Room
from suffice.statistics.storage.saving import Savable
from suffice.statistics.storage.stacking import Arrays
from suffice.statistics.storage.walker import to_arrays

# Errors that crafted content may raise in code that expects valid content.
INCONSISTENT = (
    ValueError,
    KeyError,
    TypeError,
    IndexError,
    AttributeError,
    OverflowError,
    RecursionError,
    MemoryError,
)

storable(ColumnLayout)


def save(statistics: Savable, path: str | PathLike[str], key: bytes | None = None) -> None:
    """Write statistics to one safetensors file, whole or not at all."""
    check_path(path)
    write_whole(path, to_bytes(statistics, key))


def read_statistics(header: dict[str, Any], arrays: Arrays, name: str, room: Room) -> Any:
    """The statistics in a file of that name; an error says what is wrong with it."""
    kind = header.get("kind")
    known = STORABLE.get(kind) if isinstance(kind, str) else None
    if known is None or not issubclass(known, Savable):
        raise InvalidFile(f"{name} holds {brief(kind)}, which this version cannot read.")
    return read_value(header, arrays, name, room)


def read_value(header: dict[str, Any], arrays: Arrays, name: str, room: Room) -> Any:
    """The value in a file of that name; an error says what is wrong with it."""
    about = {field: value for field, value in header.items() if field not in OUTER}
    try:
        return read(about, arrays, room)
    except INCONSISTENT as error:
        raise inconsistent(name, error) from None


def inconsistent(name: str, error: Exception) -> InvalidFile:
    """The error for a file that contradicts itself."""
    is_ours = isinstance(error, SufficeError) or type(error) is ValueError
    why = str(error) if is_ours else f"{type(error).__name__} {error}"
    # Longest reason shown in a message, in characters: it may quote the content of a crafted file.
    longest_reason = 300
    why = why if len(why) <= longest_reason else f"{why[:longest_reason]}..."
    return InvalidFile(f"{name} is not consistent: {why.rstrip('.')}.")


def digest(statistics: Savable) -> str:
    """SHA-256 of the file that `save` would write."""
    return hashlib.sha256(to_bytes(statistics)).hexdigest()


def to_bytes(statistics: Savable, key: bytes | None = None) -> bytes:
    """The bytes of a file: equal for equal content."""
    return pack(*to_arrays(statistics), key)
