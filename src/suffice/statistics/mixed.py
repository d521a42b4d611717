"""Mixed statistics: moments of the numeric features and counts of the discrete ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.mixed import ColumnLayout, columns_at
from suffice.errors import Mismatch
from suffice.statistics.counts import Counts
from suffice.statistics.incomplete import AnyStatistics


@dataclass(frozen=True, eq=False, slots=True)
class MixedStatistics:
    """Statistics of labelled rows with numeric and discrete features; at least one of each kind.

    A value: `a + b` is having seen both, `a - b` never having seen b.
    """

    numeric: AnyStatistics | None
    discrete: Counts | None
    layout: ColumnLayout
    feature_names: tuple[str, ...] | None = None

    @property
    def _any(self) -> AnyStatistics | Counts:
        part = self.discrete if self.numeric is None else self.numeric
        assert part is not None
        return part

    @property
    def classes(self) -> Array:
        """Sorted class labels, (k,)."""
        return self._any.classes

    @property
    def count(self) -> Indices:
        """Rows of each class, (k,)."""
        return self._any.count

    @property
    def weight(self) -> Floats:
        """Total weight of each class, (k,)."""
        return self._any.weight

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.layout.numeric) + len(self.layout.discrete)

    @property
    def detail(self) -> str:
        """The detail of the numeric part."""
        return "counts" if self.numeric is None else self.numeric.detail

    def __add__(self, other: object) -> MixedStatistics:
        if not isinstance(other, MixedStatistics):
            return NotImplemented
        return self._combine(other, lambda a, b: a + b)

    def __radd__(self, other: object) -> MixedStatistics:
        # sum() starts from 0, which here stands for having seen nothing.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __sub__(self, other: object) -> MixedStatistics:
        if not isinstance(other, MixedStatistics):
            return NotImplemented
        return self._combine(other, lambda a, b: a - b)

    def __eq__(self, other: object) -> bool:
        """Whether both are equal, up to rounding."""
        if not isinstance(other, MixedStatistics):
            return NotImplemented
        return (
            (self.layout, self.feature_names) == (other.layout, other.feature_names)
            and self.numeric == other.numeric
            and self.discrete == other.discrete
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        kinds = f"{len(self.layout.numeric)} numeric and {len(self.layout.discrete)} discrete"
        rows, k = int(self.count.sum()), len(self.classes)
        return f"<MixedStatistics of {rows} rows, {kinds} features, {k} classes>"

    def coarsen(self, detail: str) -> MixedStatistics:
        """The same rows with less detail of the numeric features."""
        if self.numeric is None:
            return self
        return replace(self, numeric=self.numeric.coarsen(detail))

    def drop_class(self, label: Any) -> MixedStatistics:
        """The statistics without one class, as if its rows had never been seen."""
        numeric, discrete = self.numeric, self.discrete
        return replace(
            self,
            numeric=None if numeric is None else numeric.drop_class(label),
            discrete=None if discrete is None else discrete.drop_class(label),
        )

    def digest(self) -> str:
        """SHA-256 of the content: equal for equal content, on every machine."""
        from suffice.statistics.storage import digest

        return digest(self)

    def save(self, path: str | PathLike[str], *, key: bytes | None = None) -> None:
        """Write one safetensors file, whole or not at all; read it with `suffice.load`.

        key : secret bytes that sign the file, see `suffice.save`
        """
        from suffice.statistics.storage import save

        save(self, path, key)

    def _combine(self, other: MixedStatistics, work: Callable[[Any, Any], Any]) -> MixedStatistics:
        if self.feature_names != other.feature_names:
            raise Mismatch(
                "the two sides have different feature names, or a different order of them."
            )
        if self.layout != other.layout:
            raise Mismatch("a feature is numeric on one side and discrete on the other.")
        named, at = self.feature_names is not None, self.layout
        numeric = discrete = None
        if self.numeric is not None:
            with columns_at(None if named else at.numeric):
                numeric = work(self.numeric, other.numeric)
        if self.discrete is not None:
            with columns_at(None if named else at.discrete):
                discrete = work(self.discrete, other.discrete)
        return replace(self, numeric=numeric, discrete=discrete)
