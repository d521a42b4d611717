"""Indicators: levels (categories) as columns of zeros and ones, for models of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from suffice.data.arrays import Array, Floats
from suffice.data.features import as_features
from suffice.data.tables.levels import Column, columns_of
from suffice.data.tables.mixed import DISCRETE, NUMERIC, ColumnLayout, check_shape
from suffice.errors import InvalidParameter
from suffice.estimators.base import Estimator
from suffice.estimators.columns import LearnedColumns, check_columns
from suffice.estimators.state import State, at_once
from suffice.text import shown


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedLevels(State):
    """Which columns are discrete, and their levels."""

    layout: ColumnLayout
    levels: list[Array]


@dataclass(eq=False, repr=False, kw_only=True)
class Indicators(Estimator, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Numeric columns unchanged, then one indicator per level of a discrete column but the first.

    Missing values stay missing, and a level never seen before counts as missing: models of
    this package integrate it out.

    Parameters
    ----------
    categorical : names or positions of the discrete columns; None treats booleans, strings and
        categories as discrete and numbers as numeric

    >>> import pandas as pd
    >>> from suffice.estimators.indicators import Indicators
    >>> X = pd.DataFrame({"size": [1.0, 2.0, 3.0], "colour": ["red", "blue", None]})
    >>> Indicators().fit_transform(X)
    array([[ 1.,  1.],
           [ 2.,  0.],
           [ 3., nan]])
    """

    _html_repr = BaseEstimator._html_repr  # a step of a pipeline is shown in its diagram

    categorical: Any = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the levels of each discrete column."""
        layout = ColumnLayout.of(X, self.categorical)
        if not layout.discrete:
            as_features(X)
        levels = [column.encode()[0] for column in _columns(layout, X)]
        self._state = FittedLevels(columns=LearnedColumns.of_rows(X), layout=layout, levels=levels)
        return self

    @property
    def layout_(self) -> ColumnLayout:
        """Which columns are numeric and which are discrete."""
        layout: ColumnLayout = self._learned.layout
        return layout

    @property
    def levels_(self) -> list[Array]:
        """The levels of each discrete column."""
        return list(self._learned.levels)

    @at_once
    def transform(self, X: Any) -> Floats:
        """The rows as numbers, (n, numeric columns + indicators)."""
        check_is_fitted(self)
        if not self.layout_.discrete:
            as_features(X)
        check_shape(X)
        check_columns(self, X)
        parts = []
        if self.layout_.numeric:
            features = as_features(self.layout_.split(X)[NUMERIC])
            parts.append(features.read(0, features.shape[0]).astype(np.float64, copy=False))
        for column, levels in zip(_columns(self.layout_, X), self.levels_, strict=True):
            codes = column.among(levels)[:, None]
            ones = (codes == np.arange(1, len(levels))).astype(np.float64)
            parts.append(np.where(codes < 0, np.nan, ones))
        return np.concatenate(parts, axis=1)

    @at_once
    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the output columns; that of an indicator is "column=level"."""
        check_is_fitted(self)
        names = self._names_in(input_features)
        out = [names[j] for j in self.layout_.numeric]
        for j, levels in zip(self.layout_.discrete, self.levels_, strict=True):
            out += [f"{names[j]}={level}" for level in levels[1:].tolist()]
        return np.array(out, object)

    def _names_in(self, input_features: Any) -> list[Any]:
        fitted_names = self._learned.columns.names
        if input_features is None:
            d = self.n_features_in_
            return [f"x{j}" for j in range(d)] if fitted_names is None else list(fitted_names)
        listed = isinstance(input_features, list | tuple | np.ndarray)
        names = list(input_features) if listed else []
        if len(names) != self.n_features_in_ or not all(isinstance(one, str) for one in names):
            raise InvalidParameter(
                f"input_features is {shown(input_features)}; it should have length equal to number "
                f"of features ({self.n_features_in_}), one name each."
            )
        if fitted_names is not None and names != list(fitted_names):
            raise InvalidParameter("input_features is not equal to feature_names_in_.")
        return names


def _columns(layout: ColumnLayout, X: Any) -> list[Column]:
    return columns_of(layout.split(X)[DISCRETE])[0] if layout.discrete else []
