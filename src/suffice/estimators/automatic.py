"""Automatic: the candidates to try where the user names none."""

from __future__ import annotations

from typing import Any

from suffice.data.mixed import Layout
from suffice.estimators.gaussian import GaussianDiscriminant, GaussianNB
from suffice.estimators.mixed import MixedNB
from suffice.selection.grid import POOLINGS, SHARES

SMOOTHINGS = (1e-9, 0.01, 0.03, 0.1, 0.3, 1.0)


def automatic_candidates(X: Any, k: int) -> list[Any]:
    """From naive Bayes to QDA, pooled and shrunk by steps; for mixed columns naive Bayes too."""
    if Layout.of(X).discrete:
        return _mixed()
    full = [
        GaussianDiscriminant(pooling=pooling, shrinkage=share, target=target)
        for target in ("diagonal", "identity")
        for pooling in POOLINGS
        for share in SHARES
        if share or target == "diagonal"
    ]
    diagonal = [
        GaussianDiscriminant("diagonal", pooling, share)
        for pooling in POOLINGS[1:]
        for share in (0.0, 0.1, 0.3)
    ]
    return [*full, *diagonal, *(GaussianNB(var_smoothing=s) for s in SMOOTHINGS)]


def _mixed() -> list[Any]:
    return [
        MixedNB(structure=structure, pooling=pooling, shrinkage=share, target=target, alpha=alpha)
        for alpha in (0.1, 1.0, 3.0)
        for structure, target in (("diagonal", "identity"), ("full", "diagonal"))
        for pooling in (0.0, 0.5, 1.0)
        for share in (0.0, 0.1, 0.5)
    ]
