"""Storage: statistics to a file and back."""

from __future__ import annotations

import hashlib
from os import PathLike
from typing import Any, TypeAlias

from suffice.data.files import read_whole, write_whole
from suffice.data.parameters import check_path
from suffice.errors import InvalidFile, SufficeError
from suffice.statistics import complete_file, counts_file, incomplete_file, mixed_file
from suffice.statistics.container import OUTER, brief, pack, unpack
from suffice.statistics.counts import Counts
from suffice.statistics.incomplete import AnyStatistics, IncompleteStatistics
from suffice.statistics.mixed import MixedStatistics
from suffice.statistics.nesting import Arrays
from suffice.statistics.registry import STORABLE
from suffice.statistics.room import Room
from suffice.statistics.statistics import Statistics

Stored: TypeAlias = Statistics | IncompleteStatistics | Counts | MixedStatistics

# Longest reason shown in a message, in characters: it may quote the content of a crafted file.
LONGEST_REASON = 300

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

_FILES: dict[type, Any] = {
    Statistics: complete_file,
    IncompleteStatistics: incomplete_file,
    Counts: counts_file,
    MixedStatistics: mixed_file,
}
_READERS = {file.KIND: file for file in _FILES.values()}


def save(statistics: Stored, path: str | PathLike[str], key: bytes | None = None) -> None:
    """Write statistics to one safetensors file, whole or not at all."""
    check_path(path)
    write_whole(path, to_bytes(statistics, key))


def load(path: str | PathLike[str], *, key: bytes | None = None, trusted: bool = False) -> Stored:
    """The statistics that `save` wrote, fully validated; nothing in the file is executed."""
    check_path(path)
    data, name = read_whole(path), str(path)
    return read_statistics(*unpack(data, name, key), name, Room(None if trusted else len(data)))


def read_statistics(header: dict[str, Any], arrays: Arrays, name: str, room: Room) -> Stored:
    """The statistics in a file of that name; an error says what is wrong with it."""
    if not is_statistics(header):
        kind = brief(header.get("kind"))
        raise InvalidFile(f"{name} holds {kind}, which this version cannot read.")
    about = {field: value for field, value in header.items() if field not in OUTER}
    try:
        return read(about, arrays, room)
    except INCONSISTENT as error:
        raise inconsistent(name, error) from None


def is_statistics(header: dict[str, Any]) -> bool:
    """Whether a header describes statistics."""
    return isinstance(header.get("kind"), str) and header["kind"] in {**_READERS, **STORABLE}


def read(header: Any, arrays: Arrays, room: Room) -> Stored:
    """The statistics of a header and arrays; a ValueError says what is wrong."""
    if not isinstance(header, dict) or not is_statistics(header):
        raise ValueError("there are no statistics")
    file = {**STORABLE, **_READERS}[header["kind"]]
    wrong_fields = sorted(set(header) ^ file.FIELDS)
    if wrong_fields:
        raise ValueError(f"its header lacks the field {wrong_fields[0]!r}, or should not have it")
    statistics: Stored = file.read(header, arrays, room)
    return statistics


def inconsistent(name: str, error: Exception) -> InvalidFile:
    """The error for a file that contradicts itself."""
    is_ours = isinstance(error, SufficeError) or type(error) is ValueError
    why = str(error) if is_ours else f"{type(error).__name__} {error}"
    why = why if len(why) <= LONGEST_REASON else f"{why[:LONGEST_REASON]}..."
    return InvalidFile(f"{name} is not consistent: {why.rstrip('.')}.")


def digest(statistics: Stored) -> str:
    """SHA-256 of the file that `save` would write."""
    return hashlib.sha256(to_bytes(statistics)).hexdigest()


def to_bytes(statistics: Stored, key: bytes | None = None) -> bytes:
    """The bytes of a file: equal for equal content."""
    return pack(*to_arrays(statistics), key)


def to_arrays(statistics: Stored) -> tuple[dict[str, Any], Arrays]:
    """Header and arrays of statistics."""
    kind = type(statistics)
    file = _FILES.get(kind) or STORABLE[kind.__name__]
    content: tuple[dict[str, Any], Arrays] = file.to_arrays(statistics)
    return content


def to_resumable_arrays(statistics: AnyStatistics) -> tuple[dict[str, Any], Arrays]:
    """The same, with everything a resumed pass needs to give the same result in every bit."""
    if isinstance(statistics, IncompleteStatistics):
        return incomplete_file.to_arrays(statistics, resumable=True)
    return complete_file.to_arrays(statistics, resumable=True)
