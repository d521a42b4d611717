"""The answers of a product model, each from its parts."""

from __future__ import annotations

import numpy as np

from suffice.answers.contributions import Contributions, contributions
from suffice.answers.discrete import most_probable
from suffice.answers.imputation import class_shares, conditional_mean, draws, impute
from suffice.answers.sampling import draw, random_columns
from suffice.data.arrays import Floats, Indices
from suffice.data.mixed import MixedRows
from suffice.models.product import ProductModel
from suffice.models.scoring import posterior


@contributions.register
def _contributions(model: ProductModel, rows: MixedRows, a: int, b: int) -> Contributions:
    d = len(model.layout.numeric) + len(model.layout.discrete)
    values = np.zeros((len(rows), d))
    base = None
    if model.gaussian is not None:
        part = contributions(model.gaussian, rows.numeric, a, b)
        values[:, list(model.layout.numeric)] = part.values
        base = part.base
    if model.discrete is not None:
        part = contributions(model.discrete, rows.codes, a, b)
        values[:, list(model.layout.discrete)] = part.values
    return Contributions.of(model, values, a, b, base)


@draw.register
def _draw(model: ProductModel, codes: Indices, seeds: np.random.SeedSequence) -> MixedRows:
    first, second = seeds.spawn(2)
    numeric: Floats = np.empty((len(codes), 0))
    levels: Indices = np.empty((len(codes), 0), np.int64)
    if model.gaussian is not None:
        numeric = draw(model.gaussian, codes, first)
    if model.discrete is not None:
        levels = draw(model.discrete, codes, second)
    return MixedRows(numeric, levels)


@impute.register
def _impute(model: ProductModel, rows: MixedRows, codes: Indices | None) -> MixedRows:
    shares = class_shares(model, rows, codes)
    numeric, levels = rows.numeric, rows.codes
    if model.gaussian is not None:
        numeric = conditional_mean(model.gaussian, numeric, shares)
    if model.discrete is not None:
        levels = most_probable(model.discrete, levels, shares)
    return MixedRows(numeric, levels)


@draws.register
def _draws(
    model: ProductModel,
    rows: MixedRows,
    n_draws: int,
    codes: Indices | None,
    rng: np.random.Generator,
) -> list[MixedRows]:
    """The class of a row is drawn first, so that its numbers and levels fit together."""
    shares = None if codes is not None else posterior(model, rows)
    out = []
    for _ in range(n_draws):
        own = codes if shares is None else random_columns(shares, rng)
        numeric, levels = rows.numeric, rows.codes
        if model.gaussian is not None:
            numeric = draws(model.gaussian, rows.numeric, 1, own, rng)[0]
        if model.discrete is not None:
            levels = draws(model.discrete, rows.codes, 1, own, rng)[0]
        out.append(MixedRows(numeric, levels))
    return out
