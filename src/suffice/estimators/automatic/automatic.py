"""Automatic: the candidates to try where the user names none, scored from statistics of folds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import monotonic
from typing import Any

import numpy as np

from suffice.data.arrays import Floats
from suffice.estimators.automatic.automatic_mixtures import mixtures
from suffice.estimators.automatic.refits import large_table, rivals
from suffice.estimators.automatic.trial import Trial
from suffice.estimators.automatic.views import FamilyView, LevelsView, Views
from suffice.estimators.gaussian import GaussianDiscriminant
from suffice.estimators.unskewed import UnskewedDiscriminant
from suffice.selection.entrants import Contest, Entrants
from suffice.selection.pool import IMAGINARY_ROWS
from suffice.selection.steps import Steps

# Poolings to try: first these, then those next to the best, as long as they are better.
POOLINGS = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)


class Automatic:
    """The members of the family on the folds of a trial, kind by kind."""

    def __init__(
        self,
        trial: Trial,
        columns: Any,
        score: Callable[[Contest, Entrants], tuple[Floats, Floats]],
        steps: Steps,
        *,
        with_rivals: bool = False,
        time_limit: float | None = None,
        max_entries: int = 1 << 25,
        max_cubes: int = 1 << 31,
    ) -> None:
        """Prepare the test rows.

        score : the deciding score of entrants in each fold, smaller is better, (m, f), and what
            it would be for labels drawn from the class shares
        max_entries : of the covariances of all folds and classes
        max_cubes : features³ of all covariances that are decomposed at once
        """
        self.trial, self.columns, self.score, self.steps = trial, columns, score, steps
        self.with_rivals = with_rivals
        self.max_entries, self.max_cubes = max_entries, max_cubes
        table = trial.table
        self.contest = Contest(trial.folds, table.codes, table.weight, len(table.classes))
        self.deadline = np.inf if time_limit is None else monotonic() + time_limit
        self.views = Views(table, trial.reader, trial.folds, columns)
        self.entrants: list[Entrants] = []
        self.losses: list[Floats] = []
        self.doubts: list[Floats] = []  # (m,): loss by imaginary rows, in nats
        self.notes: list[str] = []

    def run(self) -> None:
        """Score all candidates, until the time is up or the user interrupts.

        The first kind is scored in any case.
        """
        try:
            for entrants in self._all_entrants():
                losses, surprises = self.score(self.contest, entrants)
                self.losses.append(losses)
                self.doubts.append(IMAGINARY_ROWS * surprises.mean(axis=1))
                self.entrants.append(entrants)
                self.steps.add()
                if monotonic() > self.deadline:
                    self.notes.append("time_limit was reached: not all candidates were tried.")
                    return
        except KeyboardInterrupt:
            if not self.entrants:
                raise
            self.notes.append("interrupted: the choice is among the candidates tried until then.")

    @property
    def expected_losses(self) -> list[Floats]:
        """The mean loss of each candidate, (m,), with the imaginary rows among those tested."""
        rows = self.trial.table.effective_rows
        each = zip(self.losses, self.doubts, strict=True)
        return [losses.mean(axis=1) + doubts / rows for losses, doubts in each]

    def entrant(self, model: Any) -> Entrants | None:
        """A single candidate with parameters of its own; None if no statistics serve it."""
        return self.views.entrant(model)

    def _all_entrants(self) -> Iterator[Entrants]:
        numbers, n_numeric = self.views.numbers
        d = numbers.shape[1]
        if not self.views.are_small(self.max_entries, self.max_cubes):
            yield from large_table(self.trial, self.contest)
            return
        if d:  # no indicator is left where every level is rare
            yield from self._gaussian(self.views.family(GaussianDiscriminant))
        if self.trial.reader is not None and self.trial.reader.level_names:
            yield from self._mixed(self.views.levels)
        if n_numeric:
            yield from self._gaussian(self.views.family(UnskewedDiscriminant))
            self.trial.powers = self.views.powers
        if d:
            yield from mixtures(self.trial, self.contest, numbers, self._best_losses)
        if self.with_rivals:
            yield from rivals(self.trial, self.contest, numbers, self.columns)

    def _gaussian(self, view: FamilyView) -> Iterator[Entrants]:
        inflations = (1.0, 1.5, 2.0, 3.0, 5.0)
        yield view.independent(POOLINGS, inflations)
        skewed = view.estimator is GaussianDiscriminant
        # Each class with a covariance of its own, if they are not too many.
        own = len(self.contest.folds) * self.contest.k * view.rows.shape[1] ** 3 <= self.max_cubes
        # Shares of each target. The identity helps if features have the same unit, as pixels do.
        shrinkages = {
            "diagonal": (0.0, 0.01, 0.03, 0.1, 0.3, 1.0),
            "identity": (0.03, 0.1, 0.3, 0.6),
        }
        for target in ("diagonal", "identity") if skewed else ("diagonal",):
            first = len(self.entrants)
            tried, waiting = set(), list(self._first_poolings() if own else (1.0,))
            while waiting:
                pooling = waiting.pop(0)
                tried.add(pooling)
                shares = shrinkages[target]
                if skewed or pooling == 1:
                    yield from view.full(target, pooling, shares, inflations)
                else:
                    # In place of inflations: only rows far from all classes get less certain.
                    yield from view.heavy_tailed(target, pooling, shares, (3.0, 5.0, 10.0))
                if not waiting and own:
                    waiting = [one for one in self._near_best(first) if one not in tried]

    def _first_poolings(self) -> tuple[float, ...]:
        """Some of all poolings; later those that were best for another target or other powers."""
        means = self._pooling_losses(0)
        own = [pooling for pooling in means if pooling < 1]
        return (1.0, min(own, key=lambda one: means[one])) if own else (1.0, 0.5, 0.1)

    def _near_best(self, first: int) -> tuple[float, ...]:
        """Poolings next to the best of those tried since."""
        means = self._pooling_losses(first)
        if not means:
            return ()
        at = POOLINGS.index(min(means, key=lambda pooling: means[pooling]))
        return POOLINGS[max(0, at - 1) : at + 2]

    def _pooling_losses(self, first: int) -> dict[float, float]:
        """The smallest mean loss of full covariances by pooling, of entrants from `first` on."""
        means: dict[float, float] = {}
        expected = self.expected_losses[first:]
        for entrants, losses in zip(self.entrants[first:], expected, strict=True):
            if entrants.kind.startswith(("linear", "quadratic", "heavy-tailed")):
                pooling, loss = entrants.candidates[0].pooling, _smallest(losses)
                means[pooling] = min(loss, means.get(pooling, np.inf))
        return {pooling: loss for pooling, loss in means.items() if np.isfinite(loss)}

    def _mixed(self, view: LevelsView) -> Iterator[Entrants]:
        alphas = (0.1, 1.0, 3.0)
        yield view.independent((0.0, 0.5, 1.0), alphas)
        if view.moments is not None:
            for pooling in (0.0, 0.5, 1.0):
                yield from view.full(pooling, (0.0, 0.1, 0.5), alphas)

    @property
    def _best_losses(self) -> Floats:
        """The log-losses of the best candidate so far in each fold, (f,)."""
        means = [np.nan_to_num(one.mean(axis=1), nan=np.inf) for one in self.losses]
        i = int(np.argmin([own.min() for own in means]))
        # The deciding score may be another one, in other units.
        return np.asarray(self.contest.losses(self.entrants[i].take([means[i].argmin()]))[0])


def _smallest(values: Floats) -> float:
    """The smallest that is a number; infinite if none is."""
    return float(np.min(values, initial=np.inf, where=~np.isnan(values)))
