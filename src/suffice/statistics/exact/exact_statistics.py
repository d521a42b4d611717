"""Exact statistics: sums of integers on a grid, the same bits however the rows were added."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.batches import Batch
from suffice.data.labels import class_position, narrowest
from suffice.errors import InvalidParameter
from suffice.statistics.alignment import align
from suffice.statistics.exact.exact_fourth import fourth_limbs, fourth_sums
from suffice.statistics.exact.exact_pass import exact_sums
from suffice.statistics.exact.exact_sums import (
    SUM_LIMBS,
    TOTAL_WEIGHT_BITS,
    add_aligned,
    coarser,
    n_products,
    product_limbs,
)
from suffice.statistics.exact.grid import Grid
from suffice.statistics.exact.integers import Integers
from suffice.statistics.exact.on_grid import OnGrid, check_exact
from suffice.statistics.exact.triangle import triangle_places
from suffice.statistics.shape import is_coarser, names_at, positions
from suffice.statistics.statistics import Statistics
from suffice.statistics.storage.registry import storable

if TYPE_CHECKING:
    from suffice.statistics.exact.private_statistics import PrivateStatistics


@storable
@dataclass(frozen=True, eq=False, repr=False, slots=True)
class ExactStatistics(OnGrid):
    """Sufficient statistics of labelled rows on a grid, made by `summarize(..., grid=grid)`.

    Only integers are kept: rows, weights, sums of q and of q q', where q is a value in units of
    the grid. So the result does not depend on order, chunks, threads, workers or device, `a + b
    - b` is a in every bit, and after forgetting nothing is left of what was forgotten: `digest`
    is that of never having seen it. Models take `numbers`, which are rounded once.

    Attributes
    ----------
    classes : (k,) sorted class labels
    count : (k,) rows of each class
    weight : (k,) total sample weight of each class
    mean, scatter : as in `Statistics`, of the values on the grid; each entry is the float nearest
        to the exact value
    numbers : the same as `Statistics`
    grid : the `Grid`
    detail : "separate", "shared" or "diagonal"

    >>> import suffice as sf
    >>> grid = sf.Grid(0, 10)
    >>> X, y = [[1.0], [3.0], [5.0]], ["a", "a", "b"]
    >>> s = sf.summarize(X, y, grid=grid)
    >>> s
    <ExactStatistics of 3 rows, 1 feature, 2 classes, detail='separate', 32 bits>
    >>> gone = sf.summarize(X[:1], y[:1], grid=grid)
    >>> (s - gone).digest() == sf.summarize(X[1:], y[1:], grid=grid).digest()
    True
    """

    classes: Array
    count: Indices
    weights: Indices  # (k,): in units of weight
    sums: Integers  # (k, d): of w q
    products: Integers  # (groups, entries): of w q q'
    detail: str
    grid: Grid
    feature_names: tuple[str, ...] | None = None
    fourth: Integers | None = None  # (k, d + 1): see `exact_fourth`; kept for Ledoit-Wolf alone

    def __post_init__(self) -> None:
        for array in (self.classes, self.count, self.weights):
            array.setflags(write=False)

    def __reduce__(self) -> tuple[Any, ...]:
        # Through __init__, so that copies are locked too.
        return ExactStatistics, tuple(getattr(self, f.name) for f in fields(self))

    @property
    def numbers(self) -> Statistics:
        """The statistics that models take: mean and scatter, each rounded once."""
        from suffice.statistics.exact.moments import moments

        return moments(self)

    @property
    def mean(self) -> Floats:
        """Mean of each class, (k, d), correctly rounded."""
        from suffice.statistics.exact.moments import means

        return means(self)[0]

    @property
    def scatter(self) -> Floats:
        """Centred sums of products, correctly rounded; see `Statistics`."""
        from suffice.statistics.exact.moments import scatter

        matrices = scatter(self)
        return matrices[0] if self.detail == "shared" else matrices

    def __add__(self, other: object) -> ExactStatistics:
        if not isinstance(other, ExactStatistics):
            # Those of rows with missing values know how to add these.
            check_exact(other)
            return NotImplemented
        self.check_alike(other)
        at = align(self.classes, other.classes)
        count, weights = self._counts_with(other, at)
        sums, products = add_aligned(self, other, at)
        fourth = None
        if self.fourth is not None and other.fourth is not None:
            fourth = self.fourth.placed(at.left, at.size).add_rows(at.right, other.fourth)
        return self.with_sums(at.classes, count, weights, sums, products, fourth)

    def with_sums(
        self,
        classes: Array,
        count: Indices,
        weights: Indices,
        sums: Integers,
        products: Integers,
        fourth: Integers | None,
    ) -> ExactStatistics:
        """Other sums of the same features, on the same grid."""
        # Not by dataclasses.replace, which takes as long as adding a row.
        own = self.detail, self.grid, self.feature_names
        return ExactStatistics(classes, count, weights, sums, products, *own, fourth)

    @property
    def has_fourth(self) -> bool:
        """Whether sums of fourth order are kept."""
        return self.fourth is not None

    def __sub__(self, other: object) -> ExactStatistics:
        if not isinstance(other, ExactStatistics):
            check_exact(other)
            return NotImplemented
        from suffice.statistics.exact.exact_removal import remove

        self.check_alike(other)
        return remove(self, other)

    def _repr_html_(self) -> str:
        from suffice.statistics.class_table import class_table

        return class_table(self, repr(self))

    def select(self, features: Iterable[int] | Iterable[str]) -> ExactStatistics:
        """The statistics of some features, by name or position, in the order given."""
        return take_features(self, positions(features, self.feature_names or (), self.n_features))

    def named(self, names: tuple[str, ...] | None) -> ExactStatistics:
        """The same statistics with other feature names."""
        return replace(self, feature_names=names, grid=self.grid.changed(names=names))

    def drop_class(self, label: Any) -> ExactStatistics:
        """The statistics without one class, as if its rows had never been seen."""
        at = class_position(self.classes, label)
        if self.detail == "shared":
            raise InvalidParameter(
                "the pooled products of detail='shared' mix all classes, so none can be dropped; "
                "summarize with detail='separate'."
            )
        return self.keep_classes(np.delete(np.arange(len(self.classes)), at))

    def keep_classes(self, at: Indices) -> ExactStatistics:
        """The statistics of the classes at some positions; pooled products stay as they are."""
        return replace(
            self,
            classes=narrowest(self.classes[at]),
            count=self.count[at],
            weights=self.weights[at],
            sums=self.sums[at],
            products=self.products if self.detail == "shared" else self.products[at],
            fourth=None if self.fourth is None else self.fourth[at],
        )

    def relabelled(self, labels: Array) -> ExactStatistics:
        """The same with other labels: one per class, in their order, all different."""
        order = np.argsort(labels)
        return replace(self.keep_classes(order), classes=labels[order])

    def coarsen(self, detail: str) -> ExactStatistics:
        """The same rows in less detail: "separate" can become "shared" or "diagonal"."""
        if not is_coarser(detail, self.detail):
            return self
        products = coarser(self.products, detail, self.n_features)
        return replace(self, products=products, detail=detail, fourth=None)

    def regrid(self, grid: Grid) -> ExactStatistics:
        """The same statistics on another grid, where all their sums are whole numbers there.

        That is so on every finer grid with the same kind of unit. On a coarser one it is so only
        if no value lies between its points; otherwise, summarize the rows again.
        """
        from suffice.statistics.exact.regridding import regrid

        return regrid(self, grid)

    def private(
        self,
        epsilon: float,
        delta: float,
        max_rows_per_person: int = 1,
        random_state: int | None = None,
        *,
        range_is_public: bool = False,
    ) -> PrivateStatistics:
        """A differentially private release of these statistics, which every model takes.

        Discrete Gaussian noise is added to counts, sums and products: whoever sees the release
        learns little about any one person, as (epsilon, delta) states. The labels, the features
        and the grid are taken as known to everybody. See `PrivateStatistics` for the accounting.

        epsilon, delta : the guarantee; delta well below 1 / the number of persons
        max_rows_per_person : most rows that any person has among these
        random_state : for tests only: noise that can be repeated can be removed again
        range_is_public : that a range measured from rows may be known to everybody

        >>> import suffice as sf
        >>> X, y = [[1.0], [3.0], [5.0]] * 100, ["a", "a", "b"] * 100
        >>> s = sf.summarize(X, y, grid=sf.Grid(0, 10))
        >>> release = s.private(epsilon=2.0, delta=1e-6, random_state=0)
        >>> release
        <PrivateStatistics of about ... rows, 1 feature, 2 classes, epsilon=2, delta=1e-06>
        >>> sf.GaussianNB().fit_statistics(release).predict([[2.0], [5.0]])
        array(['a', 'b'], dtype='<U1')
        """
        from suffice.statistics.exact.releasing import release

        return release(self, epsilon, delta, max_rows_per_person, random_state, range_is_public)

    def stored(self, exact: bool) -> ExactStatistics:
        """The form in which a file holds them, see `registry.storable`."""
        return self

    def validated(self) -> Self:
        """These statistics, if rows can have them; a ValueError otherwise."""
        from suffice.statistics.exact.exact_removal import impossible

        self._check_parts()
        k, d = len(self.classes), self.n_features
        groups = 1 if self.detail == "shared" else k
        shapes = [self.sums.limbs.shape, self.products.limbs.shape]
        entries = n_products(d, self.detail)
        if shapes != [(SUM_LIMBS, k, d), (product_limbs(self.grid.bits), groups, entries)]:
            raise ValueError("the sums do not have the classes and features of the grid")
        if self.fourth is not None:
            shape = fourth_limbs(self.grid), k, d + 1
            if self.detail != "separate" or self.fourth.limbs.shape != shape:
                raise ValueError("the sums of fourth order are those of other classes or features")
        if self.weights.sum(dtype=np.float64) >= 1 << TOTAL_WEIGHT_BITS:
            raise ValueError("there is more weight than can be added up")
        reason = impossible(self, np.arange(k))
        if reason is not None:
            raise ValueError(f"no rows have such sums: {reason}")
        return self


def take_features(s: ExactStatistics, at: Indices) -> ExactStatistics:
    """The statistics of the features at some positions, in this order."""
    return replace(
        s,
        sums=s.sums[:, at],
        products=s.products[:, at if s.detail == "diagonal" else triangle_places(at, s.n_features)],
        grid=s.grid.take(at),
        feature_names=names_at(s.feature_names, at),
        fourth=None,
    )


def exact_statistics(
    batch: Batch, detail: str, grid: Grid, fourth: bool = False
) -> ExactStatistics:
    """The exact statistics of a batch, on a grid for any features.

    fourth : whether to keep the sums of fourth order, too
    """
    own = grid.resolve(batch.features.names, batch.features.shape[1])
    sums = exact_sums(batch, own, detail)
    made = ExactStatistics(
        batch.classes,
        sums.count,
        sums.weight,
        sums.sums,
        sums.products,
        detail,
        own,
        batch.features.names,
        fourth_sums(batch, own) if fourth else None,
    )
    kept = np.flatnonzero(sums.count > 0)
    return made if len(kept) == len(sums.count) else made.keep_classes(kept)
