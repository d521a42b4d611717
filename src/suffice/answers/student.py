"""The answers of a Student t model: samples, missing values, contributions, outliers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from suffice.answers.contributions import (
    Contributions,
    contributions,
    log_odds,
    split_distances,
)
from suffice.answers.imputation import (
    complete_at_random,
    conditional_mean,
    draw_gaps,
    draws,
)
from suffice.answers.nulls import Null, Nulls
from suffice.answers.outliers import Atypicality
from suffice.answers.rarity import Rarity
from suffice.answers.sampling import draw
from suffice.data.arrays import Array, Floats, Indices
from suffice.models.conjugate_priors.student import (
    IndependentStudent,
    MultivariateStudent,
    StudentModel,
)
from suffice.models.gaussian import GaussianModel

if TYPE_CHECKING:
    from suffice.models.conjugate_priors.conjugate import Posterior


@draw.register
def _draw(model: StudentModel, codes: Indices, seeds: np.random.SeedSequence) -> Floats:
    """A normal row divided by the root of a chi-square over its degrees of freedom."""
    first, second = seeds.spawn(2)
    rows, means = draw(model.gaussian, codes, first), model.means[codes]
    freedom, stretch = model.freedom[codes], model.stretch[codes]
    if isinstance(model, IndependentStudent):
        freedom = np.broadcast_to(freedom, rows.shape)
    widths = np.random.default_rng(second).chisquare(freedom) / freedom
    return np.asarray(means + (rows - means) * np.sqrt(stretch / widths))


@conditional_mean.register
def _conditional_mean(model: StudentModel, X: Array, shares: Floats) -> Floats:
    """The regression of a t is that of the normal with the same scale."""
    return np.asarray(conditional_mean(model.gaussian, X, shares))


@draws.register
def _draws(
    model: StudentModel, X: Array, n_draws: int, codes: Indices | None, rng: np.random.Generator
) -> Floats:
    def complete(rows: Floats, own: Indices, noise: Floats) -> Floats:
        drawn = complete_at_random(model.gaussian, rows, own, noise)
        centre = conditional_mean(model.gaussian, rows, np.eye(len(model.classes))[own])
        return np.asarray(centre + (drawn - centre) * np.sqrt(_widening(model, rows, own, rng)))

    return draw_gaps(model, X, n_draws, codes, rng, complete)


def _widening(
    model: StudentModel, rows: Floats, codes: Indices, rng: np.random.Generator
) -> Floats:
    """The squared factor by which the conditional distribution is wider than the normal's.

    Given r features at a squared distance D, a t of f degrees has f + r of them, and its scale
    is that of the normal times (f + D) / (f + r).
    """
    freedom, stretch = model.freedom[codes], model.stretch[codes]
    if isinstance(model, IndependentStudent):
        freedom = np.broadcast_to(freedom, rows.shape)
        return np.asarray(stretch * freedom / rng.chisquare(freedom))
    known = (~np.isnan(rows) & model.varies).sum(axis=1, keepdims=True)
    distances = model.squared_distances(rows)[np.arange(len(rows)), codes][:, None]
    return np.asarray((stretch * freedom + distances) / rng.chisquare(freedom + known))


@contributions.register
def _contributions(model: IndependentStudent, X: Array, a: int, b: int) -> Contributions:
    """Features are independent: the contribution of each is its log-likelihood ratio."""
    X = X.astype(np.float64, copy=False)
    values = model.terms(X, a) - model.terms(X, b)
    return Contributions.of(model, values, a, b)


@contributions.register
def _multivariate_contributions(
    model: MultivariateStudent, X: Array, a: int, b: int
) -> Contributions:
    """The loss of log density from the mean to the row, by the shares of the squared distance."""
    X = X.astype(np.float64, copy=False)
    densities = model.log_densities(X)
    values, base = np.zeros(X.shape), np.repeat(log_odds(model.log_priors[None], a, b), len(X))
    for c, sign in ((a, 1.0), (b, -1.0)):
        at_mean = np.where(np.isnan(X), np.nan, model.means[c])
        height = model.log_densities(at_mean)[:, c]
        base += sign * height
        values += sign * (densities[:, c] - height)[:, None] * _distance_shares(model, X, c)
    return Contributions.of(model, values, a, b, base)


def _distance_shares(model: MultivariateStudent, X: Floats, c: int) -> Floats:
    """u_j (Pu)_j / u'Pu, (n, d); zero at the mean."""
    gaussian = model.gaussian
    steps = gaussian.about_mean(X, c)
    # In units of the largest step, since squares of far rows overflow.
    size = np.nanmax(np.abs(steps), axis=1, initial=0.0, keepdims=True)
    steps = steps / np.where(size > 0, size, 1.0)
    terms, _ = split_distances(gaussian.covariance_of(c), steps)
    terms[np.isnan(X)] = 0.0
    total = terms.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(terms, total, out=np.zeros_like(terms), where=total > 0))


class PosteriorNulls(Nulls):
    """The null distributions of rows of Student t classes: F distributed, exactly."""

    def __init__(self, gaussian: GaussianModel, posterior: Posterior | StudentModel) -> None:
        super().__init__(gaussian, posterior.varies)
        self.posterior = posterior

    def of(self, c: int, known: int) -> Null:
        """The distribution for class c of rows with this number of observed features."""
        stretch, freedom = self.posterior.stretch[c, 0], self.posterior.freedom[c, 0]
        return Null(float(stretch) * known, known, float(freedom))


def atypicality(
    model: StudentModel | GaussianModel, posterior: Posterior | StudentModel
) -> Atypicality | Rarity:
    """How unusual rows are, compared with new rows as Student t classes expect them.

    posterior : of the parameters, or a model, which has their degrees of freedom, too
    """
    gaussian = model.gaussian
    if isinstance(model, MultivariateStudent) or gaussian.independent is None:
        return Atypicality(model, PosteriorNulls(gaussian, posterior))
    # Distances of independent features have no formula.
    source = IndependentStudent(gaussian, posterior.freedom, posterior.stretch, posterior.varies)
    return Rarity(model, source)
