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

from suffice.data.files import read_whole, write_whole
from suffice.data.fingerprint import Fingerprint
from suffice.errors import (
    ChangedInput,
    CheckpointFailed,
    InvalidFile,
    InvalidParameter,
    UnwritableFile,
)
from suffice.statistics.checkpoint_file import KIND, NAMES, Ledger, PassState, read, written
from suffice.statistics.container import brief, pack, unpack
from suffice.statistics.room import Room
from suffice.statistics.storage import INCONSISTENT, inconsistent

# Commits are at least so many seconds apart, and so many times the time that one takes.
INTERVAL, SPARSENESS = 2.0, 100.0


@dataclass(slots=True)
class Checkpoint:
    """A file that a pass over files goes on from.

    task : what is computed; a file of another task is refused
    """

    path: Path
    paths: Sequence[Path]
    task: dict[str, Any]
    before: PassState | None = None  # that at the start of a file which could not be read
    _prints: list[Fingerprint] = field(default_factory=list)
    _due: float = 0.0

    def begin(self) -> PassState:
        """The state to go on from; raises unless the files are those it was counted from."""
        self._prints = [Fingerprint.of(path) for path in self.paths]
        state = self._read() if self.path.exists() else PassState()
        # Fail early if it cannot be written.
        self.commit(state, self.before)
        return state

    def offer(self, state: PassState) -> None:
        """Write a state if the last one is old enough."""
        if monotonic() >= self._due:
            self.commit(state)

    def commit(self, state: PassState, before: PassState | None = None) -> None:
        """Write a state.

        before : that at the start of a file which cannot be read; should the file be mended,
            it is read again from its start
        """
        start = monotonic()
        states = {
            name: one for name, one in zip(NAMES, (state, before), strict=True) if one is not None
        }
        ledger = Ledger(self.task, self._files(), states)
        try:
            write_whole(self.path, pack(*written(ledger)))
        except UnwritableFile as error:
            raise CheckpointFailed(
                f"the checkpoint is not written: {error} Correct that and run again: the work "
                "goes on from the last checkpoint."
            ) from None
        now = monotonic()
        self._due = now + max(INTERVAL, SPARSENESS * (now - start))

    def _files(self) -> list[tuple[str, Fingerprint]]:
        return [(str(path), own) for path, own in zip(self.paths, self._prints, strict=True)]

    def _read(self) -> PassState:
        name, ledger = str(self.path), self._ledger()
        self._check_task(ledger)
        changed = self._changed(ledger)
        state, self.before = (ledger.states.get(key) for key in NAMES)
        if self.before is not None and changed == [self.before.position.file]:
            return self.before
        if not changed and state is not None:
            return state
        raise ChangedInput(
            f"{self.paths[changed[0]]} has changed since the checkpoint {name} was written, so "
            "what was counted no longer holds. Put the old file back, or remove the checkpoint to "
            "start again."
        )

    def _ledger(self) -> Ledger:
        """What the file holds, checked throughout."""
        name, data = str(self.path), read_whole(self.path)
        header, arrays = unpack(data, name)
        if header.get("kind") != KIND:
            kind = brief(header.get("kind"))
            raise InvalidFile(f"{name} is no checkpoint but {kind}; take another name.")
        try:
            # Twice the room of other files, and labels of any length: those of the rows to come
            # are not limited either.
            return read(header, arrays, Room(2 * len(data), label_bytes=None))
        except INCONSISTENT as error:
            raise inconsistent(name, error) from None

    def _check_task(self, ledger: Ledger) -> None:
        for key, value in self.task.items():
            if ledger.task.get(key) != value:
                raise InvalidParameter(
                    f"the checkpoint {self.path} was made with {key} {ledger.task.get(key)!r}, "
                    f"not {value!r}. Name another file, or remove it to start again."
                )
        for state in ledger.states.values():
            found = state.statistics
            if found is not None and (found.detail, list(found.feature_names or ())) != (
                self.task["detail"],
                self.task["columns"],
            ):
                raise InvalidFile(
                    f"{self.path} is not consistent: its statistics are not those of its task."
                )

    def _changed(self, ledger: Ledger) -> list[int]:
        """The files that are not as they were; an error names those added or gone."""
        then, now = [name for name, _ in ledger.files], [str(path) for path in self.paths]
        if then != now:
            other = [*(set(now) - set(then)), *(set(then) - set(now))]
            what = f"{min(other)} is" if other else "their order is"
            raise ChangedInput(
                f"these are not the files that the checkpoint {self.path} was made of: {what} "
                "different. Name the same files, or remove the checkpoint to start again."
            )
        pairs = zip(ledger.files, self._prints, strict=True)
        return [i for i, ((_, before), after) in enumerate(pairs) if before != after]
