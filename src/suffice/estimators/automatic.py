"""Automatic: the candidates to try where the user names none, scored from statistics of folds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.encoding import Encoding
from suffice.data.features import as_features, infinite
from suffice.data.powers import Powers
from suffice.estimators.gaussian import GaussianDiscriminant
from suffice.estimators.mixed import MixedNB
from suffice.estimators.refits import mixtures, rival
from suffice.estimators.trial import Trial
from suffice.estimators.unskewed import UnskewedDiscriminant
from suffice.models.settings import Settings
from suffice.models.structures import DIAGONAL
from suffice.selection.contest import Contest, Entrants
from suffice.selection.criteria import effective_parameters
from suffice.selection.family_path import DiagonalPath, Distances, FullPath
from suffice.selection.fold_completion import completed_moments
from suffice.selection.fold_moments import FoldMoments
from suffice.selection.level_path import LevelPath
from suffice.selection.steps import Steps

# Poolings to try: first these, then those next to the best.
POOLINGS = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)
FIRST_POOLINGS = (1.0, 0.25, 0.0)

# Shares of each target. The scaled identity helps where features have the same unit, as pixels.
SHRINKAGES = {
    "diagonal": np.array([0.0, 0.01, 0.03, 0.1, 0.3, 1.0]),
    "identity": np.array([0.03, 0.1, 0.3, 0.6]),
}
INFLATIONS = np.array([1.0, 1.5, 2.0, 3.0, 5.0])
ALPHAS = np.array([0.1, 1.0, 3.0])


@dataclass(frozen=True, eq=False)
class View:
    """Rows as numbers, their moments in every fold, and the estimator that takes them so."""

    estimator: Any
    rows: Floats  # (n, d); NaN where a value is missing
    moments: FoldMoments

    @property
    def largest(self) -> int:
        """Entries of the covariances of all folds and classes."""
        return self.moments.scatter.size


class Automatic:
    """The members of the family on the folds of a trial, kind by kind."""

    def __init__(
        self,
        trial: Trial,
        columns: Any,
        metric: str,
        steps: Steps,
        *,
        rivals: bool = False,
        time_limit: float | None = None,
    ) -> None:
        self.trial, self.columns, self.metric, self.steps = trial, columns, metric, steps
        self.rivals = rivals
        table = trial.table
        self.k = len(table.classes)
        self.contest = Contest(trial.folds, table.codes, table.weight, self.k)
        self.deadline = np.inf if time_limit is None else monotonic() + time_limit
        self.entrants: list[Entrants] = []
        self.losses: list[Floats] = []
        self.notes: list[str] = []

    def run(self) -> None:
        """Score all candidates, until the time is up or the user interrupts.

        The first kind is scored in any case.
        """
        try:
            for entrants in self._all_entrants():
                self.losses.append(self._loss(entrants))
                self.entrants.append(entrants)
                self.steps.add()
                if monotonic() > self.deadline:
                    self.notes.append("time_limit was reached: not all candidates were tried.")
                    return
        except KeyboardInterrupt:
            if not self.entrants:
                raise
            self.notes.append("interrupted: the choice is among the candidates tried until then.")

    def _loss(self, entrants: Entrants) -> Floats:
        """The deciding metric of each candidate in each fold, smaller is better, (m, f)."""
        if self.metric == "log_loss":
            return self.contest.losses(entrants)
        metric = self.trial.metrics[self.metric]
        values = self.contest.metrics(entrants, {self.metric: metric}, metric.ranks)
        return metric.loss(values[self.metric])

    def _all_entrants(self) -> Iterator[Entrants]:
        numbers, n_numeric = self._numbers()
        raw = self._view(GaussianDiscriminant, numbers)
        yield from self._gaussian(raw)
        if self.trial.reader is not None and self.trial.reader.level_names:
            yield from self._mixed(numbers[:, :n_numeric], raw)
        if n_numeric:
            unskewed = numbers.copy()
            part = numbers[:, :n_numeric]
            # The powers are those of all rows: they say nothing about the classes.
            unskewed[:, :n_numeric] = Powers.of(part, self.trial.table.weights).apply(part)
            yield from self._gaussian(self._view(UnskewedDiscriminant, unskewed))
        yield from mixtures(self.trial, self.contest, numbers, self._best_loss)
        if self.rivals:
            yield rival(self.trial, self.contest)

    def _best_loss(self) -> Floats:
        """The losses of the best candidate so far in each fold, (f,)."""
        each = np.concatenate(self.losses)
        means = np.where(np.isnan(each).any(axis=1), np.inf, each.mean(axis=1))
        return np.asarray(each[int(means.argmin())])

    def _numbers(self) -> tuple[Floats, int]:
        """The rows as numbers, levels as indicators; how many of them are numeric columns."""
        X, reader = self.trial.table.X, self.trial.reader
        if reader is not None:
            # The levels are those of all rows: they say nothing about the classes.
            return Encoding.of(X, reader).encode(X), len(reader.numeric_names)
        features = as_features(X)
        rows = np.asarray(features.read(0, features.shape[0]), np.float64)
        error = infinite(rows, 0, features.names)
        if error is not None:
            raise error
        return rows, rows.shape[1]

    def _view(self, estimator: Any, rows: Floats) -> View:
        table, folds = self.trial.table, self.trial.folds
        moments = completed_moments if np.isnan(rows).any() else FoldMoments.of
        return View(estimator, rows, moments(rows, table.codes, table.weight, folds, self.k))

    def _gaussian(self, view: View) -> Iterator[Entrants]:
        yield self._diagonal(view)
        targets = ["diagonal", "identity"] if view.estimator is GaussianDiscriminant else ["diagonal"]
        # Covariances of many classes and features would not fit into memory.
        poolings = FIRST_POOLINGS if view.largest <= 1 << 26 else (1.0,)
        for target in targets:
            first = len(self.entrants)
            for pooling in poolings:
                yield from self._full(view, target, pooling)
            if len(poolings) > 1:
                for pooling in self._next_poolings(first):
                    yield from self._full(view, target, pooling)

    def _next_poolings(self, first: int) -> list[float]:
        """Poolings next to the best of those tried since."""
        means = {
            entrants.candidates[0].pooling: float(np.nanmin(losses.mean(axis=1)))
            for entrants, losses in zip(self.entrants[first:], self.losses[first:], strict=True)
            if not np.isnan(losses.mean(axis=1)).all()
        }
        if not means:
            return [0.5]
        at = POOLINGS.index(min(means, key=lambda pooling: means[pooling]))
        near = POOLINGS[max(0, at - 1) : at + 2]
        return [pooling for pooling in near if pooling not in means]

    def _full(self, view: View, target: str, pooling: float) -> Iterator[Entrants]:
        path = FullPath.of(view.moments, pooling, target)
        shares = SHRINKAGES[target]
        shares = shares[path.usable(shares)]
        if not len(shares):
            return
        given: list[dict[str, Any]] = [
            {"pooling": pooling, "shrinkage": share, "target": target, "inflation": factor}
            for share in shares.tolist()
            for factor in INFLATIONS.tolist()
        ]

        def distances(fold: int, at: Indices) -> Distances:
            return path.distances(fold, view.rows[at], shares)

        kind = "linear" if pooling == 1 else "quadratic"
        yield self._family(view, kind, given, distances, [Settings(**one) for one in given])

    def _diagonal(self, view: View) -> Entrants:
        path = DiagonalPath.of(view.moments, np.array(POOLINGS), np.zeros(len(POOLINGS)))
        given: list[dict[str, Any]] = [
            {"structure": "diagonal", "pooling": pooling, "inflation": factor}
            for pooling in POOLINGS
            for factor in INFLATIONS.tolist()
        ]

        def distances(fold: int, at: Indices) -> Distances:
            return path.distances(fold, view.rows[at])

        settings = [Settings(**{**one, "structure": DIAGONAL}) for one in given]
        return self._family(view, "independent", given, distances, settings)

    def _family(
        self, view: View, kind: str, given: Sequence[dict[str, Any]], distances: Any,
        settings: Sequence[Settings],
    ) -> Entrants:
        candidates = [view.estimator(**one, columns=self.columns) for one in given]
        d = view.rows.shape[1]
        powers = d if view.estimator is UnskewedDiscriminant else 0
        complexity = [effective_parameters(one, self.k, d) + powers for one in settings]

        def scores(fold: int, at: Indices) -> Floats:
            each = distances(fold, at).scores(INFLATIONS)
            each += self._log_shares(view, fold)
            return np.asarray(each.reshape(-1, self.k, len(at)))

        return Entrants(f"{kind} {view.estimator.__name__}", candidates, np.array(complexity), scores)

    def _log_shares(self, view: View, fold: int) -> Floats:
        """Log-priors of a fold, (k, 1)."""
        return np.asarray(np.log(view.moments.shares[fold]))[:, None]

    def _mixed(self, numeric: Floats, raw: View) -> Iterator[Entrants]:
        trial, table = self.trial, self.trial.table
        assert trial.reader is not None
        columns = [column.encode() for column in trial.reader.read(table.X).levels]
        levels = LevelPath.of(
            [(np.asarray(codes), len(names)) for names, codes in columns],
            table.codes, table.weight, trial.folds, self.k, ALPHAS,
        )
        if not numeric.shape[1]:
            yield self._product(raw, levels, [{}], None)
            return
        view = self._view(MixedNB, numeric)
        poolings = np.array([0.0, 0.5, 1.0])
        independent = DiagonalPath.of(view.moments, poolings, np.zeros(3))
        given: list[dict[str, Any]] = [{"pooling": pooling} for pooling in poolings.tolist()]
        yield self._product(
            view, levels, given, lambda fold, at: independent.distances(fold, view.rows[at])
        )
        for pooling in poolings.tolist() if view.largest <= 1 << 26 else [1.0]:
            path = FullPath.of(view.moments, pooling, "diagonal")
            shares = np.array([0.0, 0.1, 0.5])
            shares = shares[path.usable(shares)]
            full: list[dict[str, Any]] = [
                {"structure": "full", "pooling": pooling, "shrinkage": share, "target": "diagonal"}
                for share in shares.tolist()
            ]
            if full:
                yield self._product(
                    view, levels, full,
                    lambda fold, at, path=path, shares=shares: path.distances(
                        fold, view.rows[at], shares
                    ),
                )

    def _product(
        self, view: View, levels: LevelPath, given: Sequence[dict[str, Any]], distances: Any
    ) -> Entrants:
        """Levels apart from the numbers, for every smoothing."""
        candidates = [
            MixedNB(**one, alpha=alpha, columns=self.columns)
            for alpha in ALPHAS.tolist()
            for one in given
        ]
        free = sum(self.k * (table.shape[3] - 2) for table in levels.tables)
        d = view.rows.shape[1] if distances is not None else 0
        complexity = [
            free + effective_parameters(model._settings_of_numbers(), self.k, d) if d else free
            for model in candidates
        ]

        def scores(fold: int, at: Indices) -> Floats:
            each = levels.scores(fold, at)[:, None] + self._log_shares(view, fold)
            if distances is not None:
                each = each + distances(fold, at).scores(np.ones(1))[:, 0]
            return np.asarray(each.reshape(-1, self.k, len(at)))

        return Entrants("levels MixedNB", candidates, np.array(complexity, np.float64), scores)
