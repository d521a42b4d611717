"""Learner content: a classifier as its statistics, from which the model is rebuilt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Self

import numpy as np

from suffice.data.powers import Powers
from suffice.errors import InvalidParameter, SufficeError
from suffice.estimators.choosing import GRID
from suffice.estimators.learned import FromFile, Learned, as_numbers
from suffice.estimators.learning import Learner
from suffice.models.categorical import MOST_LEVELS, Categorical
from suffice.models.computable import check_computable
from suffice.models.conjugate_priors.beliefs import Beliefs
from suffice.models.conjugate_priors.conjugate import MapModel
from suffice.models.conjugate_priors.student import StudentModel
from suffice.models.covariances.groups import WIDE
from suffice.models.gaussian import GaussianModel
from suffice.models.priors import class_priors
from suffice.selection.selection import Selection
from suffice.statistics.counts import Counts
from suffice.statistics.factored_scatter import FactoredScatter
from suffice.statistics.incomplete import IncompleteStatistics
from suffice.statistics.mixed import MixedStatistics
from suffice.statistics.statistics import Statistics
from suffice.statistics.storage.registry import storable
from suffice.statistics.storage.room import Room, disproportion
from suffice.statistics.table_statistics import TableStatistics

storable(Powers)
storable(FromFile)


@storable
@dataclass(frozen=True, slots=True)
class LearnerContent:
    """What a classifier has learned.

    Means and covariances estimated by EM are kept beside the statistics, so that loading a file
    runs no EM, which could take hours on crafted statistics. The model answers with them until it
    learns more; then EM runs on the statistics, which the stored estimates of a manipulated file
    may contradict.
    """

    statistics: Any
    built: FromFile
    selection: Selection | None = None
    powers: Powers | None = None

    @classmethod
    def of(cls, model: Learner[Any]) -> Self:
        """The content of a file; raises if parameters were changed after the model was fitted."""
        built, learned = is_built(model), model._learned
        check_current(model, built)
        numbers = model._fitted_statistics if built else None
        completed = _completed(model._fitted, numbers) if _takes_em(numbers) else None
        own = FromFile(built, completed)
        return cls(learned.statistics, own, learned.selection, learned.powers)

    def restore(self, model: Learner[Any], room: Room) -> None:
        """Set the state of an estimator, whose model is built on first use."""
        s, built = self.statistics, self.built
        if not model._is_statistics(s):
            raise ValueError("its statistics have the wrong kind")
        if not len(s.classes):
            raise ValueError("it has no classes")
        self._check_choices(model)
        # Parameters set to "cv" take the values that were chosen.
        model._state = Learned.initial(s, self.selection, self.powers)
        settings = model._settings()
        numbers, adapted = as_numbers(s, settings)
        if (built.completed is not None) != (built.is_built and _takes_em(numbers)):
            raise ValueError("it lacks covariances estimated by EM, or should have none")
        adapted.check(numbers)
        check_footprint(numbers, adapted, room)
        if built.completed is not None:
            _check_completed(built.completed, numbers, adapted)
        learned = model._next(s, settings, later=True)
        model._state = replace(learned, from_file=built)

    def _check_choices(self, model: Learner[Any]) -> None:
        """Raise unless the content has what this kind of classifier chooses by the rows."""
        if self.selection is not None:
            if not hasattr(type(model), "pooling_"):
                raise ValueError("it has a selection, but nothing to select")
            if not all(_is_candidate(one) for one in self.selection.candidates):
                raise ValueError("the candidates of the selection are not parameters of the family")
        if (self.powers is not None) != model._has_powers:
            raise ValueError("it lacks powers, or should have none")
        if self.powers is not None:
            s = self.statistics
            table = isinstance(s, TableStatistics)
            if len(self.powers.origin) != (len(s.reader.numeric_names) if table else s.n_features):
                raise ValueError("its powers are not numbers for each feature")


def is_built(model: Learner[Any]) -> bool:
    """Whether there are enough rows for a model; after `partial_fit` there may be too few."""
    try:
        return model._fitted is not None
    except SufficeError:
        return False


def _takes_em(statistics: Any) -> bool:
    """Whether a model of these statistics is estimated by EM."""
    if isinstance(statistics, MixedStatistics):
        return any(map(_takes_em, statistics.parts.values()))
    return isinstance(statistics, IncompleteStatistics) and statistics.detail != "diagonal"


def _completed(model: Any, statistics: Any) -> Any:
    """The classes of a model that EM estimated; by part, where features come in parts."""
    if isinstance(statistics, MixedStatistics):
        parts = {key: own for key, own in statistics.parts.items() if _takes_em(own)}
        return {key: _completed(model.parts[key], own) for key, own in parts.items()}
    return model.gaussian if isinstance(model, StudentModel) else model


def _check_completed(classes: Any, statistics: Any, settings: Any) -> None:
    """Raise unless the estimates of EM are those of the classes and features of statistics."""
    if isinstance(statistics, MixedStatistics):
        parts = {key: own for key, own in statistics.parts.items() if _takes_em(own)}
        if not isinstance(classes, dict) or classes.keys() != parts.keys():
            raise ValueError("the estimates of EM are those of other parts")
        for key, own in parts.items():
            _check_completed(classes[key], own, settings.parts[key].likelihood)
        return
    if type(classes) is not (MapModel if isinstance(settings, Beliefs) else GaussianModel):
        raise ValueError("the estimates of EM are those of another kind of model")
    same_kind = classes.classes.dtype.kind == statistics.classes.dtype.kind
    if not same_kind or not np.array_equal(classes.classes, statistics.classes):
        raise ValueError("the estimates of EM have other classes")
    if classes.means.shape[1] != statistics.n_features:
        raise ValueError("the estimates of EM have the wrong number of features")
    check_computable(classes)


def _is_candidate(one: Any) -> bool:
    is_given = [isinstance(value, float | int | str) for value in one.values()]
    return set(one) == set(GRID) and all(is_given)


def check_current(model: Learner[Any], built: bool) -> None:
    """Raise if parameters were changed after the model was fitted."""
    same = _same(model._settings(), model._learned.settings)
    if same and built:
        requested = class_priors(model._priors(), model.classes_, model._class_weight())
        same = np.array_equal(requested, model.priors_)
    if not same:
        raise InvalidParameter(
            f"the parameters of this {type(model).__name__} were changed after it was fitted, so "
            "they do not describe it. Fit it again, or call "
            "model.fit_statistics(model.statistics_), which reads no rows."
        )


def _same(a: Any, b: Any) -> bool:
    if is_dataclass(a):
        return type(a) is type(b) and all(
            _same(getattr(a, field.name), getattr(b, field.name)) for field in fields(a)
        )
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in a)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, str) or isinstance(b, str) or a is None or b is None:
        return bool(a is b or (isinstance(a, str) and isinstance(b, str) and a == b))
    return np.array_equal(np.asarray(a), np.asarray(b))


def check_footprint(statistics: Any, settings: Any, room: Room) -> None:
    """Raise ValueError if a model would be out of proportion to its file.

    The model is not allocated while the file is read, but at the first `predict`. A single
    integer level of a million makes a table of a million levels, and a feature that no row has
    makes a column of every matrix: a few bytes could fill the memory.
    """
    needed = footprint(statistics, settings)
    # Matrices may take this much: for few rows of many features only the rows are kept, and
    # the matrices made from them are naturally larger.
    matrices_bytes = 256 << 20
    free = matrices_bytes if isinstance(statistics, Statistics) else 16 << 20
    times = 16  # the size of its file that any model may take
    if room.size is not None and needed > max(free, times * room.size):
        raise ValueError(disproportion(needed, "the parts of the model", room.size))


def footprint(statistics: Any, settings: Any) -> int:
    """Bytes that a model takes in addition to its statistics."""
    s = statistics
    if isinstance(s, MixedStatistics):
        return sum(footprint(own, settings.parts[k].likelihood) for k, own in s.parts.items())
    if isinstance(s, Counts):
        least = np.broadcast_to(settings.least, (s.n_features,)).tolist()
        return 8 * len(s.classes) * sum(_width(s, j, settings, least[j]) for j in range(len(least)))
    if isinstance(s, IncompleteStatistics):
        d = s.n_features
        return 8 * len(s.classes) * (d if s.detail == "diagonal" else d * d)
    if isinstance(s, Statistics) and isinstance(s.spread, FactoredScatter) and s.n_features <= WIDE:
        return 8 * s.spread.groups * s.n_features**2
    return 0


def _width(counts: Counts, j: int, smoothing: Categorical, least: int) -> int:
    levels = counts.tables[j].levels
    declared = None if smoothing.levels is None else smoothing.levels[j]
    if declared is not None:
        return len(declared)
    if levels.dtype.kind != "i":
        return len(levels)
    most = max(int(levels[-1]) + 1 if len(levels) else 0, least)
    return most if most <= MOST_LEVELS else len(levels)
