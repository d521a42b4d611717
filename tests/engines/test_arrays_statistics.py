"""Statistics of rows on other devices are those of the host, and of exact arithmetic."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
from elsewhere import everywhere, torches

import suffice as sf
from exact import by_class, covariance_error, pooled
from suffice.engines.arrays import summary
from suffice.engines.arrays.held_scatter import HeldDense
from suffice.engines.arrays.held_statistics import HeldStatistics
from suffice.engines.arrays.space import Space
from suffice.statistics.factored_scatter import FactoredScatter

DETAILS = ("separate", "shared", "diagonal")


def rows(n=120, d=4, k=3, offset=0.0, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % k)
    mix = rng.normal(size=(d, d)) + 2 * np.eye(d)
    X = rng.normal(size=(n, d)) @ mix + 5 * rng.normal(size=(k, d))[y] + offset
    return X.astype(dtype), y


@pytest.fixture
def held(monkeypatch):
    """Tables stay on the device, however small they are."""
    monkeypatch.setattr(summary, "SMALL_BYTES", 0)


def difference(a, b):
    """Largest difference of the scatter matrices, in units of sqrt(S_ii S_jj)."""
    if a.detail == "diagonal":
        return float((np.abs(a.scatter - b.scatter) / np.where(b.scatter, b.scatter, 1.0)).max())
    left, right = (s.scatter.reshape(-1, s.n_features, s.n_features) for s in (a, b))
    scale = np.sqrt(right.diagonal(axis1=1, axis2=2))
    scale = np.where(scale > 0, scale, 1.0)
    return float((np.abs(left - right) / scale[:, :, None] / scale[:, None, :]).max())


@everywhere
@pytest.mark.parametrize("offset", [0.0, 1e8])
@pytest.mark.parametrize("weighted", [False, True])
def test_sums_agree_with_exact_arithmetic(place, offset, weighted):
    X, y = rows(offset=offset)
    w = np.random.default_rng(1).random(len(y)) if weighted else None
    parts = by_class(X, y, w)
    weights = None if w is None else place.put(w)
    for detail in DETAILS:
        s = sf.summarize(place.put(X), place.put(y), weights, detail)
        for c, (_, mean, scatter) in enumerate(parts):
            deviation = [float(scatter[j][j]) ** 0.5 for j in range(X.shape[1])]
            for j, value in enumerate(mean):
                got = Fraction(s.means.high[c, j]) + Fraction(s.means.low[c, j])
                assert abs(float(got - value)) <= 1e-14 * deviation[j]
            if detail == "separate":
                assert covariance_error(s.scatter[c], scatter) <= 1e-14
            if detail == "diagonal":
                for j, value in enumerate(s.scatter[c]):
                    assert value == pytest.approx(float(scatter[j][j]), rel=1e-14)
        if detail == "shared":
            assert covariance_error(s.scatter, pooled(parts)) <= 1e-14


@everywhere
@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.uint8, np.bool_])
def test_every_real_type_is_summed_as_on_the_host(place, detail, dtype):
    X, y = rows(n=90)
    X = X > 0 if dtype is np.bool_ else (np.abs(X) * 10).astype(dtype)
    w = np.random.default_rng(2).integers(0, 3, len(y))
    here = sf.summarize(place.put(X), place.put(y), place.put(w), detail)
    there = sf.summarize(X, y, w, detail)
    assert here == there
    assert difference(here, there) < 1e-13
    np.testing.assert_array_equal(here.count, there.count)


@everywhere
def test_fourth_order_sums_are_those_of_the_host(place):
    X, y = rows(offset=100.0)
    w = np.random.default_rng(3).random(len(y))
    here = sf.summarize(place.put(X), place.put(y), place.put(w)).fourth
    there = sf.summarize(X, y, w).fourth
    assert here.unit == there.unit
    for name in ("square", "cubic", "quartic", "since"):
        got, want = getattr(here, name), getattr(there, name)
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12 * np.abs(want).max())


@everywhere
def test_a_first_row_far_from_all_others_costs_no_digits(place):
    X, y = rows(n=600)
    X[np.flatnonzero(y == 1)[0]] += 1e9
    for detail in DETAILS:
        here = sf.summarize(place.put(X), place.put(y), None, detail)
        assert difference(here, sf.summarize(X, y, None, detail)) < 1e-12


@everywhere
@pytest.mark.parametrize("detail", ["separate", "shared"])
def test_few_rows_of_many_features_are_kept_as_a_factor(place, detail):
    X, y = rows(n=9, d=30)
    here = sf.summarize(place.put(X), place.put(y), None, detail)
    assert isinstance(here.spread, FactoredScatter)
    assert here == sf.summarize(X, y, None, detail)
    one = sf.summarize(place.put(X[:1]), place.put(y[:1]), None, detail)
    assert one == sf.summarize(X[:1], y[:1], None, detail)


@everywhere
def test_blocks_do_not_matter(place, monkeypatch):
    X, y = rows()
    monkeypatch.setattr("suffice.engines.arrays.space.Space.near_bytes", 8 * 4 * 7)
    for detail in DETAILS:
        assert sf.summarize(place.put(X), place.put(y), None, detail) == sf.summarize(
            X, y, None, detail
        )


@everywhere
@pytest.mark.parametrize("detail", DETAILS)
def test_tables_stay_on_the_device_until_they_are_needed(place, detail, held, monkeypatch):
    X, y = rows()
    s = sf.summarize(place.put(X), place.put(y), None, detail)
    assert isinstance(s, HeldStatistics)
    with monkeypatch.context() as patch:
        patch.setattr(Space, "fetch", None)
        assert (s.detail, s.n_features, len(s.classes)) == (detail, 4, 3)
        assert s.weight.sum() == 120
    assert s == sf.summarize(X, y, None, detail)


@everywhere
@pytest.mark.parametrize("detail", DETAILS)
def test_held_statistics_merge_subtract_pickle_and_save(place, detail, held, tmp_path):
    X, y = rows(n=150, k=4, offset=1e4)
    X[:, 1] *= 1e-3
    some, others = (y < 3) & (np.arange(150) < 80), (y > 0) & (np.arange(150) >= 80)
    parts = [
        sf.summarize(place.put(X[at]), place.put(y[at]), None, detail) for at in (some, others)
    ]
    whole = sf.summarize(X[some | others], y[some | others], None, detail)
    both = parts[0] + parts[1]
    assert both == whole
    assert both == parts[1] + parts[0]
    assert both - parts[1] == sf.summarize(X[some], y[some], None, detail)
    assert pickle.loads(pickle.dumps(both)) == whole
    both.save(tmp_path / "both.stats")
    assert sf.load(tmp_path / "both.stats") == whole
    if detail == "separate":
        assert both.coarsen("shared") == whole.coarsen("shared")
        assert both.coarsen("diagonal") == whole.coarsen("diagonal")
        assert both.drop_class(1) == whole.drop_class(1)
        assert both.select([2, 0]) == whole.select([2, 0])


@pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")
@everywhere
def test_held_matrices_merge_where_they_lie(place, held):
    X, y = rows(n=150, k=4)
    first, second = np.flatnonzero(y < 3)[:60], np.flatnonzero(y > 0)[-60:]
    a, b = (sf.summarize(place.put(X[at]), place.put(y[at])) for at in (first, second))
    both = a + b
    assert isinstance(both.spread, HeldDense)
    rest = np.concatenate([first, second])
    again = sf.summarize(X[rest], y[rest])
    assert both == again
    # About the means: the anchors depend on which part is the larger.
    got, want = (s.fourth.canonical(s.known).quartic for s in (both, again))
    np.testing.assert_allclose(got, want, rtol=1e-10)


@everywhere
def test_labels_may_be_anything_that_the_host_takes(place):
    X, y = rows()
    names = np.array(["b", "c", "a"])[y]
    assert sf.summarize(place.put(X), names) == sf.summarize(X, names)
    assert sf.summarize(place.put(X), names.tolist()) == sf.summarize(X, names)
    for labels in (y == 1, y * 1_000_003 - 7, y.astype(np.float64) - 1, (y - 1).astype(np.int8)):
        here = sf.summarize(place.put(X), place.put(labels))
        assert here == sf.summarize(X, labels)
        assert here.classes.dtype.kind == sf.summarize(X, labels).classes.dtype.kind
    assert sf.summarize(place.put(X), place.put(y[:, None])) == sf.summarize(X, y)


@torches
def test_any_layout_of_a_tensor_is_read(place):
    X, y = rows(d=6)
    tensor = place.put(X)
    for view in (
        tensor.T.contiguous().T,
        tensor[:, ::2],
        tensor[:, 1:4],
        tensor[:1].expand(120, 6),
    ):
        assert sf.summarize(view, place.put(y)) == sf.summarize(view.cpu().numpy(), y)


@torches
def test_half_precision_is_summed_in_double(place):
    import torch

    X, y = rows(n=400)
    for dtype in (torch.float16, torch.bfloat16):
        tensor = place.put(X).to(dtype)
        there = sf.summarize(tensor.double().cpu().numpy(), y)
        assert difference(sf.summarize(tensor, place.put(y)), there) < 1e-13
