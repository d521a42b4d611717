"""Survey: what a mixture must know of rows in partitions before it goes over them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.features import ArrayFeatures, as_features
from suffice.data.labels import Labels, same_kind
from suffice.data.partial_labels import Coding, PartialLabels, label_column, no_labels
from suffice.data.weights import Weights
from suffice.engines.drawing import Drawn, drawn, share
from suffice.statistics.incomplete import AnyStatistics
from suffice.statistics.summarize import summarize


@dataclass(frozen=True, slots=True)
class Survey:
    """What is known of some rows: their labels, a sample of each class, and their spread."""

    overall: AnyStatistics  # of all rows as one class, by feature
    labels: Array  # (k,), sorted; one where no row has a label, nor is to have one
    classes: tuple[Drawn, ...]  # (k,)
    marked: Drawn  # rows with the label that says there is none
    rows: int  # with weight, labelled or not
    weight: float

    def coding(self, unlabelled: Any) -> tuple[Coding, tuple[Drawn, ...]]:
        """The classes, and a sample of each; those without weight are left out."""
        labels, classes = self.labels, self.classes
        if len(labels) == 1 and self.marked.count:
            # Where one other label is all there is, it is a class itself.
            both = {labels.tolist()[0]: classes[0], unlabelled: self.marked}
            labels, unlabelled = Labels.of(list(both)).classes(), None
            classes = tuple(both[label] for label in labels.tolist())
        if not any(one.count for one in classes):
            raise no_labels(self.rows)
        kept = [c for c, one in enumerate(classes) if one.count]
        return Coding(labels[kept], unlabelled), tuple(classes[c] for c in kept)


@dataclass(frozen=True, slots=True)
class Surveying:
    """The recipe of a survey."""

    seed: int
    labelled: bool  # whether rows have labels
    unlabelled: Any = None  # the label of rows without a class

    def of(self, X: Any, y: Any, weight: Any) -> Survey:
        """What is known of the rows of a partition."""
        features = as_features(X)
        n, d = features.shape
        weights = None if weight is None else Weights.of(weight, n).read(0, n)
        counted = np.ones(n, bool) if weights is None else weights > 0
        overall = summarize(X, np.zeros(n, np.int64), weights, "diagonal")
        labels, codes = self._encoded(y, n)
        slots = self._slots(labels)
        found = drawn(features, weights, np.where(counted, codes, -1), slots, self.seed)
        marked = found[-1] if self.labelled else Drawn.none(d)
        total = float(counted.sum() if weights is None else weights.sum())
        classes = tuple(found[: len(labels)])
        return Survey(overall, labels, classes, marked, int(counted.sum()), total)

    def added(self, a: Survey, b: Survey) -> Survey:
        """What is known of the rows of both."""
        overall = a.overall + b.overall
        labels = _union(a.labels, b.labels)
        most = share(self._slots(labels), overall.n_features)
        mine = dict(zip(a.labels.tolist(), a.classes, strict=True))
        theirs = dict(zip(b.labels.tolist(), b.classes, strict=True))
        none = Drawn.none(overall.n_features)
        classes = tuple(
            (mine.get(label, none) + theirs.get(label, none)).first(most)
            for label in labels.tolist()
        )
        marked = (a.marked + b.marked).first(most)
        rows, weight = a.rows + b.rows, a.weight + b.weight
        return Survey(overall, labels, classes, marked, rows, weight)

    def _slots(self, labels: Array) -> int:
        return len(labels) + self.labelled

    def _encoded(self, y: Any, n: int) -> tuple[Array, Indices]:
        """The labels, and each row's place among them; behind the last one if it is marked."""
        if not self.labelled:
            return np.zeros(1, np.int64), np.zeros(n, np.int64)
        found = PartialLabels.of(label_column(y), self.unlabelled)
        known = ~found.missing & ~found.marked
        codes, labels = np.full(n, -1), np.zeros(0, np.int64)
        if known.any():
            candidates, own = Labels.of(found.values[known]).encode()
            present, codes[known] = np.unique(own, return_inverse=True)
            labels = candidates[present]
        codes[found.marked] = len(labels)
        return labels, codes


def _union(a: Array, b: Array) -> Array:
    if not len(a) or not len(b):
        return a if len(a) else b
    # Integers with a gap among them are floats in some readers.
    if {a.dtype.kind, b.dtype.kind} != {"i", "f"}:
        same_kind(a, b)
    return np.union1d(a, b)


def read(
    coding: Coding | None, X: Any, y: Any, weight: Any
) -> tuple[Array, Floats | None, Indices]:
    """Rows, weights and codes of a partition; all of one class if there is no coding."""
    features = as_features(X)
    n = features.shape[0]
    weights = None if weight is None else Weights.of(weight, n).read(0, n)
    counted = None if weights is None else weights > 0
    rows = features.values if isinstance(features, ArrayFeatures) else features.read(0, n)
    if coding is not None:
        return rows, weights, coding.codes(y, counted)
    return rows, weights, np.zeros(n, np.int64) if counted is None else np.where(counted, 0, -1)
