"""Mean, scatter and fourth-order sums against exact arithmetic on the stored values."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

import exact
import suffice as sf
from lawful import examples
from suffice.errors import LostPrecision

DETAILS = ("separate", "shared", "diagonal")
NIST = Path(__file__).parents[1] / "reference" / "nist"
STORED = ("lew", "lottery", "mavro", "michelso")
GENERATED = {
    "numacc1": [10000001.0, 10000003.0, 10000002.0],
    "numacc2": [1.2] + [1.1, 1.3] * 500,
    "numacc3": [1000000.2] + [1000000.1, 1000000.3] * 500,
    "numacc4": [10000000.2] + [10000000.1, 10000000.3] * 500,
}
SHARDINGS = examples(100, share=10)


def text_of(name):
    lines = (NIST / f"{name}.txt").read_text().splitlines()
    return [line for line in lines if not line.startswith("#")]


def certified(name, what):
    lines = (NIST / f"{name}.txt").read_text().splitlines()
    return float(next(line for line in lines if f"Certified {what}" in line).split(":")[1])


@cache
def nist(name):
    values = GENERATED.get(name) or [float(text) for text in text_of(name)]
    X = np.array(values)[:, None]
    _, mean, scatter = exact.moments(X)
    return X, mean[0], scatter[0][0]


def assert_14_digits(s, name):
    X, mean, scatter = nist(name)
    assert s.count.tolist() == [len(X)]
    assert exact.relative_error(s.mean[0, 0], mean) <= 1e-14
    assert exact.relative_error(s.scatter.ravel()[0], scatter) <= 1e-14


def shards(X, rng, every_row):
    """Random parts of the rows, in random order, down to one row each."""
    X = X[rng.permutation(len(X))] if rng.random() < 0.5 else X
    if every_row:
        cuts = np.arange(1, len(X))
    else:
        most = min(40, len(X) - 1)
        cuts = np.sort(rng.choice(np.arange(1, len(X)), rng.integers(1, most + 1), replace=False))
    return np.split(X, cuts)


def merged_at_random(parts, rng):
    """One statistic, through a random tree of merges."""
    while len(parts) > 1:
        i, j = rng.choice(len(parts), 2, replace=False)
        both = parts[i] + parts[j]
        parts = [part for at, part in enumerate(parts) if at not in (i, j)] + [both]
    return parts[0]


@pytest.mark.parametrize("name", STORED)
def test_stored_values_have_the_certified_mean_and_deviation(name):
    values = [Fraction(text) for text in text_of(name)]
    mean = sum(values) / len(values)
    variance = sum((v - mean) ** 2 for v in values) / (len(values) - 1)
    assert float(mean) == pytest.approx(certified(name, "mean"), rel=1e-14, abs=0)
    assert sqrt(variance) == pytest.approx(certified(name, "standard"), rel=5e-15, abs=0)


@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize("name", [*STORED, *GENERATED])
def test_nist_mean_and_variance_have_14_digits(name, detail, kernels):
    X, _, _ = nist(name)
    assert_14_digits(sf.summarize(X, ["a"] * len(X), detail=detail), name)


@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize("name", [*STORED, *GENERATED])
def test_nist_digits_survive_any_sharding_and_merge_order(name, detail):
    X, _, _ = nist(name)
    rng = np.random.default_rng(5)
    for sharding in range(SHARDINGS):
        parts = shards(X, rng, every_row=sharding % 50 == 0)
        parts = [sf.summarize(part, ["a"] * len(part), detail=detail) for part in parts]
        assert_14_digits(merged_at_random(parts, rng), name)


@pytest.mark.parametrize("detail", DETAILS)
def test_nist_digits_survive_a_thousand_one_row_updates(detail):
    X, _, _ = nist("numacc4")
    total = sum(sf.summarize(row[None], ["a"], detail=detail) for row in X)
    assert_14_digits(total, "numacc4")


def table(offset, scales, dtype, rng, n=240, weighted=False):
    """Correlated rows of three classes; each feature has a scale, and an offset in deviations."""
    Z = rng.normal(size=(n, len(scales))) @ rng.normal(size=(len(scales), len(scales)))
    y = rng.integers(0, 3, n)
    X = ((Z + y[:, None] + offset) * np.array(scales)).astype(dtype)
    return X, y, rng.uniform(0.1, 5, n) if weighted else None


def assert_covariances(s, X, y, w, tolerance=1e-13):
    parts = exact.by_class(np.asarray(X, np.float64), y, w)
    for c, (weight, mean, _) in enumerate(parts):
        assert exact.relative_error(s.weight[c], weight) <= tolerance
        for j, value in enumerate(mean):
            assert exact.relative_error(s.mean[c, j], value) <= tolerance
    if s.detail == "shared":
        assert exact.covariance_error(s.scatter, exact.pooled(parts)) <= tolerance
        return
    for got, (_, _, scatter) in zip(s.scatter, parts, strict=True):
        if s.detail == "separate":
            assert exact.covariance_error(got, scatter) <= tolerance
            continue
        for j, value in enumerate(got):
            assert exact.relative_error(value, scatter[j][j]) <= tolerance


SCALES = [(1.0, 1.0, 1.0), (1e-150,) * 3, (1e150,) * 3, (1e-150, 1.0, 1e142)]


@pytest.mark.parametrize("weighted", [False, True], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("offset", [0.0, -1e4, 1e8])
@pytest.mark.parametrize("scales", SCALES, ids=str)
@pytest.mark.parametrize("detail", DETAILS)
def test_covariances_keep_13_digits_at_any_offset_and_scale(
    detail, scales, offset, weighted, kernels
):
    if offset == 1e8:
        scales = [min(scale, 1e142) for scale in scales]  # 1e150 deviations lie beyond the floats
    X, y, w = table(offset, scales, np.float64, np.random.default_rng(1), weighted=weighted)
    assert_covariances(sf.summarize(X, y, w, detail), X, y, w)


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e6])
@pytest.mark.parametrize("scale", [1e-25, 1.0, 1e25])
@pytest.mark.parametrize("detail", DETAILS)
def test_float32_rows_are_added_up_in_float64(detail, scale, offset, kernels):
    X, y, w = table(offset, (scale,) * 3, np.float32, np.random.default_rng(2))
    assert_covariances(sf.summarize(X, y, w, detail), X, y, w)


@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize("offset", [0.0, 1e8])
@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e142])
def test_covariances_keep_13_digits_through_random_merges(detail, offset, scale):
    rng = np.random.default_rng(3)
    X, y, w = table(offset, (scale,) * 3, np.float64, rng, weighted=True)
    for _ in range(10):
        cuts = np.sort(rng.choice(np.arange(1, len(X)), 30, replace=False))
        parts = np.split(np.arange(len(X)), cuts)
        parts = [sf.summarize(X[rows], y[rows], w[rows], detail) for rows in parts]
        assert_covariances(merged_at_random(parts, rng), X, y, w)


@pytest.mark.parametrize("detail", ["separate", "shared"])
def test_thin_covariances_keep_13_digits(detail):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(9, 12)) + 1e8
    y = np.repeat([0, 1], [4, 5])
    s = sf.summarize(X, y, detail=detail)
    assert s.factor is not None
    assert_covariances(s, X, y, None)
    assert_covariances(
        sum(sf.summarize(X[[i]], y[[i]], detail=detail) for i in range(9)), X, y, None
    )


@pytest.mark.parametrize("detail", DETAILS)
def test_an_outlier_in_the_first_row_costs_no_digits(detail, kernels):
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(400, 3)), np.zeros(400, int)
    X[0] = 1e8
    assert_covariances(sf.summarize(X, y, detail=detail), X, y, None)
    w = np.ones(400)
    w[0] = 1e-16  # so light that the rest still has to be right
    assert_covariances(sf.summarize(X, y, w, detail), X, y, w)


@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize("far", [1e8, -1e8])
def test_rows_sorted_by_class_with_distant_classes_cost_no_digits(detail, far, kernels):
    rng = np.random.default_rng(7)
    y = np.repeat([0, 1, 2], [500, 3, 700])
    X = rng.normal(size=(len(y), 3)) + far * (y[:, None] - 1)
    X[y == 1] += 1e4
    assert_covariances(sf.summarize(X, y, detail=detail), X, y, None)


@pytest.mark.parametrize("detail", DETAILS)
def test_a_class_whose_rows_drift_away_from_the_sample_costs_no_digits(detail, kernels):
    # More rows than the first guess looks at; those in between lie far from it.
    rng = np.random.default_rng(8)
    X, y = rng.normal(size=(3000, 2)), np.zeros(3000, int)
    looked_at = np.linspace(0, 2999, 1024).astype(int)
    X[np.setdiff1d(np.arange(3000), looked_at)] += 1e8
    assert_covariances(sf.summarize(X, y, detail=detail), X, y, None)


@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize("value", [0.1, 1e8 + 0.1, 1e-150, -1e150])
def test_a_constant_feature_has_exactly_no_scatter(detail, value, kernels):
    rng = np.random.default_rng(9)
    X, y = np.full((101, 2), value), np.arange(101) % 2
    w = rng.uniform(0.1, 1, 101)
    s = sf.summarize(X, y, w, detail)
    parts = s + sf.summarize(X[:7], y[:7], w[:7], detail)
    for found in (s, parts):
        assert not found.scatter.any()
        assert (found.mean == value).all()
        assert not found.squares.any()


@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("ratio", [0.01, 1, 10])
def test_removing_what_was_merged_gives_back_12_digits(detail, offset, ratio):
    rng = np.random.default_rng(10)
    n, m = 200, int(200 * ratio)
    X = rng.normal(size=(n + m, 4)) @ rng.normal(size=(4, 4)) + offset
    y = rng.integers(0, 2, n + m)
    a, b = sf.summarize(X[:n], y[:n], detail=detail), sf.summarize(X[n:], y[n:], detail=detail)
    assert_near(a + b - b, a, 1e-12)


@pytest.mark.parametrize("detail", ["separate", "shared"])
@pytest.mark.parametrize("ratio", [1, 4])
def test_removing_what_was_merged_gives_back_12_digits_in_thin_form(detail, ratio):
    rng = np.random.default_rng(11)
    X, y = rng.normal(size=(6 * (1 + ratio), 60)) + 10, np.arange(6 * (1 + ratio)) % 2
    a, b = sf.summarize(X[:6], y[:6], detail=detail), sf.summarize(X[6:], y[6:], detail=detail)
    left = a + b - b
    assert left.factor is not None
    assert_near(left, a, 1e-12)


def assert_near(got, want, tolerance):
    """Numbers within a tolerance in units of what they are made of: deviations and squares."""
    assert np.array_equal(got.count, want.count)
    np.testing.assert_allclose(got.weight, want.weight, rtol=tolerance)
    squares = np.atleast_2d(want.spread.diagonal())
    deviation = np.sqrt(
        squares / (want.weight[:, None] if want.spread.per_class else want.weight.sum())
    )
    rounding = np.finfo(float).eps * np.abs(want.mean)
    assert (np.abs(got.mean - want.mean) <= tolerance * deviation + rounding).all()
    if want.detail == "diagonal":
        assert (np.abs(got.scatter - want.scatter) <= tolerance * squares).all()
        return
    scatters = zip(
        *(np.atleast_3d(s.scatter.reshape(-1, *s.scatter.shape[-2:])) for s in (got, want)),
        squares,
        strict=True,
    )
    for p, q, size in scatters:
        assert (np.abs(p - q) <= tolerance * np.sqrt(np.outer(size, size))).all()


@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize("size", [1e6, 1e8, 1e10])
def test_a_removal_that_would_leave_mostly_rounding_says_so(detail, size):
    a, b = apart(size, detail)
    with pytest.raises(LostPrecision, match=r"feature 0.*summarize the remaining rows again"):
        a + b - b


def apart(size, detail):
    rng = np.random.default_rng(12)
    small, large = rng.normal(size=(20, 2)), rng.normal(size=(20, 2)) * size
    y = np.zeros(20, int)
    return sf.summarize(small, y, detail=detail), sf.summarize(large, y, detail=detail)


@pytest.mark.parametrize("d", [2, 30], ids=["dense", "thin"])
@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize("size", [1e2, 1e3, 3e3, 1e4, 1e5, 1e7])
def test_a_removal_keeps_five_digits_or_refuses(detail, d, size):
    rng = np.random.default_rng(13)
    y = np.zeros(8, int)
    parts = rng.normal(size=(8, d)), rng.normal(size=(8, d)) * np.where(np.arange(d) == 1, size, 1)
    a, b = (sf.summarize(X, y, detail=detail) for X in parts)
    try:
        left = a + b - b
    except LostPrecision:
        assert size >= 1e4
    else:
        squares = a.spread.diagonal()
        assert (np.abs(left.spread.diagonal() - squares) <= 1e-5 * squares).all()


@pytest.mark.parametrize("detail", DETAILS)
def test_a_window_that_slides_over_many_rows_keeps_its_digits(detail):
    rng = np.random.default_rng(14)
    X, y = rng.normal(size=(600, 2)) * [1, 1e3], np.zeros(600, int)
    s = sf.summarize(X[:50], y[:50], detail=detail)
    for i in range(50, 600):
        s = s + sf.summarize(X[[i]], y[:1], detail=detail)
        s = s - sf.summarize(X[[i - 50]], y[:1], detail=detail)
    assert_near(s, sf.summarize(X[-50:], y[-50:], detail=detail), 1e-12)


@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize("d", [3, 40], ids=["dense", "thin"])
@pytest.mark.parametrize("detail", DETAILS)
def test_rows_can_be_removed_part_by_part_until_none_is_left(detail, d, size):
    rng = np.random.default_rng(19)
    apart = np.tile(np.arange(20.0)[:, None], d)  # so that no two rows nearly agree in a feature
    X = rng.permuted(apart, axis=0) + rng.uniform(0, 0.1, (20, d))
    y = np.arange(20) % 2
    left = whole = sf.summarize(X, y, detail=detail)
    for start in range(0, 20, size):
        gone, rest = slice(start, start + size), slice(start + size, None)
        left = left - sf.summarize(X[gone], y[gone], detail=detail)
        if start + size < 20:
            want = sf.summarize(X[rest], y[rest], detail=detail)
            np.testing.assert_allclose(left.mean, want.mean, rtol=1e-12)
            room = 1e-11 * whole.spread.diagonal().max()
            np.testing.assert_allclose(left.scatter, want.scatter, rtol=0, atol=room)
    assert left == sf.Statistics.empty(like=whole)


def brute_fourth(X, y, w, s):
    """Sums of w|z|², w|z|²z and w|z|⁴ about the class means, one row per class."""
    sums = []
    for c, label in enumerate(s.classes):
        z, v = X[y == label] - s.mean[c], w[y == label]
        length = (z * z).sum(1)
        sums.append((v @ length, (v * length) @ z, v @ length**2))
    return tuple(map(np.array, zip(*sums, strict=True)))


def assert_fourth(s, X, y, w, tolerance):
    found = s.fourth.centred(s.known)
    square, cubic, quartic = brute_fourth(X, y, w, s)
    np.testing.assert_allclose(found.square * s.fourth.unit**2, square, rtol=tolerance)
    np.testing.assert_allclose(found.quartic * s.fourth.unit**4, quartic, rtol=tolerance)
    room = tolerance * np.sqrt(square * quartic)[:, None]
    assert (np.abs(found.cubic * s.fourth.unit**3 - cubic) <= room).all()


def skewed(rng, n, d):
    X = rng.gamma(2.0, size=(n, d)) @ rng.normal(size=(d, d)) + 3
    y = rng.integers(0, 3, n)
    return X + y[:, None], y, rng.uniform(0.5, 2, n)


@pytest.mark.parametrize("d", [1, 4, 200], ids=["one feature", "dense", "thin"])
def test_fourth_order_sums_equal_brute_force(d, kernels):
    X, y, w = skewed(np.random.default_rng(15), 150, d)
    assert_fourth(sf.summarize(X, y, w), X, y, w, 1e-10)


def test_without_the_scatter_of_each_class_there_are_no_fourth_order_sums():
    X, y, w = skewed(np.random.default_rng(15), 50, 3)
    assert sf.summarize(X, y, w, "shared").fourth is None
    assert sf.summarize(X, y, w).coarsen("shared").fourth is None


@pytest.mark.parametrize("size", [1, 7, 60])
@pytest.mark.parametrize("d", [3, 90], ids=["dense", "thin"])
def test_fourth_order_sums_survive_merges_and_removals(d, size):
    rng = np.random.default_rng(16)
    X, y, w = skewed(rng, 180, d)
    parts = np.split(np.arange(180), np.arange(size, 180, size))
    parts = [sf.summarize(X[rows], y[rows], w[rows]) for rows in parts]
    total = merged_at_random(parts, rng)
    assert_fourth(total, X, y, w, 1e-10)
    gone = np.arange(60)
    rest = np.arange(60, 180)
    left = total - sf.summarize(X[gone], y[gone], w[gone])
    assert_fourth(left, X[rest], y[rest], w[rest], 1e-10)


def test_fourth_order_sums_survive_a_drifting_mean():
    rng = np.random.default_rng(17)
    X = rng.normal(size=(600, 2)) + np.linspace(0, 1e3, 600)[:, None]
    y, w = np.zeros(600, int), np.ones(600)
    total = sum(sf.summarize(X[i : i + 1], y[i : i + 1]) for i in range(600))
    assert_fourth(total, X, y, w, 1e-10)


@pytest.mark.parametrize("scale", [1e-140, 1e100, 1e150])
def test_fourth_order_sums_have_a_unit_that_suits_the_data(scale, kernels):
    rng = np.random.default_rng(18)
    X, y, w = skewed(rng, 60, 2)
    s, small = sf.summarize(X * scale, y, w), sf.summarize(X, y, w)
    parts = sf.summarize(X[:30] * scale, y[:30], w[:30]) + sf.summarize(
        X[30:] * scale, y[30:], w[30:]
    )
    want = small.fourth.centred(small.known)
    for found in (s, parts):
        ratio = found.fourth.unit / (small.fourth.unit * scale)
        got = found.fourth.centred(found.known)
        np.testing.assert_allclose(got.quartic * ratio**4, want.quartic, rtol=1e-10)
        np.testing.assert_allclose(got.square * ratio**2, want.square, rtol=1e-10)


def test_fourth_order_sums_of_parts_in_distant_units_keep_the_larger():
    large, small = np.array([[1e100], [3e100], [4e100]]), np.array([[1.0], [2.0], [5.0]])
    y, w = np.zeros(3, int), np.ones(3)
    s = sf.summarize(small, y) + sf.summarize(large, y)
    unit = s.fourth.unit
    z = np.r_[small, large] / unit - s.mean / unit
    assert s.fourth.centred(s.known).quartic[0] == pytest.approx((z**4).sum(), rel=1e-10)
    assert w.sum() * 2 == s.weight[0]
