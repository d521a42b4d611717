"""The answers of a mixture, each from its components."""

from __future__ import annotations

import numpy as np

from suffice.answers.imputation import draws, impute
from suffice.answers.sampling import draw, random_codes
from suffice.data.arrays import Array, Floats, Indices
from suffice.models.mixture import MixtureModel


@draw.register
def _draw(model: MixtureModel, codes: Indices, seeds: np.random.SeedSequence) -> Floats:
    rng = np.random.default_rng(seeds.spawn(1)[0])
    chosen = np.empty_like(codes)
    for c in np.unique(codes).tolist():
        at, own = codes == c, np.flatnonzero(model.owner == c)
        chosen[at] = own[random_codes(model.shares[own], int(at.sum()), rng)]
    return np.asarray(draw(model.components, chosen, seeds))


@impute.register
def _impute(model: MixtureModel, X: Array, codes: Indices | None) -> Floats:
    if codes is None:
        return np.asarray(impute(model.components, X, None))
    out = np.empty(X.shape)
    for c in np.unique(codes).tolist():
        out[codes == c] = impute(model.of_class(c), X[codes == c], None)
    return out


@draws.register
def _draws(
    model: MixtureModel, X: Array, n_draws: int, codes: Indices | None, rng: np.random.Generator
) -> Floats:
    if codes is None:
        return np.asarray(draws(model.components, X, n_draws, None, rng))
    out = np.empty((n_draws, *X.shape))
    for c in np.unique(codes).tolist():
        out[:, codes == c] = draws(model.of_class(c), X[codes == c], n_draws, None, rng)
    return out
