"""Files cut into many chunks and blocks, and streams that count as short or long."""

from __future__ import annotations

import pytest

from suffice.data import chunk, stream, text_blocks, text_source


@pytest.fixture
def small(monkeypatch):
    """Chunks of sixteen rows and blocks of a thousand bytes."""
    monkeypatch.setattr(chunk, "CHUNK_ENTRIES", 48)
    monkeypatch.setattr(chunk, "FEWEST_ROWS", 1)
    monkeypatch.setattr(text_source, "BLOCK_BYTES", 1000)
    monkeypatch.setattr(text_blocks, "BLOCK_BYTES", 1000)


@pytest.fixture(params=["short", "long"])
def length(request, monkeypatch):
    """Streams that are summarized by plain and by compiled loops."""
    if request.param == "long":
        monkeypatch.setattr(stream, "LONG_BYTES", 0)
