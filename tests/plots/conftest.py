"""Fixtures of the tests of pictures."""

from __future__ import annotations

import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt

mpl.use("Agg")


@pytest.fixture(autouse=True)
def no_figure_is_left_behind():
    """Each test starts without figures of pyplot."""
    yield
    plt.close("all")
