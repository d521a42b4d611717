"""On a grid: what exact statistics of complete rows and of rows with missing values share."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.errors import Mismatch, NotFinite
from suffice.statistics.alignment import Alignment
from suffice.statistics.exact.exact_sums import TOTAL_WEIGHT_BITS
from suffice.statistics.exact.form import ExactForm, is_exact
from suffice.statistics.exact.grid import Grid
from suffice.statistics.shape import DETAILS, check_same_shape
from suffice.statistics.storage.saving import Savable
from suffice.statistics.storage.soundness import check_counts, check_labels, check_names
from suffice.text import plural


class OnGrid(Savable):
    """Statistics that keep integers only, of values in units of a grid."""

    __slots__ = ()

    classes: Array  # (k,) sorted labels
    count: Indices  # (k,) rows
    weights: Indices  # (k,) in units of weight
    detail: str
    grid: Grid
    feature_names: tuple[str, ...] | None

    @property
    def has_fourth(self) -> bool:
        """Whether sums of fourth order are kept."""
        raise NotImplementedError

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.grid.exponent)

    @property
    def weight(self) -> Floats:
        """Total sample weight of each class, (k,)."""
        return np.asarray(np.ldexp(self.weights.astype(np.float64), self.grid.weight_exponent))

    @property
    def form(self) -> ExactForm:
        """The detail and the grid: equal for statistics that can be added."""
        return ExactForm(self.detail, self.grid, self.has_fourth)

    def __eq__(self, other: object) -> bool:
        """Whether both are equal in every bit."""
        if type(self) is not type(other) or not isinstance(other, OnGrid):
            return NotImplemented
        return self.digest() == other.digest()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        rows, k = plural(int(self.count.sum()), "row"), plural(len(self.classes), "class")
        d, bits = plural(self.n_features, "feature"), self.grid.bits
        return f"<{type(self).__name__} of {rows}, {d}, {k}, detail={self.detail!r}, {bits} bits>"

    def __radd__(self, other: object) -> Any:
        # sum() starts from 0, which here stands for having seen nothing.
        if isinstance(other, int) and other == 0:
            return self
        check_exact(other)
        return NotImplemented

    def __rsub__(self, other: object) -> Any:
        check_exact(other)
        return NotImplemented

    def check_alike(self, other: OnGrid) -> None:
        """Raise unless both have the same features, detail and grid."""
        check_same_shape(self, other)
        if self.grid != other.grid:
            raise Mismatch(
                f"the two sides are on different grids: {self.grid!r} with digest "
                f"{self.grid.digest()[:8]} and {other.grid!r} with digest "
                f"{other.grid.digest()[:8]}. Summarize both with the same grid, which can be saved "
                "and sent (grid.save(path)), or bring one to the other's: s.regrid(grid)."
            )

        # Rows in which all values are missing have no sums.
        have_sums = getattr(self, "parts", True) and getattr(other, "parts", True)
        if self.has_fourth != other.has_fourth and have_sums:
            raise Mismatch(
                "one side keeps sums of fourth order, for shrinkage='ledoit-wolf', and the other "
                "does not; summarize both by models with the same shrinkage, such as "
                "LDA(grid=grid, shrinkage='ledoit-wolf').partial_fit(X, y).statistics_."
            )

    def _counts_with(self, other: OnGrid, at: Alignment) -> tuple[Indices, Indices]:
        """Rows and weights by class of the rows of both."""
        if int(self.weights.sum()) + int(other.weights.sum()) >= 1 << TOTAL_WEIGHT_BITS:
            raise NotFinite(
                f"there is more weight than exact sums hold: 2^{TOTAL_WEIGHT_BITS} units of "
                "weight; make the grid with a larger weight_unit."
            )
        return at.added(self.count, other.count), at.added(self.weights, other.weights)

    def _check_parts(self) -> None:
        """Raise a ValueError unless labels, counts, names, detail and grid go together."""
        check_labels("classes", self.classes)
        check_counts(self.count, self.weights.astype(np.float64), len(self.classes))
        check_names(self.feature_names, self.n_features)
        if self.detail not in DETAILS or self.grid.names != self.feature_names:
            raise ValueError("the statistics have another detail or other features than the grid")


def check_exact(other: object) -> None:
    """Raise if these are statistics without a grid, which cannot be added to exact ones."""
    if isinstance(other, Savable) and hasattr(other, "classes") and not is_exact(other):
        raise Mismatch(
            "one side is exact, on a grid, and the other is not; summarize both with the same "
            "grid=, or add the numbers: exact.numbers + other."
        )
