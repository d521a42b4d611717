"""Quality: how well the model does on rows that it has not seen."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.report.choice_section import TITLES, Choice
from suffice.report.data_section import DataFacts
from suffice.report.markup import Html, element, joined, paragraphs, percent, plural, short, table
from suffice.report.material import Material
from suffice.selection.diagnostics.calibration import calibration
from suffice.selection.diagnostics.diagnostic import Diagnostic

# Beyond so many classes the matrix stands in its picture alone.
MOST_CLASSES = 25

READINGS = {
    "accuracy": "share of the rows that get their own label; 1 is best",
    "log_loss": "mean of -ln of the probability given to the true class; 0 is best",
    "brier": "mean squared error of the probabilities; 0 is best",
    "calibration_error": "mean gap between how sure the model is and how often it is right; 0 is "
    "best",
}


@dataclass(frozen=True, eq=False, slots=True)
class Quality:
    """What cross-validation says of the model.

    scores : by metric, mean over the folds and its standard error
    classes : (k,)
    confusion : (k, k) rows that were tested: a row for each true class, a column for each label
    calibration : whether the probabilities came true, see `Diagnostic`
    folds : how many parts the rows are dealt into
    repeats : how often, for the scores
    """

    scores: dict[str, tuple[float, float]]
    classes: Array
    confusion: Floats
    calibration: Diagnostic
    folds: int
    repeats: int

    @property
    def tested(self) -> int:
        """How many rows were tested."""
        return int(self.confusion.sum())

    @property
    def right(self) -> float:
        """The share of rows that got their own label."""
        return float(np.trace(self.confusion) / self.confusion.sum())

    @property
    def worst_confusion(self) -> str:
        """The mistake that is made most often, in words."""
        off = self.confusion - np.diag(np.diag(self.confusion))
        if not off.any():
            return "No row is taken for another class."
        i, j = np.unravel_index(int(off.argmax()), off.shape)
        count = int(off[i, j])
        return (
            f"Taken for another class most often: {short(self.classes[i])} for "
            f"{short(self.classes[j])}, {plural(count, 'row')} of "
            f"{int(self.confusion[i].sum()):,}."
        )


def quality(data: Material, choice: Choice) -> Quality:
    """The scores of the selection, and on the same folds what each row was taken for."""
    from suffice.estimators.trial import Trial, log_probabilities

    trial = Trial(data.X, data.y, None, choice.folds, 1, None)
    k = len(trial.table.classes)
    tested, p = [], []
    for fold in trial.folds:
        model = deepcopy(choice.model).fit(data.at(fold.train), data.y[fold.train])
        tested.append(fold.test)
        p.append(np.exp(log_probabilities(model, data.at(fold.test))))
    at, found = np.concatenate(tested), np.concatenate(p)
    codes, told = data.codes[at], found.argmax(axis=1)
    confusion = np.bincount(codes * k + told, minlength=k * k).reshape(k, k).astype(np.float64)
    judged = calibration(data.y[at], found, trial.table.classes)
    scores = {metric: choice.score(metric) for metric in TITLES}
    dealt = choice.folds, choice.selection.repeats
    return Quality(scores, trial.table.classes, confusion, judged, *dealt)


def quality_html(found: Quality, facts: DataFacts) -> Html:
    """The section."""
    accuracy, error = found.scores["accuracy"]
    loss, _ = found.scores["log_loss"]
    said = (
        f"The rows were dealt into {found.folds} parts. Each part was tested with a model trained "
        f"on the others, so that no row was tested by a model that had seen it."
    )
    right = (
        f"Of 100 such rows about {100 * accuracy:.0f} get the right label ({percent(accuracy)} ± "
        f"{percent(error)}); always guessing the most frequent class would get "
        f"{100 * facts.most_frequent:.0f} right. The model gives the true class a probability of "
        f"{percent(float(np.exp(-loss)))} in the geometric mean."
    )
    rows = [
        [TITLES[m], f"{mean:.4f}", f"{se:.4f}", READINGS[m]]
        for m, (mean, se) in found.scores.items()
    ]
    head = ["Measure", "Mean", "Standard error", "What it is"]
    dealt = f"{found.folds} folds" + (f", dealt {found.repeats} times," * (found.repeats > 1))
    caption = f"Scores on rows not seen: mean over {dealt} and its standard error."
    scores = table(caption, head, rows, words=[3])
    judged = found.calibration
    parts = [paragraphs(said, right), scores, element("h3", "Are the probabilities honest?")]
    whole = (
        "This is of all tested rows together. The calibration error above is a mean over folds, "
        "whose fewer rows a bin make gaps by chance: it is usually the larger one."
    )
    parts.append(paragraphs(f"{judged.sentence} {judged.recommendation}", whole))
    parts += [element("h3", "Which classes are confused?"), paragraphs(found.worst_confusion)]
    if len(found.classes) <= MOST_CLASSES:
        parts.append(_matrix(found))
    return joined(parts)


def _matrix(found: Quality) -> Html:
    names = [short(label, 30) for label in found.classes]
    total = found.confusion.sum(axis=1)
    rows: list[list[Any]] = []
    for i, name in enumerate(names):
        counts = [f"{count:,.0f}" for count in found.confusion[i]]
        share = percent(float(found.confusion[i, i] / total[i])) if total[i] else "-"
        rows.append([name, *counts, share])
    caption = "Rows of each true class (down) by the label they got (across), when not seen."
    return table(caption, ["True class", *names, "Right"], rows)
