"""Computable: whether a model gives finite densities."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from suffice.errors import NotFinite
from suffice.models.conjugate_priors.student import StudentModel
from suffice.models.gaussian import GaussianModel
from suffice.models.mixture import MixtureModel
from suffice.models.product import ProductModel
from suffice.statistics.passes.threads import blas_threads


def check_computable(model: Any) -> None:
    """Raise if all parameters are finite, but the density at a class mean is not."""
    if isinstance(model, ProductModel):
        for part in model.parts.values():
            check_computable(part)
        return
    if isinstance(model, MixtureModel):
        model = model.components
    if not isinstance(model, GaussianModel | StudentModel):
        return
    # On a copy: the last bits of cached arrays may depend on the number of threads.
    with np.errstate(all="ignore"), blas_threads(1):
        joint = replace(model).joint(model.means[:1])
    if np.isnan(joint).any() or np.isposinf(joint).any():
        raise beyond_floats()


def beyond_floats() -> NotFinite:
    """The error for a model whose densities exceed what a float can hold."""
    return NotFinite(
        "the parameters of this model are too large or too small: densities exceed what a float "
        "can hold. Rescale the features (for example, divide by 1e100) and fit again."
    )
