"""Checkpoint: statistics and the ledger of what they have counted, in one file.

Both are replaced together or not at all. So whenever a process ends, what the file says was
counted is in its statistics, once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from suffice.data.chunk import Position
from suffice.data.files import read_whole, write_whole
from suffice.data.fingerprint import Fingerprint
from suffice.errors import (
    ChangedInput,
    CheckpointFailed,
    InvalidFile,
    InvalidParameter,
    UnwritableFile,
)
from suffice.statistics.container import pack, unpack
from suffice.statistics.incomplete import AnyStatistics
from suffice.statistics.storage import opened, packed

KIND = "checkpoint"

# Commits are at least so many seconds apart, and so many times the time that one takes.
INTERVAL, SPARSENESS = 2.0, 100.0


@dataclass(frozen=True, slots=True)
class State:
    """What has been counted: all rows before a position."""

    position: Position = field(default_factory=Position)
    statistics: AnyStatistics | None = None  # None where no row has counted yet

    @property
    def rows(self) -> int:
        """How many rows have counted."""
        return 0 if self.statistics is None else int(self.statistics.count.sum())


@dataclass(slots=True)
class Checkpoint:
    """A file that a pass over files goes on from.

    task : what is computed; a file of another task is refused
    """

    path: Path
    paths: Sequence[Path]
    task: dict[str, Any]
    before: State | None = None  # that at the start of a file which could not be read
    _prints: list[Fingerprint] = field(default_factory=list)
    _due: float = 0.0

    def begin(self) -> State:
        """The state to go on from; raises unless the files are those it was counted from."""
        self._prints = [Fingerprint.of(path) for path in self.paths]
        state = self._read() if self.path.exists() else State()
        # Fail early if it cannot be written.
        self.commit(state, self.before)
        return state

    def offer(self, state: State) -> None:
        """Write a state if the last one is old enough."""
        if monotonic() >= self._due:
            self.commit(state)

    def commit(self, state: State, before: State | None = None) -> None:
        """Write a state.

        before : that at the start of a file which cannot be read; should the file be mended,
            it is read again from its start
        """
        start = monotonic()
        header: dict[str, Any] = {
            "kind": KIND,
            "task": self.task,
            "files": [
                [str(p), *f.as_json()] for p, f in zip(self.paths, self._prints, strict=True)
            ],
            "position": _numbers(state.position),
            "before": None if before is None else _numbers(before.position),
        }
        parts = {"statistics": state, "statistics.before": before or State()}
        arrays = {
            name: np.frombuffer(packed(part.statistics, running=True), np.uint8)
            for name, part in parts.items()
            if part.statistics is not None
        }
        try:
            write_whole(self.path, pack(header, arrays))
        except UnwritableFile as error:
            raise CheckpointFailed(
                f"the checkpoint is not written: {error} Correct that and run again: the work "
                "goes on from the last checkpoint."
            ) from None
        now = monotonic()
        self._due = now + max(INTERVAL, SPARSENESS * (now - start))

    def _read(self) -> State:
        name = str(self.path)
        header, arrays = unpack(read_whole(self.path), name)
        if header.get("kind") != KIND:
            raise InvalidFile(
                f"{name} is no checkpoint but {header.get('kind')!r}; take another name."
            )
        self._check_task(header["task"])
        changed = self._changed(header["files"])
        if header["before"] is not None:
            past = _statistics(arrays, "statistics.before", name)
            self.before = State(Position(*header["before"]), past)
            if changed == [self.before.position.file]:
                return self.before
        if not changed:
            return State(Position(*header["position"]), _statistics(arrays, "statistics", name))
        raise ChangedInput(
            f"{self.paths[changed[0]]} has changed since the checkpoint {name} was written, so "
            "what was counted no longer holds. Put the old file back, or remove the checkpoint to "
            "start again."
        )

    def _check_task(self, task: dict[str, Any]) -> None:
        for key, value in self.task.items():
            if task.get(key) != value:
                raise InvalidParameter(
                    f"the checkpoint {self.path} was made with {key} {task.get(key)!r}, not "
                    f"{value!r}. Name another file, or remove it to start again."
                )

    def _changed(self, files: list[list[Any]]) -> list[int]:
        """The files that are not as they were; an error names those added or gone."""
        then, now = [one[0] for one in files], [str(path) for path in self.paths]
        if then != now:
            other = [*(set(now) - set(then)), *(set(then) - set(now))]
            what = f"{min(other)} is" if other else "their order is"
            raise ChangedInput(
                f"these are not the files that the checkpoint {self.path} was made of: {what} "
                "different. Name the same files, or remove the checkpoint to start again."
            )
        pairs = zip(files, self._prints, strict=True)
        return [i for i, (then_, now_) in enumerate(pairs) if then_[1:] != now_.as_json()]


def _statistics(arrays: dict[str, Any], key: str, name: str) -> AnyStatistics | None:
    if key not in arrays:
        return None
    found = opened(*unpack(arrays[key].tobytes(), name), name)
    assert not hasattr(found, "discrete")
    return found  # type: ignore[return-value]


def _numbers(position: Position) -> list[int]:
    return [position.file, position.row, position.mark, position.mark_row]
