"""Files: whole or not at all, and never a wrong number from a damaged one."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import load_file
from safetensors.numpy import save as safetensors_bytes
from shared_laws import assert_loaded_as_saved

import suffice as sf
from forged import resealed, with_field
from lawful import EXHAUSTIVE, examples
from suffice.errors import InvalidFeatures, InvalidFile, LostPrecision, NeverIncluded
from suffice.statistics.storage import container
from suffice.statistics.storage.rebuilding import read
from suffice.statistics.storage.room import Room
from suffice.statistics.storage.texts import write_texts
from suffice.statistics.storage.walker import to_arrays

DETAILS = ("separate", "shared", "diagonal")

X = np.random.default_rng(0).normal(size=(24, 3))
Y = np.array(["ant", "bee", "cät"])[np.arange(24) % 3]
FRAME = pd.DataFrame(X, columns=["width", "height", 'naïve\n"name"'])


def kinds():
    """Statistics of every form that a file can hold."""
    for detail in DETAILS:
        s = sf.summarize(X, Y, detail=detail)
        yield f"{detail}", s
        yield f"{detail} merged", s + s
        yield f"{detail} reduced", s - sf.summarize(X[:6], Y[:6], detail=detail)
        yield f"{detail} named", sf.summarize(FRAME, Y, detail=detail)
        yield f"{detail} weighted", sf.summarize(X, Y, np.arange(24.0), detail)
        yield f"{detail} row", sf.summarize(X[:1], Y[:1], detail=detail)
        yield f"{detail} thin", sf.summarize(X[:3].repeat(9, axis=1), Y[:3], detail=detail)
        yield f"{detail} empty", s - s
        yield f"{detail} selected", s.select([2, 0])
    for name, y in {"integers": np.arange(24) % 2 - 5, "booleans": Y == "ant"}.items():
        yield name, sf.summarize(X, y)
    yield "floats", sf.summarize(X, (np.arange(24) % 2).astype(float))
    yield "large integers", sf.summarize(X, np.where(np.arange(24) % 2, 2**62, -(2**62)))


KINDS = dict(kinds())


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_saved_is_loaded_to_the_last_bit(kind, tmp_path):
    s = KINDS[kind]
    again = assert_loaded_as_saved(s, tmp_path / "s.stats")
    assert (again.factor is None) == (s.factor is None)
    assert not again.mean.flags.writeable


def test_equal_content_makes_equal_files(tmp_path):
    s = KINDS["separate named"]
    for name in "ab":
        sf.summarize(FRAME, Y).save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert hashlib.sha256((tmp_path / "a").read_bytes()).hexdigest() == s.digest()


def test_a_file_is_plain_safetensors(tmp_path):
    s = KINDS["shared"]
    s.save(tmp_path / "s")
    arrays = load_file(tmp_path / "s")
    assert np.array_equal(arrays["means.high"], s.mean)
    assert np.array_equal(arrays["spread.sums.high"][0], s.scatter)


def failing(*_):
    raise OSError("disk on fire")


@pytest.mark.parametrize("step", ["replace", "fsync"])
@pytest.mark.parametrize("old", [True, False])
def test_a_failed_write_leaves_the_old_file_and_nothing_else(step, old, tmp_path, monkeypatch):
    path = tmp_path / "s"
    if old:
        KINDS["shared"].save(path)
    before = path.read_bytes() if old else None
    monkeypatch.setattr(os, step, failing)
    with pytest.raises(OSError, match="on fire"):
        KINDS["separate"].save(path)
    assert [file.name for file in tmp_path.iterdir()] == (["s"] if old else [])
    if old:
        assert path.read_bytes() == before


def test_a_file_replaces_the_old_one_and_can_be_read_by_others(tmp_path):
    path = tmp_path / "s"
    mask = os.umask(0o022)
    try:
        for kind in ("shared", "separate"):
            KINDS[kind].save(path)
    finally:
        os.umask(mask)
    assert sf.load(path).detail == "separate"
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert [file.name for file in tmp_path.iterdir()] == ["s"]


def test_a_system_without_folder_handles_is_no_obstacle(tmp_path, monkeypatch):
    monkeypatch.delattr(os, "O_DIRECTORY")
    KINDS["shared"].save(tmp_path / "s")
    assert sf.load(tmp_path / "s") == KINDS["shared"]


def test_a_missing_file_or_folder_is_the_usual_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        sf.load(tmp_path / "none")
    with pytest.raises(FileNotFoundError):
        KINDS["shared"].save(tmp_path / "none" / "s")


@pytest.fixture
def small(tmp_path):
    """The path and bytes of a small file."""
    path = tmp_path / "small"
    sf.summarize([[1.0], [2.0]], ["a", "a"]).save(path)
    return path, path.read_bytes()


def test_a_file_cut_short_anywhere_is_an_error(small):
    path, data = small
    for length in range(len(data)):
        path.write_bytes(data[:length])
        with pytest.raises(InvalidFile, match=str(path)):
            sf.load(path)


def test_any_flipped_bit_is_an_error(small):
    path, data = small
    loaded = []
    for at in range(len(data)):
        for bit in {at % 8, (at + 3) % 8} if EXHAUSTIVE else {at % 8}:
            changed = bytearray(data)
            changed[at] ^= 1 << bit
            path.write_bytes(changed)
            try:
                sf.load(path)
            except InvalidFile:
                continue
            loaded.append((at, bit))
    assert loaded == []


@pytest.mark.parametrize("more", [b"\0", b"more", b" " * 5000])
def test_anything_appended_or_put_before_is_an_error(small, more):
    path, data = small
    for changed in (data + more, more + data, data + data):
        path.write_bytes(changed)
        with pytest.raises(InvalidFile):
            sf.load(path)


def header_only(text: bytes) -> bytes:
    return len(text).to_bytes(8, "little") + text


FOREIGN = {
    "empty": b"",
    "short": b"\1\0\0",
    "text": b"x1,x2,label\n1,2,a\n" * 99,
    "zip": b"PK\x03\x04" + bytes(range(256)),
    "pickle": b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00cos\nsystem\n(S'true'\ntR.",
    "npy": b"\x93NUMPY\x01\x00v\x00{'descr': '<f8'}",
    "safetensors": safetensors_bytes({"weight": np.ones(3)}),
    "safetensors with notes": safetensors_bytes({"w": np.ones(3)}, {"format": "pt"}),
    "our key, no header": safetensors_bytes({"w": np.ones(3)}, {"suffice": "nonsense"}),
    "our key, a number": header_only(b'{"__metadata__":{"suffice":5}}'),
    "our key, a list": header_only(b'{"__metadata__":{"suffice":"' + b"0" * 64 + b'[1]"}}'),
    "a list": header_only(b"[1, 2]"),
    "a null": header_only(b"null"),
    "deep": header_only(b"[" * 100_000),
    "not utf-8": header_only(b'{"\xff": 1}'),
    "huge length": b"\xff" * 8 + b"{}",
    "spaced out": header_only(
        b'{"__metadata__": {"suffice": "' + b"0" * 64 + rb"{\"format\": 1}" + b'"}}'
    ),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_a_file_that_is_not_ours_is_an_error_that_names_it(kind, tmp_path):
    path = tmp_path / "foreign.bin"
    path.write_bytes(FOREIGN[kind])
    with pytest.raises(InvalidFile, match=r"foreign\.bin"):
        sf.load(path)


def contents(s, path):
    """Header and arrays of a saved statistic."""
    s.save(path)
    return container.unpack(path.read_bytes(), "it")


def rewritten(path, header, arrays):
    """A file of changed content whose checksum is right."""
    path.write_bytes(container.pack(header, arrays))


def test_a_newer_format_is_an_error_that_says_to_upgrade(tmp_path):
    path = tmp_path / "s"
    header, arrays = contents(KINDS["separate"], path)
    header["format"] = container.FORMAT + 1
    rewritten(path, header, arrays)
    with pytest.raises(InvalidFile, match=r"newer version.*Upgrade"):
        sf.load(path)


def test_another_kind_of_content_is_an_error_that_names_it(tmp_path):
    path = tmp_path / "s"
    header, arrays = contents(KINDS["separate"], path)
    rewritten(path, {**header, "kind": "poem"}, arrays)
    with pytest.raises(InvalidFile, match="'poem'"):
        sf.load(path)


def changed(array, at, value):
    out = np.array(array)
    out[at] = value
    return out


TAMPERED = {
    "asymmetric scatter": lambda a: {
        "spread.sums.high": changed(a["spread.sums.high"], (0, 0, 1), 7.5)
    },
    "negative diagonal": lambda a: {
        "spread.sums.high": changed(a["spread.sums.high"], (1, 2, 2), -1e-3)
    },
    "NaN in scatter": lambda a: {
        "spread.sums.high": changed(a["spread.sums.high"], (1, 2, 2), np.nan)
    },
    "NaN in mean": lambda a: {"means.high": changed(a["means.high"], (0, 0), np.nan)},
    "infinite weight": lambda a: {"weight": changed(a["weight"], 0, np.inf)},
    "negative weight": lambda a: {"weight": changed(a["weight"], 0, -1.0)},
    "no weight": lambda a: {"weight": changed(a["weight"], 0, 0.0)},
    "no rows": lambda a: {"count": changed(a["count"], 0, 0)},
    "scatter of fewer features": lambda a: {"spread.sums.high": a["spread.sums.high"][:, :2, :2]},
    "scatter of fewer classes": lambda a: {"spread.sums.high": a["spread.sums.high"][:2]},
    "flat scatter": lambda a: {"spread.sums.high": a["spread.sums.high"][0]},
    "mean of fewer features": lambda a: {"means.high": a["means.high"][:, :2]},
    "flat mean": lambda a: {"means.high": a["means.high"].ravel()},
    "weight of fewer classes": lambda a: {"weight": a["weight"][:2]},
    "whole weights": lambda a: {"weight": a["weight"].astype(np.int64)},
    "float32 mean": lambda a: {"means.high": a["means.high"].astype(np.float32)},
    "float counts": lambda a: {"count": a["count"].astype(float)},
    "no mean": lambda a: {"means.high": None},
    "no scatter": lambda a: {"spread.sums.high": None},
    "no counts": lambda a: {"count": None},
    "fourth of fewer classes": lambda a: {"fourth.square": a["fourth.square"][:1]},
    "NaN in fourth": lambda a: {"fourth.quartic": a["fourth.quartic"] * np.nan},
    "no fourth": lambda a: {"fourth.cubic": None},
    "no weight since": lambda a: {"fourth.since": np.zeros(3)},
    "asymmetric low scatter": lambda a: {"spread.sums.low": np.tri(3) * np.ones((3, 1, 1))},
    "indefinite scatter": lambda a: {
        "spread.sums.high": changed(a["spread.sums.high"], (0, [0, 1], [1, 0]), 1e6)
    },
    "large scatter": lambda a: {"spread.sums.high": a["spread.sums.high"] * 1e305},
    "large mean": lambda a: {"means.high": a["means.high"] * 1e160},
    "large weight": lambda a: {"weight": a["weight"] * 1e305},
    "no low mean": lambda a: {"means.low": None},
    "a low mean that is large": lambda a: {"means.low": changed(a["means.low"], (0, 0), 1e-3)},
    "a low mean of one bit": lambda a: {"means.low": np.spacing(a["means.high"])},
    "a low scatter that is large": lambda a: {"spread.sums.low": a["spread.sums.high"] / 100},
    "counts beyond addition": lambda a: {"count": np.full(3, 2**62)},
    "counts beyond floats": lambda a: {"count": np.full(3, 2**52)},
    "a residue": lambda a: {"residue": np.full((3, 3), 1e300)},
    "no square": lambda a: {"fourth.square": np.zeros(3)},
    "negative quartic": lambda a: {"fourth.quartic": -a["fourth.quartic"]},
    "small quartic": lambda a: {"fourth.quartic": a["fourth.quartic"] / 100},
    "a far anchor": lambda a: {"fourth.anchor": a["fourth.anchor"] + 1e150},
    "large cubic": lambda a: {"fourth.cubic": a["fourth.cubic"] + 1e6},
}


@pytest.mark.parametrize("what", TAMPERED)
def test_arrays_that_cannot_be_true_are_an_error_though_the_checksum_fits(what, tmp_path):
    path = tmp_path / "s"
    header, arrays = contents(KINDS["separate"], path)
    arrays |= TAMPERED[what](arrays)
    if "spread.sums.low" in arrays:
        header = with_field(header, "spread.sums.low", {"array": "C"})
    rewritten(path, header, {name: a for name, a in arrays.items() if a is not None})
    with pytest.raises(InvalidFile, match=str(path)):
        sf.load(path)


LABELS = {
    "unsorted classes": write_texts("classes", ["bee", "ant", "cät"]),
    "repeated classes": write_texts("classes", ["ant", "ant", "cät"]),
    "fewer classes": write_texts("classes", ["ant", "bee"]),
    "no classes": {"classes": None},
    "nested classes": {"classes": np.zeros((3, 1), np.uint8)},
    "classes that end nowhere": {"classes.ends": np.array([3, 6, 99])},
    "classes that end before they start": {"classes.ends": np.array([6, 3, 10])},
    "classes without ends": {"classes.ends": None},
    "classes of half a letter": {"classes.ends": np.array([3, 8, 10])},
    "broken number labels": {"classes": np.array([0.5, 1.5, np.inf]), "classes.ends": None},
    "NaN labels": {"classes": np.array([0.5, 1.5, np.nan]), "classes.ends": None},
    "labels of 32 bits": {"classes": np.arange(3, dtype=np.int32), "classes.ends": None},
    "an array too many": {"extra": np.zeros(3)},
}


@pytest.mark.parametrize("what", LABELS)
def test_labels_and_units_that_cannot_be_true_are_an_error_though_the_checksum_fits(what, tmp_path):
    path = tmp_path / "s"
    header, arrays = contents(KINDS["separate"], path)
    arrays |= LABELS[what]
    rewritten(path, header, {name: a for name, a in arrays.items() if a is not None})
    with pytest.raises(InvalidFile, match=str(path)):
        sf.load(path)


HEADERS = {
    "another kind": ("kind", "IncompleteStatistics"),
    "a kind that is no statistics": ("kind", "DoubleDouble"),
    "listed kind": ("kind", ["Statistics"]),
    "another field": ("wisdom", 1),
    "a field of a part": ("means.wisdom", 1),
    "a part of an unknown kind": ("spread.kind", "SparseScatter"),
    "a part of another kind": ("spread.kind", "DiagonalScatter"),
    "a pooled scatter": ("spread.per_class", False),
    "a number for a flag": ("spread.per_class", 1),
    "a number for a part": ("means", 3.5),
    "a number for an array": ("count", 3),
    "an array of another kind": ("count", {"array": "texts"}),
    "an array of an unknown kind": ("count", {"array": "D"}),
    "an array twice": ("means.low", {"array": "high"}),
    "fewer names": ("feature_names", {"tuple": ["u", "v"]}),
    "repeated names": ("feature_names", {"tuple": ["u", "u", "v"]}),
    "names that are numbers": ("feature_names", {"tuple": [1, 2, 3]}),
    "names in a list": ("feature_names", {"list": ["u", "v", "w"]}),
    "names of no array": ("feature_names", {"tuple": "texts"}),
    "no unit": ("fourth.unit", 0.0),
    "negative unit": ("fourth.unit", -4.0),
    "NaN unit": ("fourth.unit", {"float": "nan"}),
    "infinite unit": ("fourth.unit", {"float": "inf"}),
    "many units": ("fourth.unit", {"list": [1.0, 1.0, 1.0]}),
    "a unit beyond floats": ("fourth.unit", 2**600),
    "large unit": ("fourth.unit", 2.0**400),
    "small unit": ("fourth.unit", 2.0**-400),
}


@pytest.mark.parametrize("what", HEADERS)
def test_headers_that_cannot_be_true_are_an_error_though_the_checksum_fits(what, tmp_path):
    path = tmp_path / "s"
    header, arrays = contents(KINDS["separate"], path)
    rewritten(path, with_field(header, *HEADERS[what]), arrays)
    with pytest.raises(InvalidFile, match=str(path)):
        sf.load(path)


@pytest.mark.parametrize("key", ["kind", "count", "means", "means.kind", "spread", "fourth.unit"])
def test_a_header_that_lacks_an_entry_is_an_error(key, tmp_path):
    path = tmp_path / "s"
    header, arrays = contents(KINDS["separate"], path)
    rewritten(path, with_field(header, key, None), arrays)
    with pytest.raises(InvalidFile, match=str(path)):
        sf.load(path)


@pytest.mark.parametrize(
    "owner", [[9, 9, 9], [-1, 0, 1], [1, 0, 0], [0, 1], [0.0, 1.0, 2.0]], ids=str
)
def test_a_factor_with_rows_of_no_class_is_an_error(owner, tmp_path):
    path = tmp_path / "s"
    thin = sf.summarize(X[:6].repeat(9, axis=1), Y[:6])
    header, arrays = contents(thin, path)
    size = len(arrays["spread.factor"])
    arrays["spread.owner"] = np.resize(owner, size) if len(owner) > 2 else np.array(owner)
    rewritten(path, header, arrays)
    with pytest.raises(InvalidFile, match=str(path)):
        sf.load(path)


def test_a_header_is_text_that_anyone_can_read(tmp_path):
    s = KINDS["separate named"]
    s.save(tmp_path / "s")
    data = (tmp_path / "s").read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(json.loads(data[8 : 8 + size])["__metadata__"]["suffice"][64:])
    assert header["format"] == container.FORMAT
    assert header["signed"] is False
    assert header["kind"] == "Statistics"
    assert header["spread"]["kind"] == "DenseScatter"
    assert header["feature_names"] == {"tuple": FRAME.columns.tolist()}
    arrays = load_file(tmp_path / "s")
    assert arrays["classes"].tobytes().decode() == "antbeecät"


TENSORS = {
    "another type": (b'"dtype":"F64"', b'"dtype":"F99"'),
    "a type that is no text": (b'"dtype":"F64"', b'"dtype":    3'),
    "another shape": (b'"shape":[3,3]', b'"shape":[9,1]'),
    "a shape beyond the file": (b'"shape":[3,3]', b'"shape":[3,9]'),
    "a negative shape": (b'"shape":[3,3]', b'"shape":[-3,-3]'),
    "a shape that is no list": (b'"shape":[3,3]', b'"shape":    9'),
    "another place": (b'"data_offsets":[0,', b'"data_offsets":[8,'),
    "an array twice": (b'"fourth.cubic"', b'"fourth.since"'),
    "an entry without a type": (b'"dtype"', b'"ditto"'),
}


@pytest.mark.parametrize("what", TENSORS)
def test_a_file_whose_tensors_contradict_its_header_is_an_error(what, tmp_path):
    path = tmp_path / "s"
    data = container.pack(*contents(KINDS["separate"], path))
    old, new = TENSORS[what]
    changed = data.replace(old, new, 1)
    grown = int.from_bytes(data[:8], "little") + len(changed) - len(data)
    assert changed != data
    path.write_bytes(resealed(grown.to_bytes(8, "little") + changed[8:]))
    with pytest.raises(InvalidFile, match=str(path)):
        sf.load(path)


@pytest.mark.parametrize("format", [2, 1, 0, -3])
def test_an_older_format_is_an_error_that_says_what_to_do(format, tmp_path):
    path = tmp_path / "s"
    header, arrays = contents(KINDS["separate"], path)
    rewritten(path, {**header, "format": format}, arrays)
    with pytest.raises(InvalidFile, match=r"older version.*again"):
        sf.load(path)


def tables(rng):
    """Rows of the kinds that leave the most rounding when some are removed."""
    n, d = int(rng.integers(2, 60)), int(rng.integers(1, 6))
    table = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-8, 9, d)
    kind = rng.integers(3)
    if kind == 0:
        table = (rng.random((n, d)) < 0.1) * rng.integers(1, 9, (n, d)).astype(float)
    elif kind == 1:
        table[rng.integers(n)] *= 10.0 ** rng.integers(1, 9)
    else:
        table += 10.0 ** rng.integers(-3, 10) * rng.normal(size=d)
    if rng.random() < 0.3:
        table[rng.random(table.shape) < 0.2] = np.nan
    weights = None if rng.random() < 0.5 else 10.0 ** rng.uniform(-5, 5, n)
    return table, rng.integers(0, 3, n), weights


def histories(table, y, weights, detail, gone):
    """Statistics that such rows lead to."""

    def of(rows):
        own = None if weights is None else weights[rows]
        return sf.summarize(table[rows], y[rows], own, detail)

    half = np.arange(len(y)) < len(y) // 2
    yield of(half | ~half)
    whole = of(half) + of(~half)
    yield whole
    left = whole - of(gone)
    yield from (left, left + whole)
    if len(left.classes) > 1 and detail != "shared":
        yield left.drop_class(left.classes[0])


@pytest.mark.parametrize("seed", range(2))
def test_whatever_rows_sums_and_removals_lead_to_can_be_saved_and_loaded(seed):
    rng = np.random.default_rng(seed)
    for _ in range(examples(250)):
        table, y, weights = tables(rng)
        gone, detail = rng.random(len(y)) < rng.random(), DETAILS[rng.integers(3)]
        # What cannot be computed at all is refused by other errors, and elsewhere.
        with suppress(LostPrecision, NeverIncluded, InvalidFeatures):
            for s in histories(table, y, weights, detail, gone):
                for exact in (False, True):
                    content = to_arrays(s, exact)
                    assert read(*content, Room(1 << 20)).digest() == s.digest()
