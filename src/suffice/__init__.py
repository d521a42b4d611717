"""Generative classification with Gaussian class models: read the data once, answer everything."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from suffice.estimators.discrete import BernoulliNB, CategoricalNB
    from suffice.estimators.gaussian import (
        QDA,
        DiagonalLDA,
        GaussianDiscriminant,
        GaussianNB,
        QuadraticDiscriminantAnalysis,
    )
    from suffice.estimators.linear import LDA, LinearDiscriminantAnalysis
    from suffice.estimators.mixed import MixedNB
    from suffice.estimators.mixture import GaussianMixture
    from suffice.estimators.mixture_discriminant import MixtureDiscriminant
    from suffice.estimators.selecting import select_model
    from suffice.selection.selection import Selection
    from suffice.statistics.count_pass import count_levels
    from suffice.statistics.counts import Counts
    from suffice.statistics.incomplete import IncompleteStatistics
    from suffice.statistics.mixed import MixedStatistics
    from suffice.statistics.statistics import Statistics
    from suffice.statistics.storage import load
    from suffice.statistics.summarize import summarize

__version__ = "0.1.0"

# Resolved on first use, so that `import suffice` stays fast however much it offers.
_HOME = {
    "BernoulliNB": "suffice.estimators.discrete",
    "CategoricalNB": "suffice.estimators.discrete",
    "Counts": "suffice.statistics.counts",
    "count_levels": "suffice.statistics.count_pass",
    "DiagonalLDA": "suffice.estimators.gaussian",
    "GaussianDiscriminant": "suffice.estimators.gaussian",
    "GaussianMixture": "suffice.estimators.mixture",
    "MixtureDiscriminant": "suffice.estimators.mixture_discriminant",
    "GaussianNB": "suffice.estimators.gaussian",
    "IncompleteStatistics": "suffice.statistics.incomplete",
    "LDA": "suffice.estimators.linear",
    "LinearDiscriminantAnalysis": "suffice.estimators.linear",
    "MixedNB": "suffice.estimators.mixed",
    "MixedStatistics": "suffice.statistics.mixed",
    "QDA": "suffice.estimators.gaussian",
    "QuadraticDiscriminantAnalysis": "suffice.estimators.gaussian",
    "Selection": "suffice.selection.selection",
    "Statistics": "suffice.statistics.statistics",
    "load": "suffice.statistics.storage",
    "select_model": "suffice.estimators.selecting",
    "summarize": "suffice.statistics.summarize",
}

__all__ = [
    "LDA",
    "QDA",
    "BernoulliNB",
    "CategoricalNB",
    "Counts",
    "DiagonalLDA",
    "GaussianDiscriminant",
    "GaussianMixture",
    "GaussianNB",
    "IncompleteStatistics",
    "LinearDiscriminantAnalysis",
    "MixedNB",
    "MixedStatistics",
    "MixtureDiscriminant",
    "QuadraticDiscriminantAnalysis",
    "Selection",
    "Statistics",
    "__version__",
    "count_levels",
    "load",
    "select_model",
    "summarize",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'suffice' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
