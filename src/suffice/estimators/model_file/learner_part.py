"""Learner part: a classifier as its statistics, from which the model is rebuilt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from suffice.errors import InvalidParameter, SufficeError
from suffice.estimators.learning import FromFile, Learned, Learner
from suffice.estimators.model_file import completed_part, selection_part
from suffice.estimators.model_file.footprint import check_footprint
from suffice.models.computable import check_computable
from suffice.models.priors import class_priors
from suffice.statistics import storage
from suffice.statistics.nesting import Arrays, below, prefixed
from suffice.statistics.room import Room

FIELDS = {"statistics", "built", "selection"}

_STATISTICS = "statistics"
_COMPLETED = "completed"


def to_arrays(model: Learner[Any]) -> tuple[dict[str, Any], Arrays]:
    """Header and arrays of what was learned."""
    built = is_built(model)
    check_current(model, built)
    statistics, own = storage.to_arrays(model.statistics_)
    arrays = prefixed(_STATISTICS, own)
    selection = None
    if hasattr(model, "selection_"):
        selection, scores = selection_part.to_arrays(model.selection_)
        arrays |= scores
    if _extra(model):
        arrays |= model._write_extra()
    if built and completed_part.takes_em(model.statistics_):
        arrays |= prefixed(_COMPLETED, completed_part.to_arrays(model._fitted, model.statistics_))
    return {"statistics": statistics, "built": built, "selection": selection}, arrays


def read(model: Learner[Any], header: dict[str, Any], arrays: Arrays, room: Room) -> None:
    """Set the learned state of an estimator; a ValueError says what is wrong.

    The model is built from its statistics on first use.
    """
    built, selection = header["built"], header["selection"]
    if not isinstance(built, bool):
        raise ValueError("built is not true or false")
    statistics = storage.read(header["statistics"], below(_STATISTICS, arrays), room)
    if not model._is_statistics(statistics):
        raise ValueError("its statistics have the wrong kind")
    if not len(statistics.classes):
        raise ValueError("it has no classes")
    completed = below(_COMPLETED, arrays)
    if bool(completed) != (built and completed_part.takes_em(statistics)):
        raise ValueError("it lacks covariances estimated by EM, or should have none")
    _check_names(model, arrays, selection)
    powers = model._read_extra(arrays, statistics.n_features) if _extra(model) else None
    chosen = None
    if selection is not None:
        if not hasattr(type(model), "pooling_"):
            raise ValueError("it has a selection, but nothing to select")
        chosen = selection_part.read(selection, arrays)
    # Parameters set to "cv" take the values that were chosen.
    model._state = Learned.initial(statistics, chosen, powers)
    settings = model._settings()
    settings.check(statistics)
    check_footprint(statistics, settings, room)
    classes = completed_part.read(completed, statistics, settings) if completed else None
    for one in classes.values() if isinstance(classes, dict) else [classes]:
        check_computable(one)
    learned = model._next(statistics, settings, later=True)
    model._hold(replace(learned, from_file=FromFile(built, classes)))


def check_current(model: Learner[Any], built: bool) -> None:
    """Raise if parameters were changed after the model was fitted."""
    same = _same(model._settings(), model._built_with)
    if same and built:
        requested = class_priors(model._priors(), model.classes_, model._class_weight())
        same = np.array_equal(requested, model.priors_)
    if not same:
        raise InvalidParameter(
            f"the parameters of this {type(model).__name__} were changed after it was fitted, so "
            "they do not describe it. Fit it again, or call "
            "model.fit_statistics(model.statistics_), which reads no rows."
        )


def is_built(model: Learner[Any]) -> bool:
    """Whether there are enough rows for a model; after `partial_fit` there may be too few."""
    try:
        return model._fitted is not None
    except SufficeError:
        return False


def _check_names(model: Learner[Any], arrays: Arrays, selection: Any) -> None:
    """Raise if there are unexpected arrays, or some are missing."""
    rest = {name for name in arrays if name.partition(".")[0] not in (_STATISTICS, _COMPLETED)}
    expected = {*_extra(model)} | (set() if selection is None else selection_part.used(arrays))
    if rest != expected:
        raise ValueError(f"it has the arrays {sorted(rest)}, which are not those of a classifier")


def _extra(model: Learner[Any]) -> tuple[str, ...]:
    """Names of arrays that a kind of model has beside its statistics."""
    return getattr(model, "_extra", ())


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
