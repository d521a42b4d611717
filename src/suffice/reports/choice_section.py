"""Choice: the model of the data, and why it was chosen."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from suffice.estimators.summary import WORDS
from suffice.html import Html, element, joined
from suffice.reports.code import constructor
from suffice.reports.markup import heading, items, paragraphs, short, table
from suffice.reports.material import Material
from suffice.selection.metrics import metric_named
from suffice.selection.selection import (
    BASELINE,
    Selection,
    format_score,
    members_of,
    standard_error,
)
from suffice.selection.steps import ProgressCallback
from suffice.text import format_number, plural


@dataclass(frozen=True, eq=False, slots=True)
class Choice:
    """The model and how it was chosen.

    model : fitted to all rows
    code : the expression that makes it, unfitted
    selection : the candidates, scored on the same folds, see `Selection`
    at : position of the chosen candidate
    given : whether the caller gave the model, so that nothing was chosen
    """

    model: Any
    code: str
    selection: Selection
    at: int
    given: bool
    _table: Mapping[str, Any] = field(repr=False, default_factory=dict)

    @property
    def name(self) -> str:
        """The class of the model; of a pipeline, that of its last step."""
        return type(last_step(self.model)).__name__

    @property
    def folds(self) -> int:
        """Number of parts of the cross-validation."""
        selection = self.selection
        return int(selection.scores[selection.metric].shape[1]) // selection.repeats

    def score(self, metric: str, at: int | None = None) -> tuple[float, float]:
        """Mean over the folds and its standard error, of the chosen or another candidate."""
        i = self.at if at is None else at
        return float(self._table[metric][i]), float(self._table[f"{metric}_se"][i])


def last_step(model: Any) -> Any:
    """The model itself; of a pipeline, its last step."""
    return model.steps[-1][1] if hasattr(model, "steps") else model


def choose(
    data: Material, whole: Material, model: Any, progress: ProgressCallback | None = None
) -> Choice:
    """The model that `select_model` chooses, or the one given; fitted to the whole table."""
    from suffice.estimators.automatic.selecting import select_model

    selection = select_model(data.X, data.y, model, progress=progress)
    at = 0 if selection.chosen is None else selection.chosen
    fitted = selection.model
    if whole is not data:
        fitted = deepcopy(fitted).fit(whole.X, whole.y)
    return Choice(fitted, constructor(fitted), selection, at, model is not None, selection.table)


def choice_html(choice: Choice) -> Html:
    """The section."""
    what = WORDS.get(choice.name, "")
    chosen = "The model is the one given" if choice.given else "The model chosen"
    longest = 120  # characters of a call within a sentence; longer ones are under "Use it"
    call = choice.code
    code = element("code", call if len(call) <= longest else f"{call.split('(')[0]}(...)")
    parts = [element("p", f"{chosen}: ", code, f": {what}." if what else ".")]
    if not choice.given:
        parts += [paragraphs(*_why(choice)), _candidates(choice)]
    if choice.selection.notes:
        parts += [heading("Notes on the selection"), items(choice.selection.notes)]
    return joined(parts)


def _why(choice: Choice) -> list[str]:
    selection, at = choice.selection, choice.at
    metric = metric_named(selection.metric).title
    best = format_score(choice.score(selection.metric, selection.best)[0])
    own = format_score(choice.score(selection.metric)[0])
    tried = (
        f"{plural(selection.tried, 'candidate')}, from naive Bayes to one covariance per class, "
        f"were each tested on the same {choice.folds} parts of the rows, each part by a model "
        "trained on the others."
    )
    why_not = f"Why not the best single candidate, with a mean {metric} of {best}?"
    if at == selection.best:
        why = (
            f"This one has the best mean {metric}, {best}, and no simpler one comes within "
            "half a standard error of the difference."
        )
    elif not (selection.averaged and at == selection.tried):
        why = (
            f"{why_not} This one is the simplest whose score is within half a standard error of "
            f"the difference from it. {_difference(choice)}"
        )
    elif _is_no_worse(choice):
        why = (
            f"{_combination(choice)} It has a mean {metric} of {own}, and the best single "
            f"candidate {best}."
        )
    else:
        why = (
            f"{why_not} The best of {selection.tried:,} is partly luck. {_combination(choice)} "
            f"{_difference(choice)}"
        )
    return [tried, why]


def _combination(choice: Choice) -> str:
    """How the model combines the candidates that predicted well."""
    if choice.name == "PooledDiscriminant":
        members = members_of(choice.selection.candidates[choice.at])
        return (
            f"This one pools the best of each kind ({', '.join(members)}): its probabilities are a "
            "weighted mean of theirs, each recalibrated on rows it was not trained on."
        )
    return "This one averages the parameters of those that predicted well."


def _is_no_worse(choice: Choice) -> bool:
    """Whether the combination of candidates does as well as the best of them."""
    selection = choice.selection
    own, best = choice.score(selection.metric)[0], choice.score(selection.metric, selection.best)[0]
    loss = metric_named(selection.metric).loss(np.array([own, best]))
    return bool(loss[0] <= loss[1])


def _difference(choice: Choice) -> str:
    """How much worse the chosen candidate is than the best on the same folds."""
    selection = choice.selection
    own, _ = choice.score(selection.metric)
    by_fold = selection.scores[selection.metric]
    gaps = by_fold[[choice.at]] - by_fold[[selection.best]]
    behind, error = abs(float(gaps.mean())), float(standard_error(gaps, selection.repeats)[0])
    verdict = "too little to distinguish the two"
    if behind > 2 * error:
        verdict = "the price of not trusting the luckiest of many"
    return (
        f"It has {format_score(own)}; the difference is {format_score(behind)} ± "
        f"{format_score(error)}, {verdict}."
    )


def _candidates(choice: Choice, most: int = 6) -> Html:
    selection, columns = choice.selection, choice._table
    loss = metric_named(selection.metric).loss(columns[selection.metric])
    order = np.lexsort((selection.complexity, np.where(np.isnan(loss), np.inf, loss)))
    at = list(dict.fromkeys([*order[:most].tolist(), choice.at]))
    rows = []
    # Metrics in the table of candidates.
    shown = ("log_loss", "accuracy", "balanced_accuracy", "brier")
    for i in at:
        each = [choice.score(one, i) for one in shown]
        scores = [
            "-" if np.isnan(mean) else f"{format_score(mean)} ± {format_score(error)}"
            for mean, error in each
        ]
        marks = [word for word, j in (("best", selection.best), ("chosen", choice.at)) if i == j]
        name = describe(selection.candidates[i])
        label = f"{name} ({', '.join(marks)})" if marks else name
        rows.append([label, format_number(selection.complexity[i]), *scores])
    without = [format_score(selection.baseline[metric]) for metric in shown]
    rows.append([BASELINE, "", *without])
    more = len(selection.candidates) - len(at)
    caption = "The best candidates and the one chosen: mean over the folds ± standard error."
    if more:
        caption += f" {plural(more, 'candidate')} more."
    head = ["Candidate", "Parameters", *(title(metric) for metric in shown)]
    return table(caption, head, rows, marked=[at.index(choice.at)])


def title(metric: str) -> str:
    """The name of a metric at the head of a column."""
    words = metric_named(metric).title
    return words[0].upper() + words[1:]


def describe(candidate: Mapping[str, Any]) -> str:
    """A candidate in words."""
    members = members_of(candidate)
    if members:
        return f"{candidate['model']} of {plural(len(members), 'model')}"
    kind = candidate.get("model", "candidate")
    parameters = [
        f"{name} {f'{v:g}' if isinstance(v, float | np.floating) else short(v, 160)}"
        for name, v in candidate.items()
        if name not in ("model", "after", "random_state") and v is not None
    ]
    after = f" on {candidate['after'].lower()}" if candidate.get("after") else ""
    return f"{kind}{after}" + (f": {', '.join(parameters)}" if parameters else "")
