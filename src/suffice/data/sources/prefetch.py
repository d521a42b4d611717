"""Prefetch: threads make the next items of an iterator while this thread works."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from threading import Event, Semaphore, Thread
from types import TracebackType
from typing import Generic, TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")


class Prefetched(Generic[Item]):
    """At most `depth` items ahead; errors are raised in order, and leaving stops the thread.

    >>> with Prefetched(iter(range(3)), 2) as items:
    ...     list(items)
    [0, 1, 2]
    """

    def __init__(self, items: Iterator[Item], depth: int) -> None:
        self._items = items
        self._ready: SimpleQueue[Item | _End] = SimpleQueue()
        self._places = Semaphore(depth)
        self._stop = Event()
        self._thread = Thread(target=self._run, name="suffice-reader", daemon=True)

    def __enter__(self) -> Iterator[Item]:
        self._thread.start()
        return self._take_all()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._places.release()
        self._thread.join()

    def _take_all(self) -> Iterator[Item]:
        while True:
            item = self._ready.get()
            if isinstance(item, _End):
                if item.error is not None:
                    raise item.error
                return
            self._places.release()
            yield item
            # Otherwise this item would stay in memory while the next is waited for.
            del item

    def _run(self) -> None:
        error: BaseException | None = None
        try:
            # Wait for a place before an item is made: afterwards it is in memory already.
            self._places.acquire()
            for item in self._items:
                self._ready.put(item)
                del item
                self._places.acquire()
                if self._stop.is_set():
                    return
        except BaseException as raised:  # raised again where the items are taken
            error = raised
        self._ready.put(_End(error))


class _End:
    def __init__(self, error: BaseException | None) -> None:
        self.error = error


def in_order(work: Callable[[Item], Made], items: Iterator[Item], threads: int) -> Iterator[Made]:
    """work(item) for each item, by several threads, in the order of the items.

    An error, of an item or of the work, is raised in its turn.

    >>> list(in_order(abs, iter([-2, 1, -3]), 2))
    [2, 1, 3]
    """
    waiting: deque[Future[Made]] = deque()
    failed: Exception | None = None
    with ThreadPoolExecutor(threads, "suffice-parser") as pool:
        while True:
            try:
                waiting.append(pool.submit(work, next(items)))
            except StopIteration:
                break
            except Exception as error:  # raised again after what came before it
                failed = error
                break
            if len(waiting) == threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    if failed is not None:
        raise failed
