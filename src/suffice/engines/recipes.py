"""Recipes: what is computed from each partition, and how two results are added."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from suffice.data.arrays import Floats
from suffice.data.batches import batches, select_columns
from suffice.data.sources.sample import SampleSize
from suffice.data.tables.indicator_rows import MOST_LEVELS
from suffice.data.tables.mixed import Claim, ColumnLayout
from suffice.data.tables.user_table import row_count, take_rows
from suffice.engines.parts import Recipe
from suffice.estimators.new_rows import Outline, check_announced
from suffice.estimators.state import snapshot
from suffice.statistics.exact.form import ExactForm
from suffice.statistics.exact.grid import Grid
from suffice.statistics.summarize import summarize, summarize_batches, summarize_table
from suffice.statistics.table_statistics import added


@dataclass(frozen=True, slots=True)
class MomentsRecipe(Recipe):
    """What `summarize` returns."""

    detail: str
    like: Outline | None = None  # how tables are read; None if each table decides
    grid: Grid | None = None

    def of(self, X: Any, y: Any, weight: Any) -> Any:
        """Statistics of some rows."""
        if self.like is None:
            return summarize(X, y, weight, self.detail, grid=self.grid)
        reader, form = self.like.reader, ExactForm.of(self.detail, self.grid)
        if reader is not None and not reader.layout.is_plain:
            return summarize_table(reader.read(X), y, weight, form, reader, MOST_LEVELS)
        rows = X if reader is None else select_columns(X, reader.names)
        return summarize_batches(batches(rows, y, weight), form)

    def added(self, a: Any, b: Any) -> Any:
        """Statistics of the rows of both."""
        return added(a, b)


@dataclass(frozen=True, slots=True)
class LearnerRecipe(Recipe):
    """The statistics that a learner learns from."""

    learner: Any
    settings: Any
    like: Outline | None  # the form of the statistics, if a partition cannot decide it
    classes: Any = None  # the announced classes, if any

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
        check_announced(self.learner, y, self.classes)
        return self.learner._summarize(X, y, weight, self.settings, self.like)

    def added(self, a: Any, b: Any) -> Any:
        """Statistics of the rows of both."""
        a, b = self.settings.alike(a, b)
        return added(a, b)


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
class SampleRecipe(Recipe):
    """The first rows of some partitions, by which their columns are described."""

    rows: int = SampleSize().rows
    most_partitions: int | None = SampleSize().files

    def of(self, X: Any, y: Any, weight: Any) -> list[Any]:
        """The first rows of a table."""
        return [take_rows(X, slice(0, self.rows))]

    def added(self, a: list[Any], b: list[Any]) -> list[Any]:
        """Both samples, shortened if together they have too many rows."""
        sizes = [row_count(one) for one in (*a, *b)]
        share = min(1.0, self.rows / max(1, sum(sizes)))
        pairs = zip((*a, *b), sizes, strict=True)
        return [take_rows(one, slice(0, max(1, int(share * size)))) for one, size in pairs]


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
