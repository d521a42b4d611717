"""Room: how much memory reading a file may take beyond the file itself."""

from __future__ import annotations


class Room:
    """Bytes that reading a file may still allocate for what is larger in memory than on disk.

    Labels of equal width, names as Python strings, tables of features that no row has: a few bytes
    of a crafted file could require gigabytes. So they are counted before they are allocated.

    size : bytes of the file; None for a trusted file, which may take any amount
    label_bytes : longest label; None for any length. `predict` returns an array in which every
        label takes the width of the longest one

    >>> Room(1000).take(1 << 30, "the labels")
    Traceback (most recent call last):
    ValueError: the labels take 1024 MB in memory, out of proportion to a file of 1 KB; if you \
trust where it comes from, load it with trusted=True
    """

    def __init__(self, size: int | None, label_bytes: int | None = 1024) -> None:
        self.size = size
        self.label_bytes = None if size is None else label_bytes
        # Content may expand by this and four times the size of the file.
        free_bytes = 16 << 20
        self._left = 0 if size is None else free_bytes + 4 * size

    def take(self, needed: int, what: str) -> None:
        """Count bytes about to be allocated; raise ValueError if they are too many."""
        if self.size is None:
            return
        if needed > self._left:
            raise ValueError(disproportion(needed, what, self.size))
        self._left -= needed


def disproportion(needed: int, what: str, size: int) -> str:
    """The message that a file of that size is refused, and how to load it anyway."""
    return (
        f"{what} take {max(1, needed >> 20)} MB in memory, out of proportion to a file of "
        f"{max(1, size >> 10)} KB; if you trust where it comes from, load it with trusted=True"
    )
