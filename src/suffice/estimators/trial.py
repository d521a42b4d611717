"""Trial: candidates of any kind on the same folds, those of a kind from the same statistics."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Mapping, Sequence
from copy import copy
from functools import cache
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import _safe_indexing

from suffice.data.arrays import Floats, Indices
from suffice.data.labels import shown
from suffice.data.powers import Powers
from suffice.errors import InvalidParameter, SufficeError, TooFewRows
from suffice.estimators.answers import Answers
from suffice.estimators.choosing import GRID, compared, labelled
from suffice.estimators.gaussian import GaussianDiscriminant
from suffice.estimators.gaussian_classifier import GaussianClassifier
from suffice.estimators.indicators import Indicators
from suffice.estimators.learning import Learner
from suffice.estimators.splitting import folds_of
from suffice.estimators.unskewed import UnskewedDiscriminant, read
from suffice.models.settings import Settings
from suffice.selection.cross_validation import Candidate
from suffice.selection.folds import Fold, check_folds, training_statistics
from suffice.selection.selection import Selection
from suffice.selection.steps import Steps, Tell
from suffice.selection.tally import METRICS, Tally
from suffice.statistics.statistics import DETAILS, Statistics


class Trial:
    """Rows and folds on which candidates are tried."""

    def __init__(
        self, X: Any, y: Any, sample_weight: Any, cv: Any, repeats: int, groups: Any
    ) -> None:
        self.X, self.y = X, y
        self.classes, self.codes, self.weights = labelled(X, y, sample_weight)
        at = self.classes, self.codes, self.weights
        self.repeats = repeats
        self.folds, self.notes = folds_of(cv, X, *at, groups=groups, repeats=repeats)
        check_folds(self.folds, self.codes, self.classes)
        self.whole: Statistics | None = None  # of the family, once it was tried

    def run(self, candidates: Sequence[Any], metric: str, tell: Tell | None = None) -> Selection:
        """All candidates over all folds; `tell` is called with the share done."""
        self.steps = Steps(len(candidates) * len(self.folds), tell)
        scores = {name: np.full((len(candidates), len(self.folds)), np.nan) for name in METRICS}
        notes = list(self.notes)
        complexity = np.full(len(candidates), np.inf)
        waiting, failures = self._together(candidates), []
        while waiting:
            at = waiting.pop(0)
            try:
                found, complexity[at], told = self._scores([candidates[i] for i in at])
                notes += told
            except InvalidParameter:
                raise
            except SufficeError as error:
                if len(at) > 1:
                    waiting += [[i] for i in at]
                else:
                    notes.append(f"{_named(candidates[at[0]])} is left out: {error}")
                    failures.append(error)
                continue
            for name, values in found.items():
                scores[name][at] = values
        self.steps.finish()
        if len(failures) == len(candidates):
            first = failures[0]
            if len({type(error) for error in failures}) == 1:
                if isinstance(first, TooFewRows):
                    raise TooFewRows(f"in the rows outside a fold, {first}") from first
                raise first
            raise TooFewRows("no candidate could be fitted. " + " ".join(dict.fromkeys(notes)))
        rows = tuple(described(model) for model in candidates)
        told = tuple(dict.fromkeys(notes))
        return Selection(rows, scores, complexity, metric, told, self.repeats)

    @property
    def rows(self) -> float:
        """How many rows there are; of unequal weight, how many equal ones would tell as much."""
        w = np.ones(len(self.codes)) if self.weights is None else self.weights
        return float(w.sum() ** 2 / (w @ w))

    def fitted(self, candidate: Any) -> Any:
        """The candidate fitted to all rows."""
        model = clone(candidate)
        plain = _is_family(model) and not isinstance(model, UnskewedDiscriminant)
        if self.whole is not None and plain:
            return model._fit_known(model._settings(), self.X, self.y, self.whole)
        return fit(model, self.X, self.y, self.weights)

    def _together(self, candidates: Sequence[Any]) -> list[list[int]]:
        """Positions of candidates that share their statistics."""
        groups: dict[Any, list[int]] = defaultdict(list)
        for i, model in enumerate(candidates):
            key: Any = i
            if _is_family(model):
                key = "unskewed" if isinstance(model, UnskewedDiscriminant) else "family"
            elif _reads_indicators(model):
                key = "indicators", str(model[0].categorical)
            elif isinstance(model, Learner) and not _chooses(model):
                key = type(model), str(getattr(model, "categorical", None))
            groups[key].append(i)
        return list(groups.values())

    def _scores(self, models: Sequence[Any]) -> tuple[Mapping[str, Floats], Any, Sequence[str]]:
        """Scores of models that share their statistics, how complex they are, and notes."""
        first = models[0]
        if isinstance(first, UnskewedDiscriminant) and _is_family(first):
            return self._unskewed(models)
        if _is_family(first):
            return *self._family(models), ()
        if _reads_indicators(first):
            inner = copy(self)
            # The levels are those of all rows; nothing is learnt of the classes from them.
            inner.X, inner.notes = clone(first[0]).fit_transform(self.X), []
            told = self.steps.part(len(models) * len(self.folds))
            found = inner.run([model[-1] for model in models], METRICS[0], told)
            return found.scores, found.complexity, found.notes
        if isinstance(first, Learner) and not _chooses(first):
            return *self._learners(models), ()
        return self._refitted(first)

    def _unskewed(
        self, models: Sequence[Any]
    ) -> tuple[Mapping[str, Floats], Floats, Sequence[str]]:
        inner, rows = copy(self), read(self.X)
        # The powers are those of all rows; nothing is learnt of the classes from them.
        inner.X, inner.notes = Powers.of(rows, self.weights).apply(rows), []
        plain = [GaussianDiscriminant(**model.get_params()) for model in models]
        told = self.steps.part(len(models) * len(self.folds))
        found = inner.run(plain, METRICS[0], told)
        return found.scores, found.complexity + rows.shape[1], found.notes

    def _family(self, models: Sequence[Any]) -> tuple[dict[str, Floats], Floats]:
        asked = [Candidate(model._settings(), model.priors) for model in models]
        at = self.classes, self.codes, self.weights
        scores, complexity, self.whole = compared(self.X, at, self.folds, asked, self.steps)
        return scores, complexity

    def _learners(self, models: Sequence[Any]) -> tuple[dict[str, Floats], Floats]:
        richest = max(models, key=lambda model: _detail(model))
        y = np.asarray(self.classes[self.codes])

        def summarize(at: Indices) -> Any:
            weights = None if self.weights is None else self.weights[at]
            rows = _safe_indexing(self.X, at)
            return richest._summarize(rows, y[at], weights, richest._settings(), None)

        trained = training_statistics(self.folds, len(y), summarize)
        tallies, whole = [], None
        for fold, known in zip(self.folds, trained, strict=True):
            statistics, whole = known
            fitted = [clone(model).fit_statistics(statistics) for model in models]
            # Models of the same statistics take rows in the same form.
            rows = fitted[0]._rows(_safe_indexing(self.X, fold.test))
            answers = [one._answer_rows(rows, "log_posterior") for one in fitted]
            tallies.append([self._tally(found, fold) for found in answers])
            self.steps.add(len(models))
        if whole is None:
            whole = summarize(np.arange(len(y)))
        complexity = [_complexity(clone(model).fit_statistics(whole)) for model in models]
        return self._metrics(tallies), np.array(complexity)

    def _refitted(self, model: Any) -> tuple[dict[str, Floats], float, list[str]]:
        tallies, complexity = [], np.inf
        notes: list[str] = []
        for fold in self.folds:
            weights = None if self.weights is None else self.weights[fold.train]
            X, y = _safe_indexing(self.X, fold.train), self.classes[self.codes[fold.train]]
            fitted, told = fit_quietly(clone(model), X, y, weights)
            notes += [f"{_named(model)}: {what}" for what in told]
            tallies.append([self.tested(fitted, fold)])
            complexity = _complexity(fitted)
            self.steps.add()
        return self._metrics(tallies), complexity, notes

    def tested(self, model: Any, fold: Fold) -> Tally:
        """What a fitted model makes of the test rows of a fold."""
        return self._tally(log_probabilities(model, _safe_indexing(self.X, fold.test)), fold)

    def _tally(self, scores: Floats, fold: Fold) -> Tally:
        weights = None if self.weights is None else self.weights[fold.test]
        return Tally.of(np.array(scores.T[None]), self.codes[fold.test], weights)

    def _metrics(self, tallies: Sequence[Sequence[Tally]]) -> dict[str, Floats]:
        k = len(self.classes)
        by_fold = [[tally.metrics(k) for tally in fold] for fold in tallies]
        return {
            name: np.array([[one[name][0] for one in fold] for fold in by_fold]).T
            for name in METRICS
        }


def named_classifiers(given: Any) -> dict[str, Any]:
    """Classifiers by name: from a mapping, a list, or a single one."""
    if isinstance(given, Mapping):
        named = {str(name): model for name, model in given.items()}
    else:
        models = list(given) if isinstance(given, list | tuple) else [given]
        named = {}
        for model in models:
            name = _named(model) if hasattr(model, "get_params") else repr(model)
            again = sum(other.split(" (")[0] == name for other in named)
            named[f"{name} ({again + 1})" if again else name] = model
    if not named:
        raise InvalidParameter("models is empty; name at least one classifier.")
    for model in named.values():
        if isinstance(model, type):
            raise InvalidParameter(f"{model.__name__} is a class; write {model.__name__}().")
        if not hasattr(model, "get_params") or not hasattr(model, "predict_proba"):
            raise InvalidParameter(
                f"models holds {shown(model)}; it takes classifiers with predict_proba, such as "
                "suffice.LDA()."
            )
    return named


def log_probabilities(model: Any, X: Any) -> Floats:
    """Log posterior of each row, (n, k), by whatever method a classifier has for it."""
    if isinstance(model, Answers) or (_is_pipeline(model) and isinstance(model[-1], Answers)):
        return np.asarray(model.predict_log_proba(X), np.float64)
    # Others round probabilities to zero, which they never mean.
    return np.asarray(np.log(np.maximum(model.predict_proba(X), np.finfo(np.float64).tiny)))


def described(model: Any) -> dict[str, Any]:
    """A candidate as a row of a table: its class, and the parameters that are not default."""
    if _is_pipeline(model):
        before = ", ".join(type(step).__name__ for _, step in model.steps[:-1])
        return {**described(model[-1]), "after": before}
    told = {"model": _named(model)}
    for name, usual in _defaults(type(model)).items():  # type: ignore[arg-type]
        value = getattr(model, name)
        if not isinstance(value, BaseEstimator) and repr(value) != repr(usual):
            told[name] = value
    return told


@cache
def _defaults(kind: Any) -> dict[str, Any]:
    found: dict[str, Any] = kind().get_params(deep=False)
    return found


def _detail(model: Any) -> int:
    """How much its statistics hold, to compare."""
    settings = model._settings()
    parts = settings if isinstance(settings, tuple) else (settings,)
    return max(("", *DETAILS[::-1]).index(getattr(part, "detail", "")) for part in parts)


def fit(model: Any, X: Any, y: Any, weights: Floats | None) -> Any:
    """The model, fitted; weights are passed on only where there are some."""
    if weights is None:
        return model.fit(X, y)
    name = "sample_weight"
    if _is_pipeline(model):
        name = f"{model.steps[-1][0]}__{name}"
    return model.fit(X, y, **{name: weights})


def fit_quietly(model: Any, X: Any, y: Any, weights: Floats | None) -> tuple[Any, list[str]]:
    """The model, fitted, and what it warned of."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        fitted = fit(model, X, y, weights)
    return fitted, [str(one.message) for one in told]


def _complexity(model: Any) -> float:
    """Effective number of parameters of a fitted model; of one that cannot tell, infinite."""
    counted = getattr(model, "effective_parameters_", None)
    if counted is not None:
        return float(counted)
    try:
        return float(model.n_parameters())
    except (AttributeError, InvalidParameter):
        return np.inf


def _is_family(model: Any) -> bool:
    """Whether a model is told by settings of the Gaussian family."""
    if not isinstance(model, GaussianClassifier) or _chooses(model):
        return False
    return isinstance(model._settings(), Settings)


def _reads_indicators(model: Any) -> bool:
    """Whether a model is one of ours behind indicators of levels, and nothing else."""
    return (
        _is_pipeline(model)
        and len(model) == 2
        and isinstance(model[0], Indicators)
        and isinstance(model[-1], Learner)
    )


def _chooses(model: Any) -> bool:
    """Whether a model cross-validates at fit, so that it takes rows."""
    values = [getattr(model, name, None) for name in GRID]
    return any(isinstance(value, str) and value == "cv" for value in values)


def _is_pipeline(model: Any) -> bool:
    return hasattr(model, "named_steps")


def _named(model: Any) -> str:
    return type(model[-1] if _is_pipeline(model) else model).__name__
