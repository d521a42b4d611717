"""Columns: how many features an estimator takes, and what they are called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from suffice.data.arrays import Array


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """The features of an estimator."""

    number: int
    names: Array | None = None  # (d,) of str, where rows have names

    @classmethod
    def of_rows(cls, X: Any) -> Self:
        """The columns of a table, as scikit-learn reads them."""
        reader = BaseEstimator()
        validate_data(reader, X=X, reset=True, skip_check_array=True)
        return cls(reader.n_features_in_, getattr(reader, "feature_names_in_", None))

    @classmethod
    def of_statistics(cls, statistics: Any) -> Self:
        """The columns of the rows that were summarized."""
        names = statistics.feature_names
        return cls(statistics.n_features, None if names is None else np.array(names, dtype=object))
