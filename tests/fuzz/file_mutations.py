"""Mutations of saved files: `python file_mutations.py COUNT SEED` loads so many and reports.

Each file is damaged as a disk would (bits, lengths) or as an enemy would (headers and arrays that
contradict each other, under a checksum that fits). It must be refused by an error of the package,
or be a model that predicts, in little time and memory.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline

import suffice as sf
from suffice.errors import InvalidFile, SufficeError
from suffice.estimators.files import file_of
from suffice.statistics import container

SLOW = 1.0  # seconds of this process
STUCK = 20.0
ROOM = 200 << 20

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
WILD += [[], {}, [[]], {"list": []}, {"array": "parameter.0000"}, {"float": "nan"}, [1, 2], ["a"]]
WILD += [{"mapping": [["a", 1.0]]}, {"texts": ["a", "b"]}, 1 << 20, 1 << 24, "statistics", "bic"]
NUMBERS = [np.nan, np.inf, -np.inf, 0.0, -0.0, -1.0, 1.0, 1e308, -1e308, 1e154, 5e-324, 1e-300, 0.5]
INTEGERS = [0, -1, 1, 2, 2**31, 2**62, -(2**63), 2**63 - 1, 10**6]
DTYPES = [np.float32, np.float64, np.int64, np.int32, np.uint8, np.bool_, np.float16]


def samples():
    """Models and statistics of every kind, with rows to ask them about."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3)) + np.arange(40)[:, None] % 3
    y = np.array(["ant", "bee", "cat"])[np.arange(40) % 3]
    gaps = np.where(rng.random(X.shape) < 0.2, np.nan, X)
    codes = rng.integers(0, 3, (40, 3))
    mixed = pd.DataFrame({"size": X[:, 0], "colour": np.array(["red", "blue"])[codes[:, 0] % 2]})
    frame = pd.DataFrame(X, columns=["u", "v", "w"])
    shares = {"ant": 0.5, "bee": 0.25, "cat": 0.25}
    yield sf.LDA(priors=shares).fit(frame, y), frame
    yield sf.QDA(shrinkage="oas").fit(X, np.arange(40) % 2), X
    yield sf.GaussianNB().fit(X, y), X
    yield sf.DiagonalLDA(priors=np.array([0.25, 0.25, 0.5])).fit(X, y), X
    yield sf.GaussianDiscriminant(shrinkage="cv").fit(X, y), X
    yield sf.LDA().fit(gaps, y), gaps
    yield sf.GaussianNB().fit(gaps, y), gaps
    wide = X.repeat(20, axis=1)[:8] + rng.normal(size=(8, 60))
    yield sf.LDA(shrinkage=0.5).fit(wide, y[:8]), wide
    yield sf.QDA().partial_fit(X[:1], y[:1]), X
    prior = np.eye(3)
    yield sf.BayesianDiscriminant(prior_covariance=prior, mean_strength=1.0).fit(X, y), X
    yield sf.BernoulliNB(alpha=[1.0, 2.0, 0.5]).fit(X, y), X
    yield sf.CategoricalNB(min_categories=4, levels=None).fit(codes, y), codes
    yield sf.MixedNB().fit(mixed, y), mixed
    yield sf.GaussianMixture(2, random_state=0).fit(X), X
    yield sf.GaussianMixture(2, covariance_type="diag", random_state=0).fit(gaps), gaps
    yield sf.MixtureDiscriminant(2, random_state=0, pooling=1.0).fit(X, y), X
    flat = np.column_stack([X, X[:, 0] + X[:, 1]])
    yield sf.MixtureDiscriminant(1, random_state=0).fit(flat, y), flat
    yield make_pipeline(sf.Indicators(), sf.LDA()).fit(mixed, y), mixed
    yield sf.summarize(X, y), None
    yield sf.summarize(gaps, y), None
    yield sf.count_levels(codes, y), None


def sealed(data: bytes) -> bytes:
    """The same file with a checksum that fits, where it has a place for one."""
    blank = container._with_checksum(data, "0" * 64)
    if blank is None:
        return data
    found = container._with_checksum(blank, hashlib.sha256(blank).hexdigest())
    return data if found is None else found


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


class Unfit(Exception):
    """A mutation that this file has no place for."""


def raw(data: bytes, rng: random.Random) -> bytes:
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
    return sealed(raw(data, rng))


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
    return sealed(len(head).to_bytes(8, "little") + head + rest)


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
        entry["shape"] = rng.choice(
            [[2**40], [2**32, 2**32], [0, 2**60], [-1], [], [1, 1, 1], [2**63, 2], "x", None]
        )
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
        text = text.replace("{", '{"kind": "model", ', 1)
    elif kind == 5:
        deep = rng.choice([50, 5000, 200_000])
        place = rng.choice(["classes", "parameters", "schema", "new"])
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


def _unpacked(data: bytes):
    try:
        return container.unpack(data, "it")
    except InvalidFile:
        raise Unfit from None


def arrays(data: bytes, rng: random.Random) -> bytes:
    """Numbers, types and shapes of the arrays."""
    inner, found = _unpacked(data)
    names = [name for name, a in found.items() if a.dtype != np.uint8 or rng.random() < 0.05]
    if not names:
        raise Unfit
    name = rng.choice(names)
    array = np.array(found[name])
    kind = rng.randrange(9)
    if kind < 3 and array.size:
        at = rng.randrange(array.size)
        wild = NUMBERS if array.dtype.kind == "f" else INTEGERS
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            array.flat[at] = np.array(rng.choice(wild)).astype(array.dtype)
    elif kind == 3 and array.size:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            array = (array * rng.choice([-1.0, 0.0, 2.0, 1e160, 1e-160])).astype(array.dtype)
    elif kind == 4:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            array = array.astype(rng.choice(DTYPES))
    elif kind == 5:
        array = rng.choice([array.ravel(), array[None], array[:0], array[:-1], array.T])
    elif kind == 6:
        array = (
            np.random.default_rng(rng.randrange(1000)).permuted(array.ravel()).reshape(array.shape)
        )
    elif kind == 7:
        array = np.concatenate([array, array]) if array.ndim else array
    found = {**found, name: array}
    if kind == 8:
        del found[name]
    return container.pack(inner, found)


def nested(data: bytes, rng: random.Random) -> bytes:
    """A file within the file."""
    inner, found = _unpacked(data)
    names = [name for name, array in found.items() if array.dtype == np.uint8]
    if not names:
        raise Unfit
    name = rng.choice(names)
    changed = mutated(found[name].tobytes(), rng)
    return container.pack(inner, {**found, name: np.frombuffer(changed, np.uint8)})


WAYS = [raw, raw_sealed, tensors, *3 * [header], *4 * [arrays], *6 * [nested]]


def ask(model, rows) -> str:
    """What became of a file that was loaded."""
    if rows is None:
        return "statistics"
    try:
        labels = model.predict(rows)
        chances = model.predict_proba(rows)
    except SufficeError:
        return "refused at predict"
    assert len(labels) == len(chances) == len(rows)
    return "model" if np.isfinite(chances).all() else "model that knows no chances"


def stuck(*_):
    raise TimeoutError("stuck")


def run(count: int, seed: int) -> dict:
    """Load mutated files and tell what became of them."""
    warnings.simplefilter("ignore")
    kinds = [(file_of(model), rows, type(model).__name__) for model, rows in samples()]
    path = Path(tempfile.mkdtemp()) / "mutated"
    for data, rows, _ in kinds:
        path.write_bytes(data)
        model = sf.load(path)
        assert ask(model, rows) in ("model", "statistics", "refused at predict")
    signal.signal(signal.SIGPROF, stuck)
    size = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (size + ROOM, -1))
    rng, became, failures, slowest = random.Random(seed), Counter(), [], 0.0
    for number in range(count):
        data, rows, name = rng.choice(kinds)
        changed = mutated(data, rng)
        path.write_bytes(changed)
        start = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, STUCK)
        try:
            outcome = ask(sf.load(path), rows)
            if changed == data:
                outcome = "unchanged"
        except SufficeError:
            outcome = "refused"
        except BaseException:
            outcome = "failed"
            failures.append(f"{number} {name}: {traceback.format_exc()}")
        signal.setitimer(signal.ITIMER_PROF, 0)
        spent = time.process_time() - start
        slowest = max(slowest, spent)
        if spent > SLOW:
            failures.append(f"{number} {name}: {outcome} after {spent:.1f} seconds")
        became[outcome] += 1
    path.unlink()
    path.parent.rmdir()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"became": dict(became), "failures": failures[:20], "n_failures": len(failures),
            "slowest": slowest, "most_memory_mb": grown // 1024}  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(run(int(sys.argv[1]), int(sys.argv[2])), indent=1))
