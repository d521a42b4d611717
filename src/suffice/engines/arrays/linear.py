"""Linear scores on a device: one matrix product a block of rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from suffice.engines.arrays.rows import DeviceRows
from suffice.engines.arrays.space import Space

# The inner length of a matrix product is made a multiple of this.
ALIGNED = 8


@dataclass(frozen=True, eq=False)
class DeviceLinear:
    """Scores (x - centre)'slopes + constants."""

    space: Space
    centre: Any  # (d,)
    slopes: Any  # (d, k)
    constants: Any  # (k,)

    def scores(self, rows: DeviceRows, low: int, high: int) -> Any:
        """The scores of some rows, (b, k)."""
        if self.space.library == "torch":
            return self._in_one(rows.values[low:high])
        return (rows.block(low, high) - self.centre) @ self.slopes + self.constants

    @cached_property
    def _extended(self) -> Any:
        """The slopes with the constants below them, and zeros."""
        import torch

        d, k = self.slopes.shape
        found = torch.zeros((-(-(d + 1) // ALIGNED) * ALIGNED, k), **self._kind)
        found[:d], found[d] = self.slopes, self.constants
        return found

    @property
    def _kind(self) -> dict[str, Any]:
        return {"dtype": self.slopes.dtype, "device": self.slopes.device}

    def _in_one(self, X: Any) -> Any:
        # To add the constants afterwards would read and write all scores once more.
        import torch

        d = self.slopes.shape[0]
        steps = torch.empty((X.shape[0], self._extended.shape[0]), **self._kind)
        steps[:, d:] = 0.0
        steps[:, d] = 1.0
        torch.sub(X, self.centre, out=steps[:, :d])
        return steps @ self._extended
