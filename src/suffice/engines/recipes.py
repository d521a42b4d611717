"""Recipes: what a partition is asked for, and how two answers are added."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from suffice.data.arrays import Floats
from suffice.data.mixed import ColumnLayout
from suffice.estimators.outline import Outline
from suffice.estimators.state import snapshot
from suffice.statistics.summarize import summarize


@dataclass(frozen=True, slots=True)
class MomentsRecipe:
    """What `summarize` returns."""

    detail: str

    def of(self, X: Any, y: Any, weight: Any) -> Any:
        """Statistics of some rows."""
        return summarize(X, y, weight, self.detail)

    def added(self, a: Any, b: Any) -> Any:
        """Statistics of the rows of both."""
        return a + b


@dataclass(frozen=True, slots=True)
class Lesson:
    """The statistics that a learner is made of."""

    learner: Any
    settings: Any
    like: Outline | None  # what the statistics are to be like, where a partition cannot tell
    classes: Any = None  # those announced, if any

    @classmethod
    def to(cls, learner: Any, settings: Any, like: Outline | None, classes: Any = None) -> Lesson:
        """A lesson to a learner, of which nothing large travels."""
        pupil = snapshot(learner)
        if pupil._state is not None:
            pupil._state = replace(pupil._state.without_statistics(), kept={})
        return cls(pupil, settings, like, classes)

    def of(self, X: Any, y: Any, weight: Any) -> Any:
        """Statistics of some rows."""
        if self.learner._state is not None:
            self.learner._check_columns(X)
        y = self.learner._labels(y)
        self.learner._check_announced(y, self.classes)
        return self.learner._summarize(X, y, weight, self.settings, self.like)

    def added(self, a: Any, b: Any) -> Any:
        """Statistics of the rows of both."""
        a, b = self.learner._alike(a, b, self.settings)
        return a + b


@dataclass(frozen=True, slots=True)
class ColumnsRecipe:
    """Which columns hold levels, where only the values tell: those with a level anywhere."""

    categorical: Any = None

    def of(self, X: Any, y: Any, weight: Any) -> ColumnLayout:
        """The layout of some rows."""
        return ColumnLayout.of(X, self.categorical)

    def added(self, a: ColumnLayout, b: ColumnLayout) -> ColumnLayout:
        """The layout of the rows of both."""
        discrete = {*a.discrete, *b.discrete}
        columns = sorted({*a.numeric, *a.discrete, *b.numeric, *b.discrete})
        return ColumnLayout(tuple(j for j in columns if j not in discrete), tuple(sorted(discrete)))


@dataclass(frozen=True, slots=True)
class Total:
    """The sum over the rows of a method that gives a number a row, and how many rows there are.

    Methods with y give the sum themselves; "score" gives a mean, which is weighed.
    """

    model: Any
    method: str

    def of(self, X: Any, y: Any, weight: Any) -> Floats:
        """The sum over some rows, and their number or weight."""
        ask = getattr(self.model, self.method)
        if self.method == "score":
            size = len(y) if weight is None else float(np.sum(np.asarray(weight, np.float64)))
            return np.array([ask(X, y, weight) * size, size])
        if self.method == "log_likelihood":
            return np.array([ask(X, y), len(y)])
        values = ask(X)
        return np.array([values.sum(), len(values)])

    def added(self, a: Floats, b: Floats) -> Floats:
        """The sums over the rows of both."""
        return a + b
