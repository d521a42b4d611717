"""Runs and batches cover every row once; fused loops agree with the host where there is CUDA."""

import numpy as np
import pytest
from elsewhere import CUDA, some
from hypothesis import given
from hypothesis import strategies as st

import suffice as sf
from suffice.engines.arrays.runs import class_runs, pooled_plan, separate_plan

counts = st.lists(st.integers(1, 400), min_size=1, max_size=12).map(np.array)


@given(counts, st.integers(1, 100))
def test_runs_follow_each_other_and_stay_within_a_class(count, most):
    runs = class_runs(count, most)
    owner = np.repeat(np.arange(len(count)), count)
    assert runs[0, 0] == 0
    assert runs[-1, 1] == count.sum()
    np.testing.assert_array_equal(runs[1:, 0], runs[:-1, 1])
    for start, stop, c in runs.tolist():
        assert 0 < stop - start <= most
        assert (owner[start:stop] == c).all()


@given(counts, st.integers(1, 600))
def test_batches_give_every_class_its_own_sums(count, most):
    """Rows are copied as a plan says; their sums by group are those of the classes."""
    rows = np.random.default_rng(0).normal(size=count.sum())
    owner = np.repeat(np.arange(len(count)), count)
    for plan, groups in (
        (separate_plan(count, most), owner),
        (pooled_plan(count, most), 0 * owner),
    ):
        found = np.zeros(groups.max() + 1)
        for batch in plan.batches:
            a, b = batch.groups
            assert (b - a) * batch.rows <= most
            copied = np.full((b - a) * batch.rows, np.nan)
            for start, stop, c, to, length in plan.runs[slice(*batch.runs)].tolist():
                assert (owner[start:stop] == c).all()
                copied[to : to + length] = 0.0
                copied[to : to + stop - start] = rows[start:stop]
            sums = copied.reshape(b - a, batch.rows).sum(axis=1)
            found[a:b] = found[a:b] + sums if batch.adds else sums
        np.testing.assert_allclose(found, np.bincount(groups, rows), rtol=1e-9, atol=1e-9)
        np.testing.assert_array_equal(np.diff(plan.runs[:, 2]) >= 0, True)


@pytest.mark.parametrize("detail", ["separate", "shared", "diagonal"])
@some(CUDA)
def test_many_classes_of_unequal_size_on_a_gpu(place, detail):
    rng = np.random.default_rng(1)
    sizes = np.concatenate([rng.integers(1, 80, 40), [9000, 1, 5000]])
    y = rng.permutation(np.repeat(np.arange(len(sizes)) * 3, sizes))
    X = rng.normal(size=(len(y), 130)) + 10 * rng.normal(size=(130, 130))[y] + 1e6
    for dtype in (np.float32, np.float64):
        rows = X.astype(dtype)
        for w in (None, rng.integers(0, 3, len(y)) * 0.7):
            here = sf.summarize(
                place.put(rows), place.put(y), None if w is None else place.put(w), detail
            )
            assert here == sf.summarize(rows, y, w, detail)
