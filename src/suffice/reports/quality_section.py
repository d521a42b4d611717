"""Quality: how well the model predicts rows that it has not seen."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.html import Html, joined
from suffice.reports.choice_section import SHOWN, TITLES, Choice
from suffice.reports.data_section import DataFacts
from suffice.reports.markup import heading, paragraphs, percent, short, table
from suffice.reports.material import Material
from suffice.selection.diagnostics.calibration import calibration
from suffice.selection.diagnostics.diagnostic import Diagnostic
from suffice.text import plural

MOST_CLASSES = 25  # of a confusion matrix in numbers; of more there is only the picture

READINGS = {
    "accuracy": "share of the rows that get their true label; 1 is best",
    "log_loss": "mean of -ln of the probability given to the true class; 0 is best",
    "brier": "mean squared error of the probabilities; 0 is best",
}


@dataclass(frozen=True, eq=False, slots=True)
class Quality:
    """The cross-validated quality of the model.

    scores : by metric, mean over the folds and its standard error
    classes : (k,)
    confusion : (k, k) tested rows: one row per true class, one column per predicted class
    calibration : whether the probabilities match the frequencies, see `Diagnostic`
    folds : number of parts of the rows
    repeats : number of divisions into parts, for the scores
    """

    scores: dict[str, tuple[float, float]]
    classes: Array
    confusion: Floats
    calibration: Diagnostic
    folds: int
    repeats: int

    @property
    def tested(self) -> int:
        """Number of rows that were tested."""
        return int(self.confusion.sum())

    @property
    def right(self) -> float:
        """The share of rows that got their true label."""
        return float(np.trace(self.confusion) / self.confusion.sum())

    @property
    def worst_confusion(self) -> str:
        """The most frequent mistake, in words."""
        off = self.confusion - np.diag(np.diag(self.confusion))
        if not off.any():
            return "No row is predicted as another class."
        i, j = np.unravel_index(int(off.argmax()), off.shape)
        count = int(off[i, j])
        return (
            f"The most frequent mistake: {short(self.classes[i])} predicted as "
            f"{short(self.classes[j])}, {plural(count, 'row')} of "
            f"{int(self.confusion[i].sum()):,}."
        )


def quality(data: Material, choice: Choice) -> Quality:
    """The scores of the selection, and on the same folds the prediction of each row."""
    from suffice.estimators.trial import Trial, log_probabilities

    trial = Trial(data.X, data.y, None, choice.folds, 1, None)
    k = len(trial.table.classes)
    tested, parts = [], []
    for fold in trial.folds:
        model = deepcopy(choice.model).fit(data.at(fold.train), data.y[fold.train])
        tested.append(fold.test)
        parts.append(np.exp(log_probabilities(model, data.at(fold.test))))
    at, posterior = np.concatenate(tested), np.concatenate(parts)
    pairs = data.codes[at] * k + posterior.argmax(axis=1)
    confusion = np.bincount(pairs, minlength=k * k).reshape(k, k).astype(np.float64)
    return Quality(
        {metric: choice.score(metric) for metric in TITLES},
        trial.table.classes,
        confusion,
        calibration(data.y[at], posterior, trial.table.classes),
        choice.folds,
        choice.selection.repeats,
    )


def quality_html(found: Quality, facts: DataFacts) -> Html:
    """The section."""
    accuracy, error = found.scores["accuracy"]
    loss, _ = found.scores["log_loss"]
    method = (
        f"The rows were divided into {found.folds} parts. Each part was tested with a model "
        "trained on the others, so that no row was tested by a model that had seen it."
    )
    result = (
        f"Of 100 such rows about {100 * accuracy:.0f} get the right label ({percent(accuracy)} ± "
        f"{percent(error)}); always guessing the most frequent class would get "
        f"{100 * facts.most_frequent:.0f} right. The geometric mean of the probability that the "
        f"model gives the true class is {percent(float(np.exp(-loss)))}."
    )
    calibrated = found.calibration
    parts = [
        paragraphs(method, result),
        _scores(found),
        heading("Are the probabilities calibrated?"),
        paragraphs(f"{calibrated.sentence} {calibrated.recommendation}"),
        heading("Which classes are confused?"),
        paragraphs(found.worst_confusion),
    ]
    if len(found.classes) <= MOST_CLASSES:
        parts.append(_matrix(found))
    return joined(parts)


def _scores(found: Quality) -> Html:
    rows = [[TITLES[m], *(f"{value:.4f}" for value in found.scores[m]), READINGS[m]] for m in SHOWN]
    repeated = f", repeated {found.repeats} times," if found.repeats > 1 else ""
    caption = f"Scores on unseen rows: mean over {found.folds} folds{repeated} and standard error."
    head = ["Measure", "Mean", "Standard error", "What it is"]
    return table(caption, head, rows, words=[3])


def _matrix(found: Quality) -> Html:
    names = [short(label, 30) for label in found.classes]
    total = found.confusion.sum(axis=1)
    rows: list[list[Any]] = []
    for i, name in enumerate(names):
        counts = [f"{count:,.0f}" for count in found.confusion[i]]
        share = percent(float(found.confusion[i, i] / total[i])) if total[i] else "-"
        rows.append([name, *counts, share])
    caption = "Unseen rows by true class (down) and predicted class (across)."
    return table(caption, ["True class", *names, "Right"], rows)
