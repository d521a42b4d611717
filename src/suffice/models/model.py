"""Model: what every class model computes from rows; `scoring` turns it into posteriors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.errors import NotFinite
from suffice.statistics.passes.threads import blas_threads


class Model(Protocol):
    """p(x, y), ready to score rows in the form that the model takes."""

    @property
    def classes(self) -> Array:
        """Class labels, (k,)."""

    @property
    def priors(self) -> Floats:
        """Prior of each class, (k,)."""

    @property
    def log_priors(self) -> Floats:
        """Log prior of each class, (k,)."""

    def with_priors(self, priors: Floats) -> Self:
        """The same class densities under other priors."""

    def check_computable(self) -> None:
        """Raise if all parameters are finite, but the density of a class is not."""

    def scores(self, rows: Any) -> Floats:
        """ln p(x, y) up to a constant of the row, (n, k); missing values are integrated out."""

    def joint(self, rows: Any) -> Floats:
        """ln p(x, y), (n, k); missing values are integrated out."""


@dataclass(frozen=True)
class ClassModel:
    """What the models of labelled rows have in common: classes and their priors."""

    classes: Array  # (k,)
    priors: Floats  # (k,)

    @cached_property
    def log_priors(self) -> Floats:
        """Log prior of each class; minus infinity for a prior of zero."""
        with np.errstate(divide="ignore"):
            return np.log(self.priors)

    def with_priors(self, priors: Floats) -> Self:
        """The same class densities under other priors."""
        return replace(self, priors=priors)

    def check_computable(self) -> None:
        """Raise if all parameters are finite, but the density of a class is not."""
        return


def check_density(model: Any, rows: Floats) -> None:
    """Raise if the joint density of a model at some rows is not a number, or infinite."""
    # On a copy: the last bits of cached arrays may depend on the number of threads.
    with np.errstate(all="ignore"), blas_threads(1):
        joint = replace(model).joint(rows)
    if np.isnan(joint).any() or np.isposinf(joint).any():
        raise beyond_floats()


def beyond_floats() -> NotFinite:
    """The error for a model whose densities exceed what a float can hold."""
    return NotFinite(
        "the parameters of this model are too large or too small: densities exceed what a float "
        "can hold. Rescale the features (for example, divide by 1e100) and fit again."
    )
