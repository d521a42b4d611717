"""The answers of a model of independent features: contributions, samples, missing values."""

from __future__ import annotations

import numpy as np

from suffice.answers.contributions import Contributions, contributions
from suffice.answers.imputation import class_shares, conditional_mean, draws
from suffice.answers.sampling import draw
from suffice.data.arrays import Array, Floats, Indices
from suffice.data.mixed import missing
from suffice.models.independent import IndependentModel, impossible, random_columns


@contributions.register
def _contributions(model: IndependentModel, rows: Array, a: int, b: int) -> Contributions:
    """Features are independent: the contribution of each is its log-likelihood ratio."""
    with np.errstate(invalid="ignore"):
        values = model.terms(rows, a) - model.terms(rows, b)
    values[impossible(model.joint(rows))] = 0.0
    return Contributions.of(model, values, a, b)


@draw.register
def _draw(model: IndependentModel, codes: Indices, seeds: np.random.SeedSequence) -> Array:
    return model.draw(codes, np.random.default_rng(seeds))


@conditional_mean.register
def _conditional_mean(model: IndependentModel, rows: Array, shares: Floats) -> Array:
    """A gap is filled with the mean or the most probable value, whatever is observed beside it."""
    return model.fill(rows, shares)


@draws.register
def _draws(
    model: IndependentModel,
    rows: Array,
    n_draws: int,
    codes: Indices | None,
    rng: np.random.Generator,
) -> Array:
    """Random values; those of a row come from one class."""
    shares, gaps = class_shares(model, rows, codes), missing(rows)
    drawn = [model.draw(random_columns(shares, rng), rng) for _ in range(n_draws)]
    return np.stack([np.where(gaps, one, rows) for one in drawn])
