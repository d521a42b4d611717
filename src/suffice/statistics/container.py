"""Container: named arrays and a JSON header in one safetensors file.

Such a file holds numbers and text only; reading one executes nothing. Its header carries a
checksum of every other byte, so that no damage can pass for data.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np

from suffice.data.arrays import Array
from suffice.errors import InvalidFile

FORMAT = 2

_KEY = "suffice"
_BLANK = "0" * 64


def pack(header: dict[str, Any], arrays: dict[str, Array]) -> bytes:
    """The bytes of a file: equal for equal content."""
    from safetensors.numpy import save

    text = json.dumps({"format": FORMAT, **header}, sort_keys=True, ensure_ascii=True)
    tensors = {name: np.ascontiguousarray(array) for name, array in sorted(arrays.items())}
    # The two entries of a metadata dictionary come out in no fixed order; one always does.
    blank = save(tensors, {_KEY: _BLANK + text})
    packed = _with_checksum(blank, hashlib.sha256(blank).hexdigest())
    assert packed is not None
    return packed


def unpack(data: bytes, name: str) -> tuple[dict[str, Any], dict[str, Array]]:
    """Header and arrays of a file, once every bit of it is known to be as it was written."""
    header, checksum = _header(data, name)
    if _checksum(data) != checksum:
        raise InvalidFile(
            f"{name} is damaged: its checksum does not fit its content. Fetch or write it again."
        )
    if header["format"] > FORMAT:
        raise InvalidFile(
            f"{name} was written by a newer version of suffice (file format "
            f"{header['format']}, this version reads up to {FORMAT}). Upgrade suffice."
        )
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        return header, load(data)
    except (SafetensorError, KeyError, ValueError, TypeError) as error:
        raise InvalidFile(f"{name} cannot be read: {error}.") from None


def _header(data: bytes, name: str) -> tuple[dict[str, Any], str]:
    """The JSON header and the checksum beside it, from the length-prefixed start of the file."""
    size = int.from_bytes(data[:8], "little")
    if len(data) < 8 or size > len(data) - 8:
        raise InvalidFile(f"{name} is not a suffice file, or it was cut short ({len(data)} bytes).")
    try:
        text = _parsed(data[8 : 8 + size])["__metadata__"][_KEY]
        header = _parsed(text[len(_BLANK) :])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InvalidFile(f"{name} is not a suffice file, or it is damaged.") from None
    if not isinstance(header, dict) or type(header.get("format")) is not int:
        raise InvalidFile(f"{name} is not a suffice file.")
    if header["format"] < 1:
        raise InvalidFile(f"{name} has file format {header['format']}, which there never was.")
    return header, text[: len(_BLANK)]


def _parsed(text: bytes | str) -> Any:
    """JSON in which every key is there once and every number is finite."""
    return json.loads(text, object_pairs_hook=_once, parse_constant=_refuse)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is there twice")
    return found


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no number")


def _checksum(data: bytes) -> str | None:
    """SHA-256 of the bytes with a blank in place of the checksum, if they have a place for it."""
    start = _place(data)
    if start is None:
        return None
    view, found = memoryview(data), hashlib.sha256()
    for part in (view[:start], _BLANK.encode(), view[start + len(_BLANK) :]):
        found.update(part)
    return found.hexdigest()


def _with_checksum(data: bytes, checksum: str) -> bytes | None:
    """The same bytes with another checksum in its place at the start of the header, if any."""
    start = _place(data)
    if start is None:
        return None
    return b"".join([data[:start], checksum.encode(), data[start + len(_BLANK) :]])


def _place(data: bytes) -> int | None:
    marker = f'"{_KEY}":"'.encode()
    at = data.find(marker, 8, 8 + 1024)
    return None if at < 0 else at + len(marker)
