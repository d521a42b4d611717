"""The exact pass of CUDA: its plan, and its loops on a device or else in Triton's interpreter."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import suffice as sf
from suffice.engines.arrays.integer_pass import HeldIntegers, batches, n_digits
from suffice.statistics.exact.integers import Integers

LOOPS = """
import numpy as np, torch, suffice as sf
from suffice.engines.arrays import integer_pass as work
device = "cuda" if torch.cuda.is_available() else "cpu"
work.serves = lambda rows, coded, grid: True
work.PART_ROWS, work.DIGIT_BYTES, work.PRODUCT_BYTES = 192, 4 * 64 * 512, 7 * 4 * 64 * 64 * 2
rng = np.random.default_rng(0)
for n, d, k, kind in ((700, 5, 3, "float64"), (300, 70, 4, "float32"), (130, 1, 60, "float64")):
    X, y = rng.standard_normal((n, d)).round(3).astype(kind), rng.integers(0, k, n)
    for grid in (sf.Grid(-8, 8), sf.Grid(-8, 8, bits=48), sf.Grid.decimal(3)):
        for detail in ("separate", "shared", "diagonal"):
            here = sf.summarize(X, y, detail=detail, grid=grid)
            rows, labels = torch.tensor(X, device=device), torch.tensor(y, device=device)
            there = sf.summarize(rows, labels, detail=detail, grid=grid)
            assert here.digest() == there.digest(), (n, d, grid, detail)
"""


def test_the_integer_loops_give_the_digests_of_the_host():
    pytest.importorskip("triton", reason="Triton is not installed")
    torch = pytest.importorskip("torch")
    interpreted = {} if torch.cuda.is_available() else {"TRITON_INTERPRET": "1"}
    subprocess.run([sys.executable, "-c", LOOPS], check=True, env=os.environ | interpreted)


@pytest.mark.parametrize("per_class", [False, True])
def test_batches_take_every_row_of_every_class_once(per_class):
    rng = np.random.default_rng(0)
    for _ in range(50):
        count = rng.integers(1, 900, rng.integers(1, 20))
        edges = np.concatenate([[0], np.cumsum(count)])
        rows = []
        for batch in batches(count, 1024, 4, 64, per_class):
            filled = np.zeros(batch.length, int)
            group = np.full(batch.length, -1)
            for start, stop, owner, to, written in batch.runs.tolist():
                assert edges[owner] <= start
                assert stop <= edges[owner + 1]
                rows += range(start, stop)
                filled[to : to + written] += 1
                group[to : to + max(0, stop - start)] = owner if per_class else 0
            assert (filled == 1).all()
            taken = np.zeros(batch.length, int)
            for (start, steps), owner in zip(batch.parts.tolist(), batch.owner, strict=True):
                part = slice(start, start + 64 * steps)
                taken[part] += 1
                assert set(group[part]) <= {-1, owner}
            assert (taken == 1).all()
        assert rows == list(range(edges[-1]))


def test_as_many_digits_are_taken_as_the_range_needs():
    assert n_digits(sf.Grid(-127, 127, bits=8)) == 1
    assert n_digits(sf.Grid.decimal(0, -128, 127)) == 2  # a grid of -128 reaches 128
    assert n_digits(sf.Grid.decimal(0, bits=32)) == 5
    assert n_digits(sf.Grid(0, 1, bits=48)) == 6


def test_held_integers_are_fetched_once_and_copied_as_plain_ones():
    import pickle

    fetched = []
    held = HeldIntegers((2,), lambda: fetched.append(1) or Integers.of([3, -4], 2).limbs)
    assert held.shape == (2,)
    assert not fetched
    assert (held + held).tolist() == [6, -8]
    assert len(fetched) == 1
    assert type(pickle.loads(pickle.dumps(held))) is Integers
