"""Computable: whether anything finite comes of the numbers of a model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from suffice.errors import NotFinite
from suffice.models.gaussian import GaussianModel
from suffice.models.mixture import MixtureModel
from suffice.models.product import ProductModel
from suffice.models.student import StudentModel
from suffice.statistics.threads import blas_threads


def check_computable(model: Any) -> None:
    """Raise where all numbers are finite, but the density at a class mean is not."""
    if isinstance(model, ProductModel):
        model = model.gaussian
    if isinstance(model, MixtureModel):
        model = model.components
    if not isinstance(model, GaussianModel | StudentModel):
        return
    # Of a copy: what a model keeps may differ in its last bits with the number of threads.
    with np.errstate(all="ignore"), blas_threads(1):
        joint = replace(model).joint(model.means[:1])
    if np.isnan(joint).any() or np.isposinf(joint).any():
        raise beyond_floats()


def beyond_floats() -> NotFinite:
    """The error for a model whose densities exceed what a float can hold."""
    return NotFinite(
        "the numbers of this model are too large or too small to compute with: densities exceed "
        "what a float can hold. Fit it again with features in other units (divide by 1e100, say)."
    )
