"""Fixtures that several folders use."""

from __future__ import annotations

import shutil

import pytest
from hypothesis import settings
from threadpoolctl import threadpool_limits

from lawful import EXHAUSTIVE, examples
from suffice.data.sources import chunk, sample, text_blocks
from suffice.statistics.kernels import choice
from suffice.statistics.passes import reader
from suffice.statistics.passes.checkpoint import Checkpoint

# A busy machine is not a failure.
settings.register_profile("patient", deadline=None, max_examples=examples(100))
settings.load_profile("patient")


def pytest_collection_modifyitems(config, items):
    """Leave out tests marked `exhaustive`, unless SUFFICE_EXHAUSTIVE=1 asks for all of them."""
    if EXHAUSTIVE:
        return
    others = [item for item in items if item.get_closest_marker("exhaustive")]
    config.hook.pytest_deselected(items=others)
    items[:] = [item for item in items if not item.get_closest_marker("exhaustive")]


@pytest.fixture
def one_thread():
    """No threads within BLAS: those of several test processes would wait for each other."""
    with threadpool_limits(1):
        yield


@pytest.fixture
def read_in_parts(monkeypatch):
    """Sets how inputs are read.

    entries : rows times features of a chunk
    block : bytes of a block of text
    sampled : first rows that decide about columns
    checkpoints : write one after each chunk
    """

    def set_parts(entries=None, *, block=None, sampled=None, checkpoints=False):
        if entries is not None:
            monkeypatch.setattr(chunk.chunk_rows, "__defaults__", (entries, 1, 1 << 20))
        if block is not None:
            monkeypatch.setattr(text_blocks.TextFile, "block_bytes", block)
        if sampled is not None:
            size = sample.SampleSize(sampled, fewest_rows=1)
            monkeypatch.setattr(sample.sample_rows, "__defaults__", (size,))
        if checkpoints:
            monkeypatch.setattr(Checkpoint, "interval", 0.0)
            monkeypatch.setattr(Checkpoint, "sparseness", 0.0)

    return set_parts


@pytest.fixture(scope="session")
def browser():
    """Chromium, one for all pages: playwright cannot run twice in a thread."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("there is no Chromium on this machine")
    with sync_api.sync_playwright() as play:
        made = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield made
        made.close()


@pytest.fixture
def new_context(browser):
    """Opens windows of the browser, with no others' cookies, that wait long for what is to come."""
    made = []

    def new_context(**options):
        made.append(browser.new_context(**options))
        made[-1].set_default_timeout(180_000)
        return made[-1]

    yield new_context
    for context in made:
        context.close()


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
