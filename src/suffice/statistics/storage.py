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
from suffice.statistics.room import Room
from suffice.statistics.statistics import Statistics

Stored: TypeAlias = Statistics | IncompleteStatistics | Counts | MixedStatistics

# Characters of a reason that a message shows: it may quote what a crafted file holds.
LONGEST_REASON = 300

# What crafted content may raise in code that was written for honest content.
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
    write_whole(path, packed(statistics, key))


def load(path: str | PathLike[str], *, key: bytes | None = None, trusted: bool = False) -> Stored:
    """The statistics that `save` wrote, checked throughout; nothing in the file is executed."""
    check_path(path)
    data, name = read_whole(path), str(path)
    return opened(*unpack(data, name, key), name, Room(None if trusted else len(data)))


def opened(header: dict[str, Any], arrays: Arrays, name: str, room: Room) -> Stored:
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
    """Whether a header is one of statistics."""
    return isinstance(header.get("kind"), str) and header["kind"] in _READERS


def read(header: Any, arrays: Arrays, room: Room) -> Stored:
    """The statistics of a header and arrays; ValueError says what is wrong."""
    if not isinstance(header, dict) or not is_statistics(header):
        raise ValueError("there are no statistics")
    file = _READERS[header["kind"]]
    strange = sorted(set(header) ^ file.FIELDS)
    if strange:
        raise ValueError(f"its header lacks the field {strange[0]!r}, or has it though it must not")
    found: Stored = file.read(header, arrays, room)
    return found


def inconsistent(name: str, error: Exception) -> InvalidFile:
    """The error for a file that contradicts itself."""
    known = isinstance(error, SufficeError) or type(error) is ValueError
    why = str(error) if known else f"{type(error).__name__} {error}"
    why = why if len(why) <= LONGEST_REASON else f"{why[:LONGEST_REASON]}..."
    return InvalidFile(f"{name} is not consistent: {why.rstrip('.')}.")


def digest(statistics: Stored) -> str:
    """SHA-256 of the file that `save` would write."""
    return hashlib.sha256(packed(statistics)).hexdigest()


def packed(statistics: Stored, key: bytes | None = None) -> bytes:
    """The bytes of a file: equal for equal content."""
    return pack(*written(statistics), key)


def written(statistics: Stored) -> tuple[dict[str, Any], Arrays]:
    """Header and arrays of statistics."""
    found: tuple[dict[str, Any], Arrays] = _FILES[type(statistics)].written(statistics)
    return found


def running(statistics: AnyStatistics) -> tuple[dict[str, Any], Arrays]:
    """The same, with all that a pass which is resumed takes to come to the same bits."""
    if isinstance(statistics, IncompleteStatistics):
        return incomplete_file.written(statistics, running=True)
    return complete_file.written(statistics, running=True)
