"""Columns: how many features an estimator takes, and what they are called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from suffice.data.arrays import Array
from suffice.data.features import as_frame
from suffice.data.tables.table_rows import TableReader
from suffice.errors import InvalidFeatures, NotNumbers
from suffice.text import shown


@dataclass(frozen=True, slots=True, eq=False)
class LearnedColumns:
    """The features of an estimator."""

    number: int
    names: Array | None = None  # (d,) of str, where rows have names
    single: bool = False  # whether the rows were of single precision (float32)

    @classmethod
    def of_rows(cls, X: Any) -> Self:
        """The columns of a table, as scikit-learn reads them."""
        if type(X) is np.ndarray and X.ndim == 2:
            return cls(X.shape[1], None, X.dtype == np.float32)
        reader = BaseEstimator()
        _read(reader, X, reset=True)
        names = getattr(reader, "feature_names_in_", None)
        return cls(reader.n_features_in_, names, getattr(X, "dtype", None) == np.float32)

    @classmethod
    def of_names(cls, names: Sequence[str]) -> Self:
        """Columns with these names."""
        return cls(len(names), np.array([*names, None], dtype=object)[:-1])

    @classmethod
    def of_reader(cls, reader: TableReader) -> Self:
        """The columns that a reader uses."""
        return cls.of_names(reader.names) if reader.layout.named else cls(len(reader.names))

    @classmethod
    def of_statistics(cls, statistics: Any) -> Self:
        """The columns of the rows that were summarized."""
        names = statistics.feature_names
        return cls(statistics.n_features) if names is None else cls.of_names(names)


def check_columns(estimator: Any, X: Any) -> None:
    """Raise unless a table has the columns of a fitted estimator, in their order."""
    learned = estimator._learned.columns
    # scikit-learn's check of a plain array takes as long as the rest of an update by one row.
    plain = type(X) is np.ndarray and X.ndim == 2 and learned.names is None
    if plain and X.shape[1] == learned.number:
        return
    _read(estimator, X, reset=False)


def _read(estimator: Any, X: Any, reset: bool) -> None:
    frame = as_frame(X)
    if frame is not None:
        # Several lines of names are joined there; scikit-learn would see no names.
        X = frame.to_native()
    try:
        validate_data(estimator, X=X, reset=reset, skip_check_array=True)
    except ValueError as error:
        raise InvalidFeatures(str(error)) from None
    except TypeError as error:
        raise NotNumbers(str(error)) from None
    except LookupError:
        raise InvalidFeatures(f"X is {shown(X)}; pass an array or a data frame.") from None
