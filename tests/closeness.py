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
