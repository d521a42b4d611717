"""What the compiled CUDA loops share: Triton, where it is installed, and the sizes of tiles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["TileSizes", "jit", "tl", "triton"]

try:
    import triton
    import triton.language as tl
except ImportError:  # needed only where torch has it; the doctests import every module
    triton = None
    tl = None

jit: Any = triton.jit if triton is not None else (lambda function: function)


@dataclass(frozen=True, slots=True)
class TileSizes:
    """Sizes of the tiles of a loop, which do not change the result."""

    rows: int = 128
    columns: int = 128
    depth: int = 64
    warps: int = 4
    stages: int = 4
