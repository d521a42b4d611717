"""The answers of a mixture, each from its components."""

from __future__ import annotations

import numpy as np

from suffice.answers.contributions import (
    Contributions,
    contributions,
    log_odds,
    split_distances,
)
from suffice.answers.imputation import draws, impute
from suffice.answers.sampling import draw, random_codes
from suffice.data.arrays import Array, Floats, Indices
from suffice.models.covariances.covariance import DiagonalCovariance
from suffice.models.covariances.linalg import log_or_zero
from suffice.models.mixture import MixtureModel
from suffice.models.scoring import probabilities


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


@contributions.register
def _contributions(model: MixtureModel, X: Array, a: int, b: int) -> Contributions:
    """Terms of the components, averaged by how probable each is for the row in its class."""
    X = X.astype(np.float64, copy=False)
    with np.errstate(all="ignore"):
        scores = model.components.scores(X)
        values = _class_terms(model, X, scores, a) - _class_terms(model, X, scores, b)
        odds = log_odds(model.scores(X), a, b)
    values[np.isnan(X)] = 0.0
    return Contributions.of(model, values, a, b, odds - values.sum(axis=1))


def _class_terms(model: MixtureModel, X: Floats, scores: Floats, c: int) -> Floats:
    """The mean over the components of a class of -u_j (Pu)_j / 2, (n, d)."""
    parts, own = model.components, np.flatnonzero(model.owner == c)
    shares = probabilities(scores[:, own].T).T
    total = np.zeros(X.shape)
    for i, m in enumerate(own.tolist()):
        covariance = parts.covariance_of(m)
        terms, _ = split_distances(covariance, parts.about_mean(X, m))
        if isinstance(covariance, DiagonalCovariance):
            terms = terms + log_or_zero(covariance.variances)
        # Zero times infinity: a component of share zero may be any distance away.
        total -= np.where(shares[:, i, None] > 0, shares[:, i, None] * terms / 2, 0.0)
    return total
