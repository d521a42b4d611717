"""The answers of a Student model: samples, missing values, contributions, outliers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from suffice.answers.contributions import Contributions, contributions
from suffice.answers.imputation import class_shares, complete_at_random, draws, expected, impute
from suffice.answers.nulls import Null
from suffice.answers.outliers import Atypicality
from suffice.answers.rarity import Rarity
from suffice.answers.sampling import draw, random_columns
from suffice.data.arrays import Array, Floats, Indices
from suffice.data.gaps import Gaps
from suffice.errors import InvalidParameter
from suffice.models.gapped import Gapped
from suffice.models.gaussian import GaussianModel
from suffice.models.student import ApartStudent, StudentModel, TogetherStudent

if TYPE_CHECKING:
    from suffice.models.conjugate import Posterior


@draw.register
def _draw(model: StudentModel, codes: Indices, seeds: np.random.SeedSequence) -> Floats:
    """A normal row divided by the root of a chi-square over its degrees of freedom."""
    first, second = seeds.spawn(2)
    rows, means = draw(model.gaussian, codes, first), model.means[codes]
    freedom, stretch = model.freedom[codes], model.stretch[codes]
    if isinstance(model, ApartStudent):
        freedom = np.broadcast_to(freedom, rows.shape)
    widths = np.random.default_rng(second).chisquare(freedom) / freedom
    return np.asarray(means + (rows - means) * np.sqrt(stretch / widths))


@impute.register
def _impute(model: StudentModel, X: Array, codes: Indices | None) -> Floats:
    """The regression of a t is that of the normal with the same scale."""
    return expected(model.gaussian, X, class_shares(model, X, codes))


@draws.register
def _draws(
    model: StudentModel, X: Array, n_draws: int, codes: Indices | None, rng: np.random.Generator
) -> Floats:
    out = np.repeat(X.astype(np.float64)[None], n_draws, axis=0)
    gapped = Gapped.of(X)
    if not len(gapped):
        return out
    at, rows = gapped.at, X[gapped.at].astype(np.float64)
    shares = class_shares(model, rows, None if codes is None else codes[at])
    for i in range(n_draws):
        own = random_columns(shares, rng)
        drawn = complete_at_random(model.gaussian, rows, own, rng.standard_normal(rows.shape))
        centre = expected(model.gaussian, rows, np.eye(len(model.classes))[own])
        out[i, at] = centre + (drawn - centre) * np.sqrt(_widening(model, rows, own, rng))
    return out


def _widening(
    model: StudentModel, rows: Floats, codes: Indices, rng: np.random.Generator
) -> Floats:
    """How much wider than the normal's the conditional distribution is drawn, squared.

    Given r features at a squared distance D, a t of f degrees has f + r of them, and its scale
    is that of the normal times (f + D) / (f + r).
    """
    freedom, stretch = model.freedom[codes], model.stretch[codes]
    if isinstance(model, ApartStudent):
        freedom = np.broadcast_to(freedom, rows.shape)
        return np.asarray(stretch * freedom / rng.chisquare(freedom))
    known = (~np.isnan(rows) & model.varies).sum(axis=1, keepdims=True)
    distances = model.answer("squared_distances", rows)[np.arange(len(rows)), codes][:, None]
    return np.asarray((stretch * freedom + distances) / rng.chisquare(freedom + known))


@contributions.register
def _contributions(model: ApartStudent, X: Array, a: int, b: int) -> Contributions:
    """Features are independent, so each one's log-likelihood ratio is its share."""
    X = X.astype(np.float64, copy=False)
    values = model.terms(X, a) - model.terms(X, b)
    base = np.full(len(X), float(model.log_priors[a] - model.log_priors[b]))
    return Contributions((model.classes[a].item(), model.classes[b].item()), values, base)


@contributions.register
def _no_contributions(model: TogetherStudent, X: Array, a: int, b: int) -> Contributions:
    raise InvalidParameter(
        "the log-odds of Student t classes with full covariances are no sum over features; use "
        "density='map' or structure='diagonal'."
    )


class PosteriorAtypicality(Atypicality):
    """How unusual rows are, compared with rows to come as the posterior expects them.

    Squared distances of a class are F distributed, exactly.
    """

    def __init__(self, model: StudentModel | GaussianModel, posterior: Posterior) -> None:
        self.model, self.posterior = model, posterior  # type: ignore[assignment]
        self.gaussian = model.gaussian if isinstance(model, StudentModel) else model

    def of_classes(self, X: Array) -> Floats:
        """The chance that a row of each class lies at least as far from its mean, (n, k)."""
        distances = self._answer("squared_distances", X)
        known = (~np.isnan(X) & self.posterior.varies).sum(axis=1)
        out = np.empty_like(distances)
        for m in np.unique(known).tolist():
            at = known == m
            for c in range(distances.shape[1]):
                out[at, c] = self._null(c, m).chance_beyond(distances[at, c])
        return out

    def _null(self, c: int, known: int) -> Null:
        stretch, freedom = self.posterior.stretch[c, 0], self.posterior.freedom[c, 0]
        return Null(float(stretch) * known, known, float(freedom))

    def _at_distances(self, c: int, chances: Floats, noise: Floats, pattern: Array) -> Floats:
        model = self.gaussian
        covariance = model.covariances[0 if model.shared else c]
        steps = covariance.colour(noise)
        steps[:, pattern] = np.nan
        covariance.fill(steps, Gaps(pattern[None], np.array([0, len(steps)])))
        lengths = covariance.squared_lengths(steps)
        wanted = self._null(c, int((~pattern & self.posterior.varies).sum())).quantile(chances)
        with np.errstate(invalid="ignore", divide="ignore"):
            factor = np.sqrt(wanted / lengths)
        return np.asarray(model.means[c] + steps * np.where(lengths > 0, factor, 0.0)[:, None])

    @cached_property
    def _complete(self) -> tuple[Floats, Floats]:
        return self._drawn(np.zeros(self.gaussian.means.shape[1], bool))


@dataclass(frozen=True)
class PosteriorRarity(Rarity):
    """The same by sampling, for independent features, whose distances have no formula.

    source : what rows to come are drawn from
    """

    source: StudentModel

    def _sampled(self, codes: Indices, seed: int) -> Any:
        return draw(self.source, codes, np.random.SeedSequence(seed))


def atypicality(
    model: StudentModel | GaussianModel, posterior: Posterior
) -> PosteriorAtypicality | PosteriorRarity:
    """How unusual rows are under a model, for whatever structure its posterior has."""
    gaussian = model.gaussian if isinstance(model, StudentModel) else model
    if gaussian.independent is None:
        return PosteriorAtypicality(model, posterior)
    source = ApartStudent(gaussian, posterior.freedom, posterior.stretch, posterior.varies)
    return PosteriorRarity(model, np.isnan, _masked, source)


def _masked(rows: Array, pattern: Array) -> Floats:
    return np.where(pattern, np.nan, rows)
