"""Cross-validation: every candidate tested on rows it was not trained on, from one pass."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, reduce
from operator import add
from typing import Any

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.data.batches import batches
from suffice.data.tables.labelled_table import LabelledTable
from suffice.models.gaussian import build
from suffice.models.model import Model
from suffice.models.priors import class_priors
from suffice.models.scoring import log_posterior
from suffice.models.settings import Settings
from suffice.selection.folds import Fold, check_folds, training_statistics
from suffice.selection.metric_sums import MetricSums
from suffice.selection.metrics import Metric
from suffice.selection.path import LinearPath, QuadraticPath, shrinkage_path
from suffice.selection.steps import Steps
from suffice.statistics.exact.exact_incomplete import ExactIncomplete
from suffice.statistics.exact.exact_statistics import ExactStatistics
from suffice.statistics.exact.form import ExactForm
from suffice.statistics.exact.grid import Grid
from suffice.statistics.passes.threads import blas_threads, in_parallel, n_threads, shares
from suffice.statistics.statistics import Statistics
from suffice.statistics.summarize import summarize_batches

# Scores of a block of rows take about this many bytes, so that they stay in the cache.
BLOCK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Candidate:
    """A member of the Gaussian family to try."""

    settings: Settings
    priors: Any = None


def cross_validate(
    table: LabelledTable,
    folds: Sequence[Fold],
    candidates: Sequence[Candidate],
    metrics: Mapping[str, Metric],
    detail: str = "separate",
    steps: Steps | None = None,
    grid: Grid | None = None,
) -> tuple[dict[str, Floats], Any]:
    """Each metric of each candidate in each fold, (candidates, folds); statistics of all rows.

    table : numbers, which may be missing
    detail : of the statistics, enough for every candidate
    grid : to which the rows to train on are rounded, if they are
    """
    check_folds(folds, table.codes, table.classes)

    estimates = {candidate.settings.shrinkage for candidate in candidates}
    wolf = "ledoit-wolf"
    form = ExactForm.of(detail, grid, wolf if wolf in estimates else None)

    def summarize_rows(at: Indices) -> Any:
        part = table.take(at)
        return summarize_batches(batches(part.X, part.codes, part.weights), form)

    scores = {name: np.empty((len(candidates), len(folds))) for name in metrics}
    ranked = [name for name, metric in metrics.items() if metric.ranks]
    summed = [name for name in metrics if name not in ranked]
    # From this many entries on, the statistics of one fold are computed by several threads.
    threaded_entries = 1 << 24
    threads = 1 if table.X.size >= threaded_entries else n_threads()
    trained = training_statistics(folds, len(table), summarize_rows, threads)
    whole = None
    for number, (fold, known) in enumerate(zip(folds, trained, strict=True)):
        statistics, whole = known
        if isinstance(statistics, ExactStatistics | ExactIncomplete):
            statistics = statistics.numbers
        test = table.take(fold.test)
        priors = [class_priors(c.priors, table.classes, statistics.weight) for c in candidates]
        tested: list[int] = []
        parts = []
        for at, sums in _test_candidates(statistics, candidates, priors, test, bool(ranked)):
            # Rankings hold every row of the fold, so they are not kept until its end.
            for name in ranked:
                scores[name][at, number] = metrics[name].values(sums)
            tested += at
            parts.append(replace(sums, rankings=()))
            if steps is not None:
                steps.add(len(at))
        together = MetricSums.of_all_models(parts)
        for name in summed:
            scores[name][tested, number] = metrics[name].values(together)
    if whole is None:
        whole = summarize_rows(np.arange(len(table)))
    return scores, whole


def _test_candidates(
    statistics: Any,
    candidates: Sequence[Candidate],
    priors: list[Floats],
    test: LabelledTable,
    ranked: bool,
) -> Iterator[tuple[list[int], MetricSums]]:
    """Candidates together where they share decompositions, else one by one."""

    @cache
    def build_once(settings: Settings) -> Any:
        return build(statistics, settings, None)

    for settings, members in _share_decompositions(candidates).items():
        rest = members
        if settings is not None and isinstance(statistics, Statistics):
            path, served = shrinkage_path(statistics, [candidates[i].settings for i in members])
            if path is not None:
                inside = [i for i, ok in zip(members, served, strict=True) if ok]
                sums = _test_path(path, np.array([priors[i] for i in inside]), test, ranked)
                # Rows so far out that squares overflow have no score here; the model handles them.
                if not np.isnan(sums.losses).any():
                    rest = [i for i, ok in zip(members, served, strict=True) if not ok]
                    yield inside, sums
        for i in rest:
            own = candidates[i].settings
            plain = replace(own, inflation=1.0, degrees_of_freedom=None)
            model = own.with_tails(build_once(plain).inflated(own.inflation))
            yield [i], _test_model(model.with_priors(priors[i]), test, ranked)


def _share_decompositions(
    candidates: Sequence[Candidate],
) -> dict[Settings | None, list[int]]:
    """Positions of candidates that differ in shrinkage and inflation only; others under None."""
    groups: dict[Settings | None, list[int]] = defaultdict(list)
    for i, candidate in enumerate(candidates):
        own = candidate.settings
        alike = own.structure.keeps_directions and own.degrees_of_freedom is None
        groups[replace(own, shrinkage=0.0, inflation=1.0) if alike else None].append(i)
    return groups


def _test_path(
    path: LinearPath | QuadraticPath, priors: Floats, test: LabelledTable, ranked: bool
) -> MetricSums:
    with np.errstate(divide="ignore"):
        log_priors = np.log(priors)[:, :, None]
    m, k = priors.shape
    X, n = test.X, len(test)
    step = max(16, BLOCK_BYTES // (8 * max(m * k, X.shape[1])))

    def work(start: int, stop: int) -> MetricSums:
        parts = []
        for low in range(start, stop, step):
            block = slice(low, min(stop, low + step))
            with np.errstate(over="ignore", invalid="ignore"):
                scores = path.scores(X[block].astype(np.float64, copy=False))
                scores += log_priors
                weights = None if test.weights is None else test.weights[block]
                parts.append(MetricSums.of(scores, test.codes[block], weights, ranked))
        return reduce(add, parts)

    threads = min(n_threads(), -(-n // step))
    with blas_threads(1):
        return reduce(add, in_parallel(work, shares(n, threads)))


def _test_model(model: Model, test: LabelledTable, ranked: bool) -> MetricSums:
    with np.errstate(all="ignore"):
        scores = np.ascontiguousarray(log_posterior(model, test.X).T)[None]
    return MetricSums.of(scores, test.codes, test.weights, ranked)
