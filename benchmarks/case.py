"""Case: a shape of data, and the data of that shape."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True, slots=True)
class Case:
    """Rows of Gaussian classes; the same rows every time."""

    rows: int
    features: int
    classes: int
    dtype: str = "float64"

    def __str__(self) -> str:
        return f"{self.rows:,} x {self.features}, {self.classes} classes, {self.dtype}"

    def shrunk(self, factor: int) -> Case:
        if factor == 1:
            return self
        rows = self.rows // factor
        # With fewer rows than features in a class, QDA has no answer to time.
        return replace(self, rows=rows, classes=min(self.classes, rows // (2 * self.features)))

    def data(self) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.default_rng(self.features)
        X = rng.standard_normal((self.rows, self.features), dtype=self.dtype)
        y = rng.integers(self.classes, size=self.rows)
        centres = rng.standard_normal((self.classes, self.features), dtype=self.dtype)
        for start in range(0, self.rows, 10_000):  # in place: no second X in memory
            X[start : start + 10_000] += centres[y[start : start + 10_000]]
        return X, y


SHAPES = ((500_000, 64, 10), (200_000, 256, 10), (100_000, 512, 100), (1_000_000, 16, 3))


def cases(quick: bool) -> list[Case]:
    """The cases every subject is measured on."""
    full = [Case(*shape, dtype) for shape in SHAPES for dtype in ("float64", "float32")]
    return [case.shrunk(10) for case in full] if quick else full
