"""Timing: the fastest of several runs, contenders taking turns."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from hashlib import sha256
from threading import Thread
from time import perf_counter
from typing import Any

PAUSE = 0.1
BUSY_WORK = bytes(1 << 20)

Contenders = Mapping[str, Callable[[], Any]]


def fastest(
    contenders: Contenders, rounds: int = 7, warm: bool = True, enough: float = 60.0
) -> dict[str, float]:
    """Seconds of the fastest run of each contender.

    Every round runs all of them, every other round in reverse order, so that a noisy
    neighbour or a warm cache helps and hurts them alike. No new round starts once `enough`
    seconds are spent.
    """
    best = dict.fromkeys(contenders, float("inf"))
    names = list(contenders)
    if warm:
        for name in names:
            contenders[name]()
    began = perf_counter()
    for turn in range(rounds):
        for name in names if turn % 2 == 0 else reversed(names):
            best[name] = min(best[name], _seconds(contenders[name]))
        if perf_counter() - began > enough:
            break
    return best


def fastest_calls(contenders: Contenders, calls: int, rounds: int = 7) -> dict[str, float]:
    """Seconds a call for work too short to time alone: the fastest of runs of many calls."""

    def many(call: Callable[[], Any]) -> Callable[[], None]:
        def repeated() -> None:
            for _ in range(calls):
                call()

        return repeated

    timed = fastest({name: many(call) for name, call in contenders.items()}, rounds)
    return {name: seconds / calls for name, seconds in timed.items()}


def _seconds(call: Callable[[], Any]) -> float:
    _settle()
    start = perf_counter()
    call()  # what it returns is freed here, before the clock stops: for everyone
    return perf_counter() - start


def _settle() -> None:
    """Wait until the BLAS threads of the last contender spin no more, with every core awake.

    A virtual machine may put all threads of an idle process on one core for the first
    milliseconds: asleep in the meantime, whoever uses two threads would pay for it.
    """
    until = perf_counter() + PAUSE
    others = [Thread(target=_busy, args=(until,)) for _ in range((os.cpu_count() or 1) - 1)]
    for other in others:
        other.start()
    _busy(until)
    for other in others:
        other.join()


def _busy(until: float) -> None:
    while perf_counter() < until:
        sha256(BUSY_WORK)  # long enough to let go of the interpreter
