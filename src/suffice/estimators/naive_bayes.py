"""Naive Bayes: classifiers that read, build and write rows through their likelihood."""

from __future__ import annotations

from typing import Any, Generic

from suffice.answers import independent as _independent  # noqa: F401 - registers its answers
from suffice.answers import product as _product  # noqa: F401 - registers its answers
from suffice.answers.rarity import Rarity
from suffice.data.arrays import Array
from suffice.estimators.classifier import AnyModel
from suffice.estimators.learning import Learner


class NaiveBayes(Learner[AnyModel], Generic[AnyModel]):
    """Features, or parts of them, that are independent given the class."""

    def _check_table(self, X: Any) -> None:
        self._built_with.check_table(X)

    def _rows(self, X: Any) -> Any:
        self._check_columns(X)
        reader = self._learned.reader
        table = X if reader is None else reader.prepare(X)
        return self._built_with.read(table, self._fitted)

    def _parse_row(self, row: Array) -> Any:
        reader = self._learned.reader
        table = row if reader is None else reader.prepare_row(row[0])
        return self._built_with.read(table, self._fitted)

    def _restore(self, rows: Any, like: Any = None) -> Any:
        reader = self._learned.reader
        if reader is None:
            return self._as_table(self._built_with.write(rows, self._fitted, like), like)
        given = None if like is None else reader.prepare(like)
        values = self._built_with.write(rows, self._fitted, given)
        return reader.write_prepared(values, like, self._learned.frame)

    def _new_atypicality(self) -> Any:
        return Rarity(self._fitted)
