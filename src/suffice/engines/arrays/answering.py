"""Answers for rows on a device: the methods of the estimators, with each block computed there."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.data.elsewhere import RowsElsewhere
from suffice.engines.arrays.learning import check_columns
from suffice.engines.arrays.model import ArrayModel
from suffice.engines.arrays.rows import DeviceRows
from suffice.engines.arrays.space import Space
from suffice.models.gaussian import GaussianModel
from suffice.models.scoring import Hook, scores


class AnsweringRows(RowsElsewhere):
    """Rows that the methods of an estimator take in place of a table in memory."""

    def __init__(self, rows: DeviceRows) -> None:
        self.rows = rows

    @property
    def space(self) -> Space:
        """Where the rows are."""
        return self.rows.space

    def check(self, estimator: Any) -> None:
        """Raise unless the rows have the features that an estimator was fitted to."""
        check_columns(estimator, self.rows)

    def check_finite(self) -> None:
        """Raise where a value is infinite or missing."""
        error = self.rows.first_invalid()
        if error is not None:
            raise error

    def answer(self, model: GaussianModel, ask: Hook[Any]) -> Any:
        """The answers of ask(model, rows) for all rows, computed block by block."""
        rows, here = self.rows, ArrayModel.of(model, self.space)
        answers = self.space.joined(
            rows.shape[0],
            rows.step(here.width),
            lambda low, high: ask(here, rows.values[low:high, :]),
        )
        # Whatever is wrong with a row shows in its answer; checking there saves a pass over X.
        if bool(self.space.xp.all(self.space.xp.isfinite(answers))):
            return answers
        self.check_finite()
        return self._with_far_rows(model, ask, answers)

    def best(self, model: GaussianModel) -> Any:
        """The position of the most probable class of each row, (n,)."""
        xp, (n, _) = self.space.xp, self.rows.shape
        here = ArrayModel.of(model, self.space)
        step = self.rows.step(here.width)
        blocks = [
            here.best(self.rows.values[low : min(n, low + step), :]) for low in range(0, n, step)
        ]
        places, tops = (xp.concat(list(parts)) for parts in zip(*blocks, strict=True))
        if bool(xp.all(xp.isfinite(tops))):
            return places
        return xp.argmax(self.answer(model, scores), axis=1)

    def project(self, centre: Floats, columns: Floats, start: Floats | float) -> Any:
        """(x - centre) columns - start for all rows."""
        space, rows = self.space, self.rows
        origin, directions, offset = space.put(centre), space.put(columns), self._offset(start)
        projected = space.joined(
            rows.shape[0],
            rows.step(columns.shape[1]),
            lambda low, high: (rows.block(low, high) - origin) @ directions - offset,
        )
        if not bool(space.xp.all(space.xp.isfinite(projected))):
            raise rows.not_finite()
        return projected

    def _offset(self, start: Floats | float) -> Any:
        return start if isinstance(start, float) else self.put(start)

    def put(self, values: Array) -> Any:
        """An array in memory, copied to the device."""
        return self.space.put(values)

    def fetch(self, array: Any) -> Array:
        """An array on the device, copied to memory."""
        return array if isinstance(array, np.ndarray) else self.space.fetch(array)

    def labels(self, classes: Array, codes: Any) -> Any:
        """Classes by position: an array on the device, or in memory if classes are strings."""
        if classes.dtype.kind in "US":
            return np.asarray(classes[self.fetch(codes)])
        return self.space.take(self.put(classes), codes)

    def _with_far_rows(self, model: GaussianModel, ask: Hook[Any], answers: Any) -> Any:
        """The answers, with those of rows whose squares overflow computed on the host."""
        space, xp = self.space, self.space.xp
        far = space.fetch(~xp.any(xp.isfinite(answers), axis=1))
        if not far.any():
            return answers
        rows = space.fetch(self.rows.at(space.put(np.flatnonzero(far))))
        corrected = space.put(ask(model, rows))
        place = space.put(np.maximum(np.cumsum(far) - 1, 0))
        return xp.where(space.put(far)[:, None], space.take(corrected, place), answers)
