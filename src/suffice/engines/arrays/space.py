"""Space: a library of arrays and one of its devices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from suffice.data.arrays import Array
from suffice.errors import InvalidFeatures, MissingPackage


def library_of(array: Any) -> str:
    """The package that an array comes from.

    >>> library_of(np.zeros(1))
    'numpy'
    """
    return type(array).__module__.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Space:
    """Where arrays are: results are computed there, by the same library."""

    # Size of a block of float64 rows on a processor: it fits the cache.
    near_bytes: ClassVar[int] = 4 << 20

    xp: Any
    library: str
    device: Any

    @classmethod
    def of(cls, array: Any) -> Space:
        """The library and device of an array."""
        try:
            import array_api_compat
        except ImportError:
            raise MissingPackage(
                f"rows of {library_of(array)} need array-api-compat: pip install 'suffice[torch]'."
            ) from None
        try:
            xp = array_api_compat.array_namespace(array)
        except TypeError:
            raise InvalidFeatures(
                f"X is a {library_of(array)} {type(array).__name__}, not an array."
            ) from None
        return cls(xp, library_of(array), array_api_compat.device(array))

    @property
    def is_near(self) -> bool:
        """Whether the device is the processor itself."""
        return "cpu" in str(self.device).lower()

    @property
    def block_bytes(self) -> int:
        """The size of a block of rows."""
        far_bytes = 256 << 20  # size of a block of rows elsewhere, which fills the device
        return self.near_bytes if self.is_near else far_bytes

    def __str__(self) -> str:
        return f"{self.library} on {self.device}"

    def check_doubles(self) -> None:
        """Raise if the device has no float64, in which all sums are computed."""
        if self.library == "torch":
            if self.device.type == "mps":
                raise self._no_doubles()
            return
        try:
            zero = self.xp.zeros(1, dtype=self.xp.float64, device=self.device)
        except Exception as error:  # each library has errors of its own
            raise self._no_doubles() from error
        if zero.dtype != self.xp.float64:
            raise self._no_doubles()

    def _no_doubles(self) -> InvalidFeatures:
        more = " Set jax_enable_x64." if self.library.startswith("jax") else ""
        return InvalidFeatures(
            f"{self} has no float64, in which sums are computed; move the rows to another "
            f"device.{more}"
        )

    def floats(self, array: Any) -> Any:
        """The array as float64."""
        if self.library == "torch":
            return array.double()
        return self.xp.astype(array, self.xp.float64, copy=False)

    def put(self, values: Array) -> Any:
        """An array of the host, copied to the device."""
        # A copy, since a library may refuse arrays that are read-only.
        return self.xp.asarray(np.array(values), device=self.device)

    def fetch(self, array: Any) -> Array:
        """An array on the device, copied to the host."""
        if self.library == "torch":
            return np.asarray(array.detach().cpu().numpy())
        if self.library == "cupy":
            return np.asarray(array.get())
        if self.library == "array_api_strict":
            array = array.to_device(self.xp.Device("CPU_DEVICE"))
        return np.array(array)

    def take(self, array: Any, at: Any) -> Any:
        """Some rows by number."""
        if self.library == "torch":
            return array.index_select(0, at)
        return self.xp.take(array, at, axis=0)

    def joined(self, n: int, step: int, work: Callable[[int, int], Any]) -> Any:
        """work(low, high) of all rows, `step` at a time, in one array."""
        first = work(0, min(n, step))
        if n <= step:
            return first
        if self.library.startswith("jax"):  # whose arrays never change
            rest = [work(low, min(n, low + step)) for low in range(step, n, step)]
            return self.xp.concat([first, *rest])
        out = self.xp.empty((n, *first.shape[1:]), dtype=first.dtype, device=self.device)
        out[:step, ...] = first
        for low in range(step, n, step):
            out[low : min(n, low + step), ...] = work(low, min(n, low + step))
        return out
