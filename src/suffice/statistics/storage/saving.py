"""Saving: what all statistics have in common: they are written to files, and sum() adds them."""

from __future__ import annotations

from os import PathLike
from typing import Any, Self


class Savable:
    """Statistics that a file can hold, with `+`."""

    __slots__ = ()

    def __radd__(self, other: object) -> Any:
        # sum() starts from 0, which here stands for having seen nothing.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def stored(self, exact: bool) -> Self:
        """The form in which a file holds them, see `registry.storable`."""
        return self

    def digest(self) -> str:
        """SHA-256 of the content: equal for equal content, on every machine."""
        from suffice.statistics.storage.storage import digest

        return digest(self)

    def save(self, path: str | PathLike[str], *, key: bytes | None = None) -> None:
        """Write one safetensors file, whole or not at all; read it with `suffice.load`.

        key : secret bytes that sign the file, see `suffice.save`
        """
        from suffice.statistics.storage.storage import save

        save(self, path, key)
