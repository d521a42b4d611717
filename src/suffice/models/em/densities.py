"""Densities: the components of a mixture, as the soft pass needs them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.gaps import Gaps
from suffice.models.conditionals import are_regular, regressions
from suffice.models.covariances.covariance import DiagonalCovariance, FullCovariance
from suffice.models.covariances.linalg import Cholesky, reciprocal, strips
from suffice.models.covariances.side_by_side import SideBySide
from suffice.models.gaussian import GaussianModel


@dataclass(frozen=True)
class Densities:
    """Components as the soft pass needs them: one column per row of a block."""

    model: GaussianModel

    @cached_property
    def points(self) -> Floats:
        """Points that the sums are taken about, (K, d): one for all components, or their means.

        About a single point, the sums of independent features are one product. It must be within
        a few deviations of every mean: t deviations away, squares lose the digits of t².
        """
        means, variances = self.model.means, self.model.variances
        if variances is not None:
            centre = self.model.priors @ means
            if ((means - centre) ** 2 <= SideBySide.few_deviations**2 * variances).all():
                return np.repeat(centre[None], len(means), axis=0)
        return means

    @property
    def one_point(self) -> bool:
        """Whether all points are equal."""
        return self.points is not self.model.means

    def log_joint(self, columns: Floats, which: Indices) -> Floats:
        """ln p(x, component) for some components, (m, b)."""
        model = self.model
        if model.is_linear:
            steps = columns - model.linear.centre[:, None]
            lengths = self._lengths(0, steps, np.empty_like(columns))
            scores = model.linear.scores(columns.T)[which]
            return np.asarray(scores - (lengths / 2 + model.volumes))
        if self.one_point and not model.shared:
            return self._independent(columns, which)
        steps, white = np.empty((2, *columns.shape))
        out = np.empty((len(which), columns.shape[1]))
        for i, c in enumerate(which.tolist()):
            np.subtract(columns, model.means[c][:, None], out=steps)
            out[i] = self._lengths(0 if model.shared else c, steps, white)
        out *= -0.5
        out += model.constants[which][:, None]
        return out

    def _independent(self, columns: Floats, which: Indices) -> Floats:
        """The same from one point, for independent features."""
        assert self.model.variances is not None
        precisions = reciprocal(self.model.variances[which])
        away = (self.model.means - self.points)[which]
        slopes = precisions * away
        steps = columns - self.points[0][:, None]
        out = slopes @ steps
        steps *= steps
        out -= (precisions / 2) @ steps
        out += (self.model.constants[which] - (slopes * away).sum(axis=1) / 2)[:, None]
        return np.asarray(out)

    def _lengths(self, c: int, steps: Floats, white: Floats) -> Floats:
        """Squared Mahalanobis lengths of columns (d, b)."""
        covariance = self.model.covariances[c]
        if isinstance(covariance, DiagonalCovariance):
            return np.asarray(covariance.precisions @ np.multiply(steps, steps, out=white))
        if not isinstance(covariance, FullCovariance) or not isinstance(
            covariance.whitener, Cholesky
        ):
            return covariance.squared_lengths(steps.T)
        matrix = covariance.whitener.matrix
        for low, high in strips(len(steps)):  # triangular: skip most products with zeros
            np.matmul(matrix[low:high, :high], steps[:high], out=white[low:high])
        white *= white
        return np.asarray(white.sum(axis=0))

    def filled(self, rows: Floats, gaps: Gaps, component: int) -> tuple[Floats, Floats]:
        """Steps from its point, with conditional means filled in; ln p(observed, component)."""
        model, c = self.model, component
        covariance = model.covariance_of(c)
        steps = np.subtract(rows, model.means[c], order="C")
        peaks = covariance.fill(steps, gaps)
        constant = model.log_priors[c] - model.volumes[0 if model.shared else c]
        joint = constant - peaks - covariance.squared_lengths(steps) / 2
        steps += model.means[c] - self.points[c]
        return steps, joint

    def unknown(self, component: int, patterns: Array, weights: Floats) -> Floats:
        """Sum of w times the conditional covariance of what is missing in each pattern."""
        c = 0 if self.model.shared else component
        covariance = self.model.covariances[c]
        if isinstance(covariance, DiagonalCovariance):
            return np.asarray((weights @ patterns) * covariance.variances)
        # Conditional covariances are computed in blocks of this many entries.
        block_entries = 1 << 18
        S, step = self._matrices[c], max(1, block_entries // patterns.shape[1] ** 2)
        slopes, regular = np.zeros_like(S), are_regular(S[None])
        for low in range(0, len(patterns), step):
            observed = ~patterns[low : low + step]
            matrices = np.broadcast_to(S, (len(observed), *S.shape))
            regression = regressions(matrices, observed, np.repeat(regular, len(observed)))
            slopes += np.tensordot(weights[low : low + step], regression, 1)
        return np.asarray(weights.sum() * S - slopes @ S)

    @cached_property
    def _matrices(self) -> list[Floats]:
        return [covariance.matrix for covariance in self.model.covariances]
