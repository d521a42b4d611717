"""Trained outside: a fitted classifier as the rows outside each fold make it, to test it there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from suffice.data.arrays import Indices
from suffice.estimators.automatic.candidates import fit_quietly
from suffice.estimators.automatic.out_of_fold import held_out, outside_folds
from suffice.estimators.automatic.trial import Trial
from suffice.estimators.pooled.pooled import PooledDiscriminant
from suffice.estimators.pooled.pooled_members import class_weight, fit_member, shares_of
from suffice.models.em.effort import limited_effort, sharing_starts
from suffice.selection.folds import Fold, folds_inside
from suffice.selection.pool import HeldOut, fit_pool


def trained_outside(model: Any, trial: Trial) -> list[Any]:
    """The model of the rows outside each fold, from statistics where it is a function of them.

    EM on rows with missing values stops at a coarse tolerance, well below what a test can show.

    model : fitted to all rows of the trial
    """
    table, folds = trial.table, trial.folds
    with limited_effort(0):
        if not isinstance(model, PooledDiscriminant):
            return [own["model"] for own in outside_folds(table, folds, {"model": model})]
        if len(folds) < 3:  # no rows are left outside two folds
            return [fit_quietly(clone(model), table.take(fold.train))[0] for fold in folds]
        with sharing_starts():
            return list(_pools(model, trial))


def _pools(pool: PooledDiscriminant, trial: Trial) -> Iterator[PooledDiscriminant]:
    """The pool of the rows outside each fold, its weights and recalibrations found in them alone.

    The rows of every other fold are predicted by members that were trained without both. Such
    members serve either fold of a pair, so that they are made once.
    """
    table, folds, ready = trial.table, trial.folds, pool.members_
    fitted = {
        name: ready[name] if name in ready else fit_member(name, model, trial)
        for name, model in pool._candidates(trial).items()
    }
    inside = [folds_inside(fold, folds, table.codes) for fold in folds]
    rows = _Pairs.of(trial, [one for inner in inside for one in inner], fitted)
    for fold, inner, named in zip(folds, inside, outside_folds(table, folds, fitted), strict=True):
        part = table.take(fold.train)
        shares = shares_of(class_weight(part))
        found = fit_pool(rows.tested_by(inner), shares, pool.calibrate)
        kept = [list(named)[i] for i in found.kept]
        state = replace(
            pool._learned,
            members={name: named[name] for name in kept},
            pool=found.pool,
            class_weight=class_weight(part),
            kept={},
        )
        outside = clone(pool)
        outside._state = state
        yield outside


@dataclass(frozen=True, slots=True)
class _Pairs:
    """What members answer for rows that they were not trained on, by the rows that they were."""

    number: dict[bytes, int]  # of the answers, by training rows
    rows: HeldOut
    tested: Indices  # (n,): which rows of the table these are

    @classmethod
    def of(cls, trial: Trial, folds: Sequence[Fold], fitted: Mapping[str, Any]) -> Self:
        """The answers for all rows that some fold with the same training rows tests."""
        tests: dict[bytes, list[Fold]] = {}
        for fold in folds:
            tests.setdefault(fold.train.tobytes(), []).append(fold)
        joined = [
            Fold(same[0].train, np.unique(np.concatenate([fold.test for fold in same])))
            for same in tests.values()
        ]
        number = {key: i for i, key in enumerate(tests)}
        tested = np.concatenate([fold.test for fold in joined])
        return cls(number, held_out(trial, joined, fitted), tested)

    def tested_by(self, folds: Sequence[Fold]) -> HeldOut:
        """The answers for the rows of some folds."""
        at, numbers = [], [self.number[fold.train.tobytes()] for fold in folds]
        for number, fold in zip(numbers, folds, strict=True):
            own = np.flatnonzero(self.rows.fold == number)
            at.append(own[np.isin(self.tested[own], fold.test)])
        some = np.concatenate(at)
        return replace(
            self.rows.at(some),
            fold=np.repeat(np.arange(len(folds)), [len(own) for own in at]),
            shares=self.rows.shares[numbers],
        )
