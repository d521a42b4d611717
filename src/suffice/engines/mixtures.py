"""Mixtures: EM over rows in partitions, which are read again in every iteration."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.partial_labels import Coding
from suffice.engines.drawing import Drawn
from suffice.engines.parts import Sums
from suffice.engines.survey import Survey, Surveying, read
from suffice.models.mixture import MixtureModel, own_log_likelihood
from suffice.models.training import Pass, Training, check_spread
from suffice.statistics.incomplete import AnyStatistics, IncompleteStatistics
from suffice.statistics.soft_pass import Components, SoftPass, Tally, tallied
from suffice.statistics.soft_rows import SoftRows
from suffice.statistics.summarize import summarize


def learn(sums: Sums, mixture: Any, plan: Any, labelled: bool, weighted: bool) -> Any:
    """A mixture fitted to rows in partitions."""
    # A copy draws the seed, so that the start is drawn as it is for rows in memory.
    seed = int(deepcopy(plan.rng).integers(2**63))
    unlabelled = mixture.unlabelled if labelled else None
    survey = sums(Surveying(seed, labelled, unlabelled))
    check_spread(survey.overall)
    coding, drawn = survey.coding(unlabelled)
    return mixture._learn(Partitions(sums, survey, coding, drawn, labelled, weighted), plan)


@dataclass(frozen=True)
class Partitions:
    """Rows in partitions, as EM asks for them."""

    sums: Sums
    survey: Survey
    coding: Coding
    drawn: tuple[Drawn, ...]  # (k,)
    labelled: bool
    weighted: bool

    @property
    def classes(self) -> Array:
        """The classes, (k,)."""
        return self.coding.classes

    @property
    def count(self) -> Indices:
        """Rows of each class, (k,)."""
        return np.array([one.count for one in self.drawn])

    @property
    def n_counted(self) -> int:
        """How many rows have weight."""
        return self.survey.rows

    @property
    def total(self) -> float:
        """The weight of all rows."""
        return self.survey.weight

    @property
    def overall(self) -> AnyStatistics:
        """Statistics of all rows as one class, by feature."""
        return self.survey.overall

    @property
    def all_labelled(self) -> bool:
        """Whether the class of every row that counts is known."""
        return int(self.count.sum()) == self.n_counted

    @cached_property
    def sample(self) -> Training:
        """Rows that were drawn from each class."""
        return self._training(scaled=False)

    @cached_property
    def beginning(self) -> Training:
        """The same, weighted so that they stand for all rows of their class."""
        return self._training(scaled=True)

    def passes(self, owner: Indices) -> Pass:
        """What goes over the rows once, for components of these classes (K,)."""
        gaps = isinstance(self.overall, IncompleteStatistics)

        def work(components: Components, detail: str) -> SoftPass:
            points = components.points  # found here, so that all workers sum about the same
            recipe = Expectation(self._coding, owner, components, detail, gaps)
            tally: Tally = self.sums(recipe)
            return tally.finished(points, detail)

        return work

    def by_class(self, detail: str) -> AnyStatistics:
        """Statistics of the rows, classes by position."""
        found: AnyStatistics = self.sums(ByClass(self._coding, detail))
        return found

    def own_log_likelihood(self, model: MixtureModel) -> float:
        """Sum of w ln p(x, y) over the rows, with the class that each has."""
        return float(self.sums(OwnLikelihood(self._coding, model)))

    @property
    def _coding(self) -> Coding | None:
        return self.coding if self.labelled else None

    def _training(self, scaled: bool) -> Training:
        scales = [one.scale if scaled else 1.0 for one in self.drawn]
        weights: Floats | None = None
        if self.weighted or any(scale != 1.0 for scale in scales):
            parts = zip(self.drawn, scales, strict=True)
            weights = np.concatenate([one.weights * scale for one, scale in parts])
        codes = np.repeat(np.arange(len(self.drawn)), [len(one.keys) for one in self.drawn])
        rows = np.concatenate([one.rows for one in self.drawn])
        return Training(rows, codes, weights, self.classes, self.overall)


@dataclass(frozen=True, slots=True)
class Expectation:
    """Sums over rows of the shares that components have in them."""

    coding: Coding | None
    owner: Indices  # (K,)
    components: Components
    detail: str
    gaps: bool

    def of(self, X: Any, y: Any, weight: Any) -> Tally:
        """The sums over the rows of a partition."""
        rows, weights, codes = read(self.coding, X, y, weight)
        found = SoftRows.of(rows, weights, codes, self.owner, self.gaps)
        return tallied(found, self.components, self.detail)

    def added(self, a: Tally, b: Tally) -> Tally:
        """The sums over the rows of both."""
        return a + b


@dataclass(frozen=True, slots=True)
class ByClass:
    """Statistics of rows, classes by position."""

    coding: Coding | None
    detail: str

    def of(self, X: Any, y: Any, weight: Any) -> AnyStatistics:
        """Statistics of the rows of a partition."""
        rows, weights, codes = read(self.coding, X, y, weight)
        return summarize(rows, codes, weights, self.detail)

    def added(self, a: AnyStatistics, b: AnyStatistics) -> Any:
        """Statistics of the rows of both."""
        return a + b


@dataclass(frozen=True, slots=True)
class OwnLikelihood:
    """Sum of w ln p(x, y) over rows, with the class that each has."""

    coding: Coding | None
    model: MixtureModel

    def of(self, X: Any, y: Any, weight: Any) -> float:
        """The sum over the rows of a partition."""
        rows, weights, codes = read(self.coding, X, y, weight)
        return own_log_likelihood(self.model, rows, codes, weights)

    def added(self, a: float, b: float) -> float:
        """The sum over the rows of both."""
        return a + b
