"""Container: named arrays and a JSON header in one safetensors file.

Such a file holds numbers and text only; reading one executes nothing. Its header carries a seal
over every other byte: either a checksum, which detects damage but does not prove who wrote the
file, since anybody can compute one; or a signature, which only the owner of the key can make.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import math
import reprlib
from typing import Any

import numpy as np

from suffice.data.arrays import Array
from suffice.errors import InvalidFile, InvalidParameter
from suffice.statistics.storage.tensors import views

FORMAT = 3


# Fields of a header that describe the file, not its content.
OUTER = {"format", "signed"}

_KEY = "suffice"
_BLANK = "0" * 64
_START = b'{"__metadata__":{"suffice":"'
_PLACE = slice(8 + len(_START), 8 + len(_START) + len(_BLANK))


def pack(header: dict[str, Any], arrays: dict[str, Array], key: bytes | None = None) -> bytes:
    """The bytes of a file: equal for equal content.

    key : signs the file, so that `unpack` with the same key proves its origin
    """
    from safetensors.numpy import save

    check_key(key)
    about = {"format": FORMAT, "signed": key is not None, **header}
    text = json.dumps(about, ensure_ascii=True)
    tensors = {name: np.asarray(array, order="C") for name, array in sorted(arrays.items())}
    # One entry only: the order in which several metadata entries are written is not fixed.
    data = bytearray(save(tensors, {_KEY: _BLANK + text}))
    size, most = int.from_bytes(data[:8], "little"), _longest_header(len(data))
    if size > most:
        raise InvalidParameter(
            f"the parameters take {size >> 10} KB as text; a file of this size may hold "
            f"{most >> 10} KB. Pass long lists as arrays."
        )
    data[_PLACE] = _seal(data, key).encode()
    return bytes(data)


def unpack(
    data: bytes, name: str, key: bytes | None = None
) -> tuple[dict[str, Any], dict[str, Array]]:
    """Header and arrays of a file, after its seal has been verified."""
    check_key(key)
    header, table, start = _header(data, name)
    _check_seal(data, header, name, key)
    if header["format"] != FORMAT:
        raise InvalidFile(_other_format(name, header["format"]))
    try:
        return header, views(table, data, start)
    except ValueError as error:
        raise InvalidFile(f"{name} cannot be read: {error}.") from None


def brief(value: Any) -> str:
    """A value from a header, shortened for a message.

    >>> brief("x" * 1000)
    "'xxxxxxxxxxxx...xxxxxxxxxxxxx'"
    """
    return reprlib.repr(value)


def check_key(key: bytes | None) -> None:
    """Raise unless the key can sign files."""
    key_bytes = 16
    if key is not None and (not isinstance(key, bytes) or len(key) < key_bytes):
        raise InvalidParameter(
            f"key must be at least {key_bytes} bytes that are hard to guess; make one with "
            "secrets.token_bytes(32), and keep it."
        )


def _header(data: bytes, name: str) -> tuple[dict[str, Any], dict[str, Any], int]:
    """Our JSON header, the table of arrays, and where the arrays start."""
    size = int.from_bytes(data[:8], "little")
    if len(data) < 8 or size > len(data) - 8:
        raise InvalidFile(f"{name} is not a suffice file, or it was cut short ({len(data)} bytes).")
    if data[8 : _PLACE.start] != _START:
        raise InvalidFile(f"{name} is not a suffice file, or it is damaged.")
    if size > _longest_header(len(data)):
        raise InvalidFile(
            f"{name} has a header of {size >> 10} KB, more than any file of {len(data) >> 10} KB "
            "that suffice writes."
        )
    try:
        table = _parse_json(data[8 : 8 + size])
        header = _parse_json(table.pop("__metadata__")[_KEY][len(_BLANK) :])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InvalidFile(f"{name} is not a suffice file, or it is damaged.") from None
    if not isinstance(header, dict) or type(header.get("format")) is not int:
        raise InvalidFile(f"{name} is not a suffice file.")
    if header["format"] >= 2 and not isinstance(header.get("signed"), bool):
        raise InvalidFile(f"{name} does not say whether it is signed; it is damaged.")
    return header, table, 8 + size


def _check_seal(data: bytes, header: dict[str, Any], name: str, key: bytes | None) -> None:
    signed = header.get("signed") is True
    if signed and key is None:
        raise InvalidFile(f"{name} is signed; give the key to read it: load(path, key=...).")
    if key is not None and not signed:
        raise InvalidFile(
            f"{name} is not signed, so the key proves nothing about it; sign it with "
            "save(path, key=...), or load it without a key."
        )
    if hmac.compare_digest(data[_PLACE], _seal(data, key).encode()):
        return
    if signed:
        raise InvalidFile(
            f"{name} does not carry the signature of this key: it was signed with another one, or "
            "changed after signing. Do not use it."
        )
    raise InvalidFile(
        f"{name} is damaged: its checksum does not match its content. Copy or write it again."
    )


def _seal(data: bytes | bytearray, key: bytes | None) -> str:
    """SHA-256, or with a key the HMAC, of the bytes with a blank in place of the seal."""
    seal = hashlib.sha256() if key is None else hmac.new(key, digestmod="sha256")
    view = memoryview(data)
    for part in (view[: _PLACE.start], _BLANK.encode(), view[_PLACE.stop :]):
        seal.update(part)
    return seal.hexdigest()


def _longest_header(size: int) -> int:
    # Parsed JSON takes up to thirty times the memory of its text, so a header is limited to this
    # and a sixteenth of the file. All that grows with classes or features is an array.
    header_bytes = 1 << 19
    return header_bytes + size // 16


def _other_format(name: str, number: int) -> str:
    if number > FORMAT:
        return (
            f"{name} was written by a newer version of suffice (file format {number}, this "
            f"version reads {FORMAT}). Upgrade suffice."
        )
    return (
        f"{name} was written by an older version of suffice (file format {number}, this version "
        f"reads {FORMAT}). Summarize or fit the rows again, or read it with that version."
    )


def _parse_json(text: bytes | str) -> Any:
    """Parsed JSON; a ValueError if a key occurs twice or a number is not finite."""
    return json.loads(
        text, object_pairs_hook=_unique_keys, parse_constant=_finite, parse_float=_finite
    )


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        raise ValueError("a key occurs twice")
    return entries


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is not a finite number")
    return value
