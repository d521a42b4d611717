"""The answers of models whose features, or parts of them, are independent given the class."""

from __future__ import annotations

import numpy as np

from suffice.answers.contributions import Contributions, contributions, log_odds
from suffice.answers.imputation import class_shares, conditional_mean, draws
from suffice.answers.sampling import draw
from suffice.data.arrays import Array, Floats, Indices
from suffice.data.tables.mixed import MixedRows, missing
from suffice.models.independent import IndependentModel, impossible, random_columns
from suffice.models.product import ProductModel


@contributions.register
def _contributions(model: ProductModel, rows: MixedRows, a: int, b: int) -> Contributions:
    values = np.zeros((len(rows), model.layout.n_features))
    base = np.repeat(log_odds(model.log_priors[None], a, b), len(rows))
    _, ignored = model.scores_and_ignored(rows)
    columns = model.layout.parts.values()
    for (part, own), at, clash in zip(model.with_rows(rows), columns, ignored, strict=True):
        terms = contributions(part, own, a, b)
        values[:, list(at)] = np.where(clash[:, None], 0.0, terms.values)
        base += np.where(clash, 0.0, terms.base)
    return Contributions.of(model, values, a, b, base)


@draw.register
def _draw(model: ProductModel, codes: Indices, seeds: np.random.SeedSequence) -> MixedRows:
    pairs = zip(model.parts.values(), seeds.spawn(len(model.parts)), strict=True)
    return MixedRows(tuple(draw(part, codes, own) for part, own in pairs))


@conditional_mean.register
def _conditional_mean(model: ProductModel, rows: MixedRows, shares: Floats) -> MixedRows:
    return MixedRows(
        tuple(conditional_mean(part, own, shares) for part, own in model.with_rows(rows))
    )


@draws.register
def _draws(
    model: ProductModel,
    rows: MixedRows,
    n_draws: int,
    codes: Indices | None,
    rng: np.random.Generator,
) -> list[MixedRows]:
    """The class of a row is drawn first, so that its parts fit together."""
    shares = None if codes is not None else class_shares(model, rows, None)
    out = []
    for _ in range(n_draws):
        drawn = codes if shares is None else random_columns(shares, rng)
        parts = (draws(part, own, 1, drawn, rng)[0] for part, own in model.with_rows(rows))
        out.append(MixedRows(tuple(parts)))
    return out


@contributions.register
def _independent_contributions(
    model: IndependentModel, rows: Array, a: int, b: int
) -> Contributions:
    """Features are independent: the contribution of each is its log-likelihood ratio."""
    with np.errstate(invalid="ignore"):
        values = model.terms(rows, a) - model.terms(rows, b)
    values[impossible(model.joint(rows))] = 0.0
    return Contributions.of(model, values, a, b)


@draw.register
def _independent_draw(
    model: IndependentModel, codes: Indices, seeds: np.random.SeedSequence
) -> Array:
    return model.draw(codes, np.random.default_rng(seeds))


@conditional_mean.register
def _independent_conditional_mean(model: IndependentModel, rows: Array, shares: Floats) -> Array:
    """A gap is filled with the mean or the most probable value, whatever is observed beside it."""
    return model.fill(rows, shares)


@draws.register
def _independent_draws(
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
