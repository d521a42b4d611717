"""Imputation: missing values by their conditional mean, or at random given the others."""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.gaps import Gaps
from suffice.models.gapped import Gapped, run_scores
from suffice.models.gaussian import GaussianModel
from suffice.models.independent import random_columns
from suffice.models.model import Model
from suffice.models.scoring import posterior, probabilities


@singledispatch
def impute(model: Any, X: Any, codes: Indices | None) -> Any:
    """E(x | observed values), (n, d): over classes by their posterior, or in the one of `codes`."""
    return conditional_mean(model, X, class_shares(model, X, codes))


def class_shares(model: Model, rows: Any, codes: Indices | None) -> Floats:
    """The weight of each class in each row, (n, k): the posterior, or 1 for the given class."""
    if codes is not None:
        return np.asarray(np.eye(len(model.classes))[codes])
    return posterior(model, rows)


@impute.register
def _impute(model: GaussianModel, X: Array, codes: Indices | None) -> Floats:
    shares = None if codes is None else np.eye(len(model.classes))[codes]
    return np.asarray(conditional_mean(model, X, shares))


@singledispatch
def conditional_mean(model: Any, X: Any, shares: Floats | None) -> Any:
    """E(x | observed values), (n, d): over classes by `shares` (n, k), or by their posterior."""
    raise NotImplementedError(f"no imputation for a {type(model).__name__}")


@conditional_mean.register
def _mean_of_gaussian(model: GaussianModel, X: Array, shares: Floats | None) -> Floats:
    out = X.astype(np.float64)
    gapped = Gapped.of(X)
    if not len(gapped):
        return out

    def work(rows: Floats, gaps: Gaps, which: Indices) -> Floats:
        if shares is None:
            own = probabilities(run_scores(model, rows, gaps).T).T
        else:
            own = shares[gapped.at[which]]
        return _conditional_mean(model, rows, gaps, own)

    out[gapped.at] = gapped.by_runs(X.shape[1], work)
    return out


@singledispatch
def draws(model: Any, X: Any, n_draws: int, codes: Indices | None, rng: np.random.Generator) -> Any:
    """Rows completed at random given the observed values, (n_draws, n, d)."""
    raise NotImplementedError(f"no imputation for a {type(model).__name__}")


@draws.register
def _draws(
    model: GaussianModel, X: Array, n_draws: int, codes: Indices | None, rng: np.random.Generator
) -> Floats:
    def complete(rows: Floats, own: Indices, noise: Floats) -> Floats:
        return complete_at_random(model, rows, own, noise)

    return draw_gaps(model, X, n_draws, codes, rng, complete)


def draw_gaps(
    model: Model,
    X: Array,
    n_draws: int,
    codes: Indices | None,
    rng: np.random.Generator,
    complete: Callable[[Floats, Indices, Floats], Floats],
) -> Floats:
    """Rows completed at random, (n_draws, n, d); each as a row of one random or given class.

    complete : rows with gaps, from their classes and standard normals (n, d)
    """
    out = np.repeat(X.astype(np.float64)[None], n_draws, axis=0)
    at = np.flatnonzero(np.isnan(X).any(axis=1))
    if not len(at):
        return out
    rows = X[at].astype(np.float64)
    shares = class_shares(model, rows, None if codes is None else codes[at])
    for i in range(n_draws):
        own = random_columns(shares, rng)
        out[i, at] = complete(rows, own, rng.standard_normal(rows.shape))
    return out


def complete_at_random(model: GaussianModel, rows: Floats, codes: Indices, noise: Floats) -> Floats:
    """Each row completed at random as one of its class, given standard normals (n, d).

    A random row of the class, moved so that it agrees with the observed values: it has the
    conditional mean and the conditional covariance.
    """
    out = np.empty_like(rows)
    for group in range(len(model.covariances)):
        at = np.arange(len(rows)) if model.shared else np.flatnonzero(codes == group)
        if len(at):
            means, covariance = model.means[codes[at]], model.covariances[group]
            free = means + covariance.colour(noise[at])

            def work(steps: Floats, gaps: Gaps, _: Indices) -> Floats:
                covariance.fill(steps, gaps)  # noqa: B023 - called within this turn of the loop
                return steps

            missing = np.isnan(rows[at])
            steps = Gapped(rows[at] - free, np.arange(len(at)), missing)
            moved = free + steps.by_runs(rows.shape[1], work)
            out[at] = np.where(missing, moved, rows[at])
    return out


def _conditional_mean(model: GaussianModel, rows: Floats, gaps: Gaps, shares: Floats) -> Floats:
    missing = np.isnan(rows)
    if model.shared:
        # One regression for all classes, so the mean of their means is enough.
        means = shares @ model.means
        steps = rows - means
        model.covariances[0].fill(steps, gaps)
        return np.where(missing, means + steps, rows)
    total = np.zeros_like(rows)
    for c, mean in enumerate(model.means):
        steps = rows - mean
        model.covariances[c].fill(steps, gaps)
        # Zero times infinity: a class of share zero may predict any value.
        share = shares[:, c, None]
        total += np.where(share > 0, share * (mean + steps), 0.0)
    return np.where(missing, total, rows)
