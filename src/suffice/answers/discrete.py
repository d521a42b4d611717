"""The answers of a discrete model: contributions, samples, levels for missing values."""

from __future__ import annotations

import numpy as np

from suffice.answers.contributions import Contributions, contributions, log_odds
from suffice.answers.imputation import class_shares, draws, impute
from suffice.answers.sampling import draw, random_columns
from suffice.data.arrays import Array, Floats, Indices
from suffice.data.levels import MISSING
from suffice.models.discrete import DiscreteModel, impossible


@contributions.register
def _contributions(model: DiscreteModel, codes: Array, a: int, b: int) -> Contributions:
    """Features are independent: the contribution of each is its log-likelihood ratio."""
    values = log_odds(model.table, a, b)[model.slots(codes)]
    values[impossible(model.joint(codes))] = 0.0
    return Contributions.of(model, values, a, b)


@draw.register
def _draw(model: DiscreteModel, codes: Indices, seeds: np.random.SeedSequence) -> Indices:
    """Codes of levels, (n, d)."""
    rng = np.random.default_rng(seeds)
    return random_levels(model, np.eye(len(model.classes))[codes], rng)


@impute.register
def _impute(model: DiscreteModel, rows: Array, codes: Indices | None) -> Indices:
    return most_probable(model, rows, class_shares(model, rows, codes))


def most_probable(model: DiscreteModel, rows: Array, shares: Floats) -> Indices:
    """The most probable level of each missing one, classes weighted by `shares` (n, k)."""
    out = np.array(rows, dtype=np.int64)
    for j, feature in enumerate(model.features):
        if len(feature.levels):
            at = np.flatnonzero(rows[:, j] == MISSING)
            out[at, j] = (shares[at] @ np.exp(feature.log_probabilities)).argmax(axis=1)
    return out


@draws.register
def _draws(
    model: DiscreteModel,
    rows: Array,
    n_draws: int,
    codes: Indices | None,
    rng: np.random.Generator,
) -> Indices:
    """Random levels; those of a row come from one class."""
    shares = class_shares(model, rows, codes)
    out = np.repeat(np.array(rows, dtype=np.int64)[None], n_draws, axis=0)
    for i in range(n_draws):
        chosen = np.eye(len(model.classes))[random_columns(shares, rng)]
        drawn = random_levels(model, chosen, rng)
        out[i] = np.where(rows == MISSING, drawn, rows)
    return out


def random_levels(model: DiscreteModel, shares: Floats, rng: np.random.Generator) -> Indices:
    """A random level of each feature for each row, classes weighted by `shares`, (n, d)."""
    out = np.full((len(shares), len(model.features)), MISSING)
    for j, feature in enumerate(model.features):
        if len(feature.levels):
            out[:, j] = random_columns(shares @ np.exp(feature.log_probabilities), rng)
    return out
