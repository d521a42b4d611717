"""Selecting: candidates side by side, tested on rows they were not trained on; one is fitted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from suffice.errors import InvalidParameter
from suffice.estimators.automatic import automatic_candidates
from suffice.estimators.trial import Trial, named_classifiers
from suffice.models.settings import choice
from suffice.selection.selection import Selection
from suffice.selection.steps import Tell
from suffice.selection.tally import METRICS

RULES = ("careful", "best", "one-standard-error")


def select_model(
    X: Any,
    y: Any,
    models: Any = None,
    grid: Mapping[str, Iterable[Any]] | None = None,
    *,
    metric: str = "log_loss",
    rule: str = "careful",
    cv: Any = 5,
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
        QDA
    grid : parameters to vary, as for scikit-learn's GridSearchCV; each of the models takes them
    metric : what decides: "log_loss", "accuracy", "brier" or "calibration_error"
    rule : take the simplest that is not clearly worse than the best, by half a standard error of
        their difference ("careful"); the "best" mean; or the simplest within
        "one-standard-error" of the best
    cv : number of stratified folds, of rows shuffled always the same way; a splitter of
        scikit-learn; or (train, test) row numbers
    groups : a label a row; rows of one group are never apart
    progress : called as work goes on with the share of it that is done, from 0 to 1

    >>> import suffice as sf
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> found = sf.select_model(X, y, sf.LDA(), {"shrinkage": [0.0, 0.1, 0.5]})
    >>> found.model, found.table["log_loss"].round(3)
    (LinearDiscriminantAnalysis(shrinkage=0.0), array([0.027, 0.583, 0.645]))
    """
    choice("rule", rule, RULES)
    choice("metric", metric, METRICS)
    trial = Trial(X, y, sample_weight, cv, groups)
    candidates = _candidates(models, grid, X)
    found = trial.run(candidates, metric, progress)
    at: int = getattr(found, rule.replace("-", "_"))
    return replace(found, model=trial.fitted(candidates[at]))


def _candidates(given: Any, grid: Any, X: Any) -> list[Any]:
    if given is None:
        given = automatic_candidates(X)
    models = list(named_classifiers(given).values())
    if grid is None:
        return models
    try:
        return [
            clone(model).set_params(**chosen) for model in models for chosen in ParameterGrid(grid)
        ]
    except (TypeError, ValueError) as error:
        raise InvalidParameter(f"grid does not fit the models: {error}") from None
