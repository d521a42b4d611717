"""Selection: the cross-validated scores of candidates, and which one to take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.html import html_table
from suffice.selection.metrics import check_metric, metric_named
from suffice.statistics.storage.registry import storable
from suffice.text import align_columns, format_number, plural

# Metrics in the text of a selection, beside the one that decides; the table has all.
SHOWN = ("log_loss", "accuracy", "balanced_accuracy", "roc_auc", "brier", "calibration_error")

# The prediction that ignores all features, in tables.
BASELINE = "class shares alone"


@storable
@dataclass(frozen=True, slots=True)
class Selection:
    """Candidates with their cross-validated scores, and which to take.

    Attributes
    ----------
    candidates : one mapping of parameters per candidate
    scores : for each metric the score of each candidate in each fold, (candidates, folds); NaN
        where a candidate failed, where a fold does not test a class, and for metrics that rank
        rows (`roc_auc`, `average_precision`) for all but the leading candidates, see
        `select_model`
    complexity : effective number of parameters of each candidate, (candidates,)
    metric : what decides, such as "log_loss", "roc_auc" or "recall_yes"
    best : position of the candidate with the best mean
    careful : position of the simplest that is not clearly worse
    one_standard_error : position of the simplest one within a standard error of the best
    repeats : how often the rows were shuffled into folds
    averaged : whether the last candidate is the average of others; it is not considered for
        `best`, `careful` and `one_standard_error`
    chosen : position of the candidate that was taken
    notes : deviations from what was requested
    model : the fitted model that was chosen
    baseline : the mean of each metric for a prediction that ignores the features: the class
        shares of the training rows, and so always the most frequent class
    """

    candidates: tuple[Mapping[str, Any], ...]
    scores: Mapping[str, Array]  # of floats; NaN where a candidate failed in a fold
    complexity: Array
    metric: str = "log_loss"
    notes: tuple[str, ...] = ()
    repeats: int = 1
    averaged: bool = False
    chosen: int | None = None
    model: Any = field(default=None, compare=False)
    baseline: Mapping[str, float] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        check_metric(self.metric)

    def stored(self, exact: bool) -> Self:
        """The form in which a file holds it: without the model."""
        return replace(self, model=None)

    def validated(self) -> Self:
        """This selection, if it has one score per candidate and fold; a ValueError otherwise."""
        if "log_loss" not in self.scores or self.metric not in self.scores:
            raise ValueError("the selection lacks a metric")
        n, folds = len(self.candidates), self.scores["log_loss"].shape[1:]
        if not n or len(folds) != 1 or not folds[0]:
            raise ValueError("the selection has no candidates or no folds")
        for values, shape in [
            (self.complexity, (n,)),
            *((one, (n, *folds)) for one in self.scores.values()),
        ]:
            if values.shape != shape or values.dtype != np.float64 or np.isneginf(values).any():
                raise ValueError("the selection does not have one score per candidate and fold")
        if not 0 < self.repeats <= folds[0] or not self.tried > 0:
            raise ValueError("the selection has no candidates to choose from, or no repeats")
        if self.model is not None or not (self.chosen is None or 0 <= self.chosen < n):
            raise ValueError("the selection has chosen something else than a candidate")
        return self

    def _with_average(
        self, row: Mapping[str, Any], complexity: float, scores: Mapping[str, Floats]
    ) -> Self:
        """The same with a model between the candidates as the last one, which is chosen.

        scores : for each metric the score in each fold, (1, folds)
        """
        joined = {name: np.concatenate([own, scores[name]]) for name, own in self.scores.items()}
        return replace(
            self,
            candidates=(*self.candidates, row),
            scores=joined,
            complexity=np.append(self.complexity, complexity),
            averaged=True,
            chosen=len(self.candidates),
        )

    def _with_scores(self, at: Sequence[int], scores: Mapping[str, Floats]) -> Self:
        """The same with other scores of the candidates at some positions, (positions, folds)."""
        changed = {name: own.copy() for name, own in self.scores.items()}
        for name, values in scores.items():
            changed[name][at] = values
        return replace(self, scores=changed)

    def _leaders(self, most: int = 1) -> list[int]:
        """Positions of the candidates that a reader looks at: `most` best, careful, and chosen."""
        some = {*self.order[:most].tolist(), self.careful, self.one_standard_error}
        if self.chosen is not None and self.chosen < self.tried:
            some.add(self.chosen)
        return sorted(some)

    @property
    def tried(self) -> int:
        """Number of candidates to choose from."""
        return len(self.candidates) - self.averaged

    @property
    def order(self) -> Indices:
        """Positions of the candidates from the best mean to the worst; simpler ones first."""
        loss = self._loss.mean(axis=1)
        return np.asarray(np.lexsort((self.complexity[: self.tried], loss)))

    @property
    def best(self) -> int:
        """Position of the candidate with the best mean; the simplest of equals."""
        return int(self.order[0])

    def weights(self, rows: float, belief: Floats | None = None) -> Floats:
        """Posterior weight of each candidate, (tried,), after this many rows were tested.

        Proportional to exp(belief - rows x mean loss): Bayes' rule, if the log-loss were that of
        the rows themselves. Averaged over 400 random weightings of the folds (a Bayesian
        bootstrap), so that a few hard rows decide less.

        belief : log-prior weight of each candidate; None for equal ones
        """
        loss = self._loss
        valid = np.isfinite(loss).all(axis=1)
        prior = np.zeros(self.tried) if belief is None else belief
        # Each row was tested in as many folds as there are repeats.
        concentration = np.full(loss.shape[1], 1 / self.repeats)
        fold_weights = np.random.default_rng(0).dirichlet(concentration, 400)
        nats = prior[valid, None] - rows * (loss[valid] @ fold_weights.T)
        each = np.exp(nats - nats.max(axis=0))
        out = np.zeros(self.tried)
        out[valid] = (each / each.sum(axis=0)).mean(axis=1)
        return out

    @property
    def careful(self) -> int:
        """Position of the simplest that is not clearly worse than the best.

        Clearly means by half a standard error of the difference between the two. A candidate
        without inflation counts as simpler: inflation corrects over-confident posteriors, at the
        expense of rows that are certain.
        """
        loss, best = self._loss, self.best
        with np.errstate(invalid="ignore"):
            behind = loss - loss[best]
            near = behind.mean(axis=1) <= standard_error(behind, self.repeats) / 2
        near[best] = True
        inflated = [one.get("inflation", 1.0) != 1.0 for one in self.candidates[: self.tried]]
        complexity = self.complexity[: self.tried]
        return int(np.lexsort((loss.mean(axis=1), complexity, inflated, ~near))[0])

    @property
    def one_standard_error(self) -> int:
        """Position of the simplest candidate whose mean is within a standard error of the best."""
        loss, best = self._loss.mean(axis=1), self.best
        near = loss <= loss[best] + standard_error(self._loss, self.repeats)[best]
        simple = np.where(near, self.complexity[: self.tried], np.inf)
        return int(np.lexsort((loss, simple))[0])

    @property
    def table(self) -> dict[str, Array]:
        """One column per parameter, and the mean and standard error of each metric over folds.

        `pandas.DataFrame(selection.table)` turns it into a frame.
        """
        names = list(dict.fromkeys(name for one in self.candidates for name in one))
        columns: dict[str, Array] = {}
        for name in names:
            values = np.empty(len(self.candidates), object)
            values[:] = [one.get(name) for one in self.candidates]
            columns[name] = values
        columns["parameters"] = self.complexity
        for metric, by_fold in self.scores.items():
            scores = _tested_folds(by_fold)
            columns[metric] = scores.mean(axis=1)
            columns[f"{metric}_se"] = standard_error(scores, self.repeats)
        return columns

    def __repr__(self) -> str:
        at, more = self._shown()
        return "\n".join([self._heading(), *align_columns(self._lines(at)), *more, *self.notes])

    def _repr_html_(self) -> str:
        at, more = self._shown()
        head, *rows = self._lines(at)
        marked = [i for i, row in enumerate(rows) if "+" in row[0]]
        notes = [*more, *self.notes]
        return html_table(
            head, rows, caption=self._heading(), words=(0, 1), marked=marked, notes=notes
        )

    def _shown(self) -> tuple[list[int], list[str]]:
        """Positions of the candidates to show, and in words how many are left out."""
        at = list(dict.fromkeys([*self.order[:10].tolist(), self._taken]))
        left = len(self.candidates) - len(at)
        return at, [f"... and {left} more"] if left else []

    @property
    def _loss(self) -> Floats:
        scores = _tested_folds(self.scores[self.metric])[: self.tried]
        loss = metric_named(self.metric).loss(scores)
        # A candidate that failed in a fold is never chosen.
        return np.where(np.isnan(loss), np.inf, loss)

    @property
    def _taken(self) -> int:
        return self.careful if self.chosen is None else self.chosen

    def _heading(self) -> str:
        folds = next(iter(self.scores.values())).shape[1]
        rule = "taken"
        if self.averaged:
            several = members_of(self.candidates[-1])
            rule = f"{'pool' if several else 'average'} of those that did well"
        elif self._taken == self.careful:
            rule = "simplest that is not clearly worse"
        return f"{self.tried} candidates, {folds} folds, by {self.metric} (* best, + {rule})"

    def _lines(self, at: Sequence[int]) -> list[list[str]]:
        table = self.table
        names = [name for name in table if len({str(one.get(name)) for one in self.candidates}) > 1]
        others = [one for one in SHOWN if one in self.scores and one != self.metric]
        headings = [metric_named(metric).heading for metric in (self.metric, *others)]
        lines = [["", "candidate", "params", *headings]]
        for i in at:
            mark = ("*" if i == self.best else "") + ("+" if i == self._taken else "")
            label = _label(self.candidates[i], names)
            score = format_score(table[self.metric][i])
            score += f" ± {format_score(table[f'{self.metric}_se'][i])}"
            rest = [format_score(table[metric][i]) for metric in others]
            lines.append([mark, label, f"{self.complexity[i]:.4g}", score, *rest])
        if self.baseline:
            cells = [format_score(self.baseline[metric]) for metric in (self.metric, *others)]
            lines.append(["", BASELINE, "", *cells])
        return lines


def standard_error(scores: Floats, repeats: int = 1) -> Floats:
    """Standard error of the mean over folds, (candidates,); zero for a single fold.

    Repeated folds hold the same rows, so they do not make the error smaller.
    """
    folds = scores.shape[1]
    if folds < 2:
        return np.zeros(len(scores))
    with np.errstate(invalid="ignore"):
        return np.asarray(scores.std(axis=1, ddof=1) / np.sqrt(folds / repeats))


def format_score(value: float) -> str:
    """A score as text, never 0.0000 unless it is zero; a dash if there is none.

    >>> format_score(0.4567), format_score(2.12e-5), format_score(np.nan)
    ('0.4567', '0.000021', '-')
    """
    if np.isnan(value):
        return "-"
    if abs(value) < 1e-12:  # rounding error
        return "0.0000"
    return f"{value:.4f}" if abs(value) >= 5e-5 else format_number(value, 2)


def members_of(candidate: Mapping[str, Any]) -> list[str]:
    """The names of the models that a pool consists of; none for a single model."""
    return str(candidate["members"]).split(" + ") if "members" in candidate else []


def _tested_folds(scores: Floats) -> Floats:
    """The scores in those folds in which some candidate has one: not all may test a class."""
    tested = ~np.isnan(scores).all(axis=0)
    return scores[:, tested] if tested.any() else scores


def _label(candidate: Mapping[str, Any], names: Sequence[str]) -> str:
    """A candidate by those of its parameters that differ between candidates."""
    members = members_of(candidate)
    if members:
        return f"{candidate['model']} of {plural(len(members), 'model')}"
    own = [name for name in names if name in candidate]
    values = [f"{name}={_format_value(candidate[name])}" for name in own if name != "model"]
    kind = [str(candidate["model"])] if "model" in own or not values else []
    return " ".join([*kind, *values]) if "model" in candidate or values else "candidate"


def _format_value(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:g}" if isinstance(value, float | np.floating) else str(value)
