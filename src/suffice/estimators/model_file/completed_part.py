"""Completed part: means and covariances estimated by EM from rows with missing values.

A file keeps them beside the statistics, so that loading it runs no EM, which could take hours on
crafted statistics. The model answers with them until it learns more; then EM runs on the
statistics, which the stored estimates of a manipulated file may contradict.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.arrays import Floats
from suffice.estimators.model_file import gaussian_part
from suffice.models.beliefs import Beliefs, Prior
from suffice.models.conjugate import MapModel, Posterior
from suffice.models.gaussian import GaussianModel
from suffice.models.product import ProductModel
from suffice.models.student import StudentModel
from suffice.statistics.incomplete import IncompleteStatistics
from suffice.statistics.mixed import MixedStatistics
from suffice.statistics.nesting import Arrays, below, check_names, prefixed
from suffice.statistics.soundness import LARGEST

_STRENGTHS = ("prior.mean_strength", "prior.covariance_strength")


def takes_em(statistics: Any) -> bool:
    """Whether a model of these statistics is estimated by EM."""
    if isinstance(statistics, MixedStatistics):
        return any(map(takes_em, statistics.parts.values()))
    return isinstance(statistics, IncompleteStatistics) and statistics.detail != "diagonal"


def to_arrays(model: Any, statistics: Any) -> Arrays:
    """The estimates of EM as arrays; those of the parts of a model below their names."""
    if isinstance(model, ProductModel):
        arrays: Arrays = {}
        for key, own in statistics.parts.items():
            if takes_em(own):
                arrays |= prefixed(key, to_arrays(model.parts[key], own))
        return arrays
    classes = model.gaussian if isinstance(model, StudentModel) else model
    arrays = gaussian_part.to_arrays(classes)
    if isinstance(classes, MapModel):
        posterior, prior = classes.posterior, classes.posterior.prior
        strengths = prior.mean_strength, prior.covariance_strength
        arrays |= {
            "prior.mean": prior.mean,
            "prior.mean.low": np.zeros_like(prior.mean)
            if prior.mean_low is None
            else prior.mean_low,
            "prior.covariance": prior.covariance,
            **{name: np.array(one) for name, one in zip(_STRENGTHS, strengths, strict=True)},
            "freedom": posterior.freedom,
            "stretch": posterior.stretch,
        }
    return arrays


def read(arrays: Arrays, statistics: Any, settings: Any) -> Any:
    """The classes estimated by EM, with priors still to be set; a ValueError says what is wrong.

    By part, where features come in parts.
    """
    if isinstance(statistics, MixedStatistics):
        wanted = {key: own for key, own in statistics.parts.items() if takes_em(own)}
        check_names(arrays, (), list(wanted))
        parts = settings.parts
        return {k: read(below(k, arrays), own, parts[k].likelihood) for k, own in wanted.items()}
    return _read_gaussian(arrays, statistics, settings)


def _read_gaussian(arrays: Arrays, statistics: Any, settings: Any) -> GaussianModel:
    k, d = len(statistics.classes), statistics.n_features
    own = {name: array for name, array in arrays.items() if gaussian_part.is_ours(name)}
    classes = gaussian_part.read(own, statistics.classes, np.full(k, 1 / k))
    if classes.means.shape[1] != d:
        raise ValueError("the estimates of EM have the wrong number of features")
    rest = {name: array for name, array in arrays.items() if name not in own}
    if not isinstance(settings, Beliefs):
        if rest:
            raise ValueError(f"the estimates of EM have the unexpected array {min(rest)!r}")
        return classes
    posterior = _posterior_of(rest, k, d)
    return MapModel(
        classes.classes,
        classes.priors,
        classes.means,
        classes.covariances,
        classes.borrowed,
        posterior,
        means_low=classes.means_low,
    )


def _posterior_of(arrays: Arrays, k: int, d: int) -> Posterior:
    shapes = {
        "prior.mean": (d,),
        "prior.mean.low": (d,),
        "prior.covariance": (d, d),
        **dict.fromkeys(_STRENGTHS, ()),
        "freedom": (k, 1),
        "stretch": (k, 1),
    }
    if set(arrays) != set(shapes):
        raise ValueError("the estimates of EM lack parts of the prior")
    for name, shape in shapes.items():
        array = arrays[name]
        if array.shape != shape or array.dtype != np.float64:
            raise ValueError(f"the {name} of the estimates of EM does not have shape {shape}")
        if not (np.abs(array) <= LARGEST).all():
            raise ValueError(f"the {name} of the estimates of EM is not finite, or too large")
        if not name.startswith("prior.mean") or name in _STRENGTHS:
            _check_positive(name, array)
    mean, low = arrays["prior.mean"], arrays["prior.mean.low"]
    if not np.array_equal(mean + low, mean):
        raise ValueError("the prior.mean.low of the estimates of EM exceeds rounding")
    one, other = (float(arrays[name]) for name in _STRENGTHS)
    prior = Prior(mean, arrays["prior.covariance"], one, other, low)
    return Posterior(prior, arrays["freedom"], arrays["stretch"], prior.variances > 0)


def _check_positive(name: str, array: Floats) -> None:
    values = array.diagonal() if array.ndim == 2 and array.shape[1] > 1 else array
    smallest = values.min(initial=np.inf)
    if smallest < 0 or (smallest == 0 and name != "prior.covariance"):
        raise ValueError(f"the {name} of the estimates of EM is negative")
