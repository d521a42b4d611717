"""Level groups: the levels of a column, rare ones together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.tables.levels import Column

# Levels with fewer rows than this are merged into one.
RARE_ROWS = 10.0


@dataclass(frozen=True, slots=True, eq=False)
class LevelGroups:
    """The groups of the levels of one column; rows of the first group have no indicator."""

    name: str
    levels: Array  # sorted
    group: Indices  # (levels,): the group of each level
    typical: Indices  # (groups,): the most common level of each group

    @classmethod
    def of(cls, name: str, levels: Array, rows: Floats, rare: float = RARE_ROWS) -> LevelGroups:
        """Groups of levels with these numbers of rows: common ones alone, rare ones together."""
        # Rows are sums in floats: ten of them may be a little less than ten.
        is_common = rows >= rare * (1 - 1e-9)
        common, others = np.flatnonzero(is_common), np.flatnonzero(~is_common)
        group = np.full(len(levels), len(common))
        group[common] = np.arange(len(common))
        typical = common
        if len(others):
            typical = np.append(common, others[rows[others].argmax()])
        return cls(name, levels, group, typical)

    def validated(self) -> Self:
        """These groups, if each level is in one of them; a ValueError otherwise."""
        at = np.arange(len(self.typical))
        sound = self.group.shape == self.levels.shape and self.levels.ndim == 1
        inside = ((self.typical >= 0) & (self.typical < len(self.levels))).all()
        if not sound or not inside or not np.array_equal(self.group[self.typical], at):
            raise ValueError("the levels are not in groups")
        if len(self.levels) and not 0 <= self.group.min() <= self.group.max() < len(at):
            raise ValueError("a level is in no group")
        if not (self.levels[:-1] < self.levels[1:]).all():
            raise ValueError("the levels are not sorted or not unique")
        return self

    @property
    def size(self) -> int:
        """Number of groups."""
        return len(self.typical)

    @property
    def labels(self) -> list[str]:
        """What each group is called."""
        alone = np.bincount(self.group, minlength=self.size) == 1
        texts = [str(level) for level in self.levels[self.typical].tolist()]
        return [text if one else "other" for text, one in zip(texts, alone, strict=True)]

    @property
    def names(self) -> list[str]:
        """Names of the indicators."""
        return [f"{self.name}={label}" for label in self.labels[1:]]

    @property
    def rare(self) -> list[str]:
        """The levels that share a group with others."""
        alone = np.bincount(self.group, minlength=self.size) == 1
        return [str(level) for level in self.levels[~alone[self.group]].tolist()]

    def codes(self, column: Column) -> Indices:
        """The group of each row; negative where the level is missing or was never seen."""
        codes = column.among(self.levels)
        if not len(self.levels):
            return codes
        return np.where(codes < 0, codes, self.group[np.maximum(codes, 0)])

    def nearest(self, indicators: Floats) -> Array:
        """The level that the indicators (n, groups - 1) of each row are closest to."""
        first = 1 - indicators.sum(axis=1, keepdims=True)
        best = np.concatenate([first, indicators], axis=1).argmax(axis=1)
        return np.asarray(self.levels[self.typical[best]])


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    """The names, numbered where one occurs again.

    >>> distinct(["a=b", "c", "a=b"])
    ('a=b', 'c', 'a=b (2)')
    """
    seen: Counter[str] = Counter()
    out = []
    for name in names:
        seen[name] += 1
        out.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return tuple(out)
