"""Automatic choice: one model between the best candidates, or a pool of the best of each kind."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from suffice.data.arrays import Floats
from suffice.errors import NotConverged, TooFewRows
from suffice.estimators.automatic.automatic import Automatic
from suffice.estimators.automatic.averaging import average, log_prior_weight
from suffice.estimators.automatic.candidates import class_name, describe
from suffice.estimators.automatic.trial import Trial
from suffice.estimators.pooled.pooled import PooledDiscriminant
from suffice.estimators.pooled.pooled_members import class_weight, shares_of
from suffice.models.em.effort import limited_effort, sharing_starts
from suffice.selection.entrants import Contest, Entrants
from suffice.selection.folds import training_shares
from suffice.selection.metric_sums import MetricSums
from suffice.selection.metrics import Metric
from suffice.selection.pool import IMAGINARY_ROWS, HeldOut, PoolFit, fit_pool
from suffice.selection.recalibration import recalibrations
from suffice.selection.selection import Selection, standard_error
from suffice.selection.steps import Steps
from suffice.statistics.passes.threads import blas_threads, n_threads


@dataclass(frozen=True)
class AutomaticOptions:
    """What the user asks of the automatic choice."""

    metric: str
    rule: str
    columns: Any = None
    rivals: bool = False
    time_limit: float | None = None


def choose_automatically(trial: Trial, options: AutomaticOptions, steps: Steps) -> Selection:
    """The scores of the family, and the chosen model, fitted to all rows."""
    metric = trial.metrics[options.metric]
    _check_spread(trial)

    def score(contest: Contest, entrants: Entrants) -> tuple[Floats, Floats]:
        if options.metric == "log_loss":
            return contest.losses_and_surprises(entrants)
        values = contest.metrics(entrants, {metric.name: metric}, metric.ranks)
        losses = metric.loss(values[metric.name])
        return losses, np.zeros_like(losses)

    automatic = Automatic(
        trial,
        options.columns,
        score,
        Steps(24.0, steps.part(0.8)),
        with_rivals=options.rivals,
        time_limit=options.time_limit,
    )
    # Many small products: threads of BLAS would mostly wait for each other.
    with blas_threads(1 if len(trial.table) < 1 << 16 else n_threads()):
        automatic.run()
        choice = _Choice(automatic, options)
        selection, model = choice.taken()
    steps.finish()
    return replace(selection, baseline=trial.baseline(), model=model)


def _check_spread(trial: Trial) -> None:
    """Raise if the training rows of some fold are one of each class."""
    table = trial.table
    for fold in trial.folds:
        if np.bincount(table.codes[fold.train]).max() < 2:
            raise TooFewRows(
                "in the rows outside a fold, every class has 1 row (1 sample), so the spread "
                "within classes cannot be estimated; give at least one class three rows."
            )


class _Choice:
    """The choice, after all candidates were scored."""

    def __init__(self, automatic: Automatic, options: AutomaticOptions) -> None:
        self.automatic, self.options = automatic, options
        self.trial, self.contest = automatic.trial, automatic.contest
        self.notes: list[str] = []
        self.candidates = [one for some in automatic.entrants for one in some.candidates]
        loss = np.concatenate(automatic.losses)
        scores = {name: np.full(loss.shape, np.nan) for name in self.trial.metrics}
        scores[options.metric] = self.trial.metrics[options.metric].loss(loss)
        if options.metric != "log_loss":
            losses = [self.contest.losses(some) for some in automatic.entrants]
            scores["log_loss"] = np.concatenate(losses)
        self.selection = Selection(
            tuple(describe(model) for model in self.candidates),
            scores,
            np.concatenate([some.complexity for some in automatic.entrants]),
            options.metric,
            tuple(dict.fromkeys([*self.trial.notes, *automatic.notes])),
            self.trial.repeats,
        )

    def taken(self) -> tuple[Selection, Any]:
        """The selection of what the rule takes, and the model; a single one after an interrupt."""
        if self.options.rule == "pool":
            try:
                return self.pooled()
            except KeyboardInterrupt:
                self.notes.append("interrupted while models were pooled: a single model is taken.")
        return self.single()

    def single(self) -> tuple[Selection, Any]:
        """The selection of one candidate, and its model."""
        selection, entrants = self._select_candidate()
        return self._noted(selection, self._fit(entrants.candidates[0]))

    def pooled(self) -> tuple[Selection, Any]:
        """The selection with a pool, unless one model is clearly better."""
        selection, entrants = self._select_candidate()
        kinds = self._representatives()
        found = fit_pool(self._held_out(kinds), shares_of(class_weight(self.trial.table)))
        if not _is_as_good(found, self._held_out([entrants])):
            return self._noted(selection, self._fit(entrants.candidates[0]))
        members = [kinds[i].candidates[0] for i in found.kept.tolist()]
        # Their weights and recalibrations are no more exact than this.
        with limited_effort(), sharing_starts():
            fitted = [self._fit(member) for member in members]
        table = self.trial.table
        model = PooledDiscriminant._of(
            fitted,
            found.pool.recalibrations,
            found.pool.weights,
            found.pool.share_weight,
            table.X,
            self.trial.y,
            table.weights,
            columns=self.options.columns,
        )
        complexity = float(sum(kinds[i].complexity[0] for i in found.kept.tolist()))
        names = " + ".join(kinds[i].kind for i in found.kept.tolist())
        row = {"model": "PooledDiscriminant", "members": names}
        metrics = _pool_metrics(found, self.trial.metrics)
        return self._noted(self.selection._with_average(row, complexity, metrics), model)

    def _fit(self, candidate: Any) -> Any:
        """The candidate fitted to all rows; that its EM was stopped is a note, not a warning."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", NotConverged)
            model = self.trial.fit(candidate)
        for one in caught:
            if issubclass(one.category, NotConverged):
                self.notes.append(
                    f"{class_name(candidate)}: many values are missing, so that EM stopped before "
                    "its covariances converged; they are those of the last step."
                )
            else:
                warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
        return model

    def _noted(self, selection: Selection, model: Any) -> tuple[Selection, Any]:
        """The selection with all metrics and notes, and the model."""
        notes = tuple(dict.fromkeys([*selection.notes, *self.notes]))
        return replace(self._with_all_metrics(selection), notes=notes), model

    def _select_candidate(self) -> tuple[Selection, Entrants]:
        """The selection of one candidate, and that candidate."""
        selection = self.selection
        if self.options.rule in ("average", "pool"):
            between = self._average(selection)
            if between is not None:
                row, complexity = describe(between.candidates[0]), float(between.complexity[0])
                metrics = self.contest.metrics(between, self.trial.metrics, ranked=True)
                return selection._with_average(row, complexity, metrics), between
            at = self._best
        else:
            at = getattr(selection, self.options.rule.replace("-", "_"))
        return replace(selection, chosen=at), self._entrant_at(at)

    def _average(self, selection: Selection) -> Entrants | None:
        """The candidate between the good ones; None if the best one is clearly better."""
        prior = np.array([log_prior_weight(candidate) for candidate in self.candidates])
        prior -= np.concatenate(self.automatic.doubts)
        weights = selection.weights(self.trial.table.effective_rows, prior)
        between, same = average(self.candidates, weights)
        entrants = self._entrant_at(same) if same is not None else self.automatic.entrant(between)
        if entrants is None:
            return None
        behind = self.contest.losses(entrants)[0] - selection.scores["log_loss"][self._best]
        error = standard_error(behind[None], selection.repeats)[0]
        return entrants if behind.mean() <= error / 4 else None

    @property
    def _best(self) -> int:
        """Position of the candidate with the least expected loss; the simplest of equals."""
        expected = np.concatenate(self.automatic.expected_losses)
        return int(np.lexsort((self.selection.complexity, np.nan_to_num(expected, nan=np.inf)))[0])

    def _with_all_metrics(self, selection: Selection) -> Selection:
        """The selection with all metrics of the candidates that a reader looks at."""
        leaders, first = selection._leaders(5), 0
        for some in self.automatic.entrants:
            at = [i for i in leaders if first <= i < first + len(some.candidates)]
            if at:
                part = some.take([i - first for i in at])
                metrics = self.contest.metrics(part, self.trial.metrics, ranked=True)
                selection = selection._with_scores(at, metrics)
            first += len(some.candidates)
        return selection

    def _entrant_at(self, at: int) -> Entrants:
        """One candidate, by its position among all."""
        for some in self.automatic.entrants:
            if at < len(some.candidates):
                return some.take([at])
            at -= len(some.candidates)
        raise IndexError(at)

    def _representatives(self, most: int = 6) -> list[Entrants]:
        """The candidate of each kind that is best after recalibration.

        most : candidates of a kind that are recalibrated, the best ones before
        """
        kinds: dict[str, list[tuple[float, int, int]]] = {}
        for i, (some, loss) in enumerate(
            zip(self.automatic.entrants, self._mild_losses(), strict=True)
        ):
            ranked = [(float(mean), i, j) for j, mean in enumerate(loss) if np.isfinite(mean)]
            kinds.setdefault(some.kind, []).extend(ranked)
        return [self._best_recalibrated(sorted(some)[:most]) for some in kinds.values() if some]

    def _mild_losses(self) -> list[Floats]:
        """The mean loss of each candidate, of over-confident kinds after division of the scores."""
        means = self.automatic.expected_losses
        for i, some in enumerate(self.automatic.entrants):
            # Too confident posteriors are represented by those that are best when milder.
            if some.kind == "MixedNB":
                milder = [self.contest.losses(some.milder(one)) for one in (1.5, 3.0)]
                means[i] = np.min([means[i], *np.mean(milder, axis=2)], axis=0)
        return means

    def _best_recalibrated(self, ranked: Sequence[tuple[float, int, int]]) -> Entrants:
        """One of some candidates, given with their entrants and their positions among these."""
        together: dict[int, list[int]] = {}
        for _, i, j in ranked:
            together.setdefault(i, []).append(j)
        some = [self.automatic.entrants[i].take(js) for i, js in together.items()]
        each = [one.take([j]) for one in some for j in range(len(one.candidates))]
        if len(each) == 1:
            return each[0]
        rows = self._held_out(some, self.contest.fewer(1024))
        weights = np.tile(rows.weights / rows.repeats, (len(each), 1))
        own = recalibrations(rows.log_posteriors, rows.codes, weights)
        at = np.arange(len(rows.codes))
        parts = zip(own, rows.log_posteriors, strict=True)
        gains = [float(rows.weights @ one.apply(part)[at, rows.codes]) for one, part in parts]
        return each[int(np.argmax(gains))]

    def _held_out(self, kinds: Sequence[Entrants], contest: Contest | None = None) -> HeldOut:
        contest = contest or self.contest
        rows, k = contest.rows, contest.k
        return HeldOut(
            np.concatenate([contest.log_posteriors(some) for some in kinds]),
            contest.codes[rows],
            contest.weights[rows],
            contest.fold_of,
            training_shares(contest.folds, contest.codes, contest.weights, k),
            self.trial.repeats,
        ).enough_for_a_pool()


def _is_as_good(found: PoolFit, alone: HeldOut) -> bool:
    """Whether a pool predicts held-out rows about as well as the best single model.

    Clearly means by one and a half standard errors of the difference, with the imaginary rows among
    those tested. The single model is the luckiest of hundreds, so that its score is flattered more
    than that of a pool.
    """
    single = alone.log_posteriors[0]
    gain = (found.log_posterior - single)[np.arange(len(alone.codes)), alone.codes]
    share = alone.weights / alone.weights.sum()
    mean = float(share @ gain)
    # Repeats test the same rows again, which makes the error no smaller.
    error = float(np.sqrt(alone.repeats * (share**2 @ (gain - mean) ** 2)))
    drawn = alone.surprise(single) - alone.surprise(found.log_posterior)
    expected = mean + IMAGINARY_ROWS * drawn / float(alone.independent.sum())
    return expected > -1.5 * error


def _pool_metrics(found: PoolFit, metrics: Mapping[str, Metric]) -> dict[str, Floats]:
    """Each metric of a pool in each fold, (1, f)."""
    rows, sums = found.rows, []
    for fold in range(len(rows.shares)):
        at = rows.fold == fold
        scores = np.array(found.log_posterior[at].T[None])
        sums.append(MetricSums.of(scores, rows.codes[at], rows.weights[at], ranked=True))
    return {
        name: np.stack([metric.values(one) for one in sums], axis=1)
        for name, metric in metrics.items()
    }
