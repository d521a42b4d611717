"""Selecting: candidates side by side, tested on rows they were not trained on; one is fitted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import ParameterGrid
from sklearn.utils import _safe_indexing

from suffice.data.arrays import Floats, Indices
from suffice.errors import InvalidParameter, SufficeError, TooFewRows
from suffice.estimators.automatic import automatic_candidates
from suffice.estimators.choosing import compared, labelled
from suffice.estimators.gaussian_classifier import GaussianClassifier
from suffice.estimators.learning import Learner
from suffice.estimators.splitting import folds_of
from suffice.models.settings import Settings
from suffice.selection.cross_validation import Candidate
from suffice.selection.folds import Fold, check_folds, training_statistics
from suffice.selection.selection import Selection
from suffice.selection.tally import METRICS, Tally

RULES = ("best", "one-standard-error")


def select_model(
    X: Any,
    y: Any,
    models: Any = None,
    grid: Mapping[str, Iterable[Any]] | None = None,
    *,
    metric: str = "log_loss",
    rule: str = "best",
    cv: Any = 5,
    groups: Any = None,
    sample_weight: Any = None,
) -> Selection:
    """Cross-validate candidates and fit the one to take.

    Members of the Gaussian family are scored from statistics by fold: no refit, and one
    decomposition a covariance for all its shrinkages. Any classifier with `predict_proba` may
    stand beside them.

    Parameters
    ----------
    X, y, sample_weight : as for `fit`
    models : a classifier or several; None tries the family, from naive Bayes to QDA
    grid : parameters to vary, as for scikit-learn's GridSearchCV; each of the models takes them
    metric : what decides: "log_loss", "accuracy", "brier" or "calibration_error"
    rule : take the "best" mean, or the simplest within "one-standard-error" of it
    cv : number of stratified folds, a splitter of scikit-learn, or (train, test) row numbers
    groups : a label a row; rows of one group are never apart

    >>> import suffice as sf
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> found = sf.select_model(X, y, sf.LDA(), {"shrinkage": [0.0, 0.1, 0.5]})
    >>> found.model, found.table["log_loss"].round(3)
    (LinearDiscriminantAnalysis(shrinkage=0.0), array([0.035, 0.537, 0.576]))
    """
    if rule not in RULES:
        raise InvalidParameter(f"rule is {rule!r}; it must be one of {', '.join(RULES)}.")
    trial = Trial(X, y, sample_weight, cv, groups)
    candidates = _candidates(models, grid, X, len(trial.classes))
    found = trial.run(candidates, metric)
    at = found.best if rule == "best" else found.one_standard_error
    return replace(found, model=trial.fitted(candidates[at]))


class Trial:
    """Rows and folds on which candidates are tried."""

    def __init__(self, X: Any, y: Any, sample_weight: Any, cv: Any, groups: Any) -> None:
        self.X, self.y = X, y
        self.classes, self.codes, self.weights = labelled(X, y, sample_weight)
        self.folds, self.notes = folds_of(cv, X, self.codes, self.classes, groups)
        check_folds(self.folds, self.codes, self.classes)

    def run(self, candidates: Sequence[Any], metric: str) -> Selection:
        """All candidates over all folds."""
        scores = {name: np.full((len(candidates), len(self.folds)), np.nan) for name in METRICS}
        notes = list(self.notes)
        complexity = np.full(len(candidates), np.inf)
        waiting = self._together(candidates)
        while waiting:
            at = waiting.pop(0)
            try:
                found, complexity[at] = self._scores([candidates[i] for i in at])
            except InvalidParameter:
                raise
            except SufficeError as error:
                if len(at) > 1:
                    waiting += [[i] for i in at]
                else:
                    notes.append(f"{_named(candidates[at[0]])} is left out: {error}")
                continue
            for name, values in found.items():
                scores[name][at] = values
        if all(np.isnan(values).all() for values in scores.values()):
            raise TooFewRows("no candidate could be fitted. " + " ".join(notes))
        told = tuple(described(model) for model in candidates)
        return Selection(told, scores, complexity, metric, tuple(dict.fromkeys(notes)))

    def fitted(self, candidate: Any) -> Any:
        """The candidate fitted to all rows."""
        return _fit(clone(candidate), self.X, self.y, self.weights)

    def _together(self, candidates: Sequence[Any]) -> list[list[int]]:
        """Positions of candidates that share their statistics."""
        groups: dict[Any, list[int]] = defaultdict(list)
        for i, model in enumerate(candidates):
            if isinstance(model, GaussianClassifier) and not _chooses(model):
                groups["gaussian"].append(i)
            elif isinstance(model, Learner) and not _chooses(model):
                groups[type(model), str(getattr(model, "categorical", None))].append(i)
            else:
                groups[i].append(i)
        return list(groups.values())

    def _scores(self, models: Sequence[Any]) -> tuple[dict[str, Floats], Any]:
        """Scores of models that share their statistics, and how complex they are."""
        first = models[0]
        if _chooses(first) or not isinstance(first, Learner):
            return self._refitted(first), np.inf
        if isinstance(first, GaussianClassifier):
            return self._gaussians(models)
        return self._learners(models), np.inf

    def _gaussians(self, models: Sequence[Any]) -> tuple[dict[str, Floats], Floats]:
        asked = [Candidate(model._settings(), model.priors) for model in models]
        return compared(self.X, (self.classes, self.codes, self.weights), self.folds, asked)

    def _learners(self, models: Sequence[Any]) -> dict[str, Floats]:
        richest = max(models, key=lambda model: _detail(model))
        y = np.asarray(self.classes[self.codes])

        def summarize(at: Indices) -> Any:
            weights = None if self.weights is None else self.weights[at]
            rows = _safe_indexing(self.X, at)
            return richest._summarize(rows, y[at], weights, richest._settings(), None)

        trained = training_statistics(self.folds, len(y), summarize)
        tallies = [
            [self._tested(clone(model).fit_statistics(statistics), fold) for model in models]
            for fold, statistics in zip(self.folds, trained, strict=True)
        ]
        return self._metrics(tallies)

    def _refitted(self, model: Any) -> dict[str, Floats]:
        tallies = []
        for fold in self.folds:
            weights = None if self.weights is None else self.weights[fold.train]
            X, y = _safe_indexing(self.X, fold.train), self.classes[self.codes[fold.train]]
            tallies.append([self._tested(_fit(clone(model), X, y, weights), fold)])
        return self._metrics(tallies)

    def _tested(self, model: Any, fold: Fold) -> Tally:
        scores = log_probabilities(model, _safe_indexing(self.X, fold.test))
        weights = None if self.weights is None else self.weights[fold.test]
        return Tally.of(np.array(scores.T[None]), self.codes[fold.test], weights)

    def _metrics(self, tallies: Sequence[Sequence[Tally]]) -> dict[str, Floats]:
        k = len(self.classes)
        by_fold = [[tally.metrics(k) for tally in fold] for fold in tallies]
        return {
            name: np.array([[one[name][0] for one in fold] for fold in by_fold]).T
            for name in METRICS
        }


def log_probabilities(model: Any, X: Any) -> Floats:
    """Log posterior of each row, (n, k), by whatever method a classifier has for it."""
    if hasattr(model, "predict_log_proba"):
        with np.errstate(divide="ignore"):
            return np.asarray(model.predict_log_proba(X), np.float64)
    with np.errstate(divide="ignore"):
        return np.log(np.asarray(model.predict_proba(X), np.float64))


def described(model: Any) -> dict[str, Any]:
    """A candidate as a row of a table: its class, and the parameters that are not default."""
    parameters = model.get_params(deep=False)
    usual = type(model)().get_params(deep=False) if not _is_pipeline(model) else {}
    if _is_pipeline(model):
        return {"model": _named(model), **described(model[-1]), "steps": list(model.named_steps)}
    told = {
        name: value
        for name, value in parameters.items()
        if not isinstance(value, BaseEstimator) and repr(value) != repr(usual[name])
    }
    return {"model": _named(model), **told}


def _candidates(given: Any, grid: Any, X: Any, k: int) -> list[Any]:
    if given is None:
        given = automatic_candidates(X, k)
    models: list[Any] = list(given) if isinstance(given, list | tuple) else [given]
    for model in models:
        if not hasattr(model, "get_params") or not hasattr(model, "predict_proba"):
            raise InvalidParameter(
                f"models holds {model!r}; it takes classifiers with predict_proba, such as "
                "suffice.LDA()."
            )
    if grid is None:
        return models
    try:
        return [
            clone(model).set_params(**chosen) for model in models for chosen in ParameterGrid(grid)
        ]
    except (TypeError, ValueError) as error:
        raise InvalidParameter(f"grid does not fit the models: {error}") from None


def _detail(model: Any) -> int:
    settings = model._settings()
    gaussian = next((s for s in np.atleast_1d(settings) if isinstance(s, Settings)), None)
    return 0 if gaussian is None else ("diagonal", "shared", "separate").index(gaussian.detail)


def _fit(model: Any, X: Any, y: Any, weights: Floats | None) -> Any:
    return model.fit(X, y) if weights is None else model.fit(X, y, sample_weight=weights)


def _chooses(model: Any) -> bool:
    """Whether a model cross-validates at fit, so that it takes rows."""
    values = model.get_params(deep=False).values()
    return any(isinstance(value, str) and value == "cv" for value in values)


def _is_pipeline(model: Any) -> bool:
    return hasattr(model, "named_steps")


def _named(model: Any) -> str:
    return type(model[-1] if _is_pipeline(model) else model).__name__
