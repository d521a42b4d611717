"""Saving: the methods by which all statistics are written to files."""

from __future__ import annotations

from os import PathLike
from typing import Self


class Savable:
    """Statistics that a file can hold."""

    __slots__ = ()

    def stored(self, exact: bool) -> Self:
        """The form in which a file holds them, see `registry.storable`."""
        return self

    def digest(self) -> str:
        """SHA-256 of the content: equal for equal content, on every machine."""
        from suffice.statistics.storage import digest

        return digest(self)

    def save(self, path: str | PathLike[str], *, key: bytes | None = None) -> None:
        """Write one safetensors file, whole or not at all; read it with `suffice.load`.

        key : secret bytes that sign the file, see `suffice.save`
        """
        from suffice.statistics.storage import save

        save(self, path, key)
