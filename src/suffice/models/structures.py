"""Structures: the shapes that a class covariance can have.

A new shape is a subclass of `Structure` in one file. The rest of the package never tests which
shape a covariance has, but calls the methods of its structure.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from suffice.data.arrays import Floats
from suffice.data.parameters import choice
from suffice.statistics.storage.registry import storable

if TYPE_CHECKING:  # these modules build on this one
    from suffice.models.covariances.covariance import CovarianceEstimate
    from suffice.models.em.completion import Completed
    from suffice.models.settings import Settings


@dataclass(frozen=True)
class Structure(ABC):
    """The shape of a covariance. A subclass is a frozen dataclass, which files can hold."""

    name: ClassVar[str]
    # Whether it is estimated from scatter matrices rather than sums of squares.
    takes_matrices: ClassVar[bool] = True
    # Whether a class borrows single variances rather than a whole covariance.
    borrows_single_variances: ClassVar[bool] = False
    # Whether the same eigenvectors serve every share of shrinkage, see `selection.path`.
    keeps_directions: ClassVar[bool] = False
    # Whether a device that holds the scatter matrices estimates it, see `engines.arrays`.
    on_devices: ClassVar[bool] = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        storable(cls)

    @abstractmethod
    def entries(self, rank: int) -> int:
        """Number of free parameters of a covariance with variance in `rank` directions."""

    @abstractmethod
    def estimate(self, completed: Completed, settings: Settings) -> CovarianceEstimate:
        """One covariance per class, or one for all, from statistics without missing values."""

    @property
    def without_correlations(self) -> Structure:
        """The structure with the same variances but independent features."""
        return DIAGONAL

    def shape(self, d: int) -> tuple[int, ...]:
        """The shape of the array that describes one covariance of d features."""
        return (d, d)

    def compact(self, matrix: Floats) -> Floats:
        """That array, from a matrix of this structure or from its diagonal."""
        return np.diag(matrix) if matrix.ndim == 1 else matrix

    def null_law(self, rows: float, rank: int, known: int) -> tuple[float, float] | None:
        """Scale and degrees of freedom of the F distribution of squared distances of new rows.

        rows : degrees of freedom of the covariance; known : number of observed features
        None if there is no closed form; the distribution is then simulated.
        """
        return None


@dataclass(frozen=True)
class FullStructure(Structure):
    """Any covariance."""

    name = "full"
    keeps_directions = True
    on_devices = True

    def entries(self, rank: int) -> int:
        """All entries on and below the diagonal."""
        return rank * (rank + 1) // 2

    def estimate(self, completed: Completed, settings: Settings) -> CovarianceEstimate:
        """By Cholesky if covariances are regular; see `full_covariances`."""
        from suffice.models.covariances.full import full_covariances

        lender = completed.lender
        return full_covariances(completed.groups, None if lender is None else lender.groups)

    def null_law(self, rows: float, rank: int, known: int) -> tuple[float, float] | None:
        """Hotelling's law."""
        freedom = rows - known + 1
        return None if rows <= rank or freedom <= 0 else (known / freedom, freedom)


@dataclass(frozen=True)
class DiagonalStructure(Structure):
    """Independent features, each with its own variance."""

    name = "diagonal"
    takes_matrices = False
    borrows_single_variances = True  # only those that are zero in it

    def entries(self, rank: int) -> int:
        """One variance per feature."""
        return rank

    def estimate(self, completed: Completed, settings: Settings) -> CovarianceEstimate:
        """Variances of each class and feature; see `diagonal_covariances`."""
        from suffice.models.covariances.diagonal import diagonal_covariances

        return diagonal_covariances(completed.statistics, settings)

    @property
    def without_correlations(self) -> Structure:
        """This structure itself."""
        return self

    def shape(self, d: int) -> tuple[int, ...]:
        """One number per feature."""
        return (d,)

    def compact(self, matrix: Floats) -> Floats:
        """The diagonal."""
        return matrix if matrix.ndim == 1 else np.asarray(matrix.diagonal())

    def finish(self, variances: Floats, known: Floats | None = None) -> Floats:
        """Variances of features in the form of this structure.

        known : weight of the observed values, by class and feature, if some are missing
        """
        return variances


@dataclass(frozen=True)
class SphericalStructure(DiagonalStructure):
    """Independent features with one common variance."""

    name = "spherical"
    borrows_single_variances = False  # there is only one variance

    def entries(self, rank: int) -> int:
        """One variance for all features."""
        return min(rank, 1)

    def shape(self, d: int) -> tuple[int, ...]:
        """A single number."""
        return ()

    def compact(self, matrix: Floats) -> Floats:
        """The common variance; constant features have none."""
        return np.asarray(super().compact(matrix).max())

    def finish(self, variances: Floats, known: Floats | None = None) -> Floats:
        """Their mean for every feature, weighted by observed values."""
        if known is None or known.shape[1] == 1:
            mean = variances.mean(axis=-1, keepdims=True)
        else:
            weight = np.asarray(known if variances.ndim == 2 else known.sum(axis=0))
            total = weight.sum(axis=-1, keepdims=True)
            mean = (variances * weight).sum(axis=-1, keepdims=True) / np.where(total, total, 1.0)
        return np.broadcast_to(mean, variances.shape)

    def null_law(self, rows: float, rank: int, known: int) -> tuple[float, float] | None:
        """All features contribute to the one variance."""
        return known / rows, rows * rank


FULL = FullStructure()
DIAGONAL = DiagonalStructure()
SPHERICAL = SphericalStructure()
BUILT_IN: Mapping[str, Structure] = {one.name: one for one in (FULL, DIAGONAL, SPHERICAL)}


def structure_of(value: Any, allowed: Mapping[str, Structure] = BUILT_IN) -> Structure:
    """The structure given by name or as an object.

    >>> structure_of("diagonal")
    DiagonalStructure()
    """
    if isinstance(value, Structure):
        return value
    if not isinstance(value, str) or value not in allowed:
        choice("structure", value, tuple(allowed))
    return allowed[value]
