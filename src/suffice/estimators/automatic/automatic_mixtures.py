"""Automatic mixtures: several Gaussians per class as candidates, given up early where hopeless."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.errors import SufficeError
from suffice.estimators.automatic.refits import stored
from suffice.estimators.automatic.trial import Trial
from suffice.estimators.mixture_discriminant import MixtureDiscriminant
from suffice.models.em.em import fit_mixture
from suffice.models.em.training import Effort, Given, Training
from suffice.models.mixture import MixtureModel, n_parameters
from suffice.models.scoring import log_sum
from suffice.selection.entrants import Contest, Entrants


def mixtures(trial: Trial, contest: Contest, rows: Floats, best: Floats) -> Iterator[Entrants]:
    """Two Gaussians per class and, if these are clearly the best candidate, more of them.

    None where a class has few rows, or rows have levels or missing values. Of large tables, a
    sample of the rows is learned from.

    rows : (n, d)
    best : the losses of the best candidate so far in each fold
    """
    if trial.reader is not None or np.isnan(rows).any():
        return
    attempt, max_components = _Attempt(trial, contest, rows, best), 4
    for size in range(2, max_components + 1):
        if not attempt.enough_rows(size):
            return
        before = attempt.best.mean()
        poolings = [0.0, 1.0] if size == 2 else [attempt.leader.pooling]
        yield from filter(None, (attempt.entrants(size, pooling) for pooling in poolings))
        # More of them take longer: as long as they gain clearly, with the pooling that is best.
        if before - attempt.best.mean() < 0.02:
            return
        if size == 2:
            yield from filter(None, [attempt.entrants(size, 0.5)])


class _Attempt:
    """Mixtures on the folds of a contest."""

    max_entries = 1 << 21  # rows x features², of the rows to learn from
    min_rows_per_feature = 5  # for each component

    def __init__(self, trial: Trial, contest: Contest, rows: Floats, best: Floats) -> None:
        self.trial, self.contest, self.rows = trial, contest, rows
        self.best = best  # (f,): the smallest losses, of other candidates or of `leader`
        self.leader = MixtureDiscriminant(1)
        self.starts: dict[int, Given] = {}  # by number of components: of the first pooling
        table, (n, d) = trial.table, rows.shape
        most = max(1, self.max_entries // d**2)
        self.learned = np.zeros(n, bool)
        self.learned[np.unique(np.linspace(0, n - 1, min(n, most)).astype(int))] = True
        self.smallest = int(np.bincount(table.codes[self.learned], minlength=contest.k).min())

    def enough_rows(self, size: int) -> bool:
        """Whether every class has enough rows for this number of components."""
        needed = max(50, self.min_rows_per_feature * self.rows.shape[1])
        return bool(self.smallest >= size * needed)

    def entrants(self, size: int, pooling: float) -> Entrants | None:
        """A candidate; None if it could not be fitted."""
        # unlabelled=None: a label of -1 is a class like any other.
        model = MixtureDiscriminant(
            size, pooling=pooling, target="diagonal", random_state=0, unlabelled=None
        )
        try:
            fitted, parts = self._of_folds(model)
        except SufficeError:
            return None
        complexity = np.array([float(n_parameters(fitted, model._settings()))])
        kind = f"{size} Gaussians per class"
        return stored(kind, [model], complexity, self.contest, parts)

    def _of_folds(self, model: MixtureDiscriminant) -> tuple[MixtureModel, list[Floats]]:
        """The last fit, and ln p(x, y) of the test rows of each fold, (1, n, k).

        These are NaN once it is given up: where it is behind the best candidate by far after one
        fold, or after more by more than a pool could make use of.
        """
        contest, size = self.contest, cast(int, model.n_components)
        parts: list[Floats] = []
        losses: list[float] = []
        # EM where that does better than all before, and in folds that start from the one before.
        # The chosen model is fitted to all rows in full.
        thorough, warm = Effort(max_iter=100), Effort(tol=3e-3, max_iter=3)
        start, effort = self.starts.get(size), Effort(tol=3e-3, max_iter=12)
        for number, fold in enumerate(contest.folds):
            behind = np.array(losses) - self.best[: len(losses)]
            if losses and behind.mean() > (0.05 if number == 1 else 0.01):
                parts.append(np.full((1, len(contest.tests[number]), contest.k), np.nan))
                continue
            train = np.zeros(len(self.learned), bool)
            train[fold.train] = True
            fitted = self._fit(model, train & self.learned, effort, start)
            scores, loss = self._test(fitted, number)
            if not losses and loss < self.best[0]:
                fitted = self._fit(model, train & self.learned, thorough, _components(fitted))
                scores, loss = self._test(fitted, number)
            start, effort = _components(fitted), warm
            self.starts.setdefault(size, start)
            parts.append(scores[None])
            losses.append(loss)
        self.trial.components[size, model.pooling] = _components(fitted)
        if len(losses) == len(self.best) and np.mean(losses) < self.best.mean():
            self.best, self.leader = np.array(losses), model
        return fitted, parts

    def _test(self, model: MixtureModel, fold: int) -> tuple[Floats, float]:
        """ln p(x, y) of the test rows of a fold, (n, k), and the mean of -ln p(true class | x).

        The latter at the best of some temperatures, since members of a pool are recalibrated.
        """
        tests = self.contest.tests[fold]
        scores = model.scores(self.rows[tests])
        own = scores[np.arange(len(tests)), self.contest.codes[tests]]
        each = [log_sum(scores / one) - own / one for one in (1.0, 1.5, 3.0)]
        return scores, float(np.average(each, axis=1, weights=self.contest.weights[tests]).min())

    def _fit(
        self, model: MixtureDiscriminant, rows: Array, effort: Effort, start: Given | None
    ) -> MixtureModel:
        table, rng = self.trial.table, np.random.default_rng(0)
        weights = None if table.weights is None else table.weights[rows]
        training = Training.of(self.rows[rows], table.codes[rows], weights, table.classes)
        sizes = np.full(self.contest.k, model.n_components)
        return fit_mixture(training, sizes, model._settings(), None, effort, rng, start).model


def _components(model: MixtureModel) -> Given:
    """The components of a model, to start from."""
    parts = model.components
    return Given(parts.priors, parts.means, parts.covariances)
