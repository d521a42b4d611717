"""Trial: candidates of any kind on the same folds; related ones share their statistics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from suffice.data.arrays import Floats, Indices
from suffice.data.features import all_numbers, infinite
from suffice.data.powers import Powers
from suffice.data.tables.encoding import Encoding
from suffice.data.tables.table_rows import TableReader
from suffice.data.tables.user_table import take_rows
from suffice.errors import InvalidParameter, TooFewRows
from suffice.estimators.automatic.candidates import (
    class_name,
    complexity_of,
    describe,
    fit,
    fit_quietly,
    has_statistics,
    is_family,
    log_probabilities,
    reads_indicators,
)
from suffice.estimators.automatic.splitting import make_folds
from suffice.estimators.choosing import score_settings, table_of_classes
from suffice.estimators.gaussian_classifier import GaussianClassifier
from suffice.estimators.mixture_discriminant import MixtureDiscriminant
from suffice.estimators.unskewed import UnskewedDiscriminant
from suffice.models.em.training import Given
from suffice.models.scoring import log_posterior
from suffice.selection.cross_validation import Candidate
from suffice.selection.folds import Fold, check_folds, training_statistics
from suffice.selection.metric_sums import MetricSums
from suffice.selection.metrics import metrics_of
from suffice.selection.selection import Selection
from suffice.selection.steps import ProgressCallback, Steps
from suffice.statistics.exact.grid import Grid, check_grid, with_indicators
from suffice.statistics.shape import DETAILS
from suffice.statistics.statistics import Statistics

# Scores by metric (candidates, folds), complexity of each candidate, and notes.
Scored = tuple[Mapping[str, Floats], Any, Sequence[str]]


class Trial:
    """Rows and folds on which candidates are tried."""

    def __init__(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        cv: Any,
        repeats: int,
        groups: Any,
        columns: Any = None,
        seed: int = 0,
    ) -> None:
        self.y, self.repeats = y, repeats
        self.table = table_of_classes(X, y, sample_weight)
        self.folds, self.notes = make_folds(self.table, cv, groups, repeats, seed)
        check_folds(self.folds, self.table.codes, self.table.classes)
        # Of all rows, once members of the family were tried: the statistics, the powers of the
        # features, and components from which EM may start, by their number and pooling.
        self.whole: Statistics | None = None
        self.powers: Powers | None = None
        self.components: dict[Any, Given] = {}
        self.reader = TableReader.of(self.table.X, columns)
        self.metrics = metrics_of(self.table.classes)
        self.steps = Steps(1.0, None)

    def run(
        self,
        candidates: Sequence[Any],
        metric: str,
        progress: ProgressCallback | None = None,
        ranked: bool = True,
    ) -> Selection:
        """Scores of all candidates over all folds.

        ranked : whether to compute metrics that rank rows too, which take longer than all others
        """
        every = metrics_of(self.table.classes)
        self.metrics = {name: one for name, one in every.items() if ranked or not one.ranks}
        self.steps = Steps(len(candidates) * len(self.folds), progress)
        shape = len(candidates), len(self.folds)
        scores = {name: np.full(shape, np.nan) for name in every}
        complexity = np.full(len(candidates), np.inf)
        notes = list(self.notes)
        waiting, failures = _share_statistics(candidates, self.reader is not None), []
        while waiting:
            score, at = waiting.pop(0)
            try:
                part, complexity[at], remarks = score(self, [candidates[i] for i in at])
                notes += remarks
            except InvalidParameter:
                raise
            except KeyboardInterrupt:
                if np.isnan(scores[metric]).all():
                    raise
                left = {
                    class_name(candidates[i]) for _, own in [(score, at), *waiting] for i in own
                }
                notes.append(f"Interrupted before these were tried: {', '.join(sorted(left))}.")
                break
            except Exception as error:  # of any library: one candidate does not end the others
                if len(at) > 1:
                    waiting += [(score, [i]) for i in at]
                else:
                    why = str(error) or type(error).__name__
                    notes.append(f"{class_name(candidates[at[0]])} is left out: {why}")
                    failures.append(error)
                continue
            for name, values in part.items():
                scores[name][at] = values
        self.steps.finish()
        notes = list(dict.fromkeys(notes))
        if len(failures) == len(candidates):
            raise _no_candidate(failures, notes)
        rows = tuple(describe(model) for model in candidates)
        return Selection(rows, scores, complexity, metric, tuple(notes), self.repeats)

    def fit(self, candidate: Any) -> Any:
        """The candidate fitted to all rows."""
        model = clone(candidate)
        plain = is_family(model) and not isinstance(model, UnskewedDiscriminant)
        plain &= _grid_of(model) is None
        if self.whole is not None and plain:
            return model._fit_from_statistics(model._settings(), self.table.X, self.y, self.whole)
        rows = self.table.X, self.y, self.table.weights
        if isinstance(model, UnskewedDiscriminant) and self.powers is not None:
            return model._fit_raised(self.powers, *rows)
        if isinstance(model, MixtureDiscriminant):
            start = self.components.get((model.n_components, model.pooling), Given())
            return model._fit_from(start, *rows)
        return fit(model, *rows)

    def baseline(self) -> dict[str, float]:
        """The mean over the folds of each metric for the class shares of the training rows."""
        k = len(self.table.classes)
        sums = []
        for fold in self.folds:
            weight = self.table.weight[fold.train]
            shares = np.bincount(self.table.codes[fold.train], weight, k) / weight.sum()
            sums.append([self._sums(np.tile(np.log(shares), (len(fold.test), 1)), fold)])
        means = {name: values[~np.isnan(values)] for name, values in self._metrics(sums).items()}
        return {name: float(some.mean()) if len(some) else np.nan for name, some in means.items()}

    def test(self, model: Any, fold: Fold, rows: Any) -> MetricSums:
        """The metrics of a fitted model on the test rows of a fold."""
        return self._sums(log_probabilities(model, rows), fold)

    def _sums(self, log_posterior: Floats, fold: Fold) -> MetricSums:
        weights = None if self.table.weights is None else self.table.weights[fold.test]
        codes = self.table.codes[fold.test]
        return MetricSums.of(np.array(log_posterior.T[None]), codes, weights, self._ranked)

    @property
    def _ranked(self) -> bool:
        return any(metric.ranks for metric in self.metrics.values())

    def _metrics(self, sums: Sequence[Sequence[MetricSums]]) -> dict[str, Floats]:
        return {
            name: np.array([[metric.values(one)[0] for one in fold] for fold in sums]).T
            for name, metric in self.metrics.items()
        }

    def _run_on(self, X: Any, models: Sequence[Any]) -> Selection:
        """The scores of models of the same rows in another form."""
        inner = copy(self)
        inner.table, inner.notes, inner.reader = replace(self.table, X=X), [], None
        steps = self.steps.part(len(models) * len(self.folds))
        return inner.run(models, "log_loss", steps, self._ranked)

    def _score_encoded(self, models: Sequence[Any]) -> Scored:
        assert self.reader is not None
        # The levels are those of all rows: they say nothing about the classes.
        encoding = Encoding.of(self.table.X, self.reader)
        form: dict[str, Any] = {"columns": None}
        if (grid := _grid_of(models[0])) is not None:
            names = encoding.names
            form["grid"] = with_indicators(grid, names, len(self.reader.numeric_names))
        X = encoding.encode(self.table.X)
        error = infinite(X, 0, encoding.names)
        if error is not None:
            raise error
        scored = self._run_on(X, [clone(model).set_params(**form) for model in models])
        return scored.scores, scored.complexity, scored.notes

    def _score_on_indicators(self, models: Sequence[Any]) -> Scored:
        # The levels are those of all rows: they say nothing about the classes.
        X = clone(models[0][0]).fit_transform(self.table.X)
        scored = self._run_on(X, [model[-1] for model in models])
        return scored.scores, scored.complexity, scored.notes

    def _score_unskewed(self, models: Sequence[Any]) -> Scored:
        rows = all_numbers(self.table.X)
        # The powers are those of all rows: they say nothing about the classes.
        inner = copy(self)
        inner.table = replace(self.table, X=Powers.of(rows, self.table.weights).apply(rows))
        scores, complexity, notes = inner._score_family(models)
        return scores, complexity + rows.shape[1], notes

    def _score_family(self, models: Sequence[Any]) -> Scored:
        candidates = [Candidate(model._settings(), model.priors) for model in models]
        scores, complexity, whole = score_settings(
            self.table, self.folds, candidates, self.metrics, self.steps, _grid_of(models[0])
        )
        # Those of a later run may have less detail than the model that was chosen before needs.
        kept = self.whole
        if whole is not None and (kept is None or _finer(whole, kept)):
            self.whole = whole
        return scores, complexity, ()

    def _score_learners(self, models: Sequence[Any]) -> Scored:
        richest = max(models, key=lambda model: _detail_rank(model))

        def summarize(at: Indices) -> Any:
            part = self.table.take(at)
            return richest._summarize(part.X, part.labels, part.weights, richest._settings(), None)

        trained = training_statistics(self.folds, len(self.table), summarize)
        sums, whole = [], None
        for fold, of_fold in zip(self.folds, trained, strict=True):
            statistics, whole = of_fold
            fitted = [clone(model).fit_statistics(statistics) for model in models]
            # Models of the same statistics take rows in the same form.
            rows = fitted[0]._rows(take_rows(self.table.X, fold.test))
            answers = [one._answer_rows(rows, log_posterior) for one in fitted]
            sums.append([self._sums(answer, fold) for answer in answers])
            self.steps.add(len(models))
        if whole is None:
            whole = summarize(np.arange(len(self.table)))
        complexity = [complexity_of(clone(model).fit_statistics(whole)) for model in models]
        return self._metrics(sums), np.array(complexity), ()

    def _score_refits(self, models: Sequence[Any]) -> Scored:
        (model,) = models
        sums, complexity, notes = [], np.inf, []
        for fold in self.folds:
            fitted, messages = fit_quietly(clone(model), self.table.take(fold.train))
            notes += [f"{class_name(model)}: {message}" for message in messages]
            sums.append([self.test(fitted, fold, take_rows(self.table.X, fold.test))])
            complexity = complexity_of(fitted)
            self.steps.add()
        return self._metrics(sums), complexity, notes


Scorer = Callable[[Trial, Sequence[Any]], Scored]


def _share_statistics(
    candidates: Sequence[Any], has_levels: bool
) -> list[tuple[Scorer, list[int]]]:
    """How to score candidates, and the positions of those that share their statistics.

    has_levels : whether the rows are a table with levels
    """
    groups: dict[tuple[Scorer, Any], list[int]] = defaultdict(list)
    for i, model in enumerate(candidates):
        key: tuple[Scorer, Any] = (Trial._score_refits, i)
        grid = _grid_of(model)
        points = None if grid is None else grid.digest()
        if has_levels and isinstance(model, GaussianClassifier | MixtureDiscriminant):
            key = (Trial._score_encoded, points)
        elif is_family(model):
            unskewed = isinstance(model, UnskewedDiscriminant)
            key = (Trial._score_unskewed if unskewed else Trial._score_family, points)
        elif reads_indicators(model):
            key = (Trial._score_on_indicators, str(model[0].categorical))
        elif has_statistics(model):
            own = type(model), str(model._settings().reading), points
            key = (Trial._score_learners, own)
        groups[key].append(i)
    return [(score, at) for (score, _), at in groups.items()]


def _grid_of(model: Any) -> Grid | None:
    """The grid to which a model rounds rows, if it has one."""
    grid = getattr(model, "grid", None)
    check_grid(grid)
    return grid


def _no_candidate(failures: Sequence[Exception], notes: Sequence[str]) -> Exception:
    """The error if no candidate could be fitted."""
    first = failures[0]
    if len({type(error) for error in failures}) > 1:
        return TooFewRows("no candidate could be fitted. " + " ".join(notes))
    if isinstance(first, TooFewRows):
        where = "in the rows outside a fold, "
        return TooFewRows(where + str(first).removeprefix(where))
    return first


def _finer(a: Statistics, b: Statistics) -> bool:
    return DETAILS.index(a.detail) < DETAILS.index(b.detail)


def _detail_rank(model: Any) -> int:
    """The detail of a model's statistics as a number, larger for more detail."""
    return ("", *DETAILS[::-1]).index(model._settings().detail)
