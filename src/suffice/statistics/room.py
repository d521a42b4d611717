"""Room: how much memory the content of a file may take beyond the file itself."""

from __future__ import annotations

# What a file spreads out may take this many bytes, and this many times the size of the file.
FREE_BYTES = 16 << 20
TIMES = 2

# Longer labels are refused: `predict` returns an array of labels that are all as wide as the
# longest, whatever the number of rows.
LABEL_BYTES = 1024


class Room:
    """Bytes that reading a file may still allocate for what is larger in memory than on disk.

    Labels of one width, names as Python strings, a table of features that no row has: a few bytes
    of a crafted file could ask for gigabytes. They are counted before they are allocated.

    size : bytes of the file; None for one that is trusted, which may take any amount
    label_bytes : how long a label may be; None for any length

    >>> Room(1000).take(1 << 30, "the labels")
    Traceback (most recent call last):
    ValueError: the labels take 1024 MB in memory, out of proportion to a file of 1 KB; if you \
trust where it comes from, load it with trusted=True
    """

    def __init__(self, size: int | None, label_bytes: int | None = LABEL_BYTES) -> None:
        self.size = size
        self.label_bytes = None if size is None else label_bytes
        self._left = 0 if size is None else FREE_BYTES + TIMES * size

    def take(self, needed: int, what: str) -> None:
        """Count bytes that are about to be allocated; raise ValueError where they are too many."""
        if self.size is None:
            return
        if needed > self._left:
            raise ValueError(disproportion(needed, what, self.size))
        self._left -= needed


def disproportion(needed: int, what: str, size: int) -> str:
    """Why a file of that size is refused, and how to load it all the same."""
    return (
        f"{what} take {max(1, needed >> 20)} MB in memory, out of proportion to a file of "
        f"{max(1, size >> 10)} KB; if you trust where it comes from, load it with trusted=True"
    )
