"""Threads: how many, and BLAS kept from adding its own to them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import cache
from itertools import pairwise
from threading import Lock
from typing import Any, TypeVar

from suffice.errors import InvalidParameter

Result = TypeVar("Result")
Task = TypeVar("Task")

# Sizes of matrices: from the first BLAS may use threads, up to the second it had better not.
THREADED_FROM, SMALL_MATRIX = 32, 256

# More threads than any machine has processors for.
MOST_THREADS = 4096

_usual: ContextVar[int | None] = ContextVar("usual_threads", default=None)


def n_threads() -> int:
    """Threads to use: SUFFICE_NUM_THREADS, or as many as this process may run on."""
    asked = os.environ.get("SUFFICE_NUM_THREADS", "")
    if asked:
        return _threads(asked)
    usual = _usual.get()
    if usual is not None:
        return usual
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _threads(asked: str) -> int:
    whole = asked.isdecimal() and asked.isascii()
    if not whole or not 0 < int(asked[:12]) <= MOST_THREADS:
        raise InvalidParameter(
            f"the variable SUFFICE_NUM_THREADS is {asked[:20]!r}; it must be a whole number "
            f"from 1 to {MOST_THREADS}. Unset it to use all processors."
        )
    return int(asked)


@contextmanager
def usual_threads(number: int) -> Iterator[None]:
    """So many threads unless SUFFICE_NUM_THREADS says otherwise: others have work of their own."""
    before = _usual.set(number)
    try:
        yield
    finally:
        _usual.reset(before)


def in_parallel(work: Callable[..., Result], tasks: list[tuple[Any, ...]]) -> list[Result]:
    """Results of work(*task) for each task, a thread a task, in the order of the tasks."""
    first, *others = tasks
    if not others:
        return [work(*first)]
    # A pool for one call: nothing stays behind that a fork could break. The calling thread
    # takes its share, since starting a thread is what costs most.
    with ThreadPoolExecutor(len(others)) as pool:
        waiting = [pool.submit(copy_context().run, work, *task) for task in others]
        return [work(*first), *(result.result() for result in waiting)]


def in_turns(work: Callable[[Task], Result], tasks: Sequence[Task], threads: int) -> list[Result]:
    """Results of work(task) for each task, by threads that each take the next, with BLAS alone."""
    if min(threads, len(tasks)) < 2:
        return [work(task) for task in tasks]
    with blas_threads(1), ThreadPoolExecutor(min(threads, len(tasks))) as pool:
        return list(pool.map(work, tasks))


def shares(n: int, parts: int) -> list[tuple[int, int]]:
    """Nearly equal ranges that cover 0 to n.

    >>> shares(10, 3)
    [(0, 3), (3, 6), (6, 10)]
    """
    edges = [n * i // parts for i in range(parts + 1)]
    return list(pairwise(edges))


_lock = Lock()
_users = 0
_limiter: Any = None
_limits: list[int] = []  # that of the first user, and all firm ones


@contextmanager
def blas_threads(limit: int, firmly: bool = False) -> Iterator[None]:
    """BLAS held to `limit` threads: several callers at once, the last one to leave restores.

    Small products are faster one a thread than one over all threads. Of several callers the first
    has its way, unless another one asks firmly: last digits of products depend on it.
    """
    global _users, _limiter
    with _lock:
        if _users == 0:
            _limiter = _controller().limit(limits=limit, user_api="blas")
            _limiter.__enter__()
            _limits.append(limit)
        _users += 1
        if firmly:
            _limits.append(limit)
            _hold_to(min(_limits))
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if firmly:
                _limits.remove(limit)
                _hold_to(min(_limits))
            if _users == 0:
                _limiter.__exit__(None, None, None)
                _limiter = None
                _limits.clear()


def _hold_to(limit: int) -> None:
    for library in _controller().select(user_api="blas").lib_controllers:
        library.set_num_threads(limit)


@contextmanager
def small_matrices(d: int) -> Iterator[None]:
    """BLAS as is best for factors of d x d matrices: its threads wait longer than small ones take.

    Below some size it uses one thread by itself.
    """
    if d < THREADED_FROM:
        yield
        return
    with blas_threads(1 if d <= SMALL_MATRIX else n_threads()):
        yield


@cache
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
