"""Structures: the shapes that a class covariance can have.

A new shape is a subclass of `Structure` in one file. Nothing else in the package asks which shape
a covariance has: it asks the structure.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from suffice.data.arrays import Floats
from suffice.data.parameters import choice

if TYPE_CHECKING:  # these modules build on this one
    from suffice.models.completion import Completed
    from suffice.models.covariance import CovarianceEstimate
    from suffice.models.settings import Settings

_KINDS: dict[str, type[Structure]] = {}


@dataclass(frozen=True)
class Structure(ABC):
    """The shape of a covariance. A subclass is a frozen dataclass with a name of its own."""

    name: ClassVar[str]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        _KINDS[cls.name] = cls

    @property
    def takes_matrices(self) -> bool:
        """Whether it is estimated from scatter matrices; else from sums of squares."""
        return True

    @abstractmethod
    def entries(self, rank: int) -> int:
        """How many numbers of a covariance are free that has variance in this many directions."""

    @abstractmethod
    def estimate(self, completed: Completed, settings: Settings) -> CovarianceEstimate:
        """One covariance per class, or one for all, from statistics without missing values."""

    @property
    def without_correlations(self) -> Structure:
        """The structure that says as much of each feature alone."""
        return DIAGONAL

    def shape(self, d: int) -> tuple[int, ...]:
        """The shape of the array that describes one covariance of d features."""
        return (d, d)

    def compact(self, matrix: Floats) -> Floats:
        """That array, of a matrix of this structure or its diagonal."""
        return np.diag(matrix) if matrix.ndim == 1 else matrix

    def null_law(self, rows: float, rank: int, known: int) -> tuple[float, float] | None:
        """Scale and degrees of freedom of F that squared distances of new rows follow.

        rows : degrees of freedom of the covariance; known : how many features are known
        None where there is no closed form: then it is simulated.
        """
        return None

    @property
    def borrows_single_variances(self) -> bool:
        """Whether a class borrows what it lacks by feature, rather than a whole covariance."""
        return False


@dataclass(frozen=True)
class FullStructure(Structure):
    """Any covariance."""

    name = "full"

    def entries(self, rank: int) -> int:
        """All entries on and below the diagonal."""
        return rank * (rank + 1) // 2

    def estimate(self, completed: Completed, settings: Settings) -> CovarianceEstimate:
        """By Cholesky where covariances are regular; see `full_covariances`."""
        from suffice.models.full import full_covariances

        lender = completed.lender
        return full_covariances(completed.groups, None if lender is None else lender.groups)

    def null_law(self, rows: float, rank: int, known: int) -> tuple[float, float] | None:
        """Hotelling's law."""
        freedom = rows - known + 1
        return None if rows <= rank or freedom <= 0 else (known / freedom, freedom)


@dataclass(frozen=True)
class DiagonalStructure(Structure):
    """Independent features, each with a variance of its own."""

    name = "diagonal"

    @property
    def takes_matrices(self) -> bool:
        """Sums of squares are enough."""
        return False

    def entries(self, rank: int) -> int:
        """One variance per feature."""
        return rank

    def estimate(self, completed: Completed, settings: Settings) -> CovarianceEstimate:
        """Variances of each class and feature; see `diagonal_covariances`."""
        from suffice.models.diagonal import diagonal_covariances

        return diagonal_covariances(completed.statistics, settings)

    @property
    def without_correlations(self) -> Structure:
        """It has none."""
        return self

    def shape(self, d: int) -> tuple[int, ...]:
        """One number per feature."""
        return (d,)

    def compact(self, matrix: Floats) -> Floats:
        """The diagonal."""
        return matrix if matrix.ndim == 1 else np.asarray(matrix.diagonal())

    def finish(self, variances: Floats, known: Floats | None = None) -> Floats:
        """Variances of features as this structure has them.

        known : weight of the known values, by class and feature, where some are missing
        """
        return variances

    @property
    def borrows_single_variances(self) -> bool:
        """A variance that is zero in a class is borrowed by itself."""
        return True


@dataclass(frozen=True)
class SphericalStructure(DiagonalStructure):
    """Independent features of one variance."""

    name = "spherical"

    def entries(self, rank: int) -> int:
        """One variance for all features."""
        return min(rank, 1)

    def shape(self, d: int) -> tuple[int, ...]:
        """A single number."""
        return ()

    def compact(self, matrix: Floats) -> Floats:
        """The one number; features that never vary have none."""
        return np.asarray(super().compact(matrix).max())

    def finish(self, variances: Floats, known: Floats | None = None) -> Floats:
        """Their mean for every feature, each counted by its known values."""
        if known is None or known.shape[1] == 1:
            mean = variances.mean(axis=-1, keepdims=True)
        else:
            weight = np.asarray(known if variances.ndim == 2 else known.sum(axis=0))
            total = weight.sum(axis=-1, keepdims=True)
            mean = (variances * weight).sum(axis=-1, keepdims=True) / np.where(total, total, 1.0)
        return np.broadcast_to(mean, variances.shape)

    def null_law(self, rows: float, rank: int, known: int) -> tuple[float, float] | None:
        """All features tell of the one variance."""
        return known / rows, rows * rank

    @property
    def borrows_single_variances(self) -> bool:
        """The one variance is all there is."""
        return False


FULL = FullStructure()
DIAGONAL = DiagonalStructure()
SPHERICAL = SphericalStructure()
BUILT_IN: Mapping[str, Structure] = {one.name: one for one in (FULL, DIAGONAL, SPHERICAL)}


def structure_of(value: Any, allowed: Mapping[str, Structure] = BUILT_IN) -> Structure:
    """The structure that a user names, or gives as an object.

    >>> structure_of("diagonal")
    DiagonalStructure()
    """
    if isinstance(value, Structure):
        return value
    if not isinstance(value, str) or value not in allowed:
        choice("structure", value, tuple(allowed))
    return allowed[value]


def to_arrays(structure: Structure) -> dict[str, Any]:
    """The name of a structure and its parameters, for a file."""
    return {"name": structure.name, **asdict(structure)}


def read(values: Mapping[str, Any]) -> Structure:
    """The structure that was written; ValueError if there is none of that name.

    >>> read(to_arrays(SPHERICAL)) == SPHERICAL
    True
    """
    given = dict(values)
    kind = _KINDS.get(given.pop("name", ""))
    if kind is None:
        raise ValueError("a covariance structure of that name is not known here")
    try:
        return kind(**given)
    except TypeError:
        raise ValueError("a covariance structure has other parameters") from None
