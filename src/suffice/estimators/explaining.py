"""Explaining: what the columns of a table contribute to the odds of its rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from suffice.answers.contributions import Contributions, contributions, explanation
from suffice.answers.pair import class_pair
from suffice.data.parameters import is_number
from suffice.errors import InvalidParameter
from suffice.models.scoring import scores
from suffice.text import plural, shown


def by_feature(estimator: Any, X: Any, a: Any, b: Any) -> Contributions:
    """The contributions of all rows, see `Classifier.contributions`."""
    model, rows = estimator._fitted, estimator._rows(X)
    estimator._check_finite(rows)
    found = contributions(model, rows, *class_pair(model.classes, a, b))
    names = tuple(estimator._feature_names())
    return replace(_by_column(estimator, found), feature_names=names)


def explained(estimator: Any, X: Any, row: Any, a: Any, b: Any) -> str:
    """One row in words, see `Classifier.explain`."""
    model, rows = estimator._fitted, estimator._rows(X)
    if not isinstance(row, int | np.integer) or not is_number(row):
        raise InvalidParameter(f"row is {shown(row)}; it must be the number of a row, from 0.")
    if not -len(rows) <= row < len(rows):
        raise InvalidParameter(f"there is no row {row}; X has {plural(len(rows), 'row')}.")
    at = row % len(rows)
    one = rows[at : at + 1]
    estimator._check_finite(one)
    if a is None and b is None and len(model.classes) > 1:
        order = np.argsort(-estimator._answer_rows(one, scores)[0], kind="stable")
        a, b = model.classes[order[0]], model.classes[order[1]]
    found = contributions(model, one, *class_pair(model.classes, a, b))
    reader = estimator._learned.reader
    names = estimator._feature_names() if reader is None else reader.row_names(X, at)
    return explanation(_by_column(estimator, found), 0, names)


def _by_column(estimator: Any, found: Contributions) -> Contributions:
    """Contributions of the columns of a table: those of all features of one add up."""
    reader, encoding = estimator._learned.reader, estimator._learned.encoding
    if reader is None:
        return found
    owner = reader.owners if encoding is None else encoding.owner
    return replace(found, values=reader.by_column(found.values, owner))
