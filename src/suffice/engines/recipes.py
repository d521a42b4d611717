"""Recipes: what is computed of each partition, and how two results are added."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from suffice.data.arrays import Floats
from suffice.data.mixed import Claim, ColumnLayout
from suffice.data.table_rows import TableReader
from suffice.engines.parts import Recipe
from suffice.estimators.outline import Outline
from suffice.estimators.state import snapshot
from suffice.statistics.exact.grid import Grid
from suffice.statistics.summarize import summarize


@dataclass(frozen=True, slots=True)
class MomentsRecipe(Recipe):
    """What `summarize` returns."""

    detail: str
    grid: Grid | None = None

    def of(self, X: Any, y: Any, weight: Any) -> Any:
        """Statistics of some rows."""
        return summarize(X, y, weight, self.detail, grid=self.grid)


@dataclass(frozen=True, slots=True)
class LearnerRecipe(Recipe):
    """The statistics that a learner is made of."""

    learner: Any
    settings: Any
    like: Outline | None  # the form of the statistics, where a partition cannot decide it
    classes: Any = None  # those announced, if any

    @classmethod
    def of_learner(
        cls, learner: Any, settings: Any, like: Outline | None, classes: Any = None
    ) -> LearnerRecipe:
        """The recipe with a copy of the learner that holds nothing large."""
        light = snapshot(learner)
        if light._state is not None:
            light._state = replace(light._state.without_statistics(), kept={})
        return cls(light, settings, like, classes)

    def of(self, X: Any, y: Any, weight: Any) -> Any:
        """Statistics of some rows."""
        if self.learner._state is not None:
            self.learner._check_columns(X)
        y = self.learner._labels(y)
        self.learner._check_announced(y, self.classes)
        return self.learner._summarize(X, y, weight, self.settings, self.like)

    def added(self, a: Any, b: Any) -> Any:
        """Statistics of the rows of both."""
        a, b = self.settings.alike(a, b)
        return a + b


@dataclass(frozen=True, slots=True)
class ColumnsRecipe(Recipe):
    """Which columns hold levels, where only the values show it: those with a level anywhere."""

    claims: dict[str, Claim]

    def of(self, X: Any, y: Any, weight: Any) -> ColumnLayout:
        """The layout of some rows."""
        return ColumnLayout.by_claims(X, self.claims)

    def added(self, a: ColumnLayout, b: ColumnLayout) -> ColumnLayout:
        """The layout of the rows of both."""
        owner: dict[int, str] = {}
        for key in sorted(self.claims, key=lambda key: self.claims[key].levels):
            owner |= dict.fromkeys([*a.parts.get(key, ()), *b.parts.get(key, ())], key)
        columns = {key: tuple(j for j in sorted(owner) if owner[j] == key) for key in self.claims}
        return ColumnLayout({key: at for key, at in columns.items() if at})


@dataclass(frozen=True, slots=True)
class FoundReader:
    """The reader of some rows; None where they are all numbers."""

    reader: TableReader | None


@dataclass(frozen=True, slots=True)
class ReaderRecipe(Recipe):
    """How tables are read: as the first of them that holds more than numbers."""

    def of(self, X: Any, y: Any, weight: Any) -> FoundReader:
        """The reader of some rows."""
        return FoundReader(TableReader.of(X))

    def added(self, a: FoundReader, b: FoundReader) -> FoundReader:
        """The first reader."""
        return b if a.reader is None else a


@dataclass(frozen=True, slots=True)
class TotalRecipe(Recipe):
    """The sum over rows of a method's values, and the number of rows or their weight.

    method : "score" (a mean, which is multiplied by the weight), "log_likelihood" (a sum) or
        "score_samples" (one value per row)
    """

    model: Any
    method: str

    def of(self, X: Any, y: Any, weight: Any) -> Floats:
        """The sum over some rows, and their number or weight."""
        call = getattr(self.model, self.method)
        if self.method == "score":
            size = len(y) if weight is None else float(np.sum(np.asarray(weight, np.float64)))
            return np.array([call(X, y, weight) * size, size])
        if self.method == "log_likelihood":
            return np.array([call(X, y), len(y)])
        values = call(X)
        return np.array([values.sum(), len(values)])
