"""Diagnosis: every diagnostic of a data set in one call, as a page to read."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.data.batches import split_named
from suffice.data.tables.labelled_table import LabelledTable
from suffice.errors import SufficeError, TooFewRows
from suffice.html import html_table
from suffice.models.gaussian import build
from suffice.models.scoring import posterior
from suffice.models.settings import Settings
from suffice.selection.diagnostics.box import box_m
from suffice.selection.diagnostics.calibration import calibration
from suffice.selection.diagnostics.complete_rows import CompleteRows
from suffice.selection.diagnostics.conditioning import conditioning
from suffice.selection.diagnostics.diagnostic import Diagnostic, format_count
from suffice.selection.diagnostics.distances import distance_quantiles
from suffice.selection.diagnostics.henze_zirkler import henze_zirkler
from suffice.selection.diagnostics.influence import influential_rows
from suffice.selection.diagnostics.mardia import mardia
from suffice.selection.folds import Fold, training_statistics
from suffice.statistics.summarize import summarize

# Models whose held-out probabilities are tested.


@dataclass(frozen=True, eq=False, slots=True)
class Diagnosis:
    """The result of `diagnose`: a mapping from names to diagnostics that prints as a page.

    diagnostics : the findings by name
    skipped : why other diagnostics were not possible, by name
    """

    rows: int
    dropped: int
    features: int
    classes: tuple[Any, ...]
    diagnostics: Mapping[str, Diagnostic]
    skipped: Mapping[str, str] = field(default_factory=dict)

    @property
    def concerns(self) -> tuple[Diagnostic, ...]:
        """The findings about which something should be done."""
        return tuple(found for found in self.diagnostics.values() if found.concern)

    def __getitem__(self, name: str) -> Diagnostic:
        return self.diagnostics[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.diagnostics)

    def __len__(self) -> int:
        return len(self.diagnostics)

    def __str__(self) -> str:
        lines = [self._heading, ""]
        for mark, name, sentence, advice in self._findings:
            lines += _entry(mark, name, sentence)
            if advice:
                lines += _entry("", "", f"→ {advice}")
        for sentence in self._not_tested:
            lines += _entry("-", "Not tested", sentence)
        return "\n".join(line.rstrip() for line in lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        notes = [f"Not tested: {sentence}" for sentence in self._not_tested]
        head = ["", "diagnostic", "finding", "what to do"]
        return html_table(head, self._findings, caption=self._heading, words=range(4), notes=notes)

    @property
    def _findings(self) -> list[tuple[str, str, str, str]]:
        """Mark, name, sentence and advice of each finding."""
        advice = [found.recommendation * found.concern for found in self.diagnostics.values()]
        # Advice that neighbours share is given once, after the last of them.
        last = [own * (own != after) for own, after in pairwise([*advice, ""])]
        return [
            ("!" if found.concern else "✓", name, found.sentence, own)
            for (name, found), own in zip(self.diagnostics.items(), last, strict=True)
        ]

    @property
    def _heading(self) -> str:
        head = (
            f"{format_count(self.rows, 'row')}, {format_count(self.features, 'feature')}, "
            f"{format_count(len(self.classes), 'class')}"
        )
        if self.dropped:
            head += f"; {format_count(self.dropped, 'further row')} with missing values left out"
        return head

    @property
    def _not_tested(self) -> list[str]:
        """The diagnostics that were not possible, and why; each reason once."""
        sentences = []
        for why in dict.fromkeys(self.skipped.values()):
            names = [name for name, reason in self.skipped.items() if reason == why]
            sentences.append(f"{', '.join(names)}: {why}")
        return sentences


def _entry(mark: str, name: str, text: str) -> list[str]:
    # Keep "p = 0.03" on one line.
    text = text.replace(" = ", "\0=\0").replace(" < ", "\0<\0")
    line_width, indent = 88, 24  # characters of a line, and of its left column
    wrapped = textwrap.wrap(text, line_width - indent)
    first = f"{mark:<2}{name:<{indent - 2}}{wrapped[0]}"
    lines = [first, *(" " * indent + line for line in wrapped[1:])]
    return [line.replace("\0", " ") for line in lines]


def diagnose(X: Any, y: Any, sample_weight: Any = None) -> Diagnosis:
    """Whether Gaussian classes fit the data, which covariances they need, which rows to look at.

    Box's M, Mardia's tests, Henze and Zirkler's, the quantiles of distances, the condition of
    covariances, influential rows, and the calibration of LDA and QDA on rows held out in turn.
    Rows with missing values are left out, and so are columns that are not numbers. Diagnostics that
    need more rows or classes are skipped.

    sample_weight : a weight counts as that many equal rows

    >>> from sklearn.datasets import load_iris
    >>> print(diagnose(*load_iris(return_X_y=True)))
    150 rows, 4 features, 3 classes
    <BLANKLINE>
    ! Box's M               The class covariances differ (Box's M = 146.7, p < 1e-15).
                            → Use QDA, or GaussianDiscriminant with pooling below 1.
    ✓ Mardia                No evidence against Gaussian classes (Mardia, p = 0.34...
    """
    X, y = split_named(X, y)
    rows = CompleteRows.of(X, y, sample_weight)
    diagnostics: dict[str, Diagnostic] = {}
    skipped: dict[str, str] = {}
    # Diagnostics of complete rows, in the order of the page.
    tests: dict[str, Callable[[CompleteRows], Diagnostic]] = {
        "Box's M": box_m,
        "Mardia": mardia,
        "Henze-Zirkler": henze_zirkler,
        "Distance quantiles": distance_quantiles,
        "Conditioning": conditioning,
        "Influential rows": influential_rows,
    }
    for name, test in tests.items():
        try:
            diagnostics[name] = _without_remark(test(rows), rows)
        except TooFewRows as error:
            skipped[name] = str(error)
    # Tests of Gaussian classes, which Box's M presumes.
    normality = diagnostics.keys() & {"Mardia", "Henze-Zirkler", "Distance quantiles"}
    if "Box's M" in diagnostics and any(diagnostics[name].concern for name in normality):
        diagnostics["Box's M"] = _add_doubt(diagnostics["Box's M"])
    try:
        diagnostics.update(_calibrations(rows))
    except SufficeError as error:
        skipped["Calibration"] = str(error)
    n, d = rows.table.X.shape
    return Diagnosis(n, rows.dropped, d, tuple(rows.table.classes.tolist()), diagnostics, skipped)


def _without_remark(found: Diagnostic, rows: CompleteRows) -> Diagnostic:
    """The finding without the remark on missing values, which the page makes once."""
    remark = f" {format_count(rows.dropped, 'row')} with missing values left out."
    return replace(found, sentence=found.sentence.replace(remark, ""))


def _add_doubt(found: Diagnostic) -> Diagnostic:
    if not found.concern:
        return found
    doubt = " Box's M also responds to classes that are not Gaussian: compare both by validation."
    return replace(found, recommendation=found.recommendation + doubt)


def _calibrations(rows: CompleteRows) -> dict[str, Diagnostic]:
    at, posteriors = held_out_posteriors(rows, {"LDA": Settings(pooling=1.0), "QDA": Settings()})
    part = rows.table.take(at)
    out = {}
    for model, p in posteriors.items():
        name = f"Calibration of {model}"
        diagnostic = calibration(part.labels, p, part.classes, part.weight)
        out[name] = replace(diagnostic, name=name)
    return out


def held_out_posteriors(
    rows: CompleteRows, settings: dict[str, Settings], n_folds: int = 5
) -> tuple[Indices, dict[str, Floats]]:
    """Rows, and p(y | x) of each under each model fitted without its fold, (m, k).

    Rows of a class are spread evenly over the folds, at random with a fixed seed. The only row
    of a class is never held out.
    """
    table = rows.table
    fold = _assign_folds(table, n_folds)
    tested = np.flatnonzero(fold >= 0)
    k = len(table.classes)
    if k < 2 or not len(tested):
        raise TooFewRows(
            "held-out probabilities need two classes of two rows or more; the "
            f"{format_count(len(table), 'row')} are of {format_count(k, 'class')}."
        )
    out = {name: np.zeros((len(table), k)) for name in settings}

    def summarize_rows(at: Indices) -> Any:
        part = table.take(at)
        return summarize(part.X, part.labels, part.weights)

    folds = [Fold(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(n_folds)]
    folds = [one for one in folds if len(one.test)]
    trained = training_statistics(folds, len(fold), summarize_rows)
    for one, (training, _) in zip(folds, trained, strict=True):
        X = np.asarray(table.X[one.test], np.float64)
        for name, chosen in settings.items():
            out[name][one.test] = posterior(build(training, chosen, None), X)
    return tested, {name: p[tested] for name, p in out.items()}


def _assign_folds(table: LabelledTable, n_folds: int) -> Indices:
    """The fold of each row; -1 for the only row of its class."""
    rng = np.random.default_rng(0)
    fold = np.full(len(table), -1)
    first = 0
    for c in range(len(table.classes)):
        at = table.rows_of(c)
        if len(at) < 2:
            continue
        fold[rng.permutation(at)] = (first + np.arange(len(at))) % n_folds
        first += len(at)
    return fold
