"""Gaussian part: means and covariances of classes or components as arrays, and back."""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.estimators.model_file import covariance_part
from suffice.models.gaussian import GaussianModel
from suffice.statistics.nesting import Arrays, below, prefixed, stack, unstack

NAMES = {"means", "means.low", "borrowed"}


def to_arrays(model: GaussianModel) -> Arrays:
    """The arrays of a model other than classes and priors."""
    covariances = [covariance_part.to_arrays(covariance) for covariance in model.covariances]
    low = {} if model.means_low is None else {"means.low": model.means_low}
    return {
        "means": model.means,
        **low,
        "borrowed": np.array(model.borrowed, np.int64),
        **prefixed("covariances", stack(covariances)),
    }


def is_ours(name: str) -> bool:
    """Whether an array of that name belongs to a Gaussian part."""
    return name in NAMES or name.startswith("covariances.")


def read(arrays: Arrays, classes: Array, priors: Floats) -> GaussianModel:
    """The model of these classes; a ValueError says what is wrong."""
    means, borrowed, k = arrays["means"], arrays["borrowed"], len(classes)
    if means.dtype != np.float64 or means.ndim != 2 or len(means) != k or not means.size:
        raise ValueError("there is not one mean for each class")
    if not (np.abs(means) <= covariance_part.FAR).all():
        raise ValueError("means holds values that are not finite, or too large")
    if borrowed.dtype != np.int64 or borrowed.ndim != 1 or len(borrowed) > k:
        raise ValueError("borrowed does not name classes")
    if ((borrowed < 0) | (borrowed >= k)).any():
        raise ValueError("borrowed does not name classes")
    own = below("covariances", arrays)
    number = len(next((a for name, a in own.items() if name.endswith(".shapes")), ()))
    if number not in (1, k):
        raise ValueError("there is not one covariance for all classes, nor one for each")
    covariances = tuple(covariance_part.read(one, means.shape[1]) for one in unstack(own, number))
    return GaussianModel(
        classes, priors, means, covariances, tuple(borrowed.tolist()), means_low=_low(arrays, means)
    )


def _low(arrays: Arrays, means: Floats) -> Floats | None:
    """The low parts of the means, if they are stored."""
    low = arrays.get("means.low")
    if low is not None and (
        low.dtype != np.float64
        or low.shape != means.shape
        or not np.array_equal(means + low, means)
    ):
        raise ValueError("means.low exceeds the rounding of the means")
    return low
