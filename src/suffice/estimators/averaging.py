"""Averaging: one model between the candidates that did well, instead of the luckiest of them."""

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
from suffice.estimators.mixture_discriminant import MixtureDiscriminant
from suffice.estimators.unskewed import UnskewedDiscriminant

# Parameters that have values in between, and the scale on which to find them.
Scale = tuple[Callable[[Floats], Floats], Callable[[float], float]]
_LOGARITHM: Scale = (np.log, lambda mean: float(np.exp(mean)))
SCALES: dict[str, Scale] = {
    "pooling": (lambda values: values, lambda mean: round(mean, 4)),
    # As if of a thousandth at least: from there to nothing is no longer a step that matters.
    "shrinkage": (lambda v: np.log(v + 1e-3), lambda m: round(max(0.0, np.exp(m) - 1e-3), 4)),
    "inflation": _LOGARITHM,
    "alpha": _LOGARITHM,
    "var_smoothing": _LOGARITHM,
}

# By so many nats less a model is believed beforehand: for looking at powers of the features, for
# covariances that are not pooled at all, for each further Gaussian of a class, and for each
# factor of e by which covariances are inflated. What is simpler errs less on rows unlike those
# it was tested on.
UNSKEWED, APART, FURTHER, INFLATED = 1.0, 2.0, 2.0, 1.0


def belief(candidate: Any) -> float:
    """The logarithm of how much a candidate is believed before any row is seen.

    >>> from suffice import LDA, QDA, GaussianDiscriminant
    >>> [belief(model) for model in (LDA(), GaussianDiscriminant(pooling=0.5), QDA())]
    [0.0, -1.0, -2.0]
    """
    model = _last(candidate)
    gaussians = model.n_components if isinstance(model, MixtureDiscriminant) else 1
    more = int(gaussians) - 1 if isinstance(gaussians, Integral) else 1
    inflation = getattr(model, "inflation", 1.0)
    swollen = abs(np.log(float(inflation))) if isinstance(inflation, Real) else 0.0
    complications = [
        UNSKEWED * isinstance(model, UnskewedDiscriminant),
        APART * (1.0 - _pooling(model)),
        FURTHER * more,
        INFLATED * swollen,
    ]
    return 0.0 - float(sum(complications))


def average(candidates: Sequence[Any], weights: Floats) -> tuple[Any, int | None]:
    """The candidate between those of one kind, the kind of the largest total weight.

    With it comes the position of the one that is the same, if there is one.

    weights : of the candidates, see `Selection.weights`

    >>> from suffice import GaussianDiscriminant, GaussianNB
    >>> some = [GaussianDiscriminant(pooling=p, inflation=f) for p, f in ((0.0, 1.0), (1.0, 4.0))]
    >>> average([*some, GaussianNB()], np.array([0.3, 0.3, 0.4]))
    (GaussianDiscriminant(inflation=2.0, pooling=0.5), None)
    """
    kinds: dict[Any, list[int]] = defaultdict(list)
    for i, candidate in enumerate(candidates):
        kinds[_kind(candidate)].append(i)
    at = max(kinds.values(), key=lambda some: float(weights[some].sum()))
    share = weights[at] / weights[at].sum()
    found = clone(candidates[at[0]])
    model = _last(found)
    for name, (there, back) in SCALES.items():
        if _varies(_last(candidates[at[0]]), name):
            values = np.array([getattr(_last(candidates[i]), name) for i in at], np.float64)
            between = back(float(share @ there(values)))
            setattr(model, name, float(f"{between:.3g}") if np.ptp(values) else values[0].item())
    same = (i for i in at if _shares(_last(candidates[i])) == _shares(model))
    return found, next(same, None)


def _pooling(model: Any) -> float:
    """How much classes share; of a model that does not say it, or is to find it, all."""
    given = getattr(model, "pooling", None)
    if given is None and hasattr(model, "_settings"):
        with suppress(InvalidParameter):  # "cv" is found with rows
            given = getattr(model._settings(), "pooling", None)
    return float(given) if isinstance(given, Real) else 1.0


def _shares(model: Any) -> list[Any]:
    return [getattr(model, name, None) for name in SCALES]


def _kind(candidate: Any) -> Any:
    """What candidates have in common that have others between them."""
    model = _last(candidate)
    fixed = {n: v for n, v in model.get_params(deep=False).items() if not _varies(model, n)}
    before = [step for _, step in candidate.steps[:-1]] if model is not candidate else []
    return type(model), repr(before), repr(sorted(fixed.items()))


def _varies(model: Any, name: str) -> bool:
    value = getattr(model, name, None)
    # Strengths of beliefs stand for pooling there: there is nothing in between.
    believes = hasattr(model, "density")
    return name in SCALES and isinstance(value, Real) and not believes


def _last(candidate: Any) -> Any:
    return candidate[-1] if hasattr(candidate, "named_steps") else candidate
