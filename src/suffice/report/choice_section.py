"""Choice: which model stands for the data, and why this one."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from suffice.report.code import constructor
from suffice.report.markup import Html, element, items, joined, paragraphs, plural, short, table
from suffice.report.material import Material
from suffice.selection.metrics import METRICS
from suffice.selection.selection import Selection
from suffice.selection.steps import ProgressCallback

# The best candidates that are listed.
SHOWN = 6

# What the metrics are called in tables.
TITLES = {
    "accuracy": "Accuracy",
    "log_loss": "Log-loss",
    "brier": "Brier score",
    "calibration_error": "Calibration error",
}

# What candidates are, in words, by class.
WORDS = {
    "GaussianDiscriminant": "a Gaussian for each class, its covariance pooled with the others' and "
    "shrunk as far as serves",
    "UnskewedDiscriminant": "a Gaussian for each class, of columns that were each taken to the "
    "power that makes them symmetric; its covariance pooled and shrunk as far as serves",
    "GaussianNB": "naive Bayes: a Gaussian for each class and column, columns independent within "
    "a class",
    "LinearDiscriminantAnalysis": "a Gaussian for each class, one covariance for all: boundaries "
    "are planes",
    "LDA": "a Gaussian for each class, one covariance for all: boundaries are planes",
    "QuadraticDiscriminantAnalysis": "a Gaussian for each class with a covariance of its own: "
    "boundaries are quadrics",
    "QDA": "a Gaussian for each class with a covariance of its own: boundaries are quadrics",
    "DiagonalLDA": "a Gaussian for each class, columns independent, variances shared by all",
    "BayesianDiscriminant": "a Student t for each class: what is not known of means and "
    "covariances is integrated out",
    "MixedNB": "numbers as Gaussians beside levels by their frequencies, each class on its own",
    "CategoricalNB": "naive Bayes of levels: frequencies in each class",
    "BernoulliNB": "naive Bayes of yes and no: frequencies in each class",
    "MixtureDiscriminant": "several Gaussians for each class, found by EM",
}


@dataclass(frozen=True, eq=False, slots=True)
class Choice:
    """The model and how it was found.

    model : fitted to all rows
    code : the expression that makes it, unfitted
    selection : the candidates that were tried on the same folds, see `Selection`
    at : position of the chosen one among them
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
        """The class of the model, of a pipeline that of its last step."""
        return type(last_step(self.model)).__name__

    @property
    def folds(self) -> int:
        """How many parts the rows were dealt into."""
        found = self.selection
        return int(found.scores[found.metric].shape[1]) // found.repeats

    def score(self, metric: str, at: int | None = None) -> tuple[float, float]:
        """Mean over the folds and its standard error, of the chosen or another candidate."""
        i = self.at if at is None else at
        return float(self._table[metric][i]), float(self._table[f"{metric}_se"][i])


def last_step(model: Any) -> Any:
    """The model itself, of a pipeline its last step."""
    return model.steps[-1][1] if hasattr(model, "steps") else model


def choose(
    data: Material, whole: Material, model: Any, tell: ProgressCallback | None = None
) -> Choice:
    """The model that the rule takes, or the one given; fitted to the whole table."""
    from suffice.estimators.selecting import select_model

    found = select_model(data.X, data.y, model, progress=tell)
    at = 0 if found.chosen is None else found.chosen
    fitted = found.model
    if whole is not data:
        fitted = deepcopy(fitted).fit(whole.X, whole.y)
    return Choice(fitted, constructor(fitted), found, at, model is not None, found.table)


def choice_html(choice: Choice) -> Html:
    """The section."""
    what = WORDS.get(choice.name, "")
    chosen = "The model is the one given" if choice.given else "The model chosen"
    first = element(
        "p",
        f"{chosen}: ",
        element("code", choice.code),
        f": {what}." if what else ".",
    )
    parts: list[Any] = [first]
    if not choice.given:
        parts += [paragraphs(*_why(choice)), _candidates(choice)]
    if choice.selection.notes:
        parts += [element("h3", "Notes on the trial"), items(choice.selection.notes)]
    return joined(parts)


def _why(choice: Choice) -> list[str]:
    found, at = choice.selection, choice.at
    metric = TITLES[found.metric].lower()
    best, _ = choice.score(found.metric, found.best)
    own, _ = choice.score(found.metric)
    tried = (
        f"{plural(found.tried, 'candidate')}, from naive Bayes to a covariance for each "
        f"class and between them, were each tested on the same {choice.folds} parts of the rows, "
        "trained on the others."
    )
    if found.averaged and at == found.tried:
        why = (
            f"The best mean {metric} is {best:.4f}. The best of many is partly luck, so the model "
            "lies between those of its kind, each counting by how probable it makes the rows it "
            f"was not trained on; it has {own:.4f}. {_parameters(found, at)}"
        )
    elif at == found.best:
        why = (
            f"This one has the best mean {metric}, {best:.4f}, and none that is simpler comes "
            "within half a standard error of the difference."
        )
    else:
        why = (
            f"The best mean {metric} is {best:.4f}; this one has {own:.4f}. The rule is careful: "
            "it takes the simplest candidate that is not clearly worse than the best, that is by "
            "no more than half a standard error of the difference between the two. "
            f"{_parameters(found, at)}"
        )
    return [tried, why]


def _parameters(found: Selection, at: int) -> str:
    own, best = found.complexity[at], found.complexity[found.best]
    if not np.isfinite([own, best]).all() or own == best:
        return ""
    return f"It has {own:.4g} effective parameters, the best one {best:.4g}."


def _candidates(choice: Choice) -> Html:
    found, columns = choice.selection, choice._table
    loss = columns[found.metric] * (-1 if found.metric == "accuracy" else 1)
    order = np.lexsort((found.complexity, np.where(np.isnan(loss), np.inf, loss)))
    at = list(dict.fromkeys([*order[:SHOWN].tolist(), choice.at]))
    rows = []
    for i in at:
        scores = [f"{choice.score(m, i)[0]:.4f} ± {choice.score(m, i)[1]:.4f}" for m in METRICS]
        marks = [word for word, j in (("best", found.best), ("chosen", choice.at)) if i == j]
        told = described(found.candidates[i])
        label = f"{told} ({', '.join(marks)})" if marks else told
        rows.append([label, f"{found.complexity[i]:.4g}", *scores])
    more = len(found.candidates) - len(at)
    caption = "The best candidates and the one chosen, by mean over the folds ± standard error." + (
        f" {plural(more, 'candidate')} more." if more else ""
    )
    head = ["Candidate", "Parameters", *(TITLES[m] for m in METRICS)]
    return table(caption, head, rows, marked=[at.index(choice.at)])


def described(candidate: Mapping[str, Any]) -> str:
    """A candidate in words."""
    kind = candidate.get("model", "candidate")
    said = [
        f"{name} {_brief(v)}" for name, v in candidate.items() if name not in ("model", "after")
    ]
    after = f" on {candidate['after'].lower()}" if candidate.get("after") else ""
    return f"{kind}{after}" + (f": {', '.join(said)}" if said else "")


def _brief(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float | np.floating) else short(value, 40)
