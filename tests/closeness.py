"""When numbers of a test count as the same."""

from __future__ import annotations

import numpy as np


def near(got, wanted, tolerance=1e-12, smallest=0.0):
    """Assert that numbers agree relative to the largest finite one, or to `smallest` if larger.

    Infinities and NaN must stand in the same places.
    """
    got, wanted = np.asarray(got, np.float64), np.asarray(wanted, np.float64)
    largest = np.abs(wanted[np.isfinite(wanted)]).max(initial=smallest)
    np.testing.assert_allclose(got, wanted, rtol=0, atol=tolerance * largest)


def near_moments(a, b, whole, tolerance):
    """Assert that means and scatter agree, in deviations and sums of squares of the whole."""
    kept = np.isin(whole.classes, b.classes)
    per_class = b.spread.per_class
    squares = whole.spread.diagonal()[kept if per_class else slice(None)]
    weight = whole.weight[kept][:, None] if per_class else whole.weight.sum()
    room = tolerance * np.sqrt(squares / weight) + 2 * np.finfo(float).eps * np.abs(b.mean)
    assert (np.abs(a.mean - b.mean) <= room).all()
    size = np.sqrt(squares if per_class else squares[0])
    outer = size**2 if b.detail == "diagonal" else size[..., :, None] * size[..., None, :]
    assert (np.abs(a.scatter - b.scatter) <= tolerance * outer).all()
