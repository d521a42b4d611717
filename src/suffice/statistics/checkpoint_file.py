"""Checkpoint file: a ledger of the rows counted, to the header and arrays of a file and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from suffice.data.arrays import Array
from suffice.data.chunk import Position
from suffice.data.fingerprint import Fingerprint
from suffice.statistics import storage
from suffice.statistics.incomplete import AnyStatistics, IncompleteStatistics
from suffice.statistics.nesting import Arrays, below, prefixed
from suffice.statistics.room import Room
from suffice.statistics.soundness import MOST_ROWS
from suffice.statistics.statistics import Statistics
from suffice.statistics.texts import STRING_BYTES, read_texts, write_texts

KIND = "checkpoint"

NAMES = ("now", "before")

_FIELDS = {"format", "signed", "kind", "task", "states"}


@dataclass(frozen=True, slots=True)
class PassState:
    """The statistics of all rows before a position."""

    position: Position = field(default_factory=Position)
    statistics: AnyStatistics | None = None  # None if no row has been counted yet

    @property
    def rows(self) -> int:
        """Number of rows counted."""
        return 0 if self.statistics is None else int(self.statistics.count.sum())


@dataclass(frozen=True, slots=True)
class Ledger:
    """What is computed from which files, and how far the pass has come.

    task : the settings of the pass by name: strings, numbers, lists of strings, or None
    files : the name and fingerprint of each file
    states : "now", and "before" if a file could not be read: the state at its start
    """

    task: Mapping[str, Any]
    files: list[tuple[str, Fingerprint]]
    states: Mapping[str, PassState]


def to_arrays(ledger: Ledger) -> tuple[dict[str, Any], Arrays]:
    """Header and arrays of a ledger."""
    lists = {name: value for name, value in ledger.task.items() if isinstance(value, list)}
    prints = [one for _, one in ledger.files]
    arrays = {
        **write_texts("files", [name for name, _ in ledger.files]),
        "files.size": np.array([one.size for one in prints], np.int64),
        "files.modified": np.array([one.modified for one in prints], np.int64),
        **write_texts("files.hash", [one.ends for one in prints]),
    }
    for name, value in lists.items():
        arrays |= write_texts(f"task.{name}", value)
    states: dict[str, dict[str, Any]] = {}
    for name, state in ledger.states.items():
        at, statistics = state.position, state.statistics
        states[name] = {"position": [at.file, at.row, at.mark, at.mark_row], "statistics": None}
        if statistics is not None:
            states[name]["statistics"], own = storage.to_resumable_arrays(statistics)
            arrays |= prefixed(name, own)
    task = {name: None if name in lists else value for name, value in ledger.task.items()}
    return {"kind": KIND, "task": task, "states": states}, arrays


def read(header: dict[str, Any], arrays: Arrays, room: Room) -> Ledger:
    """The ledger in a file, fully validated; a ValueError says what is wrong."""
    task, states = header["task"], header["states"]
    if set(header) != _FIELDS or not isinstance(task, dict) or not isinstance(states, dict):
        raise ValueError("it does not have the fields of a checkpoint")
    if NAMES[0] not in states or not set(states) <= set(NAMES):
        raise ValueError("it does not say how far the pass has come")
    lists = {name for name in task if f"task.{name}.ends" in arrays}
    whole = {
        name: read_texts(f"task.{name}", arrays, room) if name in lists else value
        for name, value in task.items()
    }
    files = _files(arrays, room)
    pass_states = {name: _state(own, below(name, arrays), room) for name, own in states.items()}
    if not all(0 <= state.position.file < max(1, len(files)) for state in pass_states.values()):
        raise ValueError("a position is in a file that does not exist")
    return Ledger(whole, files, pass_states)


def _files(arrays: Arrays, room: Room) -> list[tuple[str, Fingerprint]]:
    names, hashes = (read_texts(name, arrays, room) for name in ("files", "files.hash"))
    sizes, times = (_numbers(arrays[f"files.{name}"]) for name in ("size", "modified"))
    room.take(2 * STRING_BYTES * len(names), "the files")
    rows = zip(names, sizes, times, hashes, strict=True)
    return [(name, Fingerprint(size, time, ends)) for name, size, time, ends in rows]


def _numbers(array: Array) -> list[int]:
    if array.dtype != np.int64 or array.ndim != 1:
        raise ValueError("sizes and times of files are not numbers")
    return [*array.tolist()]


def _state(header: Any, arrays: Arrays, room: Room) -> PassState:
    if not isinstance(header, dict) or set(header) != {"position", "statistics"}:
        raise ValueError("a state does not have its two fields")
    numbers, own = header["position"], header["statistics"]
    if not isinstance(numbers, list) or len(numbers) != 4:
        raise ValueError("a position is not four numbers")
    if not all(type(number) is int and 0 <= number < MOST_ROWS for number in numbers):
        raise ValueError("a position is outside every file")
    position = Position(*numbers)
    if position.mark_row > position.row:
        raise ValueError("a position is behind itself")
    if own is None:
        return PassState(position)
    statistics = storage.read(own, arrays, room)
    if not isinstance(statistics, Statistics | IncompleteStatistics):
        raise ValueError("its statistics are of another kind")
    return PassState(position, statistics)
