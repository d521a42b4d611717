"""Mutations of files: as a disk damages them, or as somebody would who can make a checksum."""

from __future__ import annotations

import contextlib
import json
import random
import warnings

import numpy as np

from forged import resealed
from suffice.errors import InvalidFile
from suffice.statistics.storage import container

WILD = [None, True, False, 0, -1, 1, 2, 7, 2**31, 2**53, 2**63, 2**64, 10**30, -(10**30), 0.5, -0.5]
WILD += [
    1e-320,
    1e308,
    -1e308,
    "",
    "x",
    "nan",
    "inf",
    "auto",
    "cv",
    "uniform",
    "\ud800",
    "a" * 5000,
]
WILD += [
    [],
    {},
    [[]],
    {"list": []},
    {"array": "C"},
    {"array": "F"},
    {"float": "nan"},
    [1, 2],
    ["a"],
]
WILD += [{"mapping": [{"list": ["a"]}, {"list": [1.0]}]}, {"array": "texts"}, {"array": "text"}]
WILD += [
    {"array": "number"},
    {"names": {}},
    {"tuple": "texts"},
    {"list": "numbers"},
    {"list": "bytes"},
]
WILD += [{"tuple": {"forms": []}}, {"list": {"forms": [None]}}, {"kind": "DoubleDouble"}, "bic"]
WILD += ["a" * 5000]
WILD += [1 << 20, 1 << 24, 10**400, "separate", "diagonal"]
WILD += [
    "Statistics",
    "Counts",
    "StoredModel",
    "DenseScatter",
    "DiagonalScatter",
    "FactoredScatter",
]
WILD += [
    "ByPattern",
    "ByFeature",
    "GaussianModel",
    "MapModel",
    "Cholesky",
    "Whitener",
    "LevelTable",
]
NUMBERS = [np.nan, np.inf, -np.inf, 0.0, -0.0, -1.0, 1.0, 1e308, -1e308, 1e154, 5e-324, 1e-300, 0.5]
NUMBERS += [1e150, -1e150, 1e-150, 2.0**52, 1e16]
INTEGERS = [0, -1, 1, 2, 2**31, 2**52, 2**53, 2**62, -(2**63), 2**63 - 1, 10**6]
BYTES = [0, 1, 2, 0x41, 0x7F, 0x80, 0xC3, 0xED, 0xFF]
DTYPES = [np.float32, np.float64, np.int64, np.int32, np.uint8, np.bool_, np.float16]
SHAPES = [[2**40], [2**32, 2**32], [0, 2**60], [-1], [], [1, 1, 1], [2**63, 2], "x", None]


class Unfit(Exception):
    """A mutation that this file has no place for."""


def mutated(data: bytes, rng: random.Random) -> bytes:
    """A damaged file, by one to three mutations."""
    before, left = data, rng.choice([1, 1, 1, 2, 3])
    for _ in range(50):
        with contextlib.suppress(Unfit):
            data = rng.choice(WAYS)(data, rng)
            left -= data != before
        if left <= 0:
            break
    return data


def raw(data: bytes, rng: random.Random) -> bytes:
    """Bits, bytes and lengths, as a disk would."""
    out = bytearray(data)
    at = rng.randrange(len(out)) if out else 0
    kind = rng.randrange(6)
    if kind == 0 and out:
        for _ in range(rng.choice([1, 1, 8, 64])):
            out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    elif kind == 1:
        del out[at:]
    elif kind == 2:
        out[at:at] = rng.randbytes(rng.choice([1, 8, 4096]))
    elif kind == 3:
        del out[at : at + rng.choice([1, 8, 64])]
    elif kind == 4:
        out[:8] = rng.choice([0, 1, 2**16, 2**32, 2**63, 2**64 - 1]).to_bytes(8, "little")
    else:
        out[at : at + 8] = rng.randbytes(8)
    return bytes(out)


def raw_sealed(data: bytes, rng: random.Random) -> bytes:
    """The same under a checksum that fits."""
    return resealed(raw(data, rng))


def tensors(data: bytes, rng: random.Random) -> bytes:
    """Shapes, types and offsets of the container itself."""
    outer, rest = _split(data)
    names = [name for name in outer if name != "__metadata__"]
    if not names:
        raise Unfit
    name = rng.choice(names)
    entry = outer[name]
    kind = rng.randrange(7)
    if kind == 0 and isinstance(entry, dict):
        entry["shape"] = rng.choice(SHAPES)
    elif kind == 1 and isinstance(entry, dict):
        entry["dtype"] = rng.choice(["F32", "I8", "U8", "BF16", "F99", "BOOL", "I64", 3, "F8_E4M3"])
    elif kind == 2 and isinstance(entry, dict):
        entry["data_offsets"] = rng.choice([[0, 2**50], [0, 0], [8, 0], [0, 8], [-8, 8], [0]])
    elif kind == 3:
        outer[name] = outer[rng.choice(names)]
    elif kind == 4:
        del outer[name]
    elif kind == 5:
        outer["more"] = dict(entry) if isinstance(entry, dict) else entry
    text = json.dumps(outer, separators=(",", ":"))
    if kind == 6:
        text = text[:-1] + f",{json.dumps(name)}:{json.dumps(entry, separators=(',', ':'))}}}"
    return _joined(text, rest)


def header(data: bytes, rng: random.Random) -> bytes:
    """Values of the JSON header of ours."""
    outer, rest = _split(data)
    try:
        inner = json.loads(outer["__metadata__"]["suffice"][64:])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Unfit from None
    kind = rng.randrange(-6, 8)
    text = json.dumps(inner)
    if kind < 4:
        text = json.dumps(_changed(inner, rng))
    elif kind == 4:
        text = text.replace("{", '{"kind": "StoredModel", ', 1)
    elif kind == 5:
        deep = rng.choice([50, 5000, 200_000])
        place = rng.choice(["parameters", "content", "new"])
        text = text[:-1] + f', "{place}": {"[" * deep}{"]" * deep}}}'
    elif kind == 6:
        found = [at for at, c in enumerate(text) if c.isdigit()]
        if not found:
            raise Unfit
        at = rng.choice(found)
        with_number = rng.choice(["NaN", "Infinity", "-1", "1e999", "9" * 5000, "0.1", "true"])
        text = text[:at] + with_number + text[at + 1 :]
    else:
        text = text.replace(rng.choice(["true", "false", "null", "[", '"']), "0", 1)
    outer["__metadata__"]["suffice"] = "0" * 64 + text
    order = {"__metadata__": outer.pop("__metadata__"), **outer}
    return _joined(json.dumps(order, separators=(",", ":")), rest)


def arrays(data: bytes, rng: random.Random) -> bytes:
    """Numbers, types and shapes of the arrays, in a container that is sound."""
    try:
        inner, found = container.unpack(data, "it")
    except InvalidFile:
        raise Unfit from None
    if not found:
        raise Unfit
    name = rng.choice(list(found))
    array, kind = np.array(found[name]), rng.randrange(10)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if kind < 4 and array.size:
            array = _with_wild(array, rng)
        elif kind == 4 and array.size:
            array = (array * rng.choice([-1.0, 0.0, 2.0, 1e160, 1e-160, 0.999])).astype(array.dtype)
        elif kind == 5:
            array = array.astype(rng.choice(DTYPES))
        elif kind == 6:
            flat = array.ravel()
            array = rng.choice([flat, array[None], flat[:0], flat[:-1], array.T, flat[1:]])
        elif kind == 7:
            flat = np.random.default_rng(rng.randrange(1000)).permuted(array.ravel())
            array = flat.reshape(array.shape)
        elif kind == 8:
            array = np.concatenate([array, array]) if array.ndim else array
    found = {**found, name: array}
    if kind == 9:
        del found[name]
    return container.pack(inner, found)


def _with_wild(array, rng: random.Random):
    wild = {"f": NUMBERS, "u": BYTES, "b": [False, True]}.get(array.dtype.kind, INTEGERS)
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        at = rng.randrange(array.size)
        if array.dtype.kind == "f" and rng.random() < 0.5:
            array.flat[at] *= rng.choice([-1.0, 1 + 1e-15, 1 - 1e-9, 1.001, 2.0, 1e3, 1e8, 1e-8])
        else:
            array.flat[at] = np.array(rng.choice(wild)).astype(array.dtype)
    return array


def plausible(data: bytes, rng: random.Random) -> bytes:
    """The same rows in other units, or of other weight, as far as numbers go."""
    try:
        inner, found = container.unpack(data, "it")
    except InvalidFile:
        raise Unfit from None
    factor = rng.choice([0.0, 1e-300, 1e-160, 1e-80, 1e-8, 0.5, 1e8, 1e80, 1e140, 1e149])
    inner, found = _without_fourth(inner, found)
    if rng.random() < 0.3:
        names = [name for name in found if name.rpartition(".")[2] == "weight"]
        names = [name for name in names if "#shapes" not in name]
        return container.pack(inner, found | {name: found[name] * factor for name in names})
    tables = [name for name in found if name.endswith(("means.high", "sums.high", ".factor"))]
    tables = [name for name in tables if found[name].ndim > 1 and found[name].dtype == np.float64]
    features = min((found[name].shape[-1] for name in tables), default=0)
    if not features:
        raise Unfit
    j = rng.randrange(features)
    with np.errstate(all="ignore"):
        for name in tables:
            array = np.array(found[name])
            array[..., j] *= factor
            if name.endswith("sums.high"):
                array[(slice(None), j) if array.ndim == 3 else (..., j)] *= factor
            found[name] = array
            low = f"{name.removesuffix('high')}low"
            if low in found:
                found[low] = np.zeros_like(array)
    return container.pack(inner, found)


WAYS = [raw, raw_sealed, tensors, *5 * [header], *10 * [arrays], *4 * [plausible]]


def _without_fourth(value, found, path=""):
    """The same header and arrays without fourth-order sums, which others would contradict."""
    if isinstance(value, dict):
        if isinstance(value.get("fourth"), dict):
            value = {key: part for key, part in value.items() if key != "fourth"}
            start = f"{path}fourth."
            found = {name: a for name, a in found.items() if not name.startswith(start)}
        for key, part in value.items():
            inner, found = _without_fourth(part, found, f"{path}{key}.")
            value = {**value, key: inner}
    return value, found


def _split(data: bytes):
    size = int.from_bytes(data[:8], "little")
    if len(data) < 8 or size > len(data) - 8:
        raise Unfit
    try:
        found = json.loads(data[8 : 8 + size])
    except (ValueError, RecursionError):
        raise Unfit from None
    if not isinstance(found, dict) or not found:
        raise Unfit
    return found, data[8 + size :]


def _joined(text: str, rest: bytes) -> bytes:
    head = text.encode("utf-8", "surrogatepass")
    head += b" " * (-len(head) % 8)
    return resealed(len(head).to_bytes(8, "little") + head + rest)


def _changed(value, rng: random.Random):
    """The same with one part of it replaced, removed or moved."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        out, key = dict(value), rng.choice(list(value))
        how = rng.random()
        if how < 0.1:
            del out[key]
        elif how < 0.15:
            out[rng.choice(["new", "class", "kind", "labels"])] = rng.choice(WILD)
        elif how < 0.2:
            out[key] = value[rng.choice(list(value))]
        else:
            out[key] = _changed(value[key], rng)
        return out
    if isinstance(value, list) and value and rng.random() < 0.8:
        out, at = list(value), rng.randrange(len(value))
        how = rng.random()
        if how < 0.15:
            del out[at]
        elif how < 0.3:
            out.insert(at, rng.choice(WILD))
        elif how < 0.4:
            rng.shuffle(out)
        else:
            out[at] = _changed(value[at], rng)
        return out
    if isinstance(value, float) and rng.random() < 0.5:
        return value * rng.choice([-1, 1 + 1e-12, 1e10, 1e-10, 2])
    if type(value) is int and rng.random() < 0.5:
        return value + rng.choice([-1, 1, 100])
    return rng.choice(WILD)
