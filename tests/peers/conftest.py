"""Fixtures that scikit-learn's own tests take from its configuration."""

import numpy as np
import pytest


@pytest.fixture
def global_random_seed():
    return 0


@pytest.fixture
def global_dtype():
    return np.float64


def pytest_collection_modifyitems(items):
    """Their warnings are theirs: only what a test expects counts."""
    for item in items:
        if "peers" in item.path.parts:
            item.add_marker(pytest.mark.filterwarnings("default"))
