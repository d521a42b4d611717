"""Laws of the algebra of statistics, over every detail, dense and thin, weighted or not."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import suffice as sf
from closeness import near_moments
from lawful import law
from suffice.errors import LostPrecision

LAW = law(150)
LABELS = (["a", "b", "long name"], [-7, 3, 1 << 40], [False, True])

details = pytest.mark.parametrize("detail", ["separate", "shared", "diagonal"])


class Rows:
    """Rows with labels and perhaps weights, of which any part can be summarized."""

    def __init__(self, X, y, w):
        self.X, self.y, self.w = X, y, w

    def __repr__(self):
        w = None if self.w is None else self.w.tolist()
        return f"Rows({self.X.tolist()}, {self.y.tolist()}, {w})"

    def summary(self, detail, rows=slice(None)):
        w = None if self.w is None else self.w[rows]
        return sf.summarize(self.X[rows], self.y[rows], w, detail)

    def parts(self, detail, cuts):
        ranges = np.split(np.arange(len(self.X)), cuts)
        return [self.summary(detail, rows) for rows in ranges]


def assert_near(a, b, tolerance, beside=None):
    """Equal in every entry to a tolerance, in deviations and in sums of squares.

    These are those of b, or of a larger whole that rounding errors are small beside.
    """
    assert np.array_equal(a.classes, b.classes)
    assert np.array_equal(a.count, b.count) or beside is None
    np.testing.assert_allclose(a.weight, b.weight, rtol=tolerance)
    near_moments(a, b, b if beside is None else beside, tolerance)


@st.composite
def rows(draw, least=1, weights=True, continuous=False):
    """Continuous rows or small integers (so that ties, constants and equal means occur)."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(least, 24)), draw(st.sampled_from([1, 2, 5, 30]))
    if continuous or draw(st.booleans()):
        X = rng.normal(size=(n, d)) + draw(st.sampled_from([0.0, 1e6]))
    else:
        X = rng.integers(-1, 2, (n, d)).astype(float)
    labels = draw(st.sampled_from(LABELS))
    y = np.array(labels)[rng.integers(0, draw(st.integers(1, len(labels))), n)]
    w = rng.uniform(0.1, 9, n) if weights and draw(st.booleans()) else None
    return Rows(X, y, w)


@st.composite
def cut(draw, parts, **how):
    """Rows, and where to cut them into parts of at least one row."""
    table = draw(rows(least=parts, **how))
    places = st.integers(1, len(table.X) - 1)
    cuts = st.lists(places, min_size=parts - 1, max_size=parts - 1, unique=True)
    return table, sorted(draw(cuts))


@details
@given(data=st.integers(2, 6).flatmap(lambda parts: cut(parts)))
@LAW
def test_merging_parts_equals_summarizing_the_whole(detail, data):
    table, cuts = data
    whole, total = table.summary(detail), sum(table.parts(detail, cuts))
    assert total == whole


@details
@given(table=rows())
@LAW
def test_the_empty_statistic_is_the_identity(detail, table):
    s = table.summary(detail)
    nothing = sf.Statistics.empty(like=s)
    for same in (s + nothing, nothing + s, s - nothing, sum([s])):
        assert same.digest() == s.digest()
    assert (nothing + nothing).digest() == nothing.digest()
    assert nothing == sf.Statistics.empty(like=s)
    assert s - s == nothing


@details
@given(data=cut(3))
@LAW
def test_merging_is_associative(detail, data):
    table, cuts = data
    a, b, c = table.parts(detail, cuts)
    assert (a + b) + c == a + (b + c)


@details
@given(data=cut(2))
@LAW
def test_merging_is_commutative_to_the_last_bit(detail, data):
    table, cuts = data
    a, b = table.parts(detail, cuts)
    assert (a + b).digest() == (b + a).digest()


@details
@given(data=cut(4))
@LAW
def test_merging_what_was_merged_is_commutative_to_the_last_bit(detail, data):
    table, cuts = data
    a, b, c, d = table.parts(detail, cuts)
    assert ((a + b) + (c + d)).digest() == ((d + c) + (b + a)).digest()


@details
@pytest.mark.parametrize("d", [1, 4])
@pytest.mark.parametrize("labels", ["aa", "ab"])
def test_merging_parts_of_equal_weight_and_mean_is_commutative_to_the_last_bit(detail, d, labels):
    wide = np.repeat([[1.0], [-1.0]], d, axis=1)
    long = np.array([[2.0], [-2.0]]) * (np.arange(d) == 0)
    a, b = (
        sf.summarize(X, [y, y], detail=detail) for X, y in zip((wide, long), labels, strict=True)
    )
    assert (a + b).digest() == (b + a).digest()
    third = sf.summarize(wide * 3, ["a", "a"], detail=detail)
    assert ((a + third) + (b + b)).digest() == ((b + b) + (third + a)).digest()


@details
@given(data=cut(2))
@LAW
def test_removing_inverts_merging(detail, data):
    table, cuts = data
    a, b = table.parts(detail, cuts)
    with unless_little_is_left(a + b, a):
        left = a + b - b
        assert_near(left, a, 1e-12, beside=a + b)


@details
@given(data=cut(3))
@LAW
def test_removals_in_any_order_leave_the_same(detail, data):
    table, cuts = data
    a, b, c = table.parts(detail, cuts)
    total = a + b + c
    with unless_little_is_left(total, a, a + b):
        assert_near(total - (b + c), a, 1e-12, beside=total)
        assert_near(total - c - b, a, 1e-12, beside=total)
    with unless_little_is_left(total, a, a + c):
        assert_near(total - b - c, a, 1e-12, beside=total)


@contextmanager
def unless_little_is_left(whole, *remainders):
    """A removal may be refused where less than a millionth of the squares would remain."""

    def is_little(a):
        kept = np.isin(whole.classes, a.classes) if a.spread.per_class else slice(None)
        return (a.spread.diagonal() < 1e-6 * whole.spread.diagonal()[kept]).any()

    try:
        yield
    except LostPrecision:
        assert any(map(is_little, remainders))


@details
@given(data=cut(2), seed=st.integers(0, 99))
@LAW
def test_selecting_commutes_with_merging(detail, data, seed):
    table, cuts = data
    d = table.X.shape[1]
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(d)[: rng.integers(1, d + 1)]
    a, b = table.parts(detail, cuts)
    assert (a + b).select(chosen) == a.select(chosen) + b.select(chosen)
    fewer = Rows(table.X[:, chosen], table.y, table.w)
    assert (a + b).select(chosen) == fewer.summary(detail)


@pytest.mark.parametrize("detail", ["separate", "diagonal"])
@given(data=cut(2))
@LAW
def test_dropping_a_class_commutes_with_merging(detail, data):
    table, cuts = data
    a, b = table.parts(detail, cuts)
    label = table.y[0]
    dropped = a.drop_class(label)
    other = b.drop_class(label) if label in b.classes else b
    assert (a + b).drop_class(label) == dropped + other


@pytest.mark.parametrize("coarse", ["shared", "diagonal"])
@given(data=cut(2))
@LAW
def test_coarsening_commutes_with_merging(coarse, data):
    table, cuts = data
    a, b = table.parts("separate", cuts)
    assert (a + b).coarsen(coarse) == a.coarsen(coarse) + b.coarsen(coarse)
    assert (a + b).coarsen(coarse) == table.summary(coarse)


@details
@given(data=cut(2, continuous=True), removed=st.booleans())
@LAW
def test_saving_and_loading_changes_no_bit(detail, data, removed):
    table, cuts = data
    a, b = table.parts(detail, cuts)
    s = a + b
    if removed:
        with unless_little_is_left(s, a):
            s = s - b
    with tempfile.TemporaryDirectory() as folder:
        s.save(Path(folder) / "s")
        again = sf.load(Path(folder) / "s")
    assert again.digest() == s.digest()
    assert again == s
    assert again.classes.dtype.kind == s.classes.dtype.kind


@details
@given(table=rows(weights=False), seed=st.integers(0, 99))
@LAW
def test_integer_weights_equal_repetition(detail, table, seed):
    times = np.random.default_rng(seed).integers(0, 5, len(table.X))
    assume(times.any())
    repeated = np.repeat(np.arange(len(table.X)), times)
    weighted = sf.summarize(table.X, table.y, times, detail)
    assert_near(weighted, table.summary(detail, repeated), 1e-12)


@details
@given(table=rows(least=2), seed=st.integers(0, 99))
@LAW
def test_weight_zero_equals_absence(detail, table, seed):
    kept = np.random.default_rng(seed).random(len(table.X)) < 0.6
    assume(kept.any())
    w = np.where(kept, 1.0 if table.w is None else table.w, 0.0)
    present = sf.summarize(table.X[kept], table.y[kept], w[kept], detail)
    weighted = sf.summarize(table.X, table.y, w, detail)
    assert weighted == present
    assert_near(weighted, present, 1e-12)
    assert np.array_equal(weighted.count, present.count)


@details
@given(table=rows(), factor=st.sampled_from([1e-8, 0.3, 1e12]))
@LAW
def test_scaling_all_weights_scales_weight_and_scatter_only(detail, table, factor):
    w = np.ones(len(table.X)) if table.w is None else table.w
    s, t = table.summary(detail), sf.summarize(table.X, table.y, w * factor, detail)
    np.testing.assert_allclose(t.weight, s.weight * factor, rtol=1e-12)
    np.testing.assert_allclose(t.mean, s.mean, rtol=1e-12, atol=1e-12 * np.abs(table.X).max())
    room = 1e-12 * factor * np.max(s.spread.diagonal(), initial=0.0)
    np.testing.assert_allclose(t.scatter, s.scatter * factor, rtol=0, atol=room)


@details
@given(table=rows(), seed=st.integers(0, 99))
@LAW
def test_the_order_of_rows_does_not_matter(detail, table, seed):
    order = np.random.default_rng(seed).permutation(len(table.X))
    assert table.summary(detail, order) == table.summary(detail)


@details
@given(table=rows())
@LAW
def test_the_kind_of_label_does_not_matter(detail, table):
    s = table.summary(detail)
    codes = np.searchsorted(s.classes, table.y)
    kinds = [codes, codes - 1000, codes * 10**9, codes.astype(float), codes.astype(object)]
    kinds += [np.array(["a", "bb", "c"])[codes], list(np.array(["x", "y", "z"])[codes])]
    for y in kinds:
        t = sf.summarize(table.X, y, table.w, detail)
        assert t.mean.tobytes() == s.mean.tobytes()
        assert t.scatter.tobytes() == s.scatter.tobytes()


@details
@given(table=rows(least=2, continuous=True), power=st.sampled_from([-300, -3, 5, 300]))
@LAW
def test_a_unit_that_is_a_power_of_two_changes_no_digit(detail, table, power):
    s = table.summary(detail)
    t = Rows(np.ldexp(table.X, power), table.y, table.w).summary(detail)
    assert np.array_equal(np.ldexp(t.mean, -power), s.mean)
    assert np.array_equal(np.ldexp(np.ldexp(t.scatter, -power), -power), s.scatter)


@details
@given(data=st.integers(2, 5).flatmap(lambda parts: cut(parts)))
@LAW
def test_an_iterator_of_batches_equals_the_whole(detail, data):
    table, cuts = data
    parts = np.split(np.arange(len(table.X)), cuts)
    w = np.ones(len(table.X)) if table.w is None else table.w
    batches = ((table.X[rows], table.y[rows], w[rows]) for rows in parts)
    assert sf.summarize(batches, detail=detail) == table.summary(detail)
