"""Folds: rows to train on and to test on, and their statistics without reading a row twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.errors import InvalidParameter, TooFewRows
from suffice.statistics.passes.threads import in_turns
from suffice.text import quote_names


@dataclass(frozen=True, slots=True)
class Fold:
    """Row numbers to train on, and to test on."""

    train: Indices
    test: Indices

    def splits(self, n: int) -> bool:
        """Whether each of n rows is in exactly one of the two."""
        counted = np.bincount(self.train, minlength=n) + np.bincount(self.test, minlength=n)
        return bool((counted == 1).all())


def training_statistics(
    folds: Sequence[Fold], n: int, summarize: Callable[[Indices], Any], threads: int = 1
) -> Iterator[tuple[Any, Any]]:
    """Statistics of the training rows of each fold, and of all rows where they are known.

    Where folds partition the rows, training = all - own fold. It is computed as the sum of the
    other folds, so that a fold with an outlier costs no digits.
    """
    for group in disjoint_groups(folds, n):
        if len(group) == 1:
            yield summarize(group[0].train), None
            continue
        parts = [fold.test for fold in group]
        untested = np.ones(n, bool)
        untested[np.concatenate(parts)] = False
        if untested.any():
            parts.append(np.flatnonzero(untested))
        statistics = in_turns(summarize, parts, threads)
        others = all_but_each(statistics)
        whole = statistics[0] + others[0]
        yield from ((training, whole) for training in others[: len(group)])


def training_shares(folds: Sequence[Fold], codes: Indices, weights: Floats, k: int) -> Floats:
    """The share of each class in the training rows of each fold, (f, k)."""
    total = np.array([np.bincount(codes[f.train], weights[f.train], k) for f in folds])
    return np.asarray(total / total.sum(axis=1, keepdims=True))


def all_but_each(parts: Sequence[Any]) -> list[Any]:
    """For each of two or more parts, the sum of the others.

    >>> all_but_each([1, 2, 4, 8])
    [14, 13, 11, 7]
    """
    before = list(accumulate(parts[:-1]))
    after = list(accumulate(reversed(parts[1:]), lambda total, part: part + total))[::-1]
    between = [a + b for a, b in zip(before, after[1:], strict=False)]
    return [after[0], *between, before[-1]]


def folds_inside(outer: Fold, folds: Sequence[Fold], codes: Indices) -> list[Fold]:
    """The other folds within the training rows of one; each trains on every class of these rows.

    >>> first, second, third = (Fold(np.delete(np.arange(3), i), np.array([i])) for i in range(3))
    >>> folds_inside(first, [first, second, third], np.zeros(3, int))
    [Fold(train=array([2]), test=array([1])), Fold(train=array([1]), test=array([2]))]
    """
    own = np.zeros(len(codes), bool)
    own[outer.train] = True
    inside = []
    for fold in folds:
        tested = np.zeros(len(codes), bool)
        tested[fold.test] = True
        known = np.unique(codes[own & ~tested])
        tested &= own & np.isin(codes, known)
        if fold is not outer and tested.any():
            inside.append(Fold(np.flatnonzero(own & ~tested), np.flatnonzero(tested)))
    return inside


def check_folds(folds: Sequence[Fold], codes: Indices, classes: Array) -> None:
    """Raise unless each fold trains on every class and tests on some row."""
    if not folds:
        raise InvalidParameter("cv yields no folds; give at least one (train, test) pair.")
    for number, fold in enumerate(folds):
        if not len(fold.test):
            raise InvalidParameter(f"fold {number} has no row to test on.")
        absent = np.flatnonzero(np.bincount(codes[fold.train], minlength=len(classes)) == 0)
        if len(absent):
            raise TooFewRows(
                f"fold {number} leaves no row of class {quote_names(classes[absent])} to train on; "
                "use fewer folds, other groups, or more rows of it."
            )


def disjoint_groups(folds: Sequence[Fold], n: int) -> Iterator[list[Fold]]:
    """Consecutive folds, grouped as long as no row is tested twice in a group."""
    group: list[Fold] = []
    tested = np.zeros(n, bool)
    for fold in folds:
        whole = fold.splits(n)
        if group and (not whole or tested[fold.test].any()):
            yield group
            group = []
        if not group:
            tested[:] = False
        if not whole:
            yield [fold]
            continue
        group.append(fold)
        tested[fold.test] = True
    if group:
        yield group
