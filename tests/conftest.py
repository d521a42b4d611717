"""Fixtures that several folders use."""

from __future__ import annotations

import pytest
from hypothesis import settings

from suffice.statistics import reader
from suffice.statistics.kernels import choice

# A busy machine is no failure.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


def _force(monkeypatch: pytest.MonkeyPatch, threshold: int) -> None:
    monkeypatch.setattr(choice, "COMPILED_FROM", threshold)
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
