"""Timing: the fastest of several runs, contenders taking turns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import perf_counter, sleep
from typing import Any

PAUSE = 0.1

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
    # BLAS threads may go on spinning for a while after a product: let those of one contender
    # come to rest before the next one starts.
    sleep(PAUSE)
    start = perf_counter()
    call()  # what it returns is freed here, before the clock stops: for everyone
    return perf_counter() - start
