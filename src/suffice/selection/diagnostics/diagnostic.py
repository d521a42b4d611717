"""Diagnostic: one finding about data or a model, as numbers and as a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from suffice.data.arrays import Floats
from suffice.text import format_number, shown

# Significance level: p-values below it are a concern.
LEVEL = 0.05


@dataclass(frozen=True, eq=False, slots=True)
class Diagnostic:
    """One finding.

    name : of the test or the measure
    statistic : its value
    pvalue : probability of a value as large under the null hypothesis; None without a test
    sentence : the finding in words
    recommendation : what to do about it, in terms of this library
    concern : whether something should be done about it
    by_class : numbers of each class, by label
    details : further numbers and arrays, by name

    >>> print(Diagnostic("coin", 3.0, 0.25, "The coin is fair.", "Toss on.", False))
    The coin is fair. Toss on.
    """

    name: str
    statistic: float
    pvalue: float | None
    sentence: str
    recommendation: str
    concern: bool
    by_class: Mapping[Any, Mapping[str, float]] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.sentence} {self.recommendation}".strip()

    def __repr__(self) -> str:
        p = "" if self.pvalue is None else f", {format_pvalue(self.pvalue)}"
        return f"<Diagnostic {self.name}: {number(self.statistic)}{p}. {self.sentence}>"


def number(value: float) -> str:
    """A number with four digits.

    >>> number(140.9431), number(1234567.0), number(float("inf"))
    ('140.9', '1,234,567', 'infinite')
    """
    return "infinite" if np.isinf(value) else format_number(value)


def format_pvalue(pvalue: float) -> str:
    """A p-value for a sentence.

    >>> format_pvalue(0.0312), format_pvalue(3e-20), format_pvalue(0.9999)
    ('p = 0.031', 'p < 1e-15', 'p = 1')
    """
    return "p < 1e-15" if pvalue < 1e-15 else f"p = {pvalue:.2g}"


def list_names(names: Iterable[Any]) -> str:
    """Labels or names for a sentence, the first few of them.

    >>> list_names(["a"]), list_names(["a", "b", "c"]), list_names(range(9))
    ("'a'", "'a', 'b' and 'c'", '0, 1, 2, 3, 4 and 4 more')
    """
    return _enumerated([shown(name) for name in names])


def _enumerated(words: Sequence[str]) -> str:
    # Labels and names beyond this number are counted, not listed.
    max_listed = 5
    if len(words) > max_listed:
        return f"{', '.join(words[:max_listed])} and {len(words) - max_listed} more"
    return " and ".join(part for part in (", ".join(words[:-1]), words[-1]) if part)


def format_count(count: float, noun: str) -> str:
    """A count and its noun.

    >>> format_count(1, "row"), format_count(1200, "row"), format_count(2, "class")
    ('1 row', '1200 rows', '2 classes')
    """
    plural = noun + ("es" if noun.endswith("s") else "s")
    return f"{count:.6g} {noun if count == 1 else plural}"


def name_features(features: Sequence[int], names: tuple[str, ...] | None) -> str:
    """Features for a sentence, the first few of them.

    >>> name_features([0, 2], None), name_features([0, 1, 2], ("a", "b", "c"))
    ('feature 0 and feature 2', "'a', 'b' and 'c'")
    """
    return _enumerated([f"feature {j}" if names is None else repr(names[j]) for j in features])


def holm(pvalues: Sequence[float] | Floats) -> Floats:
    """P-values adjusted for multiple tests (Holm 1979), in the order given.

    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    p = np.asarray(pvalues, np.float64)
    order = np.argsort(p, kind="stable")
    steps = np.minimum(1.0, p[order] * np.arange(len(p), 0, -1))
    out = np.empty_like(p)
    out[order] = np.maximum.accumulate(steps)
    return out
