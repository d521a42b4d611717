"""Threads: their number, and how many of them BLAS may use."""

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


_usual: ContextVar[int | None] = ContextVar("usual_threads", default=None)


def n_threads() -> int:
    """Number of threads: SUFFICE_NUM_THREADS, or the number of processors of this process."""
    setting = os.environ.get("SUFFICE_NUM_THREADS", "")
    if setting:
        return _threads(setting)
    usual = _usual.get()
    if usual is not None:
        return usual
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _threads(setting: str) -> int:
    whole = setting.isdecimal() and setting.isascii()
    # Largest number of threads that is accepted.
    most_threads = 4096
    if not whole or not 0 < int(setting[:12]) <= most_threads:
        raise InvalidParameter(
            f"the environment variable SUFFICE_NUM_THREADS is {setting[:20]!r}; it must be a "
            f"whole number from 1 to {most_threads}. Unset it to use all processors."
        )
    return int(setting)


@contextmanager
def usual_threads(number: int) -> Iterator[None]:
    """Use `number` threads unless SUFFICE_NUM_THREADS is set: other workers need the rest."""
    before = _usual.set(number)
    try:
        yield
    finally:
        _usual.reset(before)


def in_parallel(work: Callable[..., Result], tasks: list[tuple[Any, ...]]) -> list[Result]:
    """Results of work(*task) for each task, one thread per task, in the order of the tasks."""
    first, *others = tasks
    if not others:
        return [work(*first)]
    # A new pool for each call: no thread stays alive that a fork could break. The calling
    # thread does its share, since starting threads is the largest cost.
    with ThreadPoolExecutor(len(others)) as pool:
        waiting = [pool.submit(copy_context().run, work, *task) for task in others]
        return [work(*first), *(result.result() for result in waiting)]


def in_turns(work: Callable[[Task], Result], tasks: Sequence[Task], threads: int) -> list[Result]:
    """Results of work(task) for each task; idle threads take the next task, BLAS uses one."""
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
_limits: list[int] = []  # the limit of the first caller, and all firm limits


@contextmanager
def blas_threads(limit: int, firmly: bool = False) -> Iterator[None]:
    """Limit BLAS to `limit` threads; of several concurrent callers, the last one restores it.

    Several small products run faster with one thread each than one after the other on all threads.
    Of several concurrent callers, the first sets the limit, unless another one sets it `firmly`:
    the last digits of products depend on it. The limit never raises what BLAS was set to, such as
    by OPENBLAS_NUM_THREADS or by joblib: other processes may need the other processors.
    """
    global _users, _limiter
    with _lock:
        if _users == 0:
            limit = min([limit, *(library.get_num_threads() for library in _blas_libraries())])
            _limiter = _controller().limit(limits=limit, user_api="blas")
            _limiter.__enter__()
            _limits.append(limit)
        _users += 1
        if firmly:
            _limits.append(limit)
            _set_blas_threads(min(_limits))
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if firmly:
                _limits.remove(limit)
                _set_blas_threads(min(_limits))
            if _users == 0:
                _limiter.__exit__(None, None, None)
                _limiter = None
                _limits.clear()


def _set_blas_threads(limit: int) -> None:
    for library in _blas_libraries():
        library.set_num_threads(limit)


def _blas_libraries() -> list[Any]:
    libraries: list[Any] = _controller().select(user_api="blas").lib_controllers
    return libraries


@contextmanager
def small_matrices(d: int) -> Iterator[None]:
    """Limit BLAS as is best for factoring d x d matrices: with small ones, threads mostly wait.

    Below some size BLAS uses one thread by itself.
    """
    # Size of matrices from which BLAS uses threads by itself.
    threaded_from = 32
    if d < threaded_from:
        yield
        return
    # Size of matrices up to which one thread is faster than several.
    small_matrix = 256
    with blas_threads(1 if d <= small_matrix else n_threads()):
        yield


@cache
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
