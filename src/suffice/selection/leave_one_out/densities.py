"""Densities of the rows left out: ln p(x | class) of each under the model of the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.tables.labelled_table import LabelledTable
from suffice.models.gaussian import LOG_2PI
from suffice.models.priors import class_priors
from suffice.models.scoring import normalised
from suffice.selection.leave_one_out.removal import blocks


@dataclass(frozen=True, eq=False, slots=True)
class LeftOutDensities:
    """ln p(x | class) = relative + base; filled in place, since it may be as large as memory.

    Two parts, since the base may be large and only the differences between classes decide.
    """

    relative: Floats  # (n, k)
    base: Floats  # (n,)
    doubtful: Array  # (n,): rows whose closed form is wrong, or not accurate enough
    inflation: float = 1.0  # the final factor of the covariances

    @classmethod
    def empty(cls, n: int, k: int, inflation: float = 1.0) -> LeftOutDensities:
        """Zeros for n rows and k classes."""
        return cls(np.zeros((n, k)), np.zeros(n), np.zeros(n, bool), inflation)

    def density(self, lengths: Floats, volume: Floats | float, rank: int) -> Floats:
        """Log density at squared lengths, for a covariance with this log-determinant."""
        constant = volume + rank * (LOG_2PI + np.log(self.inflation))
        return np.asarray(-(lengths / self.inflation + constant) / 2)

    @property
    def unclear(self) -> Indices:
        """Positions of the rows that are doubtful or not finite, (m,)."""
        finite = np.isfinite(self.base)
        for at in blocks(*self.relative.shape):
            finite[at] &= np.isfinite(self.relative[at]).all(axis=1)
        return np.flatnonzero(self.doubtful | ~finite)

    def add(self, other: LeftOutDensities) -> None:
        """Add the densities of features that are independent of these given the class."""
        np.add(self.relative, other.relative, out=self.relative)
        np.add(self.base, other.base, out=self.base)
        np.logical_or(self.doubtful, other.doubtful, out=self.doubtful)

    def posterior(self, priors: LeftOutPriors, joint: Floats | None = None) -> Floats:
        """ln p(class | x), (n, k), written over the densities; ln p(x, class) goes to `joint`."""
        for at in blocks(*self.relative.shape):
            scores, log_priors = self.relative[at], priors.logs(at)
            scores += log_priors
            if joint is not None:
                np.add(scores, self.base[at, None], out=joint[at])
            # A row that is impossible in every class leaves the priors as they are.
            impossible = np.isneginf(scores.max(axis=1))
            scores[impossible] = log_priors[impossible]
            with np.errstate(divide="ignore"):
                scores[:] = normalised(np.ascontiguousarray(scores.T)).T
        return self.relative


@dataclass(frozen=True, eq=False, slots=True)
class LeftOutPriors:
    """Priors for each row, as the other rows alone determine them.

    Without its only row a class has a prior of zero; given priors are then those of the other
    classes, in the same proportions.
    """

    priors: Floats  # (k,): those given, or the weight of each class
    given: bool
    table: LabelledTable
    single: Array  # (n,): rows that are the only ones of their class

    @classmethod
    def of(cls, priors: Any, table: LabelledTable) -> LeftOutPriors:
        """The priors that a user gives, or class shares."""
        k, w = len(table.classes), table.weight
        count = np.bincount(table.codes[w > 0], minlength=k)
        weight = np.asarray(np.bincount(table.codes, w, minlength=k), np.float64)
        values = class_priors(priors, table.classes, weight)  # raises where they do not fit
        single = (count[table.codes] == 1) & (w > 0)
        return cls(weight if priors is None else values, priors is not None, table, single)

    def logs(self, at: slice) -> Floats:
        """Log priors of some rows, (b, k)."""
        codes, weight = self.table.codes[at], self.table.weight[at]
        n, k = len(codes), len(self.priors)
        priors = np.repeat(self.priors[None], n, axis=0)
        if not self.given:
            priors[np.arange(n), codes] -= weight
        single = np.flatnonzero(self.single[at])
        priors[single, codes[single]] = 0.0
        changed = single if self.given else np.arange(n)
        total = priors[changed].sum(axis=1, keepdims=True)
        others = np.where(np.arange(k) == codes[changed, None], 0.0, 1.0 / max(k - 1, 1))
        with np.errstate(divide="ignore", invalid="ignore"):
            priors[changed] = np.where(total > 0, priors[changed] / total, others)
            return np.log(priors)
