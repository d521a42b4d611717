"""Fingerprint: what tells that a file is still the one it was."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from suffice.errors import UnreadableFile

# So many bytes at either end are looked at: Parquet and Arrow have their contents there.
END_BYTES = 1 << 16


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

    size: int
    modified: int  # nanoseconds
    ends: str

    @classmethod
    def of(cls, path: Path) -> Fingerprint:
        """The fingerprint of the file at a path."""
        try:
            with open(path, "rb") as file:
                about = os.fstat(file.fileno())
                found = hashlib.sha256(file.read(END_BYTES))
                if about.st_size > END_BYTES:
                    file.seek(max(END_BYTES, about.st_size - END_BYTES))
                    found.update(file.read(END_BYTES))
        except OSError as error:
            raise UnreadableFile(f"{path} cannot be read: {error.strerror}.") from None
        return cls(about.st_size, about.st_mtime_ns, found.hexdigest())
