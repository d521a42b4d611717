"""The base of every estimator: what it has learned, and rows in the form that its model takes."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from hashlib import sha256
from os import PathLike
from typing import Any

import numpy as np
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.validation import check_is_fitted, column_or_1d

from suffice.data.arrays import Array
from suffice.data.caller import stacklevel
from suffice.data.elsewhere import RowsElsewhere
from suffice.data.features import as_features, gap, infinite
from suffice.data.tables.frame_output import by_name, fill_table
from suffice.data.tables.table_layout import TableLayout
from suffice.errors import InvalidFeatures, InvalidLabels, InvalidParameter
from suffice.estimators.columns import check_columns
from suffice.estimators.files import Created, file_of, save
from suffice.text import quote_names, shown


class Estimator:
    """Fitted attributes are read from one state, which is replaced as a whole."""

    _state: Any = None

    def __sklearn_is_fitted__(self) -> bool:
        return self._state is not None

    @property
    def n_features_in_(self) -> int:
        """Number of features."""
        return int(self._learned.columns.number)

    @property
    def feature_names_in_(self) -> Array:
        """Names of the features, if the rows were a data frame."""
        names: Array | None = self._learned.columns.names
        if names is None:
            raise AttributeError(f"this {type(self).__name__} was fitted to rows without names.")
        return names

    @property
    def columns_(self) -> TableLayout | None:
        """How the columns of tables are read; None for tables of numbers."""
        reader = self._learned.reader
        return None if reader is None else reader.layout

    @property
    def target_name_(self) -> str | None:
        """The name of the column of the labels, if it is known."""
        name: str | None = self._learned.target
        return name

    def save(
        self, path: str | PathLike[str], *, created: Created = None, key: bytes | None = None
    ) -> None:
        """Write one safetensors file, whole or not at all; read it with `suffice.load`.

        created : a date or a text to store with the model; with None, equal models give equal files
        key : secret bytes that sign the file, see `suffice.save`
        """
        save(self, path, created=created, key=key)

    def digest(self) -> str:
        """SHA-256 of the file that `save` writes: of the parameters and all that was learned.

        Equal for equal models. On a grid, a model that has forgotten rows has the digest of one
        that has never seen them.
        """
        return sha256(file_of(self)).hexdigest()

    def _html_repr(self) -> str:
        """What notebooks show, in place of scikit-learn's diagram."""
        from suffice.estimators.summary import html_card

        return html_card(self)

    @property
    def _learned(self) -> Any:
        """The state; raises scikit-learn's NotFittedError if there is none."""
        state = self._state
        if state is None:
            check_is_fitted(self)
        return state

    def _rows(self, X: Any) -> Any:
        """The rows of a table in the form that the model takes."""
        if isinstance(X, RowsElsewhere):
            X.check(self)
            return X
        columns, encoding = self._learned.columns, self._learned.encoding
        if encoding is not None:
            return encoding.encode(X)
        if (
            type(X) is np.ndarray
            and X.ndim == 2
            and X.dtype.kind == "f"
            and X.shape[1] == columns.number
            and len(X)
            and columns.names is None
        ):
            return X
        features = as_features(X)
        self._check_columns(X)
        return features.read(0, features.shape[0])

    def _restore(self, rows: Any, like: Any = None) -> Any:
        """Rows of the model in the user's form; `like` is the table they come from."""
        learned = self._learned
        if learned.encoding is not None:
            return learned.encoding.decode(rows, like, learned.frame)
        return self._as_table(rows, like)

    def _as_table(self, rows: Array, like: Any) -> Any:
        """Rows of all columns as a data frame, if that is what the user works with."""
        if like is not None:
            return fill_table(like, rows)
        frame, names = self._learned.frame, self._learned.columns.names
        return rows if frame is None else frame.frame(by_name(rows, names))

    def _labels(self, y: Any) -> Any:
        """One label per row, in any form that scikit-learn accepts."""
        if y is None:
            raise InvalidLabels(
                f"This {type(self).__name__} estimator requires y to be passed, "
                "but the target y is None."
            )
        if getattr(y, "ndim", 1) == 2:
            try:
                labels = column_or_1d(y)
            except ValueError as error:
                raise InvalidLabels(str(error)) from None
            warnings.warn(
                "A column-vector y was passed when a 1d array was expected; pass y.ravel(), or one "
                "column of a frame.",
                DataConversionWarning,
                stacklevel=stacklevel(),
            )
            return labels
        return y

    def _check_table(self, X: Any) -> None:
        """Raise unless X is a table that this model accepts."""
        as_features(X)

    def _check_columns(self, X: Any) -> None:
        """Raise unless X has the features of the rows seen so far, in their order."""
        if self._learned.reader is None:
            self._check_table(X)
            check_columns(self, X)

    def _check_width(self, columns: int) -> None:
        if columns != self.n_features_in_:
            raise InvalidFeatures(
                f"X has {columns} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input"
            )

    def _check_finite(self, rows: Any) -> None:
        if isinstance(rows, RowsElsewhere):
            rows.check_finite()
            return
        error = infinite(rows, 0, self._model_names())
        if error is not None:
            raise error

    def _check_complete(self, rows: Array) -> None:
        self._check_finite(rows)
        error = None if isinstance(rows, RowsElsewhere) else gap(rows, 0, self._model_names())
        if error is not None:
            raise error

    def _model_names(self) -> tuple[str, ...] | None:
        """Names of the features that the model takes, if it was fitted to rows with names."""
        reader, encoding = self._learned.reader, self._learned.encoding
        if reader is not None:
            return tuple(reader.feature_names if encoding is None else encoding.names)
        names = self._learned.columns.names
        return None if names is None else tuple(map(str, names))

    def _feature_names(self) -> list[str]:
        names = self._learned.columns.names
        return [f"x{j + 1}" for j in range(self.n_features_in_)] if names is None else list(names)

    def _feature(self, feature: Any, names: Sequence[str] | None = None) -> int:
        """The position of a feature given by name or position."""
        names = self._feature_names() if names is None else names
        if isinstance(feature, str) and feature in names:
            return names.index(feature)
        whole = isinstance(feature, int | np.integer) and not isinstance(feature, bool)
        if not whole or not 0 <= feature < len(names):
            raise InvalidParameter(
                f"there is no feature {shown(feature)}; the features are {quote_names(names)}."
            )
        return int(feature)
