"""Streaming: chunks are read ahead, summarized in parallel, and added up in their order.

Each chunk is summarized by one thread, whatever the number of threads. So the sums are the same to
the last bit on one core or many, and whether or not the pass was interrupted.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from threading import local
from time import monotonic
from typing import TypeAlias

import numpy as np

from suffice.data.arrays import Floats
from suffice.data.batches import Batch
from suffice.data.sources.chunk import Chunk, Position
from suffice.data.sources.chunk_batch import batch_of
from suffice.data.sources.prefetch import Prefetched
from suffice.data.sources.stream import FileFailed, FileStream, Stream
from suffice.errors import CheckpointFailed, InvalidFeatures, InvalidInput
from suffice.statistics.passes.checkpoint import Checkpoint, PassState
from suffice.statistics.passes.progress import Listener, Progress
from suffice.statistics.passes.threads import blas_threads, n_threads
from suffice.statistics.relabelling import infer_label_type
from suffice.statistics.table_statistics import RowStatistics, added

Part: TypeAlias = RowStatistics | None


@dataclass(frozen=True, slots=True)
class Waiting:
    """A chunk that is being summarized; its rows are released as early as possible."""

    source: str
    after: Position
    share: float
    part: Future[Part]


def summarize_stream(
    stream: Stream,
    of_batch: Callable[[Batch], RowStatistics],
    checkpoint: Checkpoint | None = None,
    listener: Listener | None = None,
) -> RowStatistics:
    """Statistics of all chunks of a stream.

    of_batch : makes the statistics of one chunk
    """
    start = PassState() if checkpoint is None else checkpoint.begin()
    run = _Pass(start, checkpoint, listener)
    # Every thread holds a chunk: more threads than this take memory and only wait for the reader.
    most_threads = 3
    threads, parts = min(n_threads(), most_threads), _Parts(stream, of_batch)
    with blas_threads(1, firmly=True), ThreadPoolExecutor(threads) as pool:
        try:
            run.count(stream, parts, pool, threads)
        except BaseException as error:
            pool.shutdown(wait=False, cancel_futures=True)
            run.abandon(error)
            raise
    if checkpoint is not None:
        checkpoint.commit(run.state)
    if run.state.statistics is None:
        raise InvalidFeatures(f"there is no row of positive weight in {_inputs(stream)}.")
    return run.state.statistics if stream.roles.typed else infer_label_type(run.state.statistics)


def _inputs(stream: Stream) -> str:
    if not isinstance(stream, FileStream):
        return "the input"
    more = f" and {len(stream.paths) - 1} further files" if len(stream.paths) > 1 else ""
    return f"{stream.paths[0]}{more}"


class _Pass:
    """One pass: its state now, and its state at the start of the current file."""

    def __init__(
        self, start: PassState, checkpoint: Checkpoint | None, listener: Listener | None
    ) -> None:
        self.state = start
        self._before = start if start.position.row == 0 else None
        if checkpoint is not None and checkpoint.before is not None:
            self._before = checkpoint.before
        self._checkpoint = checkpoint
        self._listener = listener
        self._began = monotonic()
        self._first_rows = start.rows
        self._first_share: float | None = None if start.rows else 0.0

    def count(self, stream: Stream, parts: _Parts, pool: ThreadPoolExecutor, most: int) -> None:
        """Add up all chunks from the current state on, at most `most` of them in parallel."""
        waiting: deque[Waiting] = deque()
        with Prefetched(stream.chunks(self.state.position), 1) as ready:
            try:
                for chunk in ready:
                    source, after, share, box = chunk.source, chunk.after, chunk.share, [chunk]
                    del chunk
                    waiting.append(Waiting(source, after, share, pool.submit(parts, box)))
                    while len(waiting) >= most:
                        self._collect(waiting.popleft())
            except FileFailed as failed:
                # Chunks read before the failure come first; their error, if any, takes precedence.
                self._collect_all(waiting)
                self._enter_file(failed.file)
                raise failed.error from failed.error.__cause__
            self._collect_all(waiting)

    def abandon(self, error: BaseException) -> None:
        """Keep what was counted before an error."""
        if self._checkpoint is None or isinstance(error, CheckpointFailed):
            return
        try:
            before = self._before if isinstance(error, InvalidInput) else None
            self._checkpoint.commit(self.state, before)
        except CheckpointFailed:
            # The error that ended the pass is the one to raise; the last checkpoint stays valid.
            return

    def _collect_all(self, waiting: deque[Waiting]) -> None:
        while waiting:
            self._collect(waiting.popleft())

    def _collect(self, one: Waiting) -> None:
        self._enter_file(one.after.file)
        part, total = one.part.result(), self.state.statistics
        if part is not None:
            try:
                total = part if total is None else added(total, part)
            except InvalidInput as error:
                raise type(error)(f"{one.source}: {error}" if one.source else str(error)) from error
        self.state = PassState(one.after, total)
        if self._checkpoint is not None:
            self._checkpoint.offer(self.state)
        if self._listener is not None:
            self._report_progress(one.share)

    def _enter_file(self, file: int) -> None:
        if file != self.state.position.file:
            self._before = PassState(Position(file), self.state.statistics)

    def _report_progress(self, share: float) -> None:
        assert self._listener is not None
        seconds = monotonic() - self._began
        if self._first_share is None:
            # After an interruption, the first report only sets the starting point.
            self._first_share = share
        self._listener(
            Progress(self.state.rows, share, seconds, self._first_rows, self._first_share)
        )


class _Parts:
    """Makes the statistics of a chunk; each thread reuses one array for its rows."""

    def __init__(self, stream: Stream, of_batch: Callable[[Batch], RowStatistics]) -> None:
        self._roles = stream.roles
        self._is_long = stream.is_long
        self._of_batch = of_batch
        self._kept = local()

    def __call__(self, box: list[Chunk]) -> Part:
        batch = batch_of(box.pop(), self._roles, self._room, self._is_long)
        if batch is None:
            return None
        try:
            return self._of_batch(batch)
        except InvalidInput as error:
            if not batch.source:
                raise
            raise type(error)(f"{batch.source}{error}") from error

    def _room(self, shape: tuple[int, int]) -> Floats:
        size = math.prod(shape)
        kept: Floats | None = getattr(self._kept, "room", None)
        if kept is None or kept.size < size:
            # Fresh memory costs as much time as the sums, because the system clears it first.
            kept = self._kept.room = np.empty(size)
        return kept[:size].reshape(shape)
