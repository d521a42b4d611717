"""Device rows: rows on a device, and the steps of an answer that depend on where rows are."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices


class RowsElsewhere:
    """Rows on a device. Methods of estimators take them like a table in memory.

    Arrays that lie there have the types of NumPy's in signatures: the same code takes both.
    Not an ABC: `isinstance` of one takes four times as long, and every answer asks several times.
    """

    def check(self, estimator: Any) -> None:
        """Raise unless the rows have the features that an estimator was fitted to."""
        raise NotImplementedError

    def check_finite(self) -> None:
        """Raise where a value is infinite or missing."""
        raise NotImplementedError

    def answer(self, model: Any, ask: Any) -> Floats:
        """ask(model, rows) for all rows, computed where they are."""
        raise NotImplementedError

    def best(self, model: Any) -> Indices:
        """The position of the most probable class of each row, (n,)."""
        raise NotImplementedError

    def project(self, centre: Floats, columns: Floats, start: Floats | float) -> Floats:
        """(x - centre) columns - start for all rows."""
        raise NotImplementedError

    def put(self, values: Array) -> Array:
        """An array in memory, beside the rows."""
        raise NotImplementedError

    def fetch(self, array: Any) -> Array:
        """An array beside the rows, in memory."""
        raise NotImplementedError

    def labels(self, classes: Array, codes: Indices) -> Array:
        """Classes by position: an array beside the rows; in memory where classes are strings."""
        raise NotImplementedError


def project(rows: Any, centre: Floats, columns: Floats, start: Floats | float = 0.0) -> Floats:
    """Rows (n, d) times columns (d, m): (x - centre) columns - start, (n, m)."""
    if isinstance(rows, RowsElsewhere):
        return rows.project(centre, columns, start)
    return np.asarray((rows - centre) @ columns - start)


def beside(rows: Any, values: Array) -> Array:
    """An array in memory, where the rows are."""
    return rows.put(values) if isinstance(rows, RowsElsewhere) else values


def on_host(rows: Any, array: Array) -> Array:
    """An array that lies beside the rows, in memory."""
    return rows.fetch(array) if isinstance(rows, RowsElsewhere) else array


def labels_of(rows: Any, classes: Array, codes: Indices) -> Array:
    """The classes at these positions, beside the rows if arrays there can hold them."""
    if isinstance(rows, RowsElsewhere):
        return rows.labels(classes, codes)
    return np.asarray(classes[codes])
