"""Storage: statistics to a file and back."""

from __future__ import annotations

import hashlib
from os import PathLike
from typing import Any, TypeAlias

from suffice.data.arrays import Array
from suffice.data.files import read_whole, write_whole
from suffice.data.parameters import check_path
from suffice.errors import InvalidFile
from suffice.statistics import complete_file, counts_file, incomplete_file, mixed_file
from suffice.statistics.container import unpack
from suffice.statistics.counts import Counts
from suffice.statistics.incomplete import IncompleteStatistics
from suffice.statistics.mixed import MixedStatistics
from suffice.statistics.statistics import Statistics

Stored: TypeAlias = Statistics | IncompleteStatistics | Counts | MixedStatistics


def save(statistics: Stored, path: str | PathLike[str]) -> None:
    """Write statistics to one safetensors file, whole or not at all."""
    check_path(path)
    write_whole(path, packed(statistics))


def load(path: str | PathLike[str]) -> Stored:
    """The statistics that `save` wrote, checked throughout; nothing in the file is executed."""
    check_path(path)
    name = str(path)
    return opened(*unpack(read_whole(path), name), name)


def opened(header: dict[str, Any], arrays: dict[str, Array], name: str) -> Stored:
    """The statistics in a file of that name, from its header and arrays."""
    kind = header.get("kind")
    try:
        if kind == complete_file.KIND:
            return complete_file.unpacked(header, arrays)
        if kind == incomplete_file.KIND:
            return incomplete_file.unpacked(header, arrays, name)
        if kind == counts_file.KIND:
            return counts_file.unpacked(header, arrays)
        if kind == mixed_file.KIND:
            return mixed_file.unpacked(header, arrays, name)
    except InvalidFile:
        raise
    except (KeyError, ValueError, TypeError, IndexError, OverflowError) as error:
        why = error if type(error) is ValueError else repr(error)
        raise InvalidFile(f"{name} is not consistent: {why}.") from None
    raise InvalidFile(f"{name} holds {kind!r}, which this version cannot read.")


def digest(statistics: Stored) -> str:
    """SHA-256 of the file that `save` would write."""
    return hashlib.sha256(packed(statistics)).hexdigest()


def packed(statistics: Stored, running: bool = False) -> bytes:
    """The bytes of a file: equal for equal content.

    running : with all that a pass which is resumed takes to come to the same bits
    """
    if isinstance(statistics, IncompleteStatistics):
        return incomplete_file.packed(statistics, running)
    if isinstance(statistics, Counts):
        return counts_file.packed(statistics)
    if isinstance(statistics, MixedStatistics):
        return mixed_file.packed(statistics)
    return complete_file.packed(statistics, running)
