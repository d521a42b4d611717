"""Averaging: one model between the candidates that did well, instead of the luckiest one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import clone

from suffice.data.arrays import Floats
from suffice.errors import InvalidParameter
from suffice.estimators.automatic.candidates import default_parameters, last_step
from suffice.estimators.mixture_discriminant import MixtureDiscriminant
from suffice.estimators.unskewed import UnskewedDiscriminant

# The scale on which a parameter is averaged: a function and its inverse.
Scale = tuple[Callable[[Floats], Floats], Callable[[float], float]]
_LOGARITHM: Scale = (np.log, lambda mean: float(np.exp(mean)))
SCALES: dict[str, Scale] = {
    "pooling": (lambda values: values, lambda mean: round(mean, 4)),
    # Offset by a thousandth, below which shares no longer make a difference.
    "shrinkage": (lambda v: np.log(v + 1e-3), lambda m: round(max(0.0, np.exp(m) - 1e-3), 4)),
    "inflation": _LOGARITHM,
    "degrees_of_freedom": _LOGARITHM,
    "alpha": _LOGARITHM,
    "var_smoothing": _LOGARITHM,
}


def log_prior_weight(candidate: Any) -> float:
    """Log-prior weight of a candidate, in nats: simpler models err less on unfamiliar rows.

    Penalties: 1 for powers of the features, 2 for covariances that are not pooled at all (less
    in proportion to pooling), 2 for each further Gaussian per class, and 1 for each factor of e
    by which covariances are inflated.

    >>> from suffice import LDA, QDA, GaussianDiscriminant
    >>> [log_prior_weight(model) for model in (LDA(), GaussianDiscriminant(pooling=0.5), QDA())]
    [0.0, -1.0, -2.0]
    """
    model = last_step(candidate)
    gaussians = model.n_components if isinstance(model, MixtureDiscriminant) else 1
    inflation = getattr(model, "inflation", 1.0)
    penalties = [
        1.0 * isinstance(model, UnskewedDiscriminant),
        2.0 * (1.0 - _pooling(model)),
        2.0 * (int(gaussians) - 1 if isinstance(gaussians, Integral) else 1),
        abs(np.log(float(inflation))) if isinstance(inflation, Real) else 0.0,
    ]
    return 0.0 - float(sum(penalties))


def average(candidates: Sequence[Any], weights: Floats) -> tuple[Any, int | None]:
    """The candidate between those of one kind: the kind with the largest total weight.

    The second value is the position of the candidate that equals it, or None.

    weights : of the candidates, see `Selection.weights`

    >>> from suffice import GaussianDiscriminant, GaussianNB
    >>> some = [GaussianDiscriminant(pooling=p, inflation=f) for p, f in ((0.0, 1.0), (1.0, 4.0))]
    >>> average([*some, GaussianNB()], np.array([0.3, 0.3, 0.4]))
    (GaussianDiscriminant(inflation=2.0, pooling=0.5), None)
    """
    kinds: dict[Any, list[int]] = defaultdict(list)
    # Most of many candidates have practically no weight.
    for i in np.flatnonzero(weights > 1e-6 * weights.max()).tolist():
        kinds[_kind(candidates[i])].append(i)
    at = max(kinds.values(), key=lambda some: float(weights[some].sum()))
    share = weights[at] / weights[at].sum()
    between = clone(candidates[at[0]])
    model = last_step(between)
    for name, (there, back) in SCALES.items():
        if _varies(last_step(candidates[at[0]]), name):
            values = np.array([getattr(last_step(candidates[i]), name) for i in at], np.float64)
            mean = back(float(share @ there(values)))
            setattr(model, name, float(f"{mean:.3g}") if np.ptp(values) else values[0].item())
    same = (i for i in at if _parameters(last_step(candidates[i])) == _parameters(model))
    return between, next(same, None)


def _pooling(model: Any) -> float:
    """The pooling of a model; 1 if it has none, or chooses it at fit."""
    given = getattr(model, "pooling", None)
    if given is None and hasattr(model, "_settings"):
        with suppress(InvalidParameter):  # "cv" needs rows
            given = getattr(model._settings(), "pooling", None)
    return float(given) if isinstance(given, Real) else 1.0


def _parameters(model: Any) -> list[Any]:
    return [getattr(model, name, None) for name in SCALES]


def _kind(candidate: Any) -> Any:
    """What candidates that can be averaged have in common."""
    model = last_step(candidate)
    names = [name for name in default_parameters(model) if not _varies(model, name)]
    fixed = [(name, getattr(model, name)) for name in sorted(names)]
    before = [step for _, step in candidate.steps[:-1]] if model is not candidate else []
    return type(model), repr(before), repr(fixed)


def _varies(model: Any, name: str) -> bool:
    value = getattr(model, name, None)
    # A Bayesian model has strengths of priors instead of pooling: they are not averaged.
    bayesian = hasattr(model, "density")
    return name in SCALES and isinstance(value, Real) and not bayesian
