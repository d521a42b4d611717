"""Cross-validation: every candidate tested on rows it was not trained on, from one pass."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any, Protocol

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.models.gaussian import build
from suffice.models.model import Model
from suffice.models.priors import class_priors
from suffice.models.settings import Settings
from suffice.selection.folds import Fold, check_folds, training_statistics
from suffice.selection.path import Path, shrinkage_path
from suffice.selection.steps import Steps
from suffice.selection.tally import METRICS, Tally
from suffice.statistics.statistics import Statistics
from suffice.statistics.summarize import summarize
from suffice.statistics.threads import blas_threads, in_parallel, n_threads, shares

# Scores of a block of rows take about this much, so that they stay in the cache.
BLOCK_BYTES = 1 << 20

# From this many entries on, statistics of a fold are made by several threads.
THREADED_FROM = 1 << 24


class Table(Protocol):
    """Labelled rows in whatever form models take them."""

    @property
    def classes(self) -> Array:
        """Class labels, (k,)."""

    @property
    def codes(self) -> Indices:
        """Position of each row's label among the classes, (n,)."""

    @property
    def weights(self) -> Floats | None:
        """Weight of each row, (n,)."""

    @property
    def threads(self) -> int:
        """How many calls of `statistics` had better run at once."""

    def statistics(self, at: Indices) -> Any:
        """Statistics of some rows."""

    def rows(self, at: Indices) -> Any:
        """Some rows."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """A table of numbers, which may be missing."""

    X: Array  # (n, d)
    classes: Array
    codes: Indices
    weights: Floats | None
    detail: str = "separate"

    @property
    def threads(self) -> int:
        """How many calls of `statistics` had better run at once."""
        return 1 if self.X.size >= THREADED_FROM else n_threads()

    def statistics(self, at: Indices) -> Any:
        """Statistics of some rows."""
        weights = None if self.weights is None else self.weights[at]
        return summarize(self.X[at], self.codes[at], weights, self.detail)

    def rows(self, at: Indices) -> Array:
        """Some rows."""
        return self.X[at]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A model to try: by settings of the Gaussian family, or by any function of statistics."""

    recipe: Settings | Callable[[Any], Model]
    priors: Any = None


def cross_validated(
    table: Table,
    folds: Sequence[Fold],
    candidates: Sequence[Candidate],
    steps: Steps | None = None,
) -> tuple[dict[str, Floats], Any]:
    """Each metric of each candidate in each fold, (candidates, folds); statistics of all rows."""
    codes, classes = table.codes, table.classes
    check_folds(folds, codes, classes)
    found = {name: np.empty((len(candidates), len(folds))) for name in METRICS}
    trained = training_statistics(folds, len(codes), table.statistics, table.threads)
    whole = None
    for number, (fold, known) in enumerate(zip(folds, trained, strict=True)):
        statistics, whole = known
        test = _Test(table, fold.test)
        priors = [class_priors(c.priors, classes, statistics.weight) for c in candidates]
        for at, tally in _tallies(statistics, candidates, priors, test):
            for name, values in tally.metrics(len(classes)).items():
                found[name][at, number] = values
            if steps is not None:
                steps.add(len(at))
    if whole is None:
        whole = table.statistics(np.arange(len(codes)))
    return found, whole


class _Test:
    """The rows of a fold to test on."""

    def __init__(self, table: Table, at: Indices) -> None:
        self.rows, self.codes = table.rows(at), table.codes[at]
        self.weights = None if table.weights is None else table.weights[at]

    def tally(self, scores: Floats, start: int, stop: int) -> Tally:
        weights = None if self.weights is None else self.weights[start:stop]
        return Tally.of(scores, self.codes[start:stop], weights)


def _tallies(
    statistics: Any, candidates: Sequence[Candidate], priors: list[Floats], test: _Test
) -> Iterator[tuple[list[int], Tally]]:
    """Candidates together where they share decompositions, else one by one."""
    for recipe, members in _alike(candidates).items():
        rest = members
        if recipe is not None and isinstance(statistics, Statistics):
            settings = [candidates[i].recipe for i in members]
            path, served = shrinkage_path(statistics, settings)  # type: ignore[arg-type]
            if path is not None:
                inside = [i for i, ok in zip(members, served, strict=True) if ok]
                tally = _by_path(path, np.array([priors[i] for i in inside]), test)
                # Rows so far out that squares overflow have no score: the model knows better.
                if not np.isnan(tally.sums).any():
                    rest = [i for i, ok in zip(members, served, strict=True) if not ok]
                    yield inside, tally
        made = _Made(statistics)
        for i in rest:
            yield [i], _by_model(made.model(candidates[i].recipe).with_priors(priors[i]), test)


def _alike(candidates: Sequence[Candidate]) -> dict[Any, list[int]]:
    """Positions of candidates that share decompositions; others under None."""
    groups: dict[Any, list[int]] = defaultdict(list)
    for i, candidate in enumerate(candidates):
        recipe = candidate.recipe
        full = isinstance(recipe, Settings) and recipe.structure == "full"
        key = replace(recipe, shrinkage=0.0, inflation=1.0) if full else None  # type: ignore[type-var]
        groups[key].append(i)
    return groups


class _Made:
    """Models of some statistics, each made once."""

    def __init__(self, statistics: Any) -> None:
        self.statistics = statistics
        self.built: dict[Any, Any] = {}

    def model(self, recipe: Settings | Callable[[Any], Model]) -> Model:
        if not isinstance(recipe, Settings):
            return recipe(self.statistics)
        plain = replace(recipe, inflation=1.0)
        if plain not in self.built:
            self.built[plain] = build(self.statistics, plain, None)
        found: Model = self.built[plain].inflated(recipe.inflation)
        return found


def _by_path(path: Path, priors: Floats, test: _Test) -> Tally:
    with np.errstate(divide="ignore"):
        added = np.log(priors)[:, :, None]
    m, k = priors.shape
    X, n = test.rows, len(test.rows)
    step = max(16, BLOCK_BYTES // (8 * max(m * k, X.shape[1])))

    def work(start: int, stop: int) -> Tally:
        tallies = []
        for low in range(start, stop, step):
            high = min(stop, low + step)
            with np.errstate(over="ignore", invalid="ignore"):
                scores = path.scores(X[low:high].astype(np.float64, copy=False))
                scores += added
                tallies.append(test.tally(scores, low, high))
        return reduce(add, tallies)

    threads = min(n_threads(), -(-n // step))
    with blas_threads(1):
        return reduce(add, in_parallel(work, shares(n, threads)))


def _by_model(model: Model, test: _Test) -> Tally:
    with np.errstate(all="ignore"):
        found = model.answer("log_posterior", test.rows)
    return test.tally(np.ascontiguousarray(found.T)[None], 0, len(found))
