"""Signing: the key of --key-file, which signs files when written and verifies them when read."""

from __future__ import annotations

from contextvars import ContextVar
from pathlib import Path

_given: ContextVar[bytes | None] = ContextVar("key", default=None)


def set_key(path: Path | None) -> None:
    """Use the secret bytes in a file as the key of this command; None for no key."""
    if path is None:
        _given.set(None)
        return
    from suffice.data.sources.files import read_whole
    from suffice.statistics.storage.container import check_key

    key = read_whole(path)
    check_key(key)
    _given.set(key)


def key() -> bytes | None:
    """The key of this command, or None."""
    return _given.get()
