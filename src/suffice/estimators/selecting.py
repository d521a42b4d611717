"""Selecting: candidates side by side, tested on rows they were not trained on; one is fitted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from suffice.data.labels import Labels, shown
from suffice.data.parameters import check_callable, choice, count
from suffice.errors import InvalidParameter
from suffice.estimators.automatic import automatic_candidates
from suffice.estimators.averaging import average, belief
from suffice.estimators.repairing import repairs_expected
from suffice.estimators.trial import Trial, named_classifiers
from suffice.selection.selection import Selection
from suffice.selection.steps import Steps, Tell
from suffice.selection.tally import METRICS

RULES = ("average", "careful", "best", "one-standard-error")

# Folds; of small tables, below so many rows, more of them and dealt twice, since there the
# choice is the hard part: (folds, repeats).
USUAL, SMALL, THOROUGH = (5, 1), 1000, (10, 2)

MOST_REPEATS = 1000


@repairs_expected()
def select_model(
    X: Any,
    y: Any,
    models: Any = None,
    grid: Mapping[str, Iterable[Any]] | None = None,
    *,
    metric: str = "log_loss",
    rule: str | None = None,
    cv: Any = None,
    repeats: int | None = None,
    groups: Any = None,
    sample_weight: Any = None,
    progress: Tell | None = None,
) -> Selection:
    """Cross-validate candidates and fit the one to take.

    Members of the Gaussian family are scored from statistics by fold: no refit, and one
    decomposition a covariance for all its shrinkages. Any classifier with `predict_proba` may
    stand beside them.

    Parameters
    ----------
    X, y, sample_weight : as for `fit`
    models : a classifier, a list or a mapping of them; None tries the family, from naive Bayes to
        QDA, and where there are rows enough two Gaussians a class
    grid : parameters to vary, as for scikit-learn's GridSearchCV; each of the models takes them
    metric : what decides: "log_loss", "accuracy", "brier" or "calibration_error"
    rule : take the simplest that is not clearly worse than the best, by half a standard error of
        their difference ("careful"); the "best" mean; the simplest within "one-standard-error" of
        the best; or the "average": the model between those of a kind, each counting by how well
        it did and how simple it is, since the best of many is partly luck. None averages the
        family (models=None) by log-loss, and is careful else
    cv : number of stratified folds, of rows shuffled always the same way; a splitter of
        scikit-learn; or (train, test) row numbers. None makes 5 folds, and of a small table 10,
        dealt twice, where models is None
    repeats : how often rows are dealt into that many folds
    groups : a label a row; rows of one group are never apart
    progress : called as work goes on with the share of it that is done, from 0 to 1

    >>> import suffice as sf
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> found = sf.select_model(X, y, sf.LDA(), {"shrinkage": [0.0, 0.1, 0.5]})
    >>> found.model, found.table["log_loss"].round(3)
    (LinearDiscriminantAnalysis(shrinkage=0.0), array([0.027, 0.583, 0.645]))
    """
    choice("metric", metric, METRICS)
    check_callable("progress", progress)
    if rule is None:
        rule = "average" if models is None and metric == "log_loss" else "careful"
    choice("rule", rule, RULES)
    if rule == "average" and metric != "log_loss":
        raise InvalidParameter(f"rule='average' weighs by log_loss; metric is {shown(metric)}.")
    trial = Trial(X, y, sample_weight, *_deal(cv, repeats, y, models is None), groups)
    candidates = _candidates(models, grid, X, y)
    steps = Steps(1.0, progress)
    found = trial.run(candidates, metric, steps.part(0.98))
    if rule == "average":
        found, taken = _averaged(trial, candidates, found)
    else:
        at: int = getattr(found, rule.replace("-", "_"))
        found, taken = replace(found, chosen=at), candidates[at]
    steps.finish()
    return replace(found, model=trial.fitted(taken))


def _deal(cv: Any, repeats: int | None, y: Any, automatic: bool) -> tuple[Any, int]:
    """What the folds are to be, and how often rows are dealt into them."""
    usual, labels = USUAL, Labels.of(y)
    if cv is None and automatic and 0 < len(labels) < SMALL:
        rows = np.bincount(labels.encode()[1])
        if len(rows) and rows.min() >= THOROUGH[0]:
            usual = THOROUGH
    if repeats is None:
        return usual if cv is None else (cv, 1)
    if cv is not None and not isinstance(cv, int | np.integer):
        raise InvalidParameter("repeats takes a number of folds for cv; repeat your own instead.")
    return usual[0] if cv is None else cv, count("repeats", repeats, MOST_REPEATS)


def _averaged(trial: Trial, candidates: list[Any], found: Selection) -> tuple[Selection, Any]:
    """The candidate between the others, tried on the same folds, as the last one."""
    beliefs = np.array([belief(candidate) for candidate in candidates])
    between, same = average(candidates, found.weights(trial.rows, beliefs))
    if same is not None:
        return replace(found, chosen=same), candidates[same]
    one = trial.run([between], found.metric)
    scores = {name: np.concatenate([all_, one.scores[name]]) for name, all_ in found.scores.items()}
    whole = replace(
        found,
        candidates=(*found.candidates, *one.candidates),
        scores=scores,
        complexity=np.concatenate([found.complexity, one.complexity]),
        notes=tuple(dict.fromkeys([*found.notes, *one.notes])),
        averaged=True,
        chosen=len(found.candidates),
    )
    return whole, between


def _candidates(given: Any, grid: Any, X: Any, y: Any) -> list[Any]:
    if given is None:
        given = automatic_candidates(X, y)
    models = list(named_classifiers(given).values())
    if grid is None:
        return models
    try:
        tried = [
            clone(model).set_params(**chosen) for model in models for chosen in ParameterGrid(grid)
        ]
    except (TypeError, ValueError) as error:
        raise InvalidParameter(f"grid does not fit the models: {error}") from None
    if not tried:
        raise InvalidParameter(f"grid is {shown(grid)}, which names no values to try.")
    return tried
