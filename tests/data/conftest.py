"""Files cut into many chunks and blocks, and streams that count as short or long."""

from __future__ import annotations

import pytest

from suffice.data.sources import stream


@pytest.fixture
def small(read_in_parts):
    """Chunks of sixteen rows and blocks of a thousand bytes."""
    read_in_parts(48, block=1000)


@pytest.fixture(params=["short", "long"])
def length(request, monkeypatch):
    """Streams that are summarized by plain and by compiled loops."""
    if request.param == "long":
        monkeypatch.setattr(stream.FileStream, "long_bytes", 0)
