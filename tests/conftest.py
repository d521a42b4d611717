"""Fixtures that several folders use."""

from __future__ import annotations

import pytest
from hypothesis import settings

from lawful import EXHAUSTIVE, examples
from suffice.statistics import reader
from suffice.statistics.kernels import choice

# A busy machine is not a failure.
settings.register_profile("patient", deadline=None, max_examples=examples(100))
settings.load_profile("patient")


def pytest_collection_modifyitems(config, items):
    """Leave out tests marked `exhaustive`; scikit-learn's checks run for one setting per class.

    SUFFICE_EXHAUSTIVE=1 runs all of them, and tries more examples of each law.
    """
    if EXHAUSTIVE:
        return
    first: dict[tuple[str, type], str] = {}
    kept, others = [], []
    for item in items:
        if item.get_closest_marker("exhaustive"):
            others.append(item)
            continue
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        if {"estimator", "check"} <= parameters.keys():
            estimator = parameters["estimator"]
            test = item.nodeid.partition("[")[0], type(estimator)
            if first.setdefault(test, repr(estimator)) != repr(estimator):
                others.append(item)
                continue
        kept.append(item)
    config.hook.pytest_deselected(items=others)
    items[:] = kept


def _force(monkeypatch: pytest.MonkeyPatch, threshold: int) -> None:
    for name in ("COMPILED_FROM", "LOADED_FROM", "BUILT_FROM"):
        monkeypatch.setattr(choice, name, threshold)
    monkeypatch.setattr(reader, "COMPILED_FROM", threshold)


@pytest.fixture
def compiled(monkeypatch):
    """All data goes through the compiled loops and several threads, however small it is."""
    monkeypatch.setenv("SUFFICE_NUM_THREADS", "3")
    _force(monkeypatch, 0)


@pytest.fixture(params=["plain", "compiled"])
def kernels(request, monkeypatch):
    """Each test twice: with NumPy alone, and with the compiled loops."""
    if request.param == "compiled":
        request.getfixturevalue("compiled")
    else:
        _force(monkeypatch, 1 << 62)
    return request.param
