"""Effort: how much work EM does before it accepts estimates that are nearly converged."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from suffice.data.arrays import Floats

_most_work: ContextVar[float] = ContextVar("em_work", default=float("inf"))


class Start(NamedTuple):
    """Where EM ended for the same rows under other settings, in standard deviations."""

    moved: Floats  # (k d,): from the means of the observed values
    entries: Floats  # (g, e): the upper triangle of each covariance


_starts: ContextVar[dict[tuple[int, int], Start] | None] = ContextVar("em_starts", default=None)


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


def shared_starts() -> dict[tuple[int, int], Start]:
    """Where EM starts, by the numbers of classes and features; kept between runs where shared."""
    starts = _starts.get()
    return {} if starts is None else starts


@contextmanager
def sharing_starts() -> Iterator[None]:
    """A context in which models of the same rows start EM where the one before has ended.

    Their estimates are close to each other: starting anew would take several times as many steps.
    This holds where effort is limited, so that estimates which converge do not depend on the start.
    """
    with _starts_from({}):
        yield


@contextmanager
def of_other_rows() -> Iterator[None]:
    """A context for models of other rows than before: none of those before is a start."""
    with _starts_from(None if _starts.get() is None else {}):
        yield


@contextmanager
def _starts_from(starts: dict[tuple[int, int], Start] | None) -> Iterator[None]:
    token = _starts.set(starts)
    try:
        yield
    finally:
        _starts.reset(token)
