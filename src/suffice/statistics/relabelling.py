"""Relabelling: the same statistics under other class labels."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from suffice.data.arrays import Array
from suffice.errors import InvalidLabels
from suffice.statistics.by_feature import ByFeature
from suffice.statistics.by_pattern import ByPattern
from suffice.statistics.exact.exact_incomplete import AnyExact, ExactIncomplete
from suffice.statistics.exact.exact_statistics import ExactStatistics
from suffice.statistics.incomplete import AnyStatistics, IncompleteStatistics
from suffice.statistics.statistics import Statistics
from suffice.statistics.table_statistics import RowStatistics, TableStatistics
from suffice.text import shown


def infer_label_type(statistics: RowStatistics) -> RowStatistics:
    """Statistics with labels read as text, as integers or booleans if all labels are such.

    >>> import suffice as sf
    >>> infer_label_type(sf.summarize([[1.0], [2.0], [4.0]], ["10", "9", "10"])).classes
    array([ 9, 10])
    >>> infer_label_type(sf.summarize([[1.0], [2.0], [4.0]], ["10", "9", "A"])).classes
    array(['10', '9', 'A'], dtype='<U2')
    """
    texts = statistics.classes.tolist()
    truth = {"false": False, "true": True}
    if set(texts) <= truth.keys():
        return relabel(statistics, np.array([truth[text] for text in texts]))
    whole = [re.fullmatch(r"(0|-?[1-9][0-9]{0,17})(\.0+)?", text) for text in texts]
    if not all(whole):
        return statistics
    numbers = np.array([int(match[1]) for match in whole if match], np.int64)
    values, count = np.unique(numbers, return_counts=True)
    if (count > 1).any():
        number = values[count > 1][0]
        ways = " and ".join(shown(texts[i]) for i in np.flatnonzero(numbers == number))
        raise InvalidLabels(
            f"the label {number} is written {ways} in different rows; write it one way."
        )
    return relabel(statistics, numbers)


def relabel(statistics: RowStatistics, labels: Array) -> RowStatistics:
    """The statistics with other labels: one per class, in their order, all different."""
    if isinstance(statistics, TableStatistics):
        return replace(statistics, every=_relabel(statistics.every, labels))
    return _relabel(statistics, labels)


def _relabel(statistics: AnyStatistics | AnyExact, labels: Array) -> AnyStatistics | AnyExact:
    if isinstance(statistics, ExactStatistics | ExactIncomplete):
        return statistics.relabelled(labels)
    if isinstance(statistics, Statistics):
        return _sort_classes(statistics, labels)
    old, order = statistics.classes, np.argsort(labels)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    parts: ByPattern | ByFeature
    if isinstance(statistics.parts, ByPattern):
        patterns = {
            key: _sort_classes(part, labels[np.searchsorted(old, part.classes)])
            for key, part in statistics.parts.parts.items()
        }
        parts = replace(statistics.parts, parts=patterns)
    else:
        cells, d = statistics.parts.cells, statistics.parts.n_features
        c, j = np.divmod(cells.classes, d)
        parts = ByFeature(_sort_classes(cells, place[c] * d + j), labels[order], d)
    rows = _sort_classes(statistics.rows, labels)
    return IncompleteStatistics(rows, parts, statistics.feature_names)


def _sort_classes(s: Statistics, labels: Array) -> Statistics:
    order = np.argsort(labels)
    return replace(s.keep_classes(order, allow_pooled=True), classes=labels[order])
