"""Normality: what tests of Gaussian classes share: a verdict over classes and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from suffice.data.labels import shown
from suffice.selection.diagnostics.diagnostic import LEVEL, chance, holm, listed

REMEDY = (
    "Transform skewed features (logarithm, square root), set outliers aside, or let "
    "MixtureDiscriminant give each class several Gaussians."
)

FINE = "Gaussian class models suit these data."


def verdict(labels: Sequence[Any], pvalues: Sequence[float], test: str) -> tuple[float, str]:
    """The smallest p-value after Holm's adjustment, and a sentence about all classes.

    labels may repeat: a class counts with each of its p-values.

    >>> verdict(["a", "b"], [0.001, 0.6], "Mardia")[1]
    "Class 'a' is not Gaussian (Mardia, p = 0.002 adjusted for 2 tests)."
    """
    adjusted = holm(pvalues)
    smallest = float(adjusted.min())
    by = f"{test}, {chance(smallest)}"
    if len(adjusted) > 1:
        by += f" adjusted for {len(adjusted)} tests"
    bad = [label for label, p in zip(labels, adjusted, strict=True) if p < LEVEL]
    bad = list(dict.fromkeys(bad))
    if not bad:
        return smallest, f"Nothing speaks against Gaussian classes ({by})."
    if len(bad) == 1:
        return smallest, f"Class {shown(bad[0])} is not Gaussian ({by})."
    return smallest, f"Classes {listed(bad)} are not Gaussian ({by})."
