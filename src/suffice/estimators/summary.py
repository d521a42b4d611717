"""Summary: a fitted model in words and numbers, as R prints one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.errors import InvalidParameter, NoStatistics
from suffice.estimators.classifier import Classifier
from suffice.estimators.learning import Learner
from suffice.html import Html, element, html_table
from suffice.text import align_columns, format_number, plural, shorten, visible

MOST_COLUMNS = 10  # classes or axes
MOST_ROWS = 50  # features or classes

# The models in words, by class.
WORDS = {
    "GaussianDiscriminant": "one Gaussian per class, its covariance pooled with the others' and "
    "shrunk as far as it helps",
    "UnskewedDiscriminant": "one Gaussian per class (one Student t, given degrees of freedom), of "
    "columns each taken to the power that makes it symmetric; its covariance pooled and shrunk as "
    "far as it helps",
    "GaussianNB": "naive Bayes: one Gaussian per class and column, columns independent within a "
    "class",
    "LinearDiscriminantAnalysis": "one Gaussian per class, one covariance for all: boundaries are "
    "planes",
    "QuadraticDiscriminantAnalysis": "one Gaussian per class, each with its own covariance: "
    "boundaries are quadrics",
    "DiagonalLDA": "one Gaussian per class, columns independent, variances shared by all",
    "BayesianDiscriminant": "one Student t per class: the uncertainty of means and covariances is "
    "integrated out",
    "MixedNB": "Gaussians for numbers, frequencies for categories, each class separately",
    "CategoricalNB": "naive Bayes of categories: frequencies in each class",
    "BernoulliNB": "naive Bayes of binary columns: frequencies in each class",
    "MixtureDiscriminant": "several Gaussians per class, fitted by EM",
    "PooledDiscriminant": "the weighted mean of several models, each with calibrated probabilities",
    "GaussianMixture": "several Gaussians without labels, fitted by EM",
}


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Summary:
    """The result of `suffice.summary`, which prints as a page.

    name : the model, as it was made
    facts : structure, size and likelihood, by name
    tables : lines of cells by title, the heading first: classes, means, coefficients
    """

    name: str
    facts: Mapping[str, str]
    tables: Mapping[str, tuple[tuple[str, ...], ...]]

    def __str__(self) -> str:
        lines = [visible(self.name), *align_columns([[f"{k}:", v] for k, v in self.facts.items()])]
        for title, table in self.tables.items():
            cells = [list(line) for line in table]
            lines += ["", title, *align_columns(cells, numbers=range(1, len(cells[0])))]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        parts = [_facts_table(self.name, self.facts)]
        parts += [
            html_table(head, rows, caption=title) for title, (head, *rows) in self.tables.items()
        ]
        return Html("\n".join(parts))


def summary(model: Any) -> Summary:
    """A fitted model in words and numbers: priors, means, coefficients, structure, likelihood.

    In the manner of R's `print` of an lda: the coefficients are those of the discriminant axes.
    The log-likelihood, the number of parameters and BIC are those of the training rows; models
    whose statistics are not sufficient for them have none.

    model : an estimator of this package, or a pipeline that ends in one

    >>> import suffice as sf
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> print(summary(sf.LDA().fit(X, y)))
    LinearDiscriminantAnalysis()
    structure:       one Gaussian per class, one covariance for all: boundaries are planes
    rows:            150
    columns:         4
    classes:         3
    log-likelihood:  -263.2
    parameters:      24
    BIC:             646.7
    <BLANKLINE>
    classes
    class  rows   prior
    0        50  0.3333
    1        50  0.3333
    2        50  0.3333
    <BLANKLINE>
    means of the classes
    feature      0      1      2
    x1       5.006  5.936  6.588
    x2       3.428   2.77  2.974
    x3       1.462   4.26  5.552
    x4       0.246  1.326  2.026
    <BLANKLINE>
    coefficients of the discriminant axes
    feature                                LD1       LD2
    x1                                 -0.8378   0.02435
    x2                                   -1.55     2.186
    x3                                   2.224   -0.9414
    x4                                   2.839     2.868
    share of variance between classes   0.9912  0.008787
    """
    name = _call(model)
    if hasattr(model, "model_"):
        model = model.model_
        name = f"{name}, which chose {_call(model)}"
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    if not type(last).__module__.startswith("suffice.") or not hasattr(last, "_learned"):
        raise InvalidParameter(
            f"summary takes a fitted model of this package, not a {type(last).__name__}: "
            "summary(LDA().fit(X, y))."
        )
    names = _feature_names(model, last)
    of = "components" if hasattr(last, "weights_") else "classes"
    scale = ", of the features taken to their powers" if hasattr(last, "powers_") else ""
    tables = {
        "members": _members(last),
        "classes" if hasattr(last, "classes_") else "components": _classes(last),
        f"means of the {of}{scale}": _means(last, names),
        "coefficients of the discriminant axes": _coefficients(last, names),
    }
    facts = {**_facts(last), **_likelihood(last)}
    return Summary(name, facts, {title: lines for title, lines in tables.items() if lines})


def html_card(model: Any) -> Html:
    """A model in a few lines, for notebooks: what it is, and what it was fitted to."""
    if not model.__sklearn_is_fitted__():
        return element("code", _call(model), " (not fitted)")
    facts = _facts(model)
    # Showing a model does not build it: that may take long, warn or fail.
    if not isinstance(model, Classifier) or "model" in model._learned.kept:
        head, *rows = _classes(model)
        some = ", ".join(f"{row[0]}: {row[-1]}" for row in rows[:MOST_COLUMNS])
        more = f", {len(rows) - MOST_COLUMNS} more" if len(rows) > MOST_COLUMNS else ""
        facts[f"{head[-1]}s"] = f"{some}{more}"
    return _facts_table(_call(model), facts)


def _call(model: Any) -> str:
    return " ".join(repr(model).split())


def _facts_table(name: str, facts: Mapping[str, str]) -> Html:
    return html_table([], facts.items(), caption=name, words=(0, 1))


def _facts(model: Any) -> dict[str, str]:
    """What a model is and what it was fitted to, without any computation."""
    statistics = getattr(model, "statistics_", None)
    classes = getattr(model, "classes_", None)
    facts = {"structure": WORDS.get(type(model).__name__, type(model).__name__)}
    settings = getattr(model, "_built_with", None)
    for name in ("pooling", "shrinkage"):
        value = getattr(settings, name, None)
        if value and hasattr(model, name):
            facts[name] = value if isinstance(value, str) else format_number(value)
    if statistics is not None:
        facts["rows"] = f"{int(statistics.count.sum()):,}"
    facts["columns"] = f"{model.n_features_in_:,}"
    if classes is not None:
        facts["classes"] = f"{len(classes):,}"
    return facts


def _likelihood(model: Any) -> dict[str, str]:
    """Log-likelihood, parameters and BIC, if the statistics are sufficient for them."""
    if not isinstance(model, Learner):
        return {}
    try:
        numbers = model.log_likelihood(), float(model.n_parameters()), model.bic()
    except (InvalidParameter, NoStatistics):
        return {}
    likelihood, parameters, bic = map(format_number, numbers)
    return {"log-likelihood": likelihood, "parameters": parameters, "BIC": bic}


def _classes(model: Any) -> tuple[tuple[str, ...], ...]:
    """Rows and prior of each class; the weight of each component of a mixture without classes."""
    if not hasattr(model, "classes_"):
        weights = [(str(c), format_number(share)) for c, share in enumerate(model.weights_)]
        return (("component", "weight"), *weights)
    statistics = getattr(model, "statistics_", None)
    priors = [format_number(prior) for prior in model.priors_]
    labels = map(_short, model.classes_.tolist())
    if statistics is None:
        return (("class", "prior"), *zip(labels, priors, strict=True))
    rows = [f"{count:,}" for count in statistics.count]
    return (("class", "rows", "prior"), *zip(labels, rows, priors, strict=True))


def _members(model: Any) -> tuple[tuple[str, ...], ...]:
    """Weight and slope of each member of a pool."""
    if not hasattr(model, "members_"):
        return ()
    both = zip(model.weights_, model.recalibrations_, strict=True)
    numbers = [(format_number(weight), format_number(own.slope)) for weight, own in both]
    rows = [(_short(name), *own) for name, own in zip(model.members_, numbers, strict=True)]
    floor = ("class shares", format_number(model.share_weight_), "")
    return (("member", "weight", "slope"), *rows, floor)


def _means(model: Any, names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    means = getattr(model, "means_", None)
    if means is None:
        return ()
    classes = getattr(model, "classes_", None)
    if classes is None or len(classes) != len(means):
        classes = np.arange(len(means))
    if not means.shape[1]:
        return ()
    return _by_feature([_short(label) for label in classes.tolist()], means.T, names)


def _coefficients(model: Any, names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    if not hasattr(model, "scalings_"):
        return ()
    shares = model.explained_variance_ratio_
    axes = model.scalings_[:, : len(shares)]
    lines = _by_feature([f"LD{j + 1}" for j in range(len(shares))], axes, names)
    last = [format_number(share) for share in shares[:MOST_COLUMNS]]
    return (*lines, ("share of variance between classes", *last))


def _by_feature(
    head: Sequence[str], values: Floats | Array, names: Sequence[str]
) -> tuple[tuple[str, ...], ...]:
    """One line per feature; if there are many, the first ones and the number of others."""
    d, width = values.shape
    rows = [
        (_short(name), *map(format_number, row))
        for name, row in zip(names[:MOST_ROWS], values[:MOST_ROWS, :MOST_COLUMNS], strict=True)
    ]
    left = [
        f"{plural(more, noun)} more"
        for more, noun in ((d - MOST_ROWS, "row"), (width - MOST_COLUMNS, "column"))
        if more > 0
    ]
    shown = tuple(head[:MOST_COLUMNS])
    if left:
        rows.append((f"... {', '.join(left)}", *("" for _ in shown)))
    return (("feature", *shown), *rows)


def _feature_names(model: Any, last: Any) -> list[str]:
    """The names of the features of the last step; x1, x2, ... if they have none."""
    statistics = getattr(last, "_fitted_statistics", None)
    d = np.shape(getattr(last, "means_", np.zeros((0, last.n_features_in_))))[1]
    own = list(getattr(last, "feature_names_in_", []))
    layout = getattr(statistics, "layout", None)
    stored = list(getattr(statistics, "feature_names", None) or [])
    # Positions in the statistics' features: a column of dates is several of them.
    numeric = [stored[j] for j in layout.numeric] if stored and layout is not None else []
    options = [numeric, own, stored]
    if last is not model and hasattr(model[:-1], "get_feature_names_out"):
        options.append(list(model[:-1].get_feature_names_out()))
    fitting = [names for names in options if len(names) == d]
    return [str(name) for name in fitting[0]] if fitting else [f"x{j + 1}" for j in range(d)]


def _short(name: Any) -> str:
    longest_name = 32  # characters
    return shorten(visible(str(name)), longest_name)
