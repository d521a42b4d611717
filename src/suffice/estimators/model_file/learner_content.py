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
from suffice.models.priors import class_priors
from suffice.selection.selection import Selection
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
        completed = None
        if built:
            numbers, settings = learned.numbers
            if settings.takes_em(numbers):
                completed = settings.completed(model._fitted, numbers)
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
        adapted.check(numbers)
        if (built.completed is not None) != (built.is_built and adapted.takes_em(numbers)):
            raise ValueError("it lacks covariances estimated by EM, or should have none")
        check_footprint(adapted.footprint(numbers), numbers, room)
        if built.completed is not None:
            adapted.check_completed(built.completed, numbers)
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


def check_footprint(needed: int, statistics: Any, room: Room) -> None:
    """Raise ValueError if a model would be out of proportion to its file.

    The model is not allocated while the file is read, but at the first `predict`. A single
    integer level of a million makes a table of a million levels, and a feature that no row has
    makes a column of every matrix: a few bytes could fill the memory.
    """
    # Matrices may take this much: for few rows of many features only the rows are kept, and
    # the matrices made from them are naturally larger.
    matrices_bytes = 256 << 20
    free = matrices_bytes if isinstance(statistics, Statistics) else 16 << 20
    times = 16  # the size of its file that any model may take
    if room.size is not None and needed > max(free, times * room.size):
        raise ValueError(disproportion(needed, "the parts of the model", room.size))
