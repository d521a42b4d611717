"""Densities of the rows left out: ln p(x | class) of each under the model of the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.models.gaussian import LOG_2PI
from suffice.models.priors import class_priors
from suffice.models.scoring import normalised
from suffice.selection.leave_one_out.rows import LabelledRows, blocks


@dataclass(frozen=True, eq=False, slots=True)
class LeftOutDensities:
    """ln p(x | class) = relative + base; filled in place, since it may be as large as memory.

    Apart, since what all classes share may be large, and the differences decide.
    """

    relative: Floats  # (n, k)
    base: Floats  # (n,)
    doubtful: Array  # (n,): rows whose closed form is not the answer, or not to enough digits
    inflation: float = 1.0  # what the covariances are multiplied by in the end

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
        """Positions of the rows that still have to be computed, (m,)."""
        known = self.doubtful.copy()
        for at in blocks(*self.relative.shape):
            known[at] = np.isfinite(self.relative[at]).all(axis=1) & np.isfinite(self.base[at])
        return np.flatnonzero(self.doubtful | ~known)

    def posterior(self, priors: LeftOutPriors, joint: Floats | None = None) -> Floats:
        """ln p(class | x), (n, k), written over the densities; ln p(x, class) goes to `joint`."""
        for at in blocks(*self.relative.shape):
            scores, log_priors = self.relative[at], priors.logs(at)
            scores += log_priors
            if joint is not None:
                np.add(scores, self.base[at, None], out=joint[at])
            # A row that no class allows says nothing of the classes.
            none = np.isneginf(scores.max(axis=1))
            scores[none] = log_priors[none]
            with np.errstate(divide="ignore"):
                scores[:] = normalised(np.ascontiguousarray(scores.T)).T
        return self.relative


@dataclass(frozen=True, eq=False, slots=True)
class LeftOutPriors:
    """Priors for each row as the other rows alone have them.

    A class that is gone with its only row has a prior of zero there; priors that are given are
    then those of the other classes, in the same proportions.
    """

    chances: Floats  # (k,): those given, or the weight of each class
    given: bool
    rows: LabelledRows
    gone: Array  # (n,): rows that are the only ones of their class

    @classmethod
    def of(cls, priors: Any, classes: Array, rows: LabelledRows) -> LeftOutPriors:
        """Those that a user gives, or class shares."""
        k, w = len(classes), rows.weight
        count = np.bincount(rows.codes[w > 0], minlength=k)
        weight = np.asarray(np.bincount(rows.codes, w, minlength=k), np.float64)
        chances = class_priors(priors, classes, weight)  # raises where they do not fit
        gone = (count[rows.codes] == 1) & (w > 0)
        return cls(weight if priors is None else chances, priors is not None, rows, gone)

    def logs(self, at: slice) -> Floats:
        """Log priors of some rows, (b, k)."""
        codes, weight = self.rows.codes[at], self.rows.weight[at]
        n, k = len(codes), len(self.chances)
        chances = np.repeat(self.chances[None], n, axis=0)
        if not self.given:
            chances[np.arange(n), codes] -= weight
        alone = np.flatnonzero(self.gone[at])
        chances[alone, codes[alone]] = 0.0
        touched = alone if self.given else np.arange(n)
        total = chances[touched].sum(axis=1, keepdims=True)
        others = np.where(np.arange(k) == codes[touched, None], 0.0, 1.0 / max(k - 1, 1))
        with np.errstate(divide="ignore", invalid="ignore"):
            chances[touched] = np.where(total > 0, chances[touched] / total, others)
            return np.log(chances)
