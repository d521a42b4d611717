"""Normality: what tests of Gaussian classes share: a verdict over classes and what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from suffice.selection.diagnostics.cloud import Shapes
from suffice.selection.diagnostics.diagnostic import (
    LEVEL,
    Diagnostic,
    format_pvalue,
    holm,
    list_names,
)
from suffice.text import shown


def normality_diagnostic(
    name: str,
    statistic: float,
    pvalues: Mapping[Any, Sequence[float]],
    by_class: Mapping[Any, Mapping[str, float]],
    found: Shapes,
    note: str,
    test: str | None = None,
    **details: Any,
) -> Diagnostic:
    """The diagnostic of a test of Gaussian classes.

    pvalues : of each class, one or more
    note : what follows the sentence
    test : its name in the sentence, if other than `name`
    """
    pvalue, sentence = verdict(pvalues, test or name)
    concern = pvalue < LEVEL
    remedy = (
        "Transform skewed features (logarithm, square root), set outliers aside, or let "
        "MixtureDiscriminant give each class several Gaussians."
    )
    advice = remedy if concern else "Gaussian class models suit these data."
    return Diagnostic(
        name,
        statistic,
        pvalue,
        sentence + note,
        advice,
        concern,
        by_class,
        {**details, **found.details},
    )


def verdict(pvalues: Mapping[Any, Sequence[float]], test: str) -> tuple[float, str]:
    """The smallest p-value after Holm's adjustment, and a sentence about all classes.

    >>> verdict({"a": [0.001], "b": [0.6]}, "Mardia")[1]
    "Class 'a' is not Gaussian (Mardia, p = 0.002 adjusted for 2 tests)."
    """
    labels = [label for label, values in pvalues.items() for _ in values]
    adjusted = holm([p for values in pvalues.values() for p in values])
    smallest = float(adjusted.min())
    by = f"{test}, {format_pvalue(smallest)}"
    if len(adjusted) > 1:
        by += f" adjusted for {len(adjusted)} tests"
    bad = [label for label, p in zip(labels, adjusted, strict=True) if p < LEVEL]
    bad = list(dict.fromkeys(bad))
    if not bad:
        return smallest, f"No evidence against Gaussian classes ({by})."
    if len(bad) == 1:
        return smallest, f"Class {shown(bad[0])} is not Gaussian ({by})."
    return smallest, f"Classes {list_names(bad)} are not Gaussian ({by})."
