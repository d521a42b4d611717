"""Private statistics: exact ones with noise, and what that guarantees."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.parameters import choice
from suffice.errors import InvalidParameter, Mismatch
from suffice.statistics.alignment import align
from suffice.statistics.exact.budget import PRODUCT_SHARE, Budget
from suffice.statistics.exact.exact_sums import (
    SUM_LIMBS,
    add_aligned,
    coarser,
    n_products,
    product_limbs,
)
from suffice.statistics.exact.grid import Grid
from suffice.statistics.exact.integers import Integers
from suffice.statistics.exact.triangle import to_matrices
from suffice.statistics.numbers import DoubleDouble
from suffice.statistics.scatter import DenseScatter, DiagonalScatter
from suffice.statistics.shape import DETAILS, check_same_shape
from suffice.statistics.statistics import Statistics
from suffice.statistics.storage.registry import storable
from suffice.statistics.storage.saving import Savable
from suffice.statistics.storage.soundness import MOST_ROWS, check_labels, check_names
from suffice.text import plural


@storable
@dataclass(frozen=True, eq=False, slots=True)
class PrivateStatistics(Savable):
    """A differentially private release, made by `ExactStatistics.private`.

    Noise was added once, to integers. What is computed from a release (models, sums of releases)
    is as private as the release. `numbers` are what models take: counts of at least two rows, means
    in the range of the grid, and scatter projected to positive definite matrices: no direction
    has less than the noise, so that none seems constant that the noise alone has hidden.

    Neighbours are data sets that differ in all rows of one person, at most `max_rows_per_person`
    of them. Releases of different persons (sites) add up, and each person's guarantee stays that
    of the one release that has the person's rows.

    Attributes
    ----------
    budgets : for each release in the sum: epsilon, delta, rho (zero-concentrated), and
        max_rows_per_person
    """

    classes: Array
    counts: Indices = field(repr=False)  # (k,): with noise, so possibly negative
    sums: Integers = field(repr=False)
    products: Integers = field(repr=False)
    detail: str
    grid: Grid
    budgets: tuple[Budget, ...]
    feature_names: tuple[str, ...] | None = None

    @property
    def has_fourth(self) -> bool:
        """Whether sums of fourth order are kept: not with noise."""
        return False

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.sums.shape[1])

    @property
    def count(self) -> Indices:
        """Rows of each class, about, and at least two, (k,): one row has no spread."""
        return np.maximum(self.counts, 2)

    @property
    def weight(self) -> Floats:
        """The same as floats."""
        return self.count.astype(np.float64)

    @property
    def epsilon(self) -> float:
        """The largest epsilon of the releases, which are of different persons."""
        return max(budget.epsilon for budget in self.budgets)

    @property
    def delta(self) -> float:
        """The largest delta of the releases, which are of different persons."""
        return max(budget.delta for budget in self.budgets)

    @property
    def numbers(self) -> Statistics:
        """The statistics that models take, which some rows could have."""
        grid, n = self.grid, self.weight[:, None]
        reach = np.maximum(np.abs(grid.lowest), grid.reach).astype(np.float64)
        shift = 2.0**grid.weight_exponent
        mean = np.clip(self.sums.floats() * shift / n, grid.lowest, grid.highest) / reach
        i, j = np.triu_indices(self.n_features)
        products = self.products.floats() * shift
        spread: Any
        if self.detail == "diagonal":
            squares = np.clip(products / reach**2 - n * mean**2, np.minimum(self._noise, n), n)
            spread = DiagonalScatter(DoubleDouble(squares * (reach * grid.unit) ** 2))
        else:
            matrices = to_matrices(products / (reach[i] * reach[j]), self.n_features)
            own = n[:, :, None] * mean[:, :, None] * mean[:, None, :]
            pooled = self.detail == "shared"
            matrices = matrices - (own.sum(axis=0, keepdims=True) if pooled else own)
            most = n.sum(keepdims=True)[0] if pooled else n[:, 0]
            scale = reach * grid.unit
            projected = np.array(
                [
                    project(one, min(self._noise, bound), bound)
                    for one, bound in zip(matrices, most, strict=True)
                ]
            )
            spread = DenseScatter(DoubleDouble(projected * np.outer(scale, scale)), not pooled)
        means = DoubleDouble(grid.origin + mean * reach * grid.unit)
        return Statistics(
            self.classes, self.count, self.weight, means, spread, None, self.feature_names
        )

    @property
    def _noise(self) -> float:
        """Standard deviation of the noise on a product, in units of its range."""
        entries = n_products(self.n_features, self.detail)
        return math.hypot(*(budget.noise(entries, PRODUCT_SHARE) for budget in self.budgets))

    @property
    def mean(self) -> Floats:
        """Mean of each class, (k, d)."""
        return self.numbers.mean

    @property
    def scatter(self) -> Floats:
        """Centred sums of products; see `Statistics`."""
        return self.numbers.scatter

    def __add__(self, other: object) -> PrivateStatistics:
        if isinstance(other, Savable) and not isinstance(other, PrivateStatistics):
            raise Mismatch(
                "a private release adds up with other releases only; for rows that need no "
                "privacy, add the numbers: release.numbers + other."
            )
        if not isinstance(other, PrivateStatistics):
            return NotImplemented
        check_same_shape(self, other)
        if self.grid != other.grid:
            raise Mismatch("the two releases are on different grids; declare the same one.")
        at = align(self.classes, other.classes)
        sums, products = add_aligned(self, other, at)
        return replace(
            self,
            classes=at.classes,
            counts=at.added(self.counts, other.counts),
            sums=sums,
            products=products,
            budgets=self.budgets + other.budgets,
        )

    def __sub__(self, other: object) -> PrivateStatistics:
        raise InvalidParameter(
            "rows cannot be removed from a private release: its noise hides which rows it has. "
            "Remove them from the exact statistics, and release those again."
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PrivateStatistics):
            return NotImplemented
        return self.digest() == other.digest()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        rows, k = int(self.count.sum()), plural(len(self.classes), "class")
        d = plural(self.n_features, "feature")
        return (
            f"<PrivateStatistics of about {rows} rows, {d}, {k}, epsilon={self.epsilon:g}, "
            f"delta={self.delta:g}>"
        )

    def coarsen(self, detail: str) -> PrivateStatistics:
        """The same release in less detail."""
        choice("detail", detail, DETAILS)
        if detail == self.detail:
            return self
        if self.detail != "separate":
            raise InvalidParameter(f"detail {self.detail!r} cannot become {detail!r}.")
        products = coarser(self.products, detail, self.n_features)
        return replace(self, detail=detail, products=products)

    def validated(self) -> Self:
        """This release, if its parts go together; a ValueError otherwise."""
        check_labels("classes", self.classes)
        k, d = len(self.classes), len(self.grid.exponent)
        check_names(self.feature_names, d)
        if self.detail not in DETAILS or not self.budgets or not k:
            raise ValueError("it has no classes, no budget, or an impossible detail")
        groups = 1 if self.detail == "shared" else k
        shapes = (self.sums.limbs.shape, self.products.limbs.shape)
        entries = n_products(d, self.detail)
        limbs = product_limbs(self.grid.bits) + 1
        if shapes != ((SUM_LIMBS + 1, k, d), (limbs, groups, entries)):
            raise ValueError("the sums do not have the classes and features of the grid")
        if self.counts.shape != (k,) or (np.abs(self.counts) > MOST_ROWS).any():
            raise ValueError("there are not as many counts as classes, or too many rows")
        return self


def project(matrix: Floats, least: float, most: float) -> Floats:
    """The nearest matrix without eigenvalues below `least` or diagonal entries above `most`."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    values = np.clip(values, least, most * len(matrix))
    near = (vectors * values) @ vectors.T
    shrink = np.sqrt(np.minimum(1.0, most / np.maximum(np.diag(near), most)))
    near = near * np.outer(shrink, shrink)
    return np.asarray((near + near.T) / 2)
