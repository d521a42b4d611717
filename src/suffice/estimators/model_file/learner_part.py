"""Learner part: a classifier as its statistics, from which the model is built again."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Array
from suffice.errors import InvalidParameter, SufficeError
from suffice.estimators.learning import Learned, Learner
from suffice.estimators.model_file import selection_part
from suffice.estimators.model_file.footprint import check_footprint
from suffice.estimators.repairing import repairs_expected
from suffice.models.priors import class_priors
from suffice.statistics.container import unpack
from suffice.statistics.soundness import check_sound
from suffice.statistics.storage import opened, packed

FIELDS = {"built", "selection"}

_STATISTICS = "statistics"


def written(model: Learner[Any]) -> tuple[dict[str, Any], dict[str, Array]]:
    """Header and arrays of what was learned."""
    built = _is_built(model)
    check_current(model, built)
    arrays = {_STATISTICS: np.frombuffer(packed(model.statistics_), np.uint8)}
    selection = None
    if hasattr(model, "selection_"):
        selection, scores = selection_part.written(model.selection_)
        arrays |= scores
    if _extra(model):
        arrays |= model._written()
    return {"built": built, "selection": selection}, arrays


def read(
    model: Learner[Any],
    header: dict[str, Any],
    arrays: dict[str, Array],
    name: str,
    size: int | None,
) -> None:
    """Give an estimator with parameters what it had learned; an error says what is wrong.

    size : of the file, if the model must not be out of proportion to it
    """
    built, selection = header["built"], header["selection"]
    if not isinstance(built, bool):
        raise ValueError("built is not true or false")
    expected = {_STATISTICS, *_extra(model)}
    expected |= set() if selection is None else selection_part.used(arrays)
    if set(arrays) != expected:
        raise ValueError(f"it has the arrays {sorted(arrays)}, which are not those of a classifier")
    statistics = opened(*unpack(_bytes(arrays[_STATISTICS]), name), name)
    if not model._is_statistics(statistics):
        raise ValueError("its statistics are of another kind")
    if not len(statistics.classes):
        raise ValueError("it has no classes")
    check_sound(statistics)
    powers = model._read_back(arrays, statistics.n_features) if _extra(model) else None
    chosen = None
    if selection is not None:
        if not hasattr(type(model), "pooling_"):
            raise ValueError("it has a selection, but nothing to select")
        chosen = selection_part.read(selection, arrays)
    # Parameters that are "cv" have the values that were chosen.
    model._state = Learned.begun(statistics, chosen, powers)
    settings = model._settings()
    model._check_fitting(statistics, settings)
    if size is not None:
        check_footprint(statistics, settings, size)
    with repairs_expected():  # the fit has warned of them
        model._hold(model._next(statistics, settings, later=not built))


def check_current(model: Learner[Any], built: bool) -> None:
    """Raise where parameters were changed since the model was fitted."""
    same = _same(model._settings(), model._built_with)
    if same and built:
        asked = class_priors(model._priors(), model.classes_, model._class_weight())
        same = np.array_equal(asked, model.priors_)
    if not same:
        raise InvalidParameter(
            f"the parameters of this {type(model).__name__} were changed after it was fitted, so "
            "they do not tell what it is. Fit it again, or call "
            "model.fit_statistics(model.statistics_), which reads no rows."
        )


def _is_built(model: Learner[Any]) -> bool:
    """Whether there are rows enough for a model; after `partial_fit` more may have to come."""
    try:
        return model._fitted is not None
    except SufficeError:
        return False


def _extra(model: Learner[Any]) -> tuple[str, ...]:
    """Names of arrays that a kind of model has beside its statistics."""
    return getattr(model, "_extra", ())


def _bytes(array: Array) -> bytes:
    if array.dtype != np.uint8 or array.ndim != 1:
        raise ValueError("its statistics are not a file")
    return array.tobytes()


def _same(a: Any, b: Any) -> bool:
    if is_dataclass(a):
        return type(a) is type(b) and all(
            _same(getattr(a, field.name), getattr(b, field.name)) for field in fields(a)
        )
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, str) or isinstance(b, str) or a is None or b is None:
        return bool(a is b or (isinstance(a, str) and isinstance(b, str) and a == b))
    return np.array_equal(np.asarray(a), np.asarray(b))
