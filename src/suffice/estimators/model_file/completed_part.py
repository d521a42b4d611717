"""Completed part: the means and covariances that EM found for rows with gaps.

A file keeps them beside the statistics, so that loading it runs no EM: on crafted statistics that
could take hours. They are what the model answers with until it learns more; then EM runs on the
statistics, which a file that was tampered with may contradict.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.arrays import Floats
from suffice.estimators.learning import Learner
from suffice.estimators.model_file import gaussian_part
from suffice.models.beliefs import Beliefs, Prior
from suffice.models.conjugate import MapModel, Posterior
from suffice.models.gaussian import GaussianModel
from suffice.models.product import ProductModel
from suffice.models.student import StudentModel
from suffice.statistics.incomplete import IncompleteStatistics
from suffice.statistics.nesting import Arrays
from suffice.statistics.soundness import LARGEST

_STRENGTHS = ("prior.mean_strength", "prior.covariance_strength")


def takes_em(statistics: Any) -> bool:
    """Whether a model of these statistics is found by EM."""
    numeric = getattr(statistics, "numeric", statistics)
    return isinstance(numeric, IncompleteStatistics) and numeric.detail != "diagonal"


def to_arrays(model: Learner[Any]) -> Arrays:
    """What EM found, as arrays."""
    found: Any = model._fitted
    if isinstance(found, ProductModel | StudentModel):
        found = found.gaussian
    arrays = gaussian_part.to_arrays(found)
    if isinstance(found, MapModel):
        known, prior = found.posterior, found.posterior.prior
        strengths = prior.mean_strength, prior.covariance_strength
        arrays |= {
            "prior.mean": prior.mean,
            "prior.mean.low": np.zeros_like(prior.mean)
            if prior.mean_low is None
            else prior.mean_low,
            "prior.covariance": prior.covariance,
            **{name: np.array(one) for name, one in zip(_STRENGTHS, strengths, strict=True)},
            "freedom": known.freedom,
            "stretch": known.stretch,
        }
    return arrays


def read(arrays: Arrays, statistics: Any, settings: Any) -> GaussianModel:
    """The classes that EM found, with priors yet to be set; ValueError says what is wrong."""
    numeric = getattr(statistics, "numeric", statistics)
    k, d = len(numeric.classes), numeric.n_features
    own = {name: array for name, array in arrays.items() if gaussian_part.is_ours(name)}
    found = gaussian_part.read(own, numeric.classes, np.full(k, 1 / k))
    if found.means.shape[1] != d:
        raise ValueError("what EM found has another number of features")
    rest = {name: array for name, array in arrays.items() if name not in own}
    if not isinstance(settings, Beliefs):
        if rest:
            raise ValueError(f"what EM found has the array {min(rest)!r}")
        return found
    posterior = _knowledge(rest, k, d)
    return MapModel(
        found.classes,
        found.priors,
        found.means,
        found.covariances,
        found.borrowed,
        posterior,
        means_low=found.means_low,
    )


def _knowledge(arrays: Arrays, k: int, d: int) -> Posterior:
    shapes = {
        "prior.mean": (d,),
        "prior.mean.low": (d,),
        "prior.covariance": (d, d),
        **dict.fromkeys(_STRENGTHS, ()),
        "freedom": (k, 1),
        "stretch": (k, 1),
    }
    if set(arrays) != set(shapes):
        raise ValueError("what EM found lacks parts of the prior")
    for name, shape in shapes.items():
        array = arrays[name]
        if array.shape != shape or array.dtype != np.float64:
            raise ValueError(f"the {name} of what EM found is not {shape} numbers")
        if not (np.abs(array) <= LARGEST).all():
            raise ValueError(f"the {name} of what EM found is not finite, or too large")
        if not name.startswith("prior.mean") or name in _STRENGTHS:
            _check_positive(name, array)
    mean, low = arrays["prior.mean"], arrays["prior.mean.low"]
    if not np.array_equal(mean + low, mean):
        raise ValueError("the prior.mean.low of what EM found is more than rounding cuts off")
    one, other = (float(arrays[name]) for name in _STRENGTHS)
    prior = Prior(mean, arrays["prior.covariance"], one, other, low)
    return Posterior(prior, arrays["freedom"], arrays["stretch"], prior.variances > 0)


def _check_positive(name: str, array: Floats) -> None:
    values = array.diagonal() if array.ndim == 2 and array.shape[1] > 1 else array
    least = values.min(initial=np.inf)
    if least < 0 or (least == 0 and name != "prior.covariance"):
        raise ValueError(f"the {name} of what EM found is negative")
