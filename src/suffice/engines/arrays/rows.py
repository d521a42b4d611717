"""Rows: a validated table of numbers on a device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from suffice.data.features import (
    check_not_empty,
    check_two_dimensional,
    gap,
    infinite,
    too_large,
)
from suffice.engines.arrays.space import Space
from suffice.errors import HasGaps, InvalidFeatures, NotFinite, NotNumbers


@dataclass(frozen=True, slots=True)
class DeviceRows:
    """Rows of any real type on a device."""

    values: Any  # (n, d)
    space: Space

    @classmethod
    def of(cls, X: Any) -> DeviceRows:
        """X after checking its shape and type; its values are checked when they are used."""
        space = Space.of(X)
        _check_layout(X, space)
        check_two_dimensional(tuple(X.shape))
        check_not_empty(tuple(X.shape))
        if not space.xp.isdtype(X.dtype, ("bool", "integral", "real floating")):
            raise NotNumbers(f"X holds {X.dtype} values; features must be real numbers.")
        space.check_doubles()
        return cls(_plain(X, space), space)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and features."""
        return int(self.values.shape[0]), int(self.values.shape[1])

    def step(self, width: int) -> int:
        """Number of rows in a block if each row yields `width` numbers."""
        return max(1, self.space.block_bytes // (8 * max(width, self.shape[1])))

    def block(self, low: int, high: int) -> Any:
        """Some rows as float64."""
        return self.space.floats(self.values[low:high, :])

    def at(self, places: Any) -> Any:
        """Some rows by number, as float64."""
        return self.space.floats(self.space.take(self.values, places))

    def first_invalid(self, counted: Any = None) -> NotFinite | None:
        """The error that names the first entry that is not a number, if there is one.

        counted : (n,) which rows to look at
        """
        xp, n = self.space.xp, self.shape[0]
        step = self.step(1)
        for low in range(0, n, step):
            high = min(n, low + step)
            invalid = xp.any(~xp.isfinite(self.block(low, high)), axis=1)
            if counted is not None:
                invalid = invalid & counted[low:high]
            if bool(xp.any(invalid)):
                i = low + int(xp.argmax(xp.astype(invalid, xp.int32)))
                row = self.space.fetch(self.block(i, i + 1))
                return infinite(row, i, None) or self._gap(row, i)
        return None

    def _gap(self, row: Any, i: int) -> HasGaps:
        error = gap(row, i, None)
        return HasGaps(
            f"{str(error).partition('. ')[0]}. Missing values are supported on the host only: pass "
            f"{host(self.space)}."
        )

    def not_finite(self, counted: Any = None) -> NotFinite:
        """The error for sums that are not finite."""
        return self.first_invalid(counted) or too_large()


def host(space: Space) -> str:
    """The call that copies X to the host."""
    return {"torch": "X.cpu().numpy()", "cupy": "X.get()"}.get(space.library, "np.asarray(X)")


def _plain(X: Any, space: Space) -> Any:
    """X in a type that every operation supports."""
    xp = space.xp
    if xp.isdtype(X.dtype, "bool"):
        return xp.astype(X, xp.uint8)
    if space.library == "torch":
        common = (xp.float64, xp.float32, xp.float16, xp.bfloat16, xp.uint8)
        signed = (xp.int8, xp.int16, xp.int32, xp.int64)
        return X if X.dtype in (*common, *signed) else X.double()
    return X


def _check_layout(X: Any, space: Space) -> None:
    if space.library != "torch":
        return
    if X.requires_grad:
        raise InvalidFeatures(
            "X requires grad, and no gradient flows through a fit in closed form; pass X.detach()."
        )
    if str(X.layout) != "torch.strided":
        raise InvalidFeatures(f"X is laid out as {X.layout}; convert it with X.to_dense().")
    if X.is_complex() or X.is_quantized:
        raise NotNumbers(f"X holds {X.dtype} values; features must be real numbers.")
