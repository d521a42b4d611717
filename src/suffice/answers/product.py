"""The answers of a product model, each from its parts."""

from __future__ import annotations

import numpy as np

from suffice.answers import discrete as _discrete  # noqa: F401 - registers its answers
from suffice.answers.contributions import Contributions, contributions
from suffice.answers.discrete import random_columns
from suffice.answers.imputation import draws, impute
from suffice.answers.sampling import draw
from suffice.data.arrays import Floats, Indices
from suffice.data.mixed import MixedRows
from suffice.models.product import ProductModel


@contributions.register
def _contributions(model: ProductModel, rows: MixedRows, a: int, b: int) -> Contributions:
    d = len(model.layout.numeric) + len(model.layout.discrete)
    values = np.zeros((len(rows), d))
    prior = float(model.log_priors[a] - model.log_priors[b])
    base = np.full(len(rows), prior)
    if model.gaussian is not None:
        found = contributions(model.gaussian, rows.numeric, a, b)
        values[:, list(model.layout.numeric)] = found.values
        base = found.base
    if model.discrete is not None:
        found = contributions(model.discrete, rows.codes, a, b)
        values[:, list(model.layout.discrete)] = found.values
    return Contributions((model.classes[a].item(), model.classes[b].item()), values, base)


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
    if codes is not None:
        return _by_class(model, rows, codes)
    shares = model.answer("posterior", rows)
    numeric, levels = rows.numeric.astype(np.float64), rows.codes
    k = len(model.classes)
    if model.gaussian is not None:
        filled = np.zeros_like(numeric)
        for c in range(k):
            own = impute(model.gaussian, rows.numeric, np.full(len(rows), c))
            filled += np.where(shares[:, c, None] > 0, shares[:, c, None] * own, 0.0)
        numeric = np.where(np.isnan(numeric), filled, numeric)
    if model.discrete is not None:
        levels = impute_levels(model, rows, shares)
    return MixedRows(numeric, levels)


def impute_levels(model: ProductModel, rows: MixedRows, shares: Floats) -> Indices:
    """The most probable level of each missing one, classes weighted by the shares."""
    assert model.discrete is not None
    out = rows.codes.copy()
    for j, feature in enumerate(model.discrete.features):
        at = np.flatnonzero(rows.missing[:, rows.numeric.shape[1] + j])
        if len(feature.levels):
            out[at, j] = (shares[at] @ np.exp(feature.log_chances)).argmax(axis=1)
    return out


@draws.register
def _draws(
    model: ProductModel,
    rows: MixedRows,
    n_draws: int,
    codes: Indices | None,
    rng: np.random.Generator,
) -> list[MixedRows]:
    """The class of a row is drawn first, so that its numbers and levels go together."""
    shares = None if codes is not None else model.answer("posterior", rows)
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


def _by_class(model: ProductModel, rows: MixedRows, codes: Indices) -> MixedRows:
    numeric, levels = rows.numeric, rows.codes
    if model.gaussian is not None:
        numeric = impute(model.gaussian, rows.numeric, codes)
    if model.discrete is not None:
        levels = impute(model.discrete, rows.codes, codes)
    return MixedRows(numeric, levels)
