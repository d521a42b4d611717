"""Sampling: random rows of the model."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.errors import InvalidParameter
from suffice.models.gaussian import GaussianModel
from suffice.statistics.passes.threads import blas_threads, in_parallel, n_threads, shares
from suffice.text import shown


@singledispatch
def draw(model: Any, codes: Indices, seeds: np.random.SeedSequence) -> Any:
    """One random row of each class in `codes`, (n, d)."""
    raise NotImplementedError(f"no samples of a {type(model).__name__}")


@draw.register
def _draw(model: GaussianModel, codes: Indices, seeds: np.random.SeedSequence) -> Floats:
    n, d = len(codes), model.means.shape[1]
    out = np.empty((n, d))
    # Rows that are drawn with one generator, so that the number of threads does not matter.
    chunk_rows = 1 << 14
    starts = list(range(0, n, chunk_rows))
    children = seeds.spawn(len(starts))

    def work(first: int, last: int) -> None:
        for i in range(first, last):
            part = slice(starts[i], min(n, starts[i] + chunk_rows))
            noise = np.random.default_rng(children[i]).standard_normal((part.stop - part.start, d))
            out[part] = _rows(model, codes[part], noise)

    with blas_threads(1):
        in_parallel(work, [*shares(len(starts), max(1, min(n_threads(), len(starts))))])
    return out


def _rows(model: GaussianModel, codes: Indices, noise: Floats) -> Floats:
    if model.shared:
        rows = model.covariances[0].colour(noise)
    else:
        rows = np.empty_like(noise)
        for c in np.unique(codes).tolist():
            at = codes == c
            rows[at] = model.covariances[c].colour(noise[at])
    rows += model.means[codes]
    return rows


def random_codes(priors: Floats, n: int, rng: np.random.Generator) -> Indices:
    """Positions of n random classes, by their priors."""
    return np.asarray(rng.choice(len(priors), n, p=priors / priors.sum()), dtype=np.int64)


def generator(random_state: Any) -> np.random.Generator:
    """A generator from a seed, a generator, scikit-learn's RandomState, or None."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(0, 2**31 - 1, 4))
    try:
        if isinstance(random_state, bool):
            raise TypeError
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise InvalidParameter(
            f"random_state is {shown(random_state)}; it must be a seed, a generator, or None."
        ) from None
