"""Statistics: what models need to know about the rows, and its algebra."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any, Self

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.labels import class_position, narrowest
from suffice.errors import InvalidParameter
from suffice.statistics.factored_scatter import FactoredScatter
from suffice.statistics.fourth import ClassMoments, Fourth
from suffice.statistics.numbers import DoubleDouble
from suffice.statistics.scatter import DiagonalScatter, Scatter, dense, only_diagonal
from suffice.statistics.shape import is_coarser, names_at, positions
from suffice.statistics.storage.registry import storable
from suffice.statistics.storage.saving import Savable


@storable
@dataclass(frozen=True, eq=False, slots=True)
class Statistics(Savable):
    """Sufficient statistics of labelled rows, made by `suffice.summarize`.

    A value: `a + b` is having seen both, `a - b` never having seen b, and neither changes
    a or b. It also carries the fourth-order sums that shrinkage estimates need later.

    Attributes
    ----------
    classes : (k,) sorted class labels
    count : (k,) rows of each class
    weight : (k,) total sample weight of each class; the count when unweighted
    mean : (k, d) weighted mean of each class
    scatter : (k, d, d) for detail "separate", (d, d) for "shared", (k, d) for "diagonal":
        sum of w (x - mean)(x - mean)' over the rows, x about the mean of its class
    feature_names : names of the d features, or None

    >>> import suffice as sf
    >>> s = sf.summarize([[1.0], [3.0], [5.0]], ["a", "a", "b"])
    >>> s.classes, s.weight, s.mean.ravel()
    (array(['a', 'b'], dtype='<U1'), array([2., 1.]), array([2., 5.]))
    >>> s + s - s == s
    True
    """

    classes: Array
    count: Indices
    weight: Floats
    means: DoubleDouble = field(repr=False)
    spread: Scatter = field(repr=False)
    fourth: Fourth | None = field(repr=False)
    feature_names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        for array in (self.classes, self.count, self.weight):
            array.setflags(write=False)

    @property
    def mean(self) -> Floats:
        """Weighted mean of each class, (k, d)."""
        self.means.high.setflags(write=False)
        return self.means.high

    @property
    def scatter(self) -> Floats:
        """Centred sums of products (see the class)."""
        if isinstance(self.spread, DiagonalScatter):
            return _lock(self.spread.sums.high)
        matrices = _lock(dense(self.spread).sums.high)
        return matrices if self.spread.per_class else matrices[0]

    @property
    def factor(self) -> Floats | None:
        """Rows F with F'F the pooled scatter if the scatter is kept as a factor; else None."""
        return _lock(self.spread.factor) if isinstance(self.spread, FactoredScatter) else None

    @property
    def detail(self) -> str:
        """How much is kept: "separate", "shared" or "diagonal"."""
        if isinstance(self.spread, DiagonalScatter):
            return "diagonal"
        return "separate" if self.spread.per_class else "shared"

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.means.high.shape[1])

    @property
    def known_count(self) -> Indices:
        """Number of observed values of a feature: the rows of each class, (k, 1)."""
        return self.count[:, None]

    @property
    def known_weight(self) -> Floats:
        """Weight of the observed values of a feature: that of each class, (k, 1)."""
        return self.weight[:, None]

    @property
    def squares(self) -> Floats:
        """Centred sums of squares: one row per class, or a single row if pooled."""
        return self.spread.diagonal()

    @property
    def known(self) -> ClassMoments:
        """The moments needed to move the fourth-order sums."""
        assert not isinstance(self.spread, DiagonalScatter)
        return ClassMoments(self.means, self.weight, self.spread)

    def __add__(self, other: object) -> Statistics:
        if not isinstance(other, Statistics):
            return NotImplemented
        return _merge()(self, other)

    def __sub__(self, other: object) -> Statistics:
        if not isinstance(other, Statistics):
            return NotImplemented
        from suffice.statistics.removal import remove

        return remove(self, other)

    def __eq__(self, other: object) -> bool:
        """Whether both have the same classes, features and numbers, up to rounding.

        Rounding is relative to the numbers compared. If most of a class was removed, what
        remains carries the rounding of what was removed and may differ by more: then compare
        arrays in units of the whole. `digest` compares to the last bit.
        """
        if not isinstance(other, Statistics):
            return NotImplemented
        from suffice.statistics.comparison import same

        # Relative difference, in units of the spread, up to which two statistics are equal.
        rounding = 1e-10
        return same(self, other, rounding)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        k, d = self.means.high.shape
        rows = int(self.count.sum())
        return f"<Statistics of {rows} rows, {d} features, {k} classes, detail={self.detail!r}>"

    def _repr_html_(self) -> str:
        from suffice.statistics.class_table import class_table

        return class_table(self, repr(self))

    def __reduce__(self) -> tuple[Any, ...]:
        # Through __init__, so that copies are locked too.
        return Statistics, tuple(getattr(self, f.name) for f in fields(self))

    @classmethod
    def empty(cls, like: Statistics) -> Statistics:
        """The identity of `+` among statistics with the features and detail of `like`."""
        return like.keep_classes(np.zeros(0, np.int64), allow_pooled=True)

    def select(self, features: Iterable[int] | Iterable[str]) -> Statistics:
        """The statistics of some features, by name or position, in the order given.

        The fourth-order sums mix all features, so selecting fewer drops them.
        """
        at = positions(features, self.feature_names or (), self.n_features)
        fourth = self.fourth if len(at) == self.n_features else None
        return replace(
            self,
            means=self.means[:, at],
            spread=self.spread.select(at),
            fourth=None if fourth is None else fourth.select(at),
            feature_names=names_at(self.feature_names, at),
        )

    def named(self, names: tuple[str, ...] | None) -> Statistics:
        """The same statistics with other feature names."""
        return replace(self, feature_names=names)

    def drop_class(self, label: Any) -> Statistics:
        """The statistics without one class, as if its rows had never been seen."""
        at = class_position(self.classes, label)
        kept = np.delete(np.arange(len(self.classes)), at)
        return self.keep_classes(kept)

    def keep_classes(self, at: Indices, allow_pooled: bool = False) -> Statistics:
        """The statistics of the classes at some positions."""
        if not self.spread.per_class and not allow_pooled and len(at) < len(self.classes):
            raise InvalidParameter(
                "the pooled scatter of detail='shared' mixes all classes, so none can be "
                "dropped; summarize with detail='separate'."
            )
        spread = self.spread
        if spread.per_class:
            spread = spread.keep(at)
        elif not len(at):
            spread = FactoredScatter(
                np.empty((0, self.n_features)), np.empty(0, np.int64), 1, False
            )
        return replace(
            self,
            classes=narrowest(self.classes[at]),
            count=self.count[at],
            weight=self.weight[at],
            means=self.means[at],
            spread=spread,
            fourth=None if self.fourth is None else self.fourth.keep(at),
        )

    def without_empty_classes(self) -> Statistics:
        """The statistics of the classes that have rows."""
        kept = np.flatnonzero(self.count > 0)
        return self if len(kept) == len(self.count) else self.keep_classes(kept, allow_pooled=True)

    def coarsen(self, detail: str) -> Statistics:
        """The same rows in less detail: "separate" can become "shared" or "diagonal".

        >>> import suffice as sf
        >>> sf.summarize([[1, 2], [3, 5], [9, 9]], [0, 0, 1]).coarsen("shared").scatter
        array([[2. , 3. ], [3. , 4.5]])
        """
        if not is_coarser(detail, self.detail):
            return self
        assert not isinstance(self.spread, DiagonalScatter)
        if detail == "diagonal":
            return replace(self, spread=only_diagonal(self.spread), fourth=None)
        return replace(self, spread=self.spread.pooled(), fourth=None)

    def stored(self, exact: bool) -> Statistics:
        """The form in which a file holds them, see `registry.storable`."""
        own = {name.name: getattr(self, name.name) for name in fields(Statistics)}
        if exact:
            return Statistics(**own)
        means, spread, fourth = self.means, self.spread.canonical(), self.fourth
        if means.low is None:
            means = DoubleDouble(means.high, np.zeros_like(means.high))
        if fourth is not None:
            assert not isinstance(spread, DiagonalScatter)
            fourth = fourth.canonical(ClassMoments(self.means, self.weight, spread))
        return Statistics(**own | {"means": means, "spread": spread, "fourth": fourth})

    def validated(self) -> Self:
        """These statistics, if rows can have them; a ValueError otherwise."""
        from suffice.statistics.storage.soundness import check_statistics

        check_statistics(self)
        return self


@cache
def _merge() -> Callable[[Statistics, Statistics], Statistics]:
    from suffice.statistics.merging import merge

    return merge


def _lock(array: Array) -> Array:
    """The same array, made read-only."""
    array.setflags(write=False)
    return array
