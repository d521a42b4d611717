"""The Student model: classes with heavy tails, of uncertain parameters or of far-out rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.gaps import Gaps
from suffice.models.conjugate_priors.gammas import log_ratio
from suffice.models.covariances.covariance import DiagonalCovariance, squares
from suffice.models.covariances.linalg import log_or_zero, reciprocal
from suffice.models.gapped import Gapped
from suffice.models.gaussian import LOG_2PI, GaussianModel
from suffice.models.model import check_density
from suffice.models.scoring import by_blocks


@dataclass(frozen=True)
class StudentModel:
    """p(x, y): one Student t distribution per class, about the means of Gaussian classes.

    The scale is the Gaussian covariance times `stretch`.
    """

    gaussian: GaussianModel
    freedom: Floats  # (k, 1) or (k, d): degrees of freedom
    stretch: Floats  # (k, 1) or (k, d)
    varies: Array  # (d,): features that are not ignored

    @property
    def classes(self) -> Array:
        """Class labels, (k,)."""
        return self.gaussian.classes

    @property
    def priors(self) -> Floats:
        """Prior of each class, (k,)."""
        return self.gaussian.priors

    @property
    def log_priors(self) -> Floats:
        """Log prior of each class, (k,)."""
        return self.gaussian.log_priors

    @property
    def means(self) -> Floats:
        """Centre of each class, (k, d)."""
        return self.gaussian.means

    @property
    def matrices(self) -> Floats:
        """The covariances of the Gaussian classes: (d, d) shared, (k, d, d) separate."""
        return self.gaussian.matrices

    @property
    def borrowed(self) -> tuple[int, ...]:
        """Positions of the classes that borrow the covariance of the others."""
        return self.gaussian.borrowed

    def with_priors(self, priors: Floats) -> Self:
        """The same class densities under other priors."""
        return replace(self, gaussian=self.gaussian.with_priors(priors))

    def check_computable(self) -> None:
        """Raise if all parameters are finite, but the density at a class mean is not."""
        check_density(self, self.means[:1])

    def joint(self, rows: Array) -> Floats:
        """ln p(x, y), (n, k); missing values are integrated out."""
        joint = self.log_densities(rows)
        joint += self.log_priors
        return joint

    def scores(self, rows: Array) -> Floats:
        """The same, (n, k)."""
        return self.joint(rows)

    def squared_distances(self, rows: Array) -> Floats:
        """Squared Mahalanobis distance to each class mean, of the Gaussian classes, (n, k)."""
        return self.gaussian.squared_distances(rows)

    def log_densities(self, X: Array) -> Floats:
        """ln p(x | class), (n, k); missing values are integrated out."""
        raise NotImplementedError


class MultivariateStudent(StudentModel):
    """One multivariate t distribution per class, whose features share its tails.

    With r observed features at a squared distance D,
    ln p = Γ - ln|scale| / 2 - (f + r)/2 ln(1 + D/f),
    Γ = ln Γ((f + r)/2) - ln Γ(f/2) - r/2 ln(pi f). A subset of the features has the same f.
    """

    def log_densities(self, X: Array) -> Floats:
        """ln p(x | class), (n, k); missing values are integrated out."""
        densities = by_blocks(X, len(self.classes), self._complete)
        gapped = np.flatnonzero(np.isnan(densities[:, 0]))
        if len(gapped):
            rows = Gapped(X, gapped, np.isnan(X[gapped]))
            densities = np.array(densities)
            densities[gapped] = rows.by_runs(len(self.classes), self._incomplete)
        return densities

    def _complete(self, X: Floats) -> Floats:
        rank, no_peaks = self.varies.sum(keepdims=True), np.zeros(1)
        out = np.empty((len(self.classes), len(X)))
        measure = self._measure(X)
        for c in range(len(out)):
            out[c] = self._density(c, *measure(c), rank, no_peaks)
        return out

    def _measure(self, X: Floats) -> Callable[[int], tuple[Floats, Callable[[Floats], Floats]]]:
        """For each class, rows about its mean, and the function of their squared lengths."""
        model = self.gaussian
        if not model.shared:
            return lambda c: (model.about_mean(X, c), model.covariances[c].squared_lengths)
        # Whiten once for all classes.
        covariance, centre = model.covariances[0], model.means.mean(axis=0)
        rows = covariance.whiten(X - centre)
        means = covariance.whiten(model.means_about(centre))
        return lambda c: (rows - means[c], squares)

    def _incomplete(self, X: Floats, gaps: Gaps, which: Indices) -> Floats:
        model = self.gaussian
        rank = np.repeat((~gaps.patterns & self.varies).sum(axis=1), np.diff(gaps.starts))
        out = np.empty((len(X), len(self.classes)))
        for c in range(len(self.classes)):
            covariance = model.covariance_of(c)
            steps = model.about_mean(X, c)
            peaks = covariance.fill(steps, gaps)
            out[:, c] = self._density(c, steps, covariance.squared_lengths, rank, peaks)
        return out

    def _density(
        self,
        c: int,
        steps: Floats,
        lengths: Callable[[Floats], Floats],
        rank: Floats,
        peaks: Floats,
    ) -> Floats:
        freedom, stretch = float(self.freedom[c, 0]), float(self.stretch[c, 0])
        volume = self.gaussian.volumes[0 if self.gaussian.shared else c]
        constant = log_ratio(freedom / 2, rank / 2) - rank / 2 * np.log(stretch) - volume - peaks
        tail = _log1p(steps, lengths, 1 / (stretch * freedom))
        return np.asarray(constant - (freedom + rank) / 2 * tail)


class IndependentStudent(StudentModel):
    """One t distribution per class and feature, independent of the others."""

    def log_densities(self, X: Array) -> Floats:
        """ln p(x | class), (n, k); missing values are integrated out."""
        return by_blocks(X, len(self.classes), self._block)

    def _block(self, X: Floats) -> Floats:
        out = np.empty((len(self.classes), len(X)))
        for c in range(len(out)):
            out[c] = self.terms(X, c).sum(axis=1)
        return out

    def terms(self, X: Floats, c: int) -> Floats:
        """ln p(x_j | class c) of each feature, (n, d); zero where a value is missing."""
        variances = self.variances(c)
        freedom = self.freedom[c]
        precisions = reciprocal(variances * freedom)
        with np.errstate(over="ignore", divide="ignore"):
            steps = self.gaussian.about_mean(X, c) * np.sqrt(precisions)
            squares = steps * steps
            tail = np.where(np.isinf(squares), 2 * np.log(np.abs(steps)), np.log1p(squares))
        height = log_ratio(freedom / 2, 0.5) - (LOG_2PI + log_or_zero(variances)) / 2
        terms = np.where(variances > 0, height, 0.0) - (freedom + 1) / 2 * tail
        terms[np.isnan(X)] = 0.0
        return np.asarray(terms)

    def variances(self, c: int) -> Floats:
        """The squared scale of each feature in a class, (d,)."""
        covariance = self.gaussian.covariance_of(c)
        assert isinstance(covariance, DiagonalCovariance)
        return np.asarray(covariance.variances * self.stretch[c])


def heavy_tailed(gaussian: GaussianModel, freedom: float, by_feature: bool) -> StudentModel:
    """Student t classes with the means and covariances of Gaussian ones.

    by_feature : whether each feature has tails of its own; else all features share them
    """
    k, d = gaussian.means.shape
    # A t distribution of f degrees of freedom has f / (f - 2) times the covariance of its scale.
    stretch = np.full((k, 1), 1 - 2 / freedom)
    varies = gaussian.covariances[0].squared_lengths(np.eye(d)) > 0
    kind = IndependentStudent if by_feature else MultivariateStudent
    return kind(gaussian, np.full((k, 1), freedom), stretch, varies)


def _log1p(steps: Floats, lengths: Callable[[Floats], Floats], factor: float) -> Floats:
    """ln(1 + factor |step|²), even if the square overflows."""
    with np.errstate(over="ignore"):
        tail = np.log1p(lengths(steps) * factor)
    far = np.flatnonzero(np.isinf(tail))
    far = far[np.isfinite(steps[far]).all(axis=1)]
    if len(far):
        size = np.abs(steps[far]).max(axis=1)
        tail[far] = np.log(lengths(steps[far] / size[:, None]) * factor) + 2 * np.log(size)
    return tail
