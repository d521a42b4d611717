"""Forged files: content that was changed, under a checksum that fits, as anybody can make them."""

from __future__ import annotations

import copy

from suffice.statistics.storage import container
from suffice.statistics.storage.stacking import stack, unstack


def resealed(data: bytes) -> bytes:
    """The same file with the checksum of its content."""
    place = container._PLACE
    return data[: place.start] + container._seal(data, None).encode() + data[place.stop :]


def with_field(header, path, node):
    """The same header with another field, given by the names that lead to it."""
    header = copy.deepcopy(header)
    *above, last = path.split(".")
    inner = header
    for name in above:
        inner = inner[name]
    if node is None:
        inner.pop(last, None)
    else:
        inner[last] = node
    return header


def below(path, arrays):
    """The arrays under a path, by the rest of their names."""
    return {name[len(path) :]: a for name, a in arrays.items() if name.startswith(f"{path}.")}


def parts_of(path, arrays):
    """The arrays of each of the values that are stacked at a path."""
    count = len(arrays[f"{path}#form"])
    return [*unstack(below(path, arrays), below(f"{path}#shapes", arrays), count)]


def without(path, arrays):
    """The arrays that are not under a path."""
    return {name: a for name, a in arrays.items() if not name.startswith((f"{path}.", f"{path}#"))}


def with_parts(path, arrays, parts, forms=None):
    """The same arrays with other values stacked at a path, of the same forms or of others."""
    form = arrays[f"{path}#form"] if forms is None else forms
    flat, shapes = stack(parts)
    return {
        **without(path, arrays),
        f"{path}#form": form,
        **{f"{path}{name}": array for name, array in flat.items()},
        **{f"{path}#shapes{name}": array for name, array in shapes.items()},
    }
