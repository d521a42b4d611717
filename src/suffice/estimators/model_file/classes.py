"""Classes: the estimators that a file may hold, by name."""

from __future__ import annotations

from importlib import import_module
from typing import Any

HOME = {
    "BayesianDiscriminant": "bayesian",
    "BernoulliNB": "bernoulli",
    "CategoricalNB": "categorical",
    "DiagonalLDA": "gaussian",
    "GaussianDiscriminant": "gaussian",
    "GaussianMixture": "mixture",
    "GaussianNB": "gaussian",
    "Indicators": "indicators",
    "LinearDiscriminantAnalysis": "linear",
    "MixedNB": "mixed",
    "MixtureDiscriminant": "mixture_discriminant",
    "QuadraticDiscriminantAnalysis": "gaussian",
    "UnskewedDiscriminant": "unskewed",
}


def class_named(name: str) -> Any:
    """The estimator class of a name in `HOME`.

    >>> class_named("GaussianNB")
    <class 'suffice.estimators.gaussian.GaussianNB'>
    """
    return getattr(import_module(f"suffice.estimators.{HOME[name]}"), name)


def is_storable(model: Any) -> bool:
    """Whether an object is exactly one of these estimators, not a subclass."""
    name = type(model).__name__
    return name in HOME and type(model) is class_named(name)
