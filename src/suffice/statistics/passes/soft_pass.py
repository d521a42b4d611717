"""Soft pass: statistics of rows that belong in part to several components.

Expectation and sums are computed block by block, while the rows are in the cache; the
responsibilities of all rows, (n, K), are never held in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.gaps import Gaps
from suffice.statistics.numbers import EPSILON, DoubleDouble, two_sum
from suffice.statistics.passes.reader import are_lost
from suffice.statistics.passes.soft_rows import SoftBlock, SoftRows
from suffice.statistics.scatter import DenseScatter, DiagonalScatter
from suffice.statistics.statistics import Statistics


class Components(Protocol):
    """What the pass needs from the components."""

    @property
    def points(self) -> Floats:
        """Points that the sums are taken about, (K, d), near the means."""

    @property
    def one_point(self) -> bool:
        """Whether all points are equal, so that one product sums all components."""

    def log_joint(self, columns: Floats, which: Indices) -> Floats:
        """ln p(x, component) of rows, one per column (d, b), for some components: (m, b)."""

    def filled(self, rows: Floats, gaps: Gaps, component: int) -> tuple[Floats, Floats]:
        """Steps (b, d) from its point, with missing values at their conditional means; and
        ln p(observed, component)."""

    def unknown(self, component: int, patterns: Array, weights: Floats) -> Floats:
        """Sum of w times the conditional covariance of what is missing in each pattern (p, d)."""


@dataclass(frozen=True, slots=True)
class SoftPass:
    """The result of one pass over the rows."""

    statistics: Statistics  # of the components, weighted by their shares in the rows
    log_likelihood: float  # sum of w ln p(x), over the components allowed for each row
    lowest_row: Floats  # (K, d): the least likely of the rows allowed for a component


def soft_pass(rows: SoftRows, components: Components, detail: str) -> SoftPass:
    """Statistics of the components, each with its share r in every row.

    r = p(component | x) times the weight of the row, given the observed values of x. Missing
    values are set to their conditional mean, and their conditional covariance is added.
    detail : "separate", "shared" or "diagonal", as for `summarize`
    """
    K, d = components.points.shape

    def work(first: int, workers: int) -> Tally:
        tally = Tally.empty(K, d, detail)
        for block in rows.blocks(first, workers):
            tally.add(block, components)
        return tally

    bytes_each = {"separate": K * d, "shared": d, "diagonal": K}[detail] * 8 * d
    total, *others = rows.shared_out(work, bytes_each)
    for other in others:
        total += other
    statistics = total.statistics(components.points, detail)
    return SoftPass(statistics, total.log_likelihood, total.lowest_row)


@dataclass(slots=True)
class Tally:
    """Sums over rows x of the shares r that components have in them; filled in place."""

    count: Floats  # (K,): of r
    weight: Floats  # (K,): of r w
    step: Floats  # (K, d): of r w (x - m)
    square: Floats  # (K, d, d) or (1, d, d): of r w (x - m)(x - m)'; or its diagonals, (K, d)
    lowest: Floats  # (K,): the smallest ln p(x) of a row allowed for a component
    lowest_row: Floats  # (K, d): that row
    log_likelihood: float = 0.0

    @classmethod
    def empty(cls, K: int, d: int, detail: str) -> Tally:
        """Sums over no rows."""
        shape = {"separate": (K, d, d), "shared": (1, d, d), "diagonal": (K, d)}[detail]
        sums = np.zeros(K), np.zeros(K), np.zeros((K, d)), np.zeros(shape)
        return cls(*sums, np.full(K, np.inf), np.full((K, d), np.nan))

    def __iadd__(self, other: Tally) -> Tally:
        """Add the sums over other rows, about the same points."""
        for name in ("count", "weight", "step", "square"):
            mine = getattr(self, name)
            mine += getattr(other, name)
        lower = other.lowest < self.lowest
        self.lowest[lower], self.lowest_row[lower] = other.lowest[lower], other.lowest_row[lower]
        self.log_likelihood += other.log_likelihood
        return self

    def add(self, block: SoftBlock, components: Components) -> None:
        """Add the rows of a block."""
        joint, steps = _log_joint_and_steps(block, components)
        density = _to_shares(joint)
        i, at = int(density.argmin()), block.components
        lower = at[density[i] < self.lowest[at]]
        self.lowest[lower], self.lowest_row[lower] = density[i], block.columns[:, i]
        self.count[block.components] += joint.sum(axis=1)
        if block.weights is not None:
            joint *= block.weights
            density *= block.weights
        self.weight[block.components] += joint.sum(axis=1)
        self.log_likelihood += float(density.sum())
        if components.one_point and block.gaps is None and self.square.ndim == 2:
            step = next(iter(steps))
            self.step[block.components] += joint @ step.T
            step *= step
            self.square[block.components] += joint @ step.T
            return
        for c, step, share in zip(block.components.tolist(), steps, joint, strict=True):
            group = c if len(self.square) > 1 else 0
            if block.gaps is not None:
                total = np.add.reduceat(share, block.gaps.starts[:-1])
                rest = components.unknown(c, block.gaps.patterns, total)
                dense = self.square.ndim == 3 and rest.ndim == 1
                self.square[group] += np.diag(rest) if dense else rest
            self.step[c] += step @ share
            self.square[group] += self._products(step, share)

    def _products(self, steps: Floats, share: Floats) -> Floats:
        """The sum of r (x - m)(x - m)' or its diagonal; steps (d, b) are overwritten."""
        if self.square.ndim == 2:
            steps *= steps
            return np.asarray(steps @ share)
        # Number of features from which BLAS computes a symmetric product faster than a general one.
        symmetric_from = 64
        if len(steps) < symmetric_from:
            return np.asarray(steps @ (steps * share).T)
        steps *= np.sqrt(share)
        return np.asarray(steps @ steps.T)

    def statistics(self, points: Floats, detail: str) -> Statistics:
        """The sums as statistics, about the means."""
        has_weight = self.weight > 0
        shift = self.step / np.where(has_weight, self.weight, 1.0)[:, None]
        means = DoubleDouble(*two_sum(points, shift))
        jump = shift * np.sqrt(self.weight)[:, None]
        # A sum of squares within this noise is zero: it is what cancellation leaves, or comes from
        # equal rows and the rounding of their mean.
        noise = 64 * EPSILON * jump**2
        noise += self.weight[:, None] * (8 * EPSILON * means.high) ** 2
        if detail == "shared":
            noise = noise.sum(axis=0, keepdims=True)
        spread = self._centred(jump)
        # A component with nearly all of a row counts the whole row.
        count = np.floor(self.count + 1e-6).astype(np.int64)
        # Squares of values were found to keep their digits; those of traces of a row may not.
        rows = np.maximum(count[:, None], 1)
        squares = spread.diagonal()
        lost = (squares <= noise) | are_lost(squares, rows.sum() if detail == "shared" else rows)
        if detail == "diagonal":
            lost |= (count <= 1)[:, None]  # a single row has no variance, only traces of other rows
        return Statistics(
            np.arange(len(points)),
            count,
            self.weight,
            means,
            spread.cleared(lost) if lost.any() else spread,
            None,
        )

    def _centred(self, jump: Floats) -> DenseScatter | DiagonalScatter:
        """The squares about the means; `jump` is sqrt(weight) times the step from point to mean."""
        if self.square.ndim == 2:
            return DiagonalScatter(DoubleDouble(self.square - jump**2))
        shared = len(self.square) < len(jump)
        for g, square in enumerate(self.square):
            own = jump if shared else jump[g : g + 1]
            square -= own.T @ own
            square += square.T.copy()
            square /= 2
        return DenseScatter(DoubleDouble(self.square), not shared)


def _log_joint_and_steps(
    block: SoftBlock, components: Components
) -> tuple[Floats, Iterable[Floats]]:
    """ln p(x, component) (m, b), and for each component the steps (d, b) from its point."""
    if block.gaps is None:
        return components.log_joint(block.columns, block.components), _steps(block, components)
    rows, which = block.columns.T, block.components.tolist()
    filled_rows = [components.filled(rows, block.gaps, c) for c in which]
    return np.array([joint for _, joint in filled_rows]), [steps.T for steps, _ in filled_rows]


def _steps(block: SoftBlock, components: Components) -> Iterator[Floats]:
    steps = np.empty_like(block.columns)
    for c in block.components.tolist():
        yield np.subtract(block.columns, components.points[c][:, None], out=steps)


def _to_shares(joint: Floats) -> Floats:
    """ln p(x), (b,), from ln p(x, component), which is replaced in place by p(component | x)."""
    top = joint.max(axis=0)
    joint -= top
    np.exp(joint, out=joint)
    total = joint.sum(axis=0)
    joint /= total
    return np.asarray(top + np.log(total))
