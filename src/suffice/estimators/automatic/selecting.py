"""Selecting: cross-validate candidates on the same folds and fit the chosen one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from suffice.answers.sampling import generator
from suffice.data.batches import split_named
from suffice.data.labels import Labels
from suffice.data.parameters import check_callable, choice, count, flag, positive
from suffice.errors import InvalidParameter
from suffice.estimators.automatic.automatic_choice import AutomaticOptions, choose_automatically
from suffice.estimators.automatic.averaging import average, log_prior_weight
from suffice.estimators.automatic.candidates import named_classifiers
from suffice.estimators.automatic.trial import Trial
from suffice.estimators.choosing import DEFAULT_FOLDS
from suffice.estimators.gaussian import GaussianDiscriminant
from suffice.estimators.repairing import repairs_expected
from suffice.selection.metrics import METRICS, check_metric, metric_named
from suffice.selection.selection import Selection
from suffice.selection.steps import ProgressCallback, Steps
from suffice.text import shown


@repairs_expected()
def select_model(
    X: Any,
    y: Any,
    models: Any = None,
    grid: Mapping[str, Iterable[Any]] | None = None,
    *,
    metric: str = "log_loss",
    rule: str | None = None,
    simple: bool = False,
    rivals: bool = False,
    cv: Any = None,
    repeats: int | None = None,
    groups: Any = None,
    sample_weight: Any = None,
    columns: Any = None,
    time_limit: float | None = None,
    random_state: Any = None,
    progress: ProgressCallback | None = None,
) -> Selection:
    """Cross-validate candidates and fit the chosen one.

    Members of the Gaussian family are scored from the statistics of folds: without refits, and
    with one decomposition per covariance for all its shrinkages. Any classifier with
    `predict_proba` may be compared with them.

    Parameters
    ----------
    X, y, sample_weight : as for `fit`
    models : a classifier, a list or a mapping of them; None tries the family, from naive Bayes to
        QDA, on features as they are and made symmetric (where classes may also be Student t), and
        two to four Gaussians per class where there are enough rows
    grid : parameters to vary, as for scikit-learn's GridSearchCV; each of the models takes them,
        or `GaussianDiscriminant` where models is None
    metric : the deciding score: "log_loss", "accuracy", "balanced_accuracy", "f1_macro",
        "roc_auc", "average_precision", "brier", "calibration_error", or the recall of one class,
        such as "recall_yes". The others are computed for all candidates if models are given (the
        two that rank rows, ROC AUC and average precision, for at most 50), and otherwise for the
        best, the careful and the chosen one
    rule : take the simplest that is not clearly worse than the best, by half a standard error of
        their difference ("careful"); the "best" mean; the simplest within "one-standard-error" of
        the best; the "average": the model between those of one kind, each weighted by how well
        it did and how simple it is, since the best of many is partly luck; or the "pool": a
        `PooledDiscriminant` of the best of each kind, unless a single model is clearly better.
        None pools the family (models=None) by log-loss, and is careful otherwise
    simple : always take a single model, one with an equation for its boundaries where it has one;
        rule="average" in place of "pool"
    rivals : let logistic regression be a member of the pool, for those who want the best
        prediction; answers that need a density are then not available
    cv : number of stratified folds of rows shuffled with a fixed seed; a scikit-learn splitter;
        or (train, test) row numbers. None makes 5 folds, shuffled twice for a small table where
        models is None
    repeats : how often rows are shuffled into that many folds
    groups : one label per row; rows of one group are always in the same fold
    columns : how to read the columns of a table, as `suffice.describe` returns it
    time_limit : seconds after which no further candidates of the family are tried
    random_state : seed of the shuffling; None is a fixed one
    progress : called during the work with the share done, from 0 to 1

    >>> import suffice as sf
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> chosen = sf.select_model(X, y, sf.LDA(), {"shrinkage": [0.0, 0.1, 0.5]})
    >>> chosen.model, chosen.table["log_loss"].round(3)
    (LinearDiscriminantAnalysis(shrinkage=0.0), array([0.027, 0.583, 0.645]))
    """
    check_metric(metric)
    check_callable("progress", progress)
    automatic = models is None and grid is None
    rule = _rule(rule, metric, automatic, flag("simple", simple))
    if flag("rivals", rivals) and rule != "pool":
        single = {"models": not automatic, "simple=True": simple, "metric": metric != "log_loss"}
        causes = [name for name, given in single.items() if given] or [f"rule={rule!r}"]
        raise InvalidParameter(
            f"rivals=True adds members to a pool, and {causes[0]} asks for a single model: leave "
            "out one of them."
        )
    if time_limit is not None:
        time_limit = positive("time_limit", time_limit)
    seed = 0 if random_state is None else int(generator(random_state).integers(1 << 30))
    X, y = split_named(X, y)
    folds = _folds_and_repeats(cv, repeats, y, automatic)
    trial = Trial(X, y, sample_weight, *folds, groups, columns, seed)
    check_metric(metric, trial.table.classes)
    steps = Steps(1.0, progress)
    if automatic:
        options = AutomaticOptions(metric, rule, columns, rivals, time_limit)
        return choose_automatically(trial, options, steps)
    candidates = _candidates(models, grid, columns)
    # Metrics that rank rows take longest.
    ranked = metric_named(metric).ranks or len(candidates) <= 50
    selection = trial.run(candidates, metric, steps.part(0.96), ranked)
    if rule == "average":
        selection, taken = _add_average(trial, candidates, selection)
    else:
        at: int = getattr(selection, rule.replace("-", "_"))
        selection, taken = replace(selection, chosen=at), candidates[at]
    if not ranked:
        selection = _rank_leaders(trial, candidates, selection)
    steps.finish()
    return replace(selection, baseline=trial.baseline(), model=trial.fit(taken))


def _rule(given: str | None, metric: str, automatic: bool, simple: bool) -> str:
    """The rule to take, after checking what the user asks for."""
    rule = given
    if rule is None:
        rule = "careful"
        if automatic and metric == "log_loss":
            rule = "average" if simple else "pool"
    choice("rule", rule, ("pool", "average", "careful", "best", "one-standard-error"))
    if rule in ("average", "pool") and metric != "log_loss":
        raise InvalidParameter(
            f"rule={rule!r} weighs models by log_loss, but metric is {shown(metric)}; use "
            "rule='careful'."
        )
    if rule == "pool" and not automatic:
        raise InvalidParameter(
            "rule='pool' is for the family (models=None); use PooledDiscriminant(models).fit(X, y)."
        )
    if rule == "pool" and simple:
        raise InvalidParameter("simple=True takes a single model; leave out rule='pool'.")
    return rule


def _folds_and_repeats(
    cv: Any, repeats: int | None, y: Any, automatic: bool, small: int = 1000
) -> tuple[Any, int]:
    """The folds, and how often rows are shuffled into them.

    small : rows below which the choice is hardest, so that rows are shuffled twice
    """
    folds, times = DEFAULT_FOLDS, 1
    if cv is None and automatic and len(Labels.of(y)) < small:
        times = 2
    if repeats is None:
        return (folds, times) if cv is None else (cv, 1)
    if cv is not None and not isinstance(cv, int | np.integer):
        raise InvalidParameter(
            "repeats needs a number of folds, such as cv=5; or repeat your own (train, test) pairs."
        )
    return folds if cv is None else cv, count("repeats", repeats, 1000)


def _add_average(
    trial: Trial, candidates: list[Any], selection: Selection
) -> tuple[Selection, Any]:
    """Adds the average of the candidates, scored on the same folds, as the last candidate."""
    prior = np.array([log_prior_weight(candidate) for candidate in candidates])
    between, same = average(candidates, selection.weights(trial.table.effective_rows, prior))
    if same is not None:
        return replace(selection, chosen=same), candidates[same]
    last = trial.run([between], selection.metric)
    whole = selection._with_average(last.candidates[0], float(last.complexity[0]), last.scores)
    return replace(whole, notes=tuple(dict.fromkeys([*selection.notes, *last.notes]))), between


def _rank_leaders(trial: Trial, candidates: list[Any], selection: Selection) -> Selection:
    """Adds the metrics that rank rows, for the candidates that a reader looks at."""
    at = selection._leaders()
    found = trial.run([candidates[i] for i in at], selection.metric).scores
    return selection._with_scores(at, {n: found[n] for n, one in METRICS.items() if one.ranks})


def _candidates(given: Any, grid: Any, columns: Any) -> list[Any]:
    if given is None:
        given = GaussianDiscriminant()
    models = list(named_classifiers(given).values())
    if columns is not None:
        takes = ["columns" in model.get_params(deep=False) for model in models]
        models = [
            clone(model).set_params(columns=columns) if takes_columns else model
            for model, takes_columns in zip(models, takes, strict=True)
        ]
    if grid is None:
        return models
    try:
        tried = [
            clone(model).set_params(**values) for model in models for values in ParameterGrid(grid)
        ]
    except (TypeError, ValueError) as error:
        raise InvalidParameter(f"grid does not fit the models: {error}") from None
    if not tried:
        raise InvalidParameter(f"grid is {shown(grid)}, which names no values to try.")
    return tried
