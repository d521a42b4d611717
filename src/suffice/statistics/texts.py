"""Texts: labels, levels and names as arrays of a file, and back.

Strings are stored as their concatenated UTF-8 bytes and the position where each one ends. So the
memory they take is known before any of them is read, unlike with a JSON list.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from suffice.data.arrays import Array
from suffice.statistics.room import Room

# Memory of a Python string beside its characters, in a list and in a set.
STRING_BYTES = 100

LABEL_KINDS = {"b": "bool", "i": "int", "f": "float", "U": "str"}

_TYPES = {"bool": np.bool_, "int": np.int64, "float": np.float64}
_ORDER = ("bool", "int", "float", "str")


def write_texts(name: str, texts: Sequence[str]) -> dict[str, Array]:
    """Strings as two arrays: bytes and end positions.

    >>> arrays = write_texts("names", ["a", "bc"])
    >>> bytes(arrays["names"]), arrays["names.ends"]
    (b'abc', array([1, 3]))
    """
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    ends = np.cumsum([len(text) for text in encoded], dtype=np.int64)
    return {name: np.frombuffer(b"".join(encoded), np.uint8), f"{name}.ends": ends}


def read_texts(name: str, arrays: dict[str, Array], room: Room) -> list[str]:
    """The strings that `write_texts` wrote; a ValueError says what is wrong."""
    data, ends = _parts(name, arrays)
    # A character takes up to 4 bytes: all do if one is outside the basic multilingual plane.
    room.take(STRING_BYTES * len(ends) + 4 * len(data), f"the texts of {name}")
    return list(_decode(name, data, ends))


def write_labels(name: str, labels: Array) -> dict[str, Array]:
    """Labels or levels as arrays that keep their type: booleans, integers, floats or strings."""
    kind = LABEL_KINDS[labels.dtype.kind]
    if kind == "str":
        return write_texts(name, labels.tolist())
    return {name: labels.astype(_TYPES[kind])}


def read_labels(name: str, arrays: dict[str, Array], room: Room) -> Array:
    """The labels that `write_labels` wrote, ascending; a ValueError says what is wrong."""
    if f"{name}.ends" in arrays:
        return ascending(name, _wide(name, *_parts(name, arrays), room))
    labels = arrays[name]
    if labels.ndim != 1 or labels.dtype not in _TYPES.values() or not np.isfinite(labels).all():
        raise ValueError(f"{name} are not labels")
    return ascending(name, labels)


def write_levels(name: str, levels: Sequence[Array]) -> dict[str, Array]:
    """Several lists of labels, each with its own type, in a fixed number of arrays."""
    kinds = [LABEL_KINDS[own.dtype.kind] for own in levels]
    arrays: dict[str, Array] = {
        f"{name}.kind": np.array([_ORDER.index(kind) for kind in kinds], np.int64),
        f"{name}.size": np.array([len(own) for own in levels], np.int64),
    }
    for kind in _ORDER:
        chosen = [own for own, its in zip(levels, kinds, strict=True) if its == kind]
        if chosen and kind == "str":
            arrays |= write_texts(f"{name}.str", [text for own in chosen for text in own.tolist()])
        elif chosen:
            arrays[f"{name}.{kind}"] = np.concatenate(chosen).astype(_TYPES[kind])
    return arrays


def read_levels(name: str, arrays: dict[str, Array], room: Room) -> list[Array]:
    """The lists of labels that `write_levels` wrote; a ValueError says what is wrong."""
    kinds, sizes = (arrays[f"{name}.{part}"] for part in ("kind", "size"))
    if not _are_counts(kinds) or not _are_counts(sizes) or len(kinds) != len(sizes):
        raise ValueError(f"{name} have no kinds or sizes")
    if (kinds >= len(_ORDER)).any():
        raise ValueError(f"{name} are of an unknown kind")
    room.take(200 * len(kinds), f"the lists of {name}")
    runs = {
        code: _runs(f"{name}.{kind}", arrays, sizes[kinds == code].tolist(), room)
        for code, kind in enumerate(_ORDER)
        if (kinds == code).any()
    }
    return [ascending(name, next(runs[code])) for code in kinds.tolist()]


def names_of(arrays: dict[str, Array], features: int, room: Room) -> tuple[str, ...] | None:
    """Names of the features, or None; a ValueError unless there is one for each."""
    if "names" not in arrays:
        return None
    if len(_parts("names", arrays)[1]) != features:
        raise ValueError("there are not as many feature names as features")
    names = read_texts("names", arrays, room)
    if len(set(names)) < len(names):
        raise ValueError("two features have the same name")
    return tuple(names)


def write_names(names: Sequence[str] | None) -> dict[str, Array]:
    """Names of features, if there are any."""
    return {} if names is None else write_texts("names", names)


def ascending(name: str, labels: Array) -> Array:
    """The labels; a ValueError if they are not sorted, or one occurs twice."""
    if len(labels) > 1 and not (labels[:-1] < labels[1:]).all():
        raise ValueError(f"{name} are not sorted or not unique")
    return labels


def _runs(name: str, arrays: dict[str, Array], sizes: list[int], room: Room) -> Iterator[Array]:
    """Labels of one kind, cut into lists of these sizes."""
    texts = f"{name}.ends" in arrays
    whole, ends = _parts(name, arrays) if texts else (arrays[name], arrays[name])
    if ends.ndim != 1 or sum(sizes) != len(ends):
        raise ValueError(f"{name} has the wrong number of entries")
    if not texts and (whole.dtype != _TYPES[name.rpartition(".")[2]] or not _finite(whole)):
        raise ValueError(f"{name} are not labels")
    starts = np.concatenate([[0], ends]) if texts else ends
    at = 0
    for size in sizes:
        if texts:
            low, high = int(starts[at]), int(starts[at + size])
            yield _wide(name, whole[low:high], ends[at : at + size] - low, room)
        else:
            yield whole[at : at + size]
        at += size


def _wide(name: str, data: Array, ends: Array, room: Room) -> Array:
    """Strings as an array of labels, each as wide as the longest."""
    longest = int(np.diff(ends, prepend=0).max(initial=0))
    if room.label_bytes is not None and longest > room.label_bytes:
        raise ValueError(
            f"a label of {name} is {longest} bytes long, more than the {room.label_bytes} that "
            "labels of files have; if you trust where it comes from, load it with trusted=True"
        )
    room.take(len(ends) * (4 * longest + STRING_BYTES), f"the labels of {name}")
    return np.array([*_decode(name, data, ends)], dtype=np.str_)


def _decode(name: str, data: Array, ends: Array) -> Iterator[str]:
    whole = data.tobytes()
    try:
        for low, high in pairwise([0, *ends.tolist()]):
            yield whole[low:high].decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise ValueError(f"a text of {name} is not UTF-8") from None


def _parts(name: str, arrays: dict[str, Array]) -> tuple[Array, Array]:
    data, ends = arrays[name], arrays[f"{name}.ends"]
    if data.dtype != np.uint8 or data.ndim != 1 or not _are_counts(ends):
        raise ValueError(f"{name} are not texts")
    if (np.diff(ends) < 0).any() or int(ends[-1] if len(ends) else 0) != len(data):
        raise ValueError(f"the texts of {name} do not end where they should")
    return data, ends


def _are_counts(array: Array) -> bool:
    return array.dtype == np.int64 and array.ndim == 1 and not (array < 0).any()


def _finite(array: Any) -> bool:
    return bool(np.isfinite(array).all())
