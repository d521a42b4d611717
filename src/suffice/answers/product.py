"""The answers of a product model, each from its parts."""

from __future__ import annotations

import numpy as np

from suffice.answers.contributions import Contributions, contributions, log_odds
from suffice.answers.imputation import class_shares, conditional_mean, draws
from suffice.answers.sampling import draw
from suffice.data.arrays import Floats, Indices
from suffice.data.mixed import MixedRows
from suffice.models.independent import random_columns
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
