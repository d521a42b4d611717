"""Fingerprint: by what a file is recognised as unchanged."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from suffice.data.sources.paths import check_file, unreadable
from suffice.errors import ChangedInput, UnreadableFile


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Size, time of the last change, and a hash of the first and last bytes.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "rows.csv"
    >>> _ = path.write_text("a,b")
    >>> before = Fingerprint.of(path)
    >>> _ = path.write_text("a,c")
    >>> Fingerprint.of(path) == before
    False
    """

    size: int  # bytes
    modified: int  # nanoseconds
    ends: str

    @classmethod
    def of(cls, path: Path) -> Fingerprint:
        """The fingerprint of the file at a path."""
        check_file(path)
        # Hashed at either end of a file, where Parquet and Arrow list their contents.
        end_bytes = 1 << 16
        with unreadable(path), path.open("rb") as file:
            about = os.fstat(file.fileno())
            ends = hashlib.sha256(file.read(end_bytes))
            if about.st_size > end_bytes:
                file.seek(max(end_bytes, about.st_size - end_bytes))
                ends.update(file.read(end_bytes))
        return cls(about.st_size, about.st_mtime_ns, ends.hexdigest())

    def check(self, path: Path) -> None:
        """Raise if the file at a path is no longer the same."""
        try:
            what = "" if Fingerprint.of(path) == self else "changed"
        except UnreadableFile:
            what = "removed"
        if what:
            raise ChangedInput(f"{path} was {what} while it was read; start again.") from None
