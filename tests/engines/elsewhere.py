"""Places where rows may lie other than in NumPy: libraries, each with a device."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest


@dataclass(frozen=True)
class Place:
    """A library of arrays and a device of it, by name."""

    library: str
    device: str

    def __str__(self) -> str:
        return f"{self.library}-{self.device}"

    @property
    def missing(self) -> bool:
        if any(find_spec(name) is None for name in (self.library, "array_api_compat")):
            return True
        if self.device == "cuda":
            import torch

            return not torch.cuda.is_available()
        return False

    def put(self, values: Any) -> Any:
        values = np.array(values)
        if self.library == "torch":
            import torch

            return torch.from_numpy(values).to(self.device)
        import array_api_strict

        return array_api_strict.asarray(values, device=array_api_strict.Device(self.device))

    def fetch(self, array: Any) -> np.ndarray:
        """The values, after checking that they lie here."""
        if self.library == "torch":
            import torch

            assert isinstance(array, torch.Tensor)
            assert array.device.type == self.device
            return array.cpu().numpy()
        import array_api_strict

        assert type(array).__module__.startswith("array_api_strict")
        assert array.device == array_api_strict.Device(self.device)
        return np.asarray(array.to_device(array_api_strict.Device("CPU_DEVICE")))


TORCH = Place("torch", "cpu")
CUDA = Place("torch", "cuda")
STRICT = Place("array_api_strict", "CPU_DEVICE")
OTHER = Place("array_api_strict", "device1")


def some(*places: Place) -> Any:
    """Each test once a place; those that are not there are skipped."""
    return pytest.mark.parametrize(
        "place",
        [
            pytest.param(
                p, id=str(p), marks=pytest.mark.skipif(p.missing, reason=f"there is no {p} here")
            )
            for p in places
        ],
    )


everywhere = some(TORCH, STRICT, OTHER, CUDA)
torches = some(TORCH, CUDA)
