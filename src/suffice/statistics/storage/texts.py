"""Texts: strings as arrays of a file, and back.

They are stored as their concatenated UTF-8 bytes and the position where each one ends. So the
memory they take is known before any of them is read, unlike with a JSON list.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from suffice.data.arrays import Array
from suffice.statistics.storage.room import Room

# Memory of a Python string beside its characters, in a list and in a set.
STRING_BYTES = 100


def write_texts(name: str, texts: Sequence[str]) -> dict[str, Array]:
    """Strings as two arrays: bytes and end positions.

    >>> arrays = write_texts("names", ["a", "bc"])
    >>> bytes(arrays["names"]), arrays["names.ends"]
    (b'abc', array([1, 3]))
    """
    return write_bytes(name, [text.encode("utf-8", "surrogatepass") for text in texts])


def write_bytes(name: str, parts: Sequence[bytes]) -> dict[str, Array]:
    """Byte strings as two arrays: all bytes, and end positions."""
    ends = np.cumsum([len(part) for part in parts], dtype=np.int64)
    return {name: np.frombuffer(b"".join(parts), np.uint8), f"{name}.ends": ends}


def read_texts(name: str, data: Array, ends: Array, room: Room) -> list[str]:
    """The strings that `write_texts` wrote; a ValueError says what is wrong."""
    _check(name, data, ends)
    # A character takes up to 4 bytes: all do if one is outside the basic multilingual plane.
    room.take(STRING_BYTES * len(ends) + 4 * len(data), f"the texts of {name}")
    return list(_decode(name, data, ends))


def read_bytes(name: str, data: Array, ends: Array, room: Room) -> list[bytes]:
    """The byte strings that `write_bytes` wrote; a ValueError says what is wrong."""
    _check(name, data, ends)
    room.take(STRING_BYTES * len(ends) + len(data), f"the bytes of {name}")
    return list(_split(data, ends))


def read_labels(name: str, data: Array, ends: Array, room: Room) -> Array:
    """The strings that `write_texts` wrote as an array, each as wide as the longest."""
    _check(name, data, ends)
    longest = int(np.diff(ends, prepend=0).max(initial=0))
    if room.label_bytes is not None and longest > room.label_bytes:
        raise ValueError(
            f"a label of {name} is {longest} bytes long, more than the {room.label_bytes} that "
            "labels of files have; if you trust where it comes from, load it with trusted=True"
        )
    room.take(len(ends) * (4 * longest + STRING_BYTES), f"the labels of {name}")
    return np.array([*_decode(name, data, ends)], dtype=np.str_)


def _check(name: str, data: Array, ends: Array) -> None:
    if data.dtype != np.uint8 or ends.dtype != np.int64 or (data.ndim, ends.ndim) != (1, 1):
        raise ValueError(f"{name} are not texts")
    if (np.diff(ends, prepend=0) < 0).any() or int(ends[-1] if len(ends) else 0) != len(data):
        raise ValueError(f"the texts of {name} do not end where they should")


def _decode(name: str, data: Array, ends: Array) -> Iterator[str]:
    try:
        for part in _split(data, ends):
            yield part.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise ValueError(f"a text of {name} is not UTF-8") from None


def _split(data: Array, ends: Array) -> Iterator[bytes]:
    whole = data.tobytes()
    return (whole[low:high] for low, high in pairwise([0, *ends.tolist()]))
