"""Peers: scikit-learn's estimators of the same models, and how long they take to fit."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.naive_bayes import GaussianNB

from benchmarks.case import Case
from benchmarks.timing import fastest

_seconds: dict[Case, dict[str, float]] = {}


def peers() -> dict[str, Any]:
    """Unfitted estimators by name."""
    return {
        "LDA svd": LinearDiscriminantAnalysis(solver="svd"),
        "LDA lsqr": LinearDiscriminantAnalysis(solver="lsqr"),
        "QDA": QuadraticDiscriminantAnalysis(),
        "GaussianNB": GaussianNB(),
    }


def fit_seconds(case: Case, X: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """Seconds of each peer's fit, measured once a run: at most twice, for they are slow."""
    if case not in _seconds:
        fits = {name: lambda peer=peer: peer.fit(X, y) for name, peer in peers().items()}
        _seconds[case] = fastest(fits, rounds=2, warm=False, enough=15.0)
    return _seconds[case]
