"""Naive Bayes: classifiers that read, build and write rows through their likelihood."""

from __future__ import annotations

from typing import Any, Generic

from suffice.answers import independent as _independent  # noqa: F401 - registers its answers
from suffice.answers import product as _product  # noqa: F401 - registers its answers
from suffice.answers.rarity import Rarity
from suffice.data.arrays import Array
from suffice.estimators.base import AnyModel
from suffice.estimators.learning import Learner


class NaiveBayes(Learner[AnyModel], Generic[AnyModel]):
    """Features, or parts of them, that are independent given the class."""

    def _check_table(self, X: Any) -> None:
        self._built_with.check_table(X)

    def _rows(self, X: Any) -> Any:
        self._check_columns(X)
        return self._built_with.read(X, self._fitted)

    def _parse_row(self, row: Array) -> Any:
        return self._built_with.read(row, self._fitted)

    def _restore(self, rows: Any, like: Any = None) -> Any:
        return self._built_with.write(rows, self._fitted, like)

    def _new_atypicality(self) -> Any:
        return Rarity(self._fitted)
