"""Selection: what cross-validation found, as a table with a choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.data.labels import shown
from suffice.errors import InvalidParameter
from suffice.selection.tally import METRICS
from suffice.text import visible

# How many of the best candidates are printed.
SHOWN = 10

# In so many ways folds may count, see `Selection.weights`.
DRAWS = 400

MORE_IS_BETTER = ("accuracy",)

# Metrics as heads of columns, where shorter.
HEADS = {"log_loss": "log-loss", "brier": "Brier", "calibration_error": "calib."}


@dataclass(frozen=True, slots=True)
class Selection:
    """Candidates with their cross-validated scores, and which to take.

    Attributes
    ----------
    candidates : parameters of each candidate, a mapping each
    scores : for each metric the score of each candidate in each fold, (candidates, folds)
    complexity : effective number of parameters of each candidate, (candidates,)
    metric : what decides: "log_loss", "accuracy", "brier" or "calibration_error"
    best : position of the candidate with the best mean
    careful : position of the simplest that is not clearly worse
    one_standard_error : position of the simplest one within a standard error of the best
    repeats : how often the rows were dealt into folds anew
    averaged : whether the last candidate is between the others; the best and the simplest are
        looked for among the others
    chosen : position of the candidate that was taken
    notes : what was done otherwise than asked for
    model : the fitted model that was chosen
    """

    candidates: tuple[Mapping[str, Any], ...]
    scores: Mapping[str, Floats]
    complexity: Floats
    metric: str = "log_loss"
    notes: tuple[str, ...] = ()
    repeats: int = 1
    averaged: bool = False
    chosen: int | None = None
    model: Any = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if self.metric not in METRICS:
            raise InvalidParameter(
                f"metric is {shown(self.metric)}; it must be one of {', '.join(METRICS)}."
            )

    @property
    def tried(self) -> int:
        """How many candidates there were to choose from."""
        return len(self.candidates) - self.averaged

    @property
    def best(self) -> int:
        """Position of the candidate with the best mean; the simplest of equals."""
        loss = self._loss.mean(axis=1)
        return int(np.lexsort((self.complexity[: self.tried], loss))[0])

    def weights(self, rows: float, belief: Floats | None = None) -> Floats:
        """How much to believe each candidate, (tried,), after so many rows were tested.

        Proportional to exp(belief - rows x mean loss): were the log-loss that of the rows
        themselves, it would be Bayes' rule. Averaged over many ways in which the folds might
        count (a Bayesian bootstrap), so that a few hard rows decide less.

        belief : logarithm of how much it was believed before; None for all alike
        """
        loss = self._loss
        sound = np.isfinite(loss).all(axis=1)
        beforehand = np.zeros(self.tried) if belief is None else belief
        folds = loss.shape[1]
        # Each row was tested in as many folds as there are repeats.
        counts = np.random.default_rng(0).dirichlet(np.full(folds, 1 / self.repeats), DRAWS)
        nats = beforehand[sound, None] - rows * (loss[sound] @ counts.T)
        each = np.exp(nats - nats.max(axis=0))
        found = np.zeros(self.tried)
        found[sound] = (each / each.sum(axis=0)).mean(axis=1)
        return found

    @property
    def careful(self) -> int:
        """Position of the simplest that is not clearly worse than the best.

        Clearly is by half a standard error of the difference between the two. One that is not
        inflated counts as simpler: inflation mends posteriors that are too sure of themselves, at
        the price of rows that are certain.
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
        """A column a parameter, and of each metric its mean and standard error over the folds.

        `pandas.DataFrame(selection.table)` makes a frame of it.
        """
        names = list(dict.fromkeys(name for one in self.candidates for name in one))
        columns: dict[str, Array] = {}
        for name in names:
            values = np.empty(len(self.candidates), object)
            values[:] = [one.get(name) for one in self.candidates]
            columns[name] = values
        columns["parameters"] = self.complexity
        for metric, scores in self.scores.items():
            columns[metric] = scores.mean(axis=1)
            columns[f"{metric}_se"] = standard_error(scores, self.repeats)
        return columns

    def __repr__(self) -> str:
        order = np.lexsort((self.complexity[: self.tried], self._loss.mean(axis=1)))
        taken = self.careful if self.chosen is None else self.chosen
        at = list(dict.fromkeys([*order[:SHOWN].tolist(), taken]))
        lines = [self._head(), *aligned(self._lines(at))]
        if len(at) < len(self.candidates):
            lines.append(f"... and {len(self.candidates) - len(at)} more")
        return "\n".join([*lines, *self.notes])

    @property
    def _loss(self) -> Floats:
        scores = self.scores[self.metric][: self.tried]
        loss = -scores if self.metric in MORE_IS_BETTER else scores
        # A candidate that failed in a fold is never chosen.
        return np.where(np.isnan(loss), np.inf, loss)

    def _head(self) -> str:
        folds = next(iter(self.scores.values())).shape[1]
        return f"{self.tried} candidates, {folds} folds, by {self.metric} (* best, + {self._taken})"

    @property
    def _taken(self) -> str:
        if self.averaged:
            return "between them, by how well they did"
        rules = {self.best: "taken", self.careful: "simplest that is not clearly worse"}
        return rules[self.careful] if self.chosen is None else rules.get(self.chosen, "taken")

    def _lines(self, at: Sequence[int]) -> list[list[str]]:
        table, taken = self.table, self.careful if self.chosen is None else self.chosen
        names = [name for name in table if len({str(one.get(name)) for one in self.candidates}) > 1]
        others = [metric for metric in METRICS if metric != self.metric]
        heads = [HEADS.get(metric, metric) for metric in (self.metric, *others)]
        lines = [["", "candidate", "params", *heads]]
        for i in at:
            mark = ("*" if i == self.best else "") + ("+" if i == taken else "")
            told = _told(self.candidates[i], names)
            score, error = table[self.metric][i], table[f"{self.metric}_se"][i]
            rest = [f"{table[metric][i]:.4f}" for metric in others]
            lines.append(
                [mark, told, f"{self.complexity[i]:.4g}", f"{score:.4f} ± {error:.4f}", *rest]
            )
        return lines


def standard_error(scores: Floats, repeats: int = 1) -> Floats:
    """Of the mean over folds, (candidates,); zero for a single fold.

    Folds dealt anew hold the same rows: they count for no more than those of one deal.
    """
    folds = scores.shape[1]
    if folds < 2:
        return np.zeros(len(scores))
    with np.errstate(invalid="ignore"):
        return np.asarray(scores.std(axis=1, ddof=1) / np.sqrt(folds / repeats))


def _told(candidate: Mapping[str, Any], names: Sequence[str]) -> str:
    """A candidate by those of its parameters that differ between candidates."""
    own = [name for name in names if name in candidate]
    said = [f"{name}={_brief(candidate[name])}" for name in own if name != "model"]
    kind = [str(candidate["model"])] if "model" in own or not said else []
    return " ".join([*kind, *said]) if "model" in candidate or said else "candidate"


def _brief(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:g}" if isinstance(value, float | np.floating) else str(value)


def aligned(lines: list[list[str]]) -> list[str]:
    """Lines of cells as text, the cells of a column equally wide."""
    safe = [[visible(cell) for cell in line] for line in lines]
    widths = [max(map(len, column)) for column in zip(*safe, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in safe
    ]
