"""Densities of the rows left out: ln p(x | class) of each under the model of the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.models.gaussian import LOG_2PI
from suffice.models.priors import class_priors
from suffice.models.scoring import normalised
from suffice.selection.leave_one_out.rows import LabelledRows


@dataclass(frozen=True, eq=False, slots=True)
class LeftOutDensities:
    """ln p(x | class) = relative + base; filled in place.

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
        known = np.isfinite(self.relative).all(axis=1) & np.isfinite(self.base)
        return np.flatnonzero(self.doubtful | ~known)

    def posterior(self, log_priors: Floats) -> tuple[Floats, Floats]:
        """ln p(class | x) and ln p(x, class), (n, k) each."""
        scores = self.relative + log_priors
        joint = scores + self.base[:, None]
        # A row that no class allows says nothing of the classes.
        none = np.isneginf(scores.max(axis=1))
        scores[none] = log_priors[none]
        with np.errstate(divide="ignore"):
            return normalised(np.ascontiguousarray(scores.T)).T, joint


def left_out_log_priors(priors: Any, classes: Array, rows: LabelledRows) -> Floats:
    """Log priors for each row as the other rows alone have them, (n, k).

    A class that is gone with its only row has a prior of zero there; priors that are given are
    then those of the other classes, in the same proportions.
    """
    n, k = len(rows), len(classes)
    at, w = np.arange(n), rows.weight
    count = np.bincount(rows.codes[w > 0], minlength=k)
    weight = np.asarray(np.bincount(rows.codes, w, minlength=k), np.float64)
    gone = np.flatnonzero((count[rows.codes] == 1) & (w > 0))
    chances = np.repeat(class_priors(priors, classes, weight)[None], n, axis=0)
    if priors is None:
        chances = np.repeat(weight[None], n, axis=0)
        chances[at, rows.codes] -= w
    chances[gone, rows.codes[gone]] = 0.0
    touched = at if priors is None else gone
    total = chances[touched].sum(axis=1, keepdims=True)
    others = np.where(np.arange(k) == rows.codes[touched, None], 0.0, 1.0 / max(k - 1, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        chances[touched] = np.where(total > 0, chances[touched] / total, others)
        return np.log(chances)
