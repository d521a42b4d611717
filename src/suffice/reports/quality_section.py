"""Quality: how well the model predicts rows that it has not seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.errors import SufficeError
from suffice.html import Html, joined
from suffice.reports.choice_section import Choice, title
from suffice.reports.data_section import DataFacts
from suffice.reports.markup import heading, paragraphs, percent, short, table
from suffice.reports.material import Material
from suffice.selection.diagnostics.calibration import calibration
from suffice.selection.diagnostics.diagnostic import Diagnostic
from suffice.selection.evaluation import evaluate_predictions
from suffice.selection.importance import Importance
from suffice.selection.metrics import METRICS
from suffice.selection.selection import format_score
from suffice.text import plural


@dataclass(frozen=True, eq=False, slots=True)
class Quality:
    """The cross-validated quality of the model.

    scores : by metric, mean over the folds and its standard error
    baseline : by metric, for the class shares of the training rows
    classes : (k,)
    confusion : (k, k) tested rows: one row per true class, one column per predicted class
    recall_se : (k,) standard error of the share of each class that gets its label
    calibration : whether the probabilities match the frequencies, see `Diagnostic`
    folds : number of parts of the rows
    repeats : number of divisions into parts, for the scores
    importance : how much each column matters, see `Importance`; None for too many columns
    """

    scores: dict[str, tuple[float, float]]
    baseline: Mapping[str, float]
    classes: Array
    confusion: Floats
    recall_se: Floats
    calibration: Diagnostic
    folds: int
    repeats: int
    importance: Importance | None = None

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
    from suffice.estimators.automatic.candidates import log_probabilities
    from suffice.estimators.automatic.trained_outside import trained_outside
    from suffice.estimators.automatic.trial import Trial

    trial = Trial(data.X, data.y, None, choice.folds, 1, None)
    classes = trial.table.classes
    models = trained_outside(choice.model, trial)
    tests = [(model, fold.test) for model, fold in zip(models, trial.folds, strict=True)]
    parts = [log_probabilities(model, data.at(rows)) for model, rows in tests]
    at, log_posterior = np.concatenate([rows for _, rows in tests]), np.concatenate(parts)
    evaluation = evaluate_predictions(log_posterior, classes, data.y[at])
    return Quality(
        {metric: choice.score(metric) for metric in METRICS},
        choice.selection.baseline,
        classes,
        evaluation.confusion,
        evaluation.recall_se,
        _calibration(calibration(data.y[at], np.exp(log_posterior), classes), choice),
        choice.folds,
        choice.selection.repeats,
        _importance(data, tests),
    )


def _calibration(found: Diagnostic, choice: Choice) -> Diagnostic:
    """The finding, without advice on settings where the model was chosen among all of them."""
    if choice.given or not found.concern:
        return found
    advice = (
        "Nothing to change: other poolings, shrinkages and covariances were among the candidates. "
        "A picture below shows which probabilities are off, and by how much."
    )
    return replace(found, recommendation=advice)


def _importance(data: Material, tests: Sequence[tuple[Any, Indices]]) -> Importance | None:
    """By the models of the folds, on some of the rows that they have not seen."""
    from suffice.estimators.importance import measured

    most_columns = 200  # that are left out in turn, to see how much each matters
    if data.shape[1] > most_columns:
        return None
    importance_rows = 2000  # that this is tested on
    step = -(-len(data) // importance_rows)
    try:
        by_column = measured(data, [(model, rows[::step]) for model, rows in tests], held_out=True)
    except SufficeError:  # another kind of model
        return None
    return replace(by_column, names=data.names)


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
    most_classes = 25  # of a confusion matrix in numbers; of more there is only the picture
    if len(found.classes) <= most_classes:
        parts.append(_matrix(found))
    if found.importance is not None:
        parts += [heading("Which columns matter?"), *_columns(found.importance)]
    return joined(parts)


def _scores(found: Quality) -> Html:
    rows = [
        [
            title(name),
            *map(format_score, (mean, se, found.baseline[name])),
            METRICS[name].reading,
        ]
        for name, (mean, se) in found.scores.items()
        if name != "calibration_error"  # below, of all rows together
    ]
    repeated = f", repeated {found.repeats} times," if found.repeats > 1 else ""
    caption = f"Scores on unseen rows: mean over {found.folds} folds{repeated} and standard error."
    head = ["Measure", "Mean", "Standard error", "Class shares alone", "What it is"]
    return table(caption, head, rows, words=[4])


def _columns(found: Importance) -> list[Html]:
    first = found.order[0]
    name = short(found.names[first])
    rise = f"{format_score(found.increase[first])} ± {format_score(found.se[first])}"
    text = f"Without {name} the log-loss would rise by {rise}, more than without any other column. "
    if found.increase[first] < 2 * found.se[first]:
        text = "No column would clearly be missed: each says little that the others do not. "
    text += "Two columns that say the same are both unimportant, since each replaces the other."
    listed_columns = 10
    at = found.order[:listed_columns]
    rows = [
        [short(found.names[j], 40), format_score(found.increase[j]), format_score(found.se[j])]
        for j in at
    ]
    more = len(found.names) - len(at)
    caption = f"Increase of the log-loss without a column, on {found.rows:,} unseen rows."
    if more:
        caption += f" {plural(more, 'column')} more."
    return [paragraphs(text), table(caption, ["Column", "Increase", "Standard error"], rows)]


def _matrix(found: Quality) -> Html:
    names = [short(label, 30) for label in found.classes]
    total = found.confusion.sum(axis=1)
    rows: list[list[Any]] = []
    for i, name in enumerate(names):
        counts = [f"{count:,.0f}" for count in found.confusion[i]]
        share = "-"
        if total[i]:
            right = float(found.confusion[i, i] / total[i])
            share = f"{percent(right)} ± {percent(float(found.recall_se[i]))}"
        rows.append([name, *counts, share])
    caption = "Unseen rows by true class (down) and predicted class (across)."
    return table(caption, ["True class", *names, "Recall"], rows)
