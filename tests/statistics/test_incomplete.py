"""Statistics of rows with gaps: the same algebra, and what is known of each feature."""

from __future__ import annotations

import copy
import pickle
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import permutations
from operator import sub

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from shared_laws import assert_loaded_as_saved, assert_lost, each_lost_detail, each_operation

import exact
import suffice as sf
from closeness import near_moments
from forged import parts_of, with_field, with_parts
from lawful import examples, law
from suffice.data import batches
from suffice.errors import (
    InvalidFile,
    InvalidParameter,
    LostPrecision,
    Mismatch,
    NeverIncluded,
    NotFinite,
)
from suffice.statistics.incomplete import IncompleteStatistics, as_incomplete
from suffice.statistics.passes import gap_pass
from suffice.statistics.storage import container

LAW = law(40)
DETAILS = ("separate", "shared", "diagonal")
LABELS = (["a", "b", "long name"], [-7, 3, 1 << 40])
NA = np.nan

details = pytest.mark.parametrize("detail", DETAILS)
by_class = pytest.mark.parametrize("detail", ["separate", "diagonal"])


class Rows:
    """Rows with gaps, labels and perhaps weights, of which any part can be summarized."""

    def __init__(self, X, y, w=None):
        self.X, self.y, self.w = X, y, w

    def __repr__(self):
        w = None if self.w is None else self.w.tolist()
        return f"Rows({self.X.tolist()}, {self.y.tolist()}, {w})"

    def __getitem__(self, rows):
        return Rows(self.X[rows], self.y[rows], None if self.w is None else self.w[rows])

    def summary(self, detail):
        return sf.summarize(self.X, self.y, self.w, detail)

    @property
    def counts(self):
        """Whether each row counts."""
        return np.ones(len(self.X), bool) if self.w is None else self.w > 0

    @property
    def weights(self):
        return np.ones(len(self.X)) if self.w is None else self.w

    @property
    def complete(self):
        return ~np.isnan(self.X).any(axis=1)


@st.composite
def tables(draw, continuous=False, least=1, zeros=True):
    """Rows of a few patterns, or of many; complete rows and rows that know nothing occur."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(least, 24)), draw(st.sampled_from([1, 2, 3, 9]))
    if continuous or draw(st.booleans()):
        X = rng.normal(size=(n, d)) + draw(st.sampled_from([0.0, 1e4]))
    else:
        X = rng.integers(-1, 2, (n, d)).astype(float)
    patterns = rng.random((draw(st.integers(1, 5)), d)) < draw(st.sampled_from([0.2, 0.6]))
    if draw(st.booleans()):
        patterns[0] = draw(st.booleans())
    X[patterns[rng.integers(0, len(patterns), n)]] = NA
    labels = draw(st.sampled_from(LABELS))
    y = np.array(labels)[rng.integers(0, draw(st.integers(1, 3)), n)]
    w = None
    if draw(st.booleans()):
        w = rng.uniform(0.1, 9, n)
        if zeros and draw(st.booleans()):
            w[rng.random(n) < 0.3] = 0
    return Rows(X, y, w)


@st.composite
def split(draw, parts, **how):
    """Rows, and the numbers of those in each part; in every part some row counts."""
    table = draw(tables(least=2 * parts, **how))
    order = np.random.default_rng(draw(st.integers(0, 99))).permutation(len(table.X))
    places = st.lists(
        st.integers(1, len(order) - 1), min_size=parts - 1, max_size=parts - 1, unique=True
    )
    ranges = np.split(order, sorted(draw(places)))
    assume(all(table.counts[rows].any() for rows in ranges))
    return table, ranges


@details
@given(data=st.integers(2, 5).flatmap(lambda parts: split(parts)))
@LAW
def test_merging_parts_in_any_order_equals_summarizing_the_whole(detail, data):
    table, ranges = data
    whole = table.summary(detail)
    parts = [table[rows].summary(detail) for rows in ranges]
    assert sum(parts) == whole
    assert sum(reversed(parts)) == whole
    assert type(sum(parts)) is type(whole)


@details
@given(data=st.integers(2, 5).flatmap(lambda parts: split(parts)))
@LAW
def test_an_iterator_of_batches_equals_the_whole(detail, data):
    table, ranges = data
    parts = ((table.X[rows], table.y[rows], table.weights[rows]) for rows in ranges)
    assert sf.summarize(parts, detail=detail) == table.summary(detail)


@details
@given(data=split(2))
@LAW
def test_merging_is_commutative_to_the_last_bit(detail, data):
    table, ranges = data
    a, b = (table[rows].summary(detail) for rows in ranges)
    assert (a + b).digest() == (b + a).digest()


@details
@given(data=split(3))
@LAW
def test_merging_is_associative(detail, data):
    table, ranges = data
    a, b, c = (table[rows].summary(detail) for rows in ranges)
    assert (a + b) + c == a + (b + c)


def pieces(s, classes):
    """The ordinary statistics of some classes that these are made of."""
    parts = as_incomplete(s).parts if s.detail == "shared" else as_incomplete(s).parts.keep(classes)
    return {"": parts.cells} if s.detail == "diagonal" else parts.parts


def assert_left(left, wanted, whole, tolerance=1e-12):
    """Equal to a tolerance in deviations and sums of squares of the whole, gap for gap."""
    assert type(left) is type(wanted)
    assert np.array_equal(left.classes, wanted.classes)
    assert np.array_equal(left.count, wanted.count)
    assert np.array_equal(left.known_count, wanted.known_count)
    np.testing.assert_allclose(left.weight, wanted.weight, rtol=tolerance)
    np.testing.assert_allclose(left.known_weight, wanted.known_weight, rtol=tolerance)
    a, b, c = (pieces(s, wanted.classes) for s in (left, wanted, whole))
    assert a.keys() == b.keys()
    for key in a:
        near_moments(a[key], b[key], c[key], tolerance)


@contextmanager
def unless_little_is_left(whole, rest):
    """A removal may be refused where less than a millionth of the squares would remain."""
    try:
        yield
    except LostPrecision:
        few, all_of = pieces(rest, rest.classes), pieces(whole, rest.classes)
        little = []
        for key, b in few.items():
            kept = np.isin(all_of[key].classes, b.classes) if b.spread.per_class else slice(None)
            little.append(b.spread.diagonal() < 1e-6 * all_of[key].spread.diagonal()[kept])
        assert any(part.any() for part in little)


@details
@given(data=split(2, continuous=True))
@LAW
def test_removing_inverts_merging(detail, data):
    table, ranges = data
    a, b = (table[rows].summary(detail) for rows in ranges)
    for one, other in ((a, b), (b, a)):
        with unless_little_is_left(a + b, one):
            assert_left(a + b - other, one, a + b)


@details
@given(data=split(2, continuous=True))
@LAW
def test_removing_a_part_of_the_whole_leaves_the_rest(detail, data):
    table, ranges = data
    part, rest = (table[rows].summary(detail) for rows in ranges)
    whole = table.summary(detail)
    with unless_little_is_left(whole, rest):
        assert_left(whole - part, rest, whole)


@details
@given(data=split(3, continuous=True))
@LAW
def test_removals_in_any_order_leave_the_same(detail, data):
    table, ranges = data
    a, b, c = (table[rows].summary(detail) for rows in ranges)
    whole = table.summary(detail)
    with unless_little_is_left(whole, a):
        assert_left(whole - b - c, a, whole)
        assert_left(whole - c - b, a, whole)
        assert_left(whole - (b + c), a, whole)


@details
@given(table=tables(continuous=True, least=8))
@LAW
def test_removing_every_row_with_a_gap_leaves_ordinary_statistics(detail, table):
    full, gappy = table[table.complete], table[~table.complete]
    assume(full.counts.any())
    assume(gappy.counts.any())
    wanted = full.summary(detail)
    whole = table.summary(detail)
    assert isinstance(wanted, sf.Statistics)
    with unless_little_is_left(whole, wanted):
        assert_left(whole - gappy.summary(detail), wanted, whole)
    assert wanted + gappy.summary(detail) == table.summary(detail)
    assert gappy.summary(detail) + wanted == table.summary(detail)


@details
@given(table=tables(continuous=True, least=8))
@LAW
def test_removing_every_complete_row_leaves_those_with_gaps(detail, table):
    full, gappy = table[table.complete], table[~table.complete]
    assume(full.counts.any())
    assume(gappy.counts.any())
    whole, wanted = table.summary(detail), gappy.summary(detail)
    with unless_little_is_left(whole, wanted):
        assert_left(whole - full.summary(detail), wanted, whole)


@details
@given(table=tables(), seed=st.integers(0, 99))
@LAW
def test_the_order_of_rows_does_not_matter(detail, table, seed):
    assume(table.counts.any())
    order = np.random.default_rng(seed).permutation(len(table.X))
    assert table[order].summary(detail) == table.summary(detail)


@details
@given(table=tables(zeros=False), seed=st.integers(0, 99))
@LAW
def test_weight_zero_equals_absence(detail, table, seed):
    kept = np.random.default_rng(seed).random(len(table.X)) < 0.6
    assume(kept.any())
    weighted = Rows(table.X, table.y, np.where(kept, table.weights, 0.0)).summary(detail)
    present = Rows(table.X[kept], table.y[kept], table.weights[kept]).summary(detail)
    assert weighted == present
    assert type(weighted) is type(present)


@details
@given(table=tables(), seed=st.integers(0, 99))
@LAW
def test_integer_weights_equal_repetition(detail, table, seed):
    times = np.random.default_rng(seed).integers(0, 4, len(table.X))
    assume(times.any())
    weighted = sf.summarize(table.X, table.y, times, detail)
    repeated = np.repeat(np.arange(len(table.X)), times)
    other = sf.summarize(table.X[repeated], table.y[repeated], detail=detail)
    np.testing.assert_allclose(weighted.weight, other.weight, rtol=1e-12)
    np.testing.assert_allclose(weighted.known_weight, other.known_weight, rtol=1e-12)
    np.testing.assert_allclose(weighted.mean, other.mean, rtol=1e-12, atol=1e-12)


in_any_order = pytest.mark.parametrize(
    "detail",
    [
        "separate",
        "shared",
        "diagonal",
    ],
)
FOUR = Rows(np.array([[1.0, 2, 30, NA], [2, 5, 90, 1], [4, 9, 10, 2]]), np.array(["a"] * 3))


@in_any_order
@given(data=split(2), seed=st.integers(0, 99))
@example(data=(FOUR, [np.array([0]), np.array([1, 2])]), seed=7)
@LAW
def test_selecting_features_equals_summarizing_them(detail, data, seed):
    table, ranges = data
    d = table.X.shape[1]
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(d)[: rng.integers(1, d + 1)]
    wanted = Rows(table.X[:, chosen], table.y, table.w).summary(detail)
    selected = table.summary(detail).select(chosen)
    assert selected == wanted
    assert type(selected) is type(wanted)
    a, b = (table[rows].summary(detail).select(chosen) for rows in ranges)
    assert a + b == wanted


@by_class
@given(table=tables(least=4))
@LAW
def test_dropping_a_class_is_never_having_seen_it(detail, table):
    assume(table.counts.any())
    for label in np.unique(table.y[table.counts]):
        others = table[table.y != label]
        if others.counts.any():
            dropped, wanted = table.summary(detail).drop_class(label), others.summary(detail)
            assert dropped == wanted
            assert type(dropped) is type(wanted)


def knows_something(table):
    return not np.isnan(table.X[table.counts]).all()


@pytest.mark.parametrize("coarse", ["shared", "diagonal"])
@given(data=split(2))
@LAW
def test_coarsening_equals_summarizing_in_that_detail(coarse, data):
    table, ranges = data
    assume(all(knows_something(table[rows]) for rows in ranges))
    wanted = table.summary(coarse)
    assert table.summary("separate").coarsen(coarse) == wanted
    a, b = (table[rows].summary("separate").coarsen(coarse) for rows in ranges)
    assert a + b == wanted


def known_of(table):
    """Count, weight and mean of the known values by class, with NumPy alone."""
    kept = table[table.counts]
    known = ~np.isnan(kept.X)
    of = [kept.y == label for label in np.unique(kept.y)]
    count = np.array([known[c].sum(axis=0) for c in of])
    weight = np.array([(kept.weights[c, None] * known[c]).sum(axis=0) for c in of])
    sums = np.array([np.nansum(kept.weights[c, None] * kept.X[c], axis=0) for c in of])
    with np.errstate(invalid="ignore"):
        mean = np.where(count > 0, sums / weight, sums.sum(axis=0) / weight.sum(axis=0))
    return count, weight, mean


@details
@given(table=tables())
@LAW
def test_what_is_known_of_each_feature_is_what_numpy_says(detail, table):
    assume(table.counts.any())
    s = table.summary(detail)
    kept = table[table.counts]
    labels = np.unique(kept.y)
    assert s.classes.tolist() == labels.tolist()
    assert s.count.tolist() == [int((kept.y == label).sum()) for label in labels]
    weight = [kept.weights[kept.y == label].sum() for label in labels]
    np.testing.assert_allclose(s.weight, weight, rtol=1e-12)
    count, known_weight, mean = known_of(table)
    assert np.array_equal(np.broadcast_to(s.known_count, count.shape), count)
    np.testing.assert_allclose(
        np.broadcast_to(s.known_weight, count.shape), known_weight, rtol=1e-12
    )
    np.testing.assert_allclose(s.mean, mean, rtol=1e-11, atol=1e-11)


RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3)) * [1, 10, 100] + 5
X[RNG.random((40, 3)) < 0.25] = NA
X[[7, 22]] = NA
Y = np.array(["a", "b", "c", "d"])[np.arange(40) % 4]
W = RNG.uniform(0.5, 2, 40)
COMPLETE = ~np.isnan(X).any(axis=1)


def part(rows, detail="separate"):
    return sf.summarize(X[rows], Y[rows], detail=detail)


def framed(names, detail="separate"):
    return sf.summarize(pd.DataFrame(X, columns=list(names)), Y, detail=detail)


def refused(operation, a, b, error, match=None):
    """The error comes, and nothing that took part has changed."""
    before = a.digest(), b.digest()
    with pytest.raises(error, match=match):
        operation(a, b)
    assert (a.digest(), b.digest()) == before


@details
def test_the_summary_says_what_it_is_of(detail):
    s = part(slice(None), detail)
    assert isinstance(s, IncompleteStatistics)
    assert (s.detail, s.n_features, s.feature_names) == (detail, 3, None)
    assert repr(s).startswith("<IncompleteStatistics of 40 rows, 3 features, 4 classes, detail=")
    assert framed("uvw", detail).feature_names == ("u", "v", "w")


@details
def test_rows_that_know_nothing_are_counted(detail, kernels):
    table = np.array([[1.0, NA], [NA, NA], [3.0, 4.0], [NA, NA], [NA, NA]])
    y, w = ["a", "a", "a", "b", "c"], [1.0, 2.0, 3.0, 4.0, 0.0]
    s = sf.summarize(table, y, w, detail)
    assert s.classes.tolist() == ["a", "b"]
    assert s.count.tolist() == [3, 1]
    assert s.weight.tolist() == [6.0, 4.0]
    assert s.known_count.tolist() == [[2, 1], [0, 0]]
    assert s.known_weight.tolist() == [[4.0, 3.0], [0.0, 0.0]]
    assert s.mean.tolist() == [[2.5, 4.0], [2.5, 4.0]]


@details
def test_rows_that_all_know_nothing_have_no_mean(detail, kernels):
    s = sf.summarize(np.full((3, 2), NA), [0, 1, 1], detail=detail)
    assert s.count.tolist() == [1, 2]
    assert not s.known_count.any()
    assert np.isnan(s.mean).all()
    assert s + s - s == s
    more = sf.summarize([[1.0, 2.0]], [0], detail=detail)
    assert (s + more).mean.tolist() == [[1.0, 2.0], [1.0, 2.0]]
    assert s + more - s == more


@details
@pytest.mark.parametrize("weighted", [False, True])
def test_a_class_without_values_of_a_feature_has_the_mean_of_the_others(detail, weighted, kernels):
    table = np.array([[1.0, 5.0], [2.0, 7.0], [6.0, NA], [4.0, 9.0], [NA, NA]])
    y, w = np.array([0, 0, 1, 2, 2]), np.array([1.0, 3.0, 2.0, 4.0, 1.0])
    s = sf.summarize(table, y, w if weighted else None, detail)
    assert s.mean[1, 1] == pytest.approx((5 + 3 * 7 + 4 * 9) / 8 if weighted else 7.0, rel=1e-14)
    assert s.known_count[1].tolist() == [1, 0]


@details
def test_classes_that_occur_in_one_part_only_are_united_by_label(detail):
    y = np.array(["b", "d", "a", "long label", "c"])[np.arange(40) // 8]
    parts = [sf.summarize(X[y == label], y[y == label], detail=detail) for label in np.unique(y)]
    whole = sf.summarize(X, y, detail=detail)
    assert sum(parts).classes.tolist() == sorted(set(y.tolist()))
    assert sum(parts) == sum(parts[::-1]) == whole
    for label, one in zip(np.unique(y), parts, strict=True):
        left = whole - one
        assert label not in left.classes
        assert left == sf.summarize(X[y != label], y[y != label], detail=detail)


@details
@pytest.mark.parametrize("first", ["complete", "incomplete"])
def test_complete_and_incomplete_parts_mix(detail, first):
    full, gappy = part(COMPLETE, detail), part(~COMPLETE, detail)
    a, b = (full, gappy) if first == "complete" else (gappy, full)
    assert isinstance(full, sf.Statistics)
    assert isinstance(a + b, IncompleteStatistics)
    assert a + b == part(slice(None), detail)
    assert a + b - a == b
    assert type(a + b - a) is type(b)
    assert sum([a, b, a]) - a - b == a
    assert full != gappy
    assert a + b != a


@details
def test_ordinary_statistics_of_names_come_back_with_them(detail):
    frame = pd.DataFrame(X, columns=list("uvw"))
    whole = sf.summarize(frame, Y, detail=detail)
    left = whole - sf.summarize(frame[~COMPLETE], Y[~COMPLETE], detail=detail)
    assert isinstance(left, sf.Statistics)
    assert left.feature_names == ("u", "v", "w")
    assert left == sf.summarize(frame[COMPLETE], Y[COMPLETE], detail=detail)
    np.testing.assert_allclose(left.scatter, part(COMPLETE, detail).scatter, rtol=0, atol=1e-8)


@details
def test_selecting_what_every_row_knows_gives_ordinary_statistics(detail):
    table = X.copy()
    table[:, 1] = np.arange(40.0)
    s = sf.summarize(table, Y, detail=detail).select([1])
    assert isinstance(s, sf.Statistics)
    assert s == sf.summarize(table[:, [1]], Y, detail=detail)


@by_class
def test_dropping_the_only_class_with_gaps_gives_ordinary_statistics(detail):
    table = np.where((Y == "b")[:, None], X, np.nan_to_num(X, nan=1.5))
    s = sf.summarize(table, Y, detail=detail).drop_class("b")
    assert isinstance(s, sf.Statistics)
    assert s == sf.summarize(table[Y != "b"], Y[Y != "b"], detail=detail)


@details
def test_what_is_removed_may_itself_have_had_rows_removed(detail):
    gone = part(slice(0, 24), detail) - part(slice(0, 8), detail)
    assert part(slice(None), detail) - gone == part(np.r_[0:8, 24:40], detail)


@details
def test_rows_can_be_removed_one_by_one(detail):
    left = part(slice(None), detail)
    for i in range(38):
        left = left - part([i], detail)
        assert left.count.sum() == 39 - i
    want = part([38, 39], detail)
    assert np.array_equal(left.count, want.count)
    np.testing.assert_allclose(left.mean, want.mean, rtol=0, atol=1e-12 * np.nanmax(np.abs(X)))


NEVER_IN = {
    "more rows": ([[1.0, NA]] * 4, ["a"] * 4),
    "an unknown class": ([[1.0, NA]], ["z"]),
    "further rows": ([[99.0, NA]], ["a"]),
    "rows of another class": ([[-3.0, NA]], ["a"]),
    "all of a class and more": ([[1.0, NA], [2.0, NA], [3.0, 4.0], [3.0, 4.0]], ["a"] * 4),
}
SEEN = np.array([[1.0, NA], [2.0, NA], [3.0, 4.0], [-3.0, NA]]), list("aaab")


@details
@pytest.mark.parametrize("what", NEVER_IN)
def test_what_was_never_in_cannot_be_removed(what, detail):
    s, gone = (sf.summarize(*rows, detail=detail) for rows in (SEEN, NEVER_IN[what]))
    refused(sub, s, gone, NeverIncluded)


@details
def test_rows_of_other_weights_cannot_be_removed(detail):
    s = sf.summarize(*SEEN, detail=detail)
    gone = sf.summarize([[1.0, NA]], ["a"], [5.0], detail)
    refused(sub, s, gone, NeverIncluded, "weight")
    lighter = sf.summarize([[-3.0, NA]], ["b"], [0.5], detail)
    refused(sub, s, lighter, NeverIncluded, "weight")


@pytest.mark.parametrize("detail", ["separate", "shared"])
@pytest.mark.parametrize("row", [[NA, 4.0], [1.0, 4.0]])
def test_rows_that_miss_values_as_no_row_does_cannot_be_removed(row, detail):
    s = sf.summarize([[1.0, NA], [2.0, NA]], ["a", "a"], detail=detail)
    refused(
        sub, s, sf.summarize([row], ["a"], detail=detail), NeverIncluded, "were they ever added"
    )


@details
@pytest.mark.parametrize(
    "seen", [[[1.0, 2.0], [2.0, 3.0]], [[1.0, NA], [2.0, 3.0]]], ids=["complete", "gap"]
)
def test_rows_that_know_nothing_cannot_be_removed_where_there_are_none(seen, detail):
    s = sf.summarize(seen, ["a", "a"], detail=detail)
    refused(sub, s, sf.summarize([[NA, NA]], ["a"], detail=detail), NeverIncluded)


@pytest.mark.parametrize("rows", [1, 2], ids=["some rows left", "no rows left"])
def test_rows_that_know_less_than_those_seen_cannot_be_removed_from_variances(rows):
    seen = np.array([[1.0, 2.0], [2.0, 3.0]])
    gone = np.where([True, False], seen[:rows], NA)
    a, b = (sf.summarize(rows, ["a"] * len(rows), detail="diagonal") for rows in (seen, gone))
    refused(sub, a, b, NeverIncluded)


@details
def test_noise_is_not_left_for_a_result(detail):
    small, large = np.array([[1.0, NA], [2.0, NA], [4.0, NA]]), np.array([[1e9, NA], [-1e9, NA]])
    a, b = (sf.summarize(rows, ["a"] * len(rows), detail=detail) for rows in (small, large))
    refused(sub, a + b, b, LostPrecision)


@details
def test_an_error_names_classes_and_features_as_the_user_does(detail):
    frame = pd.DataFrame({"u": [1.0, 2.0, 3.0], "v": [NA, NA, 1.0], "w": [5.0, 6.0, 7.0]})
    s = sf.summarize(frame, ["a", "b", "b"], detail=detail)
    far = sf.summarize(frame.assign(w=[5.0, 99.0, 7.0])[:2], ["a", "b"], detail=detail)
    refused(sub, s, far, NeverIncluded, "feature 'w'")


@pytest.mark.parametrize(
    "detail",
    [*DETAILS],
)
def test_removing_everything_leaves_the_empty_statistic(detail):
    s, full = part(slice(None), detail), part(COMPLETE, detail)
    left = s - part(np.arange(40)[::-1], detail)
    assert left == sf.Statistics.empty(like=full)
    assert left + full == full


@details
def test_nothing_is_the_identity(detail):
    s, full = part(slice(None), detail), part(COMPLETE, detail)
    for nothing in (s - s, sf.Statistics.empty(like=full)):
        assert nothing.classes.size == nothing.count.size == 0
        assert nothing.n_features == 3
        for same in (s + nothing, nothing + s, s - nothing, sum([s])):
            assert same.digest() == s.digest()


MISMATCHES = {
    "number of features": (part(slice(20)), part(slice(20)).select([0, 1]), "3 features.* 2"),
    "detail": (part(slice(20)), part(slice(20), "shared"), "'separate'.*'shared'.*coarsen"),
    "variances": (part(slice(20)), part(slice(20), "diagonal"), "'separate'.*'diagonal'"),
    "kind of label": (part(slice(20)), sf.summarize(X, np.arange(40) % 4), "strings|integers"),
    "names": (framed("uvw"), framed("uvx"), "'w' on one side, 'x' on the other"),
    "order of names": (framed("uvw"), framed("uwv"), "a different order; use select"),
    "no names": (framed("uvw"), part(slice(20)), "none; pass data frames on both"),
    "detail of complete rows": (part(slice(20)), part(COMPLETE, "shared"), "'separate'.*'shared'"),
    "features of complete rows": (part(slice(20)), part(COMPLETE).select([0]), "3 features.* 1"),
}


@each_operation
@pytest.mark.parametrize("what", MISMATCHES)
def test_statistics_of_different_things_do_not_mix(what, operation):
    a, b, message = MISMATCHES[what]
    refused(operation, a, b, Mismatch, message)
    refused(operation, b, a, Mismatch)


@details
@pytest.mark.parametrize("other", [1, 0.0, None, "s", [1]])
def test_only_statistics_and_the_zero_of_sum_can_be_added(detail, other):
    s = part(slice(20), detail)
    with pytest.raises(TypeError):
        s - other
    with pytest.raises(TypeError):
        s + other
    assert s != other
    assert 0 + s is s
    with pytest.raises(TypeError):
        hash(s)


def test_statistics_of_other_gaps_classes_counts_features_or_numbers_are_not_equal():
    for detail in DETAILS:
        s = part(slice(None), detail)
        moved = X.copy()
        moved[[0, 4]] = moved[[4, 0]]
        gap = X.copy()
        gap[np.flatnonzero(COMPLETE)[0], 1] = NA
        others = {
            "names": framed("uvw", detail),
            "features": s.select([0, 1]),
            "classes": part(Y != "a", detail),
            "kind": sf.summarize(X, np.arange(40) % 4, detail=detail),
            "count": s + part([0], detail),
            "unknown row": s + part([7], detail),
            "weight": sf.summarize(X, Y, 2.0, detail),
            "mean": sf.summarize(X + np.array([0, 1e-6, 0]), Y, detail=detail),
            "squares": sf.summarize(X * [1, 1, 1 + 1e-8], Y, detail=detail),
            "gap": sf.summarize(gap, Y, detail=detail),
            "complete": part(COMPLETE, detail),
        }
        assert [what for what, other in others.items() if s == other] == []
        assert len({other.digest() for other in [s, *others.values()]}) == len(others) + 1
        assert s == sf.summarize(moved, Y, detail=detail)
    assert part(slice(None)) != part(slice(None), "shared")


def test_features_are_selected_by_name_or_position_in_the_requested_order():
    for detail in DETAILS:
        s = framed("uvw", detail)
        assert s.select(["w", "u"]).feature_names == ("w", "u")
        assert s.select(["w", "u"]) == s.select([2, 0]) == s.select(np.array([2, 0]))
        assert s.select(list("wvu")).select(list("uvw")) == s


@in_any_order
@pytest.mark.parametrize("labels", [1, 2])
def test_features_can_be_selected_in_every_order(detail, labels):
    rows = np.random.default_rng(11).normal(size=(12, 4)) * [1, 10, 100, 1000]
    rows[[0, 5], [1, 2]] = NA
    y = np.arange(12) % labels
    s = sf.summarize(rows, y, detail=detail)
    wrong = [
        order
        for size in (2, 3, 4)
        for order in permutations(range(4), size)
        if s.select(order) != sf.summarize(rows[:, order], y, detail=detail)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ([], "at least one"),
        (["u", "z"], "no feature 'z'"),
        ([3], "no feature 3; positions run to 2"),
        (["u", "u"], "twice"),
        ([True], "True"),
    ],
    ids=str,
)
def test_features_that_are_not_there_cannot_be_selected(features, message):
    for detail in DETAILS:
        s = framed("uvw", detail)
        refused(lambda s, _: s.select(features), s, s, InvalidParameter, message)


@by_class
@pytest.mark.parametrize("label", ["z", 0, None])
def test_a_class_that_is_not_there_cannot_be_dropped(detail, label):
    with pytest.raises(InvalidParameter, match="the classes are 'a', 'b', 'c', 'd'"):
        part(slice(None), detail).drop_class(label)


def test_the_pooled_scatter_lets_no_class_be_dropped():
    s = part(slice(None), "shared")
    refused(lambda s, _: s.drop_class("a"), s, s, InvalidParameter, "detail='separate'")


@each_lost_detail
def test_lost_detail_does_not_come_back(detail, wanted):
    assert_lost(part(slice(None), detail), wanted)


@pytest.mark.parametrize("coarse", ["shared", "diagonal"])
def test_what_is_left_after_a_removal_can_be_coarsened(coarse):
    left = part(slice(None)) - part(slice(8))
    assert left.coarsen(coarse) == part(slice(8, None), coarse)
    assert left.coarsen(coarse) + part(slice(8), coarse) == part(slice(None), coarse)
    assert part(slice(None), coarse) - part(slice(8), coarse) == left.coarsen(coarse)


@details
def test_coarsening_to_what_is_there_changes_nothing(detail):
    s = part(slice(None), detail)
    assert s.coarsen(detail) is s


@pytest.mark.parametrize(
    "coarse",
    [
        "shared",
        "diagonal",
    ],
)
def test_rows_that_all_know_nothing_can_be_coarsened(coarse):
    nothing = np.full((3, 2), NA)
    s = sf.summarize(nothing, [0, 1, 1]).coarsen(coarse)
    assert s == sf.summarize(nothing, [0, 1, 1], detail=coarse)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_variances_have_ten_digits_far_from_zero(weighted, offset, kernels):
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(300, 4)) + offset
    rows[rng.random(rows.shape) < 0.3] = NA
    y, w = rng.integers(0, 3, 300), rng.uniform(0.1, 5, 300) if weighted else None
    s = sf.summarize(rows, y, w, "diagonal")
    for c in range(3):
        for j in range(4):
            ok = (y == c) & ~np.isnan(rows[:, j])
            total, mean, scatter = exact.moments(rows[ok][:, [j]], None if w is None else w[ok])
            assert exact.relative_error(s.known_weight[c, j], total) < 1e-14
            assert exact.relative_error(s.mean[c, j], mean[0]) < 1e-10
            assert exact.relative_error(s.squares[c, j], scatter[0][0]) < 1e-10


def test_merged_variances_have_ten_digits_far_from_zero(kernels):
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(200, 2)) + 1e8
    rows[rng.random(rows.shape) < 0.4] = NA
    y = np.arange(200) % 2
    parts = [
        sf.summarize(rows[i : i + 10], y[i : i + 10], detail="diagonal") for i in range(0, 200, 10)
    ]
    s = sum(parts)
    for c in range(2):
        for j in range(2):
            ok = (y == c) & ~np.isnan(rows[:, j])
            squares = exact.moments(rows[ok][:, [j]])[2][0][0]
            assert exact.relative_error(s.squares[c, j], squares) < 1e-10


@pytest.mark.parametrize("value", [0.1, 1e8 + 0.1, -1 / 3, 1e-200])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_column_that_is_constant_in_a_class_has_squares_of_exactly_zero(value, weighted, kernels):
    rng = np.random.default_rng(3)
    rows, y = rng.normal(size=(90, 2)), np.arange(90) % 3
    rows[y == 1, 0] = value
    rows[rng.random(rows.shape) < 0.4] = NA
    w = rng.uniform(0.1, 2, 90) if weighted else None
    s = sf.summarize(rows, y, w, "diagonal")
    assert s.squares[1, 0] == 0
    assert s.mean[1, 0] == value
    assert (np.delete(s.squares[:, 0], 1) > 0).all()
    assert (s.squares[:, 1] > 0).all()
    half = sum(
        sf.summarize(rows[part], y[part], None if w is None else w[part], "diagonal")
        for part in (slice(0, 45), slice(45, 90))
    )
    assert half.squares[1, 0] == 0


def rare_class(values, rows=3000):
    """A class whose few rows a sample of them all would hardly meet."""
    rng = np.random.default_rng(4)
    table, y = rng.normal(size=(rows, 2)), np.zeros(rows, int)
    seen = np.linspace(0, rows - 1, 1024).astype(int)
    at = np.setdiff1d(np.arange(rows), seen)[100 : 100 + len(values)]
    y[at], table[at, 0] = 1, values
    return table, y


@pytest.mark.parametrize("value", [0.1, 1e8 + 0.1, -1 / 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_constant_of_a_rare_class_has_exactly_no_squares(value, weighted, kernels):
    table, y = rare_class([value, NA, value, value, NA, value, value])
    w = np.random.default_rng(5).uniform(0.1, 2, len(y)) if weighted else None
    s = sf.summarize(table, y, w, "diagonal")
    assert s.known_count[1].tolist() == [5, 7]
    assert s.squares[1, 0] == 0
    assert s.mean[1, 0] == value


def test_a_rare_class_that_varies_by_the_last_bit_alone_varies():
    low, high = 126.96262250195195, np.nextafter(126.96262250195195, 200)
    wrong = []
    for count in range(2, 12):
        values = np.array([low, *[high] * count, NA])
        table, y = rare_class(values)
        cells = sf.summarize(table, y, detail="diagonal").parts.cells
        at = int(np.flatnonzero(cells.classes == 2)[0])
        if not cells.scatter[at, 0] > 0:
            wrong.append(count)
    assert wrong == []


@pytest.mark.parametrize("detail", ["separate", "diagonal"])
def test_the_second_moments_are_those_of_the_rows_that_know_them(detail, kernels):
    s = part(slice(None), detail)
    if detail == "diagonal":
        wanted = pd.DataFrame(X).groupby(Y).var(ddof=0).to_numpy() * s.known_count
        np.testing.assert_allclose(s.squares, wanted, rtol=1e-11)
        return
    for known, of in s.parts:
        rows = (~np.isnan(X) == np.isin(np.arange(3), known)).all(axis=1)
        assert replace(of, feature_names=None) == sf.summarize(X[rows][:, known], Y[rows])


@pytest.mark.parametrize(
    "detail",
    [
        "separate",
        "shared",
        "diagonal",
    ],
)
def test_values_so_close_that_their_squares_vanish_are_refused(detail):
    rows = [[1e-200, NA], [2e-200, NA], [3e-200, 1.0], [4e-200, 2.0]]
    with pytest.raises(NotFinite, match=r"close together.*rescale"):
        sf.summarize(rows, [0] * 4, detail=detail)


@details
@pytest.mark.parametrize("d", [1, 5], ids=["dense", "thin"])
@pytest.mark.parametrize("hidden", ["one value", "rows"])
def test_gaps_in_rows_of_weight_zero_change_nothing(detail, d, hidden, kernels):
    rows = np.random.default_rng(6).normal(size=(20, d))
    y, w = np.arange(20) % 2, np.where(np.arange(20) % 5 == 3, 0.0, 1.5)
    gappy = rows.copy()
    gappy[w == 0, slice(0, 1) if hidden == "one value" else slice(None)] = NA
    s = sf.summarize(gappy, y, w, detail)
    assert isinstance(s, sf.Statistics)
    assert s == sf.summarize(rows, y, w, detail)
    assert s == sf.summarize(rows[w > 0], y[w > 0], w[w > 0], detail)


@details
def test_gaps_in_rows_of_weight_zero_change_nothing_beside_others(detail, kernels):
    w = np.where(np.arange(40) % 5 == 3, 0.0, W)
    more = X.copy()
    more[w == 0] = NA
    assert sf.summarize(more, Y, w, detail) == sf.summarize(X, Y, w, detail)
    assert sf.summarize(X, Y, w, detail) == sf.summarize(X[w > 0], Y[w > 0], w[w > 0], detail)


@details
@pytest.mark.parametrize("weighted", [None, "weighted", "some zero"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("n", "d", "k"), [(3000, 3, 4), (400, 12, 50)])
def test_compiled_and_plain_loops_agree(detail, weighted, dtype, n, d, k, request, monkeypatch):
    rng = np.random.default_rng(7)
    rows, y = (rng.normal(size=(n, d)) + 100).astype(dtype), rng.integers(0, k, n)
    patterns = rng.random((6, d)) < 0.4
    rows[patterns[rng.integers(0, 6, n)]] = NA
    w = rng.uniform(0.1, 2, n) if weighted else None
    if weighted == "some zero":
        w[rng.random(n) < 0.3] = 0
    plain = sf.summarize(rows, y, w, detail)
    request.getfixturevalue("compiled")
    for threads in ("3", "1"):
        monkeypatch.setenv("SUFFICE_NUM_THREADS", threads)
        s = sf.summarize(rows, y, w, detail)
        assert s == plain
        assert np.array_equal(s.count, plain.count)
        assert np.array_equal(s.known_count, plain.known_count)
        np.testing.assert_allclose(s.known_weight, plain.known_weight, rtol=1e-12)
        np.testing.assert_allclose(s.mean, plain.mean, rtol=1e-12)
        if detail == "diagonal":
            np.testing.assert_allclose(s.squares, plain.squares, rtol=1e-12)
        assert sf.summarize(rows, y, w, detail).digest() == s.digest()


@details
@pytest.mark.parametrize("rows", [1, 7])
def test_blocks_and_batches_of_any_size_give_the_same(detail, rows, kernels, monkeypatch):
    whole = sf.summarize(X, Y, W, detail)
    frame = sf.summarize(pd.DataFrame(X), Y, W, detail)
    monkeypatch.setattr(gap_pass, "BLOCK_BYTES", rows * 8 * 3)
    assert sf.summarize(X, Y, W, detail) == whole
    assert sf.summarize(np.asfortranarray(X), Y, W, detail) == whole
    monkeypatch.setattr(batches.batches, "__defaults__", (None, "", rows))
    assert sf.summarize(X, Y, W, detail) == whole
    assert sf.summarize(pd.DataFrame(X), Y, W, detail) == frame


@details
def test_gaps_of_many_features_are_kept_apart(detail, kernels):
    rng = np.random.default_rng(8)
    rows, y = rng.normal(size=(60, 200)), np.arange(60) % 2
    rows[np.arange(60), np.arange(60) % 10 * 20 + 16] = NA
    s = sf.summarize(rows, y, detail=detail)
    assert s == sum(sf.summarize(rows[i::3], y[i::3], detail=detail) for i in range(3))
    assert np.array_equal(s.known_count.sum(axis=0), (~np.isnan(rows)).sum(axis=0))


@details
def test_results_cannot_be_written_to_and_share_nothing(detail):
    rows, y, w = X.copy(), Y.copy(), W.copy()
    s = sf.summarize(rows, y, w, detail)
    before = s.digest()
    rows[:], y[:], w[:] = 99, "z", 7
    assert s.digest() == before
    for name in ("classes", "count", "weight"):
        assert not getattr(s, name).flags.writeable
    with pytest.raises(AttributeError):
        s.feature_names = ("u", "v", "w")
    for name in ("mean", "known_weight", "known_count"):
        wanted = getattr(s, name).copy()
        with suppress(ValueError):
            getattr(s, name)[:] = 0
        assert np.array_equal(getattr(s, name), wanted)
    assert s.digest() == before


@details
def test_operations_leave_their_operands_as_they_were(detail):
    a, b = part(slice(0, 25), detail), part(slice(25, 40), detail)
    before = a.digest(), b.digest()
    total = a + b
    total - a
    total.select([1, 0])
    a.coarsen("diagonal" if detail == "separate" else detail)
    if detail != "shared":
        a.drop_class("a")
    assert (a.digest(), b.digest()) == before


def kinds():
    """Statistics of every form that a file can hold."""
    for detail in DETAILS:
        s = part(slice(None), detail)
        yield detail, s
        yield f"{detail} merged", s + s
        yield f"{detail} reduced", s - part(slice(12), detail)
        yield f"{detail} named", framed(["width", "height", 'naïve\n"name"'], detail)
        yield f"{detail} weighted", sf.summarize(X, Y, W, detail)
        yield f"{detail} row", part([np.flatnonzero(~COMPLETE)[0]], detail)
        yield f"{detail} unknown", part([7, 22], detail)
        yield f"{detail} selected", s.select([2, 0])
        yield f"{detail} mixed", part(COMPLETE, detail) + part(~COMPLETE, detail)
    for name, y in {"integers": np.arange(40) % 3 - 5, "booleans": Y == "a"}.items():
        yield name, sf.summarize(X, y)
    yield "coarsened", part(slice(None)).coarsen("diagonal")
    yield (
        "wide",
        sf.summarize(np.where(np.eye(20, dtype=bool), NA, 1.0 + np.eye(20)[::-1]), [0] * 20),
    )


KINDS = dict(kinds())


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_saved_is_loaded_to_the_last_bit(kind, tmp_path):
    s = KINDS[kind]
    again = assert_loaded_as_saved(s, tmp_path / "s.stats")
    assert isinstance(again, IncompleteStatistics)
    assert np.array_equal(again.mean, s.mean, equal_nan=True)
    assert (again - again).classes.size == 0


@pytest.mark.parametrize("kind", KINDS)
def test_copies_and_pickles_are_the_same_to_the_last_bit(kind):
    s = KINDS[kind]
    for again in (pickle.loads(pickle.dumps(s)), copy.copy(s), copy.deepcopy(s)):
        assert again.digest() == s.digest()
        assert again + s == s + s
        assert not again.weight.flags.writeable


@details
def test_equal_rows_make_equal_files(detail, tmp_path):
    for name in "ab":
        part(slice(None), detail).save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def loads(path, data):
    """Whether bytes can be loaded as statistics; every other error than InvalidFile is raised."""
    path.write_bytes(data)
    with suppress(InvalidFile):
        sf.load(path)
        return True
    return False


@details
def test_a_file_that_was_changed_anywhere_is_an_error(detail, tmp_path):
    path, rng = tmp_path / "s", np.random.default_rng(9)
    sf.summarize([[1.0, NA], [2.0, 3.0], [NA, NA]], ["a", "a", "b"], detail=detail).save(path)
    data = path.read_bytes()
    assert loads(path, data)
    for _ in range(examples(1500)):
        changed = np.frombuffer(data, np.uint8).copy()
        at = rng.integers(0, len(changed), rng.integers(1, 4))
        changed[at] ^= rng.integers(1, 256, len(at)).astype(np.uint8)
        if changed.tobytes() != data:
            assert not loads(path, changed.tobytes())


@details
def test_a_file_cut_short_or_made_longer_is_an_error(detail, tmp_path):
    path = tmp_path / "s"
    part(slice(9), detail).save(path)
    data = path.read_bytes()
    for length in range(0, len(data), 13):
        assert not loads(path, data[:length])
    for more in (b"\0", data):
        assert not loads(path, data + more)
        assert not loads(path, more + data)


JUNK = (None, True, 0, -1, 7, 1.5, 10**30, "x", "", "shared", [], ["a"], [0], [[]], {}, {"a": 1})
NUMBERS = (NA, np.inf, -np.inf, 0.0, -1.0, 1e300, 5e-324)


def altered(rng, data):
    """A file like another, its checksum right, with one entry or array changed."""
    header, arrays = container.unpack(data, "it")
    what = rng.integers(0, 5)
    if what == 0:
        header[rng.choice(sorted(set(header) - {"format"}))] = JUNK[rng.integers(0, len(JUNK))]
    elif what == 1:
        del header[rng.choice(sorted(set(header) - {"format"}))]
    else:
        name = str(rng.choice(sorted(arrays)))
        array = arrays[name].copy()
        if what == 2:
            del arrays[name]
        elif what == 3:
            shapes = [array.ravel(), array.ravel()[1:], array[None], array.astype(np.float32)]
            arrays[name] = shapes[rng.integers(0, len(shapes))]
        elif array.size:
            value = NUMBERS[rng.integers(0, 7)] if array.dtype.kind == "f" else rng.integers(-2, 9)
            array.flat[rng.integers(0, array.size)] = value
            arrays[name] = array
    return container.pack(header, arrays)


@details
def test_an_impossible_file_is_an_invalid_file_though_every_checksum_fits(detail, tmp_path):
    path, rng = tmp_path / "s", np.random.default_rng(10)
    framed("uvw", detail).save(path)
    data = path.read_bytes()
    n = examples(700)
    assert sum(loads(path, altered(rng, data)) for _ in range(n)) < n / 2


def opened(s, path):
    """Header and files of saved statistics."""
    s.save(path)
    return container.unpack(path.read_bytes(), "it")


PARTS = "parts.parts.values"
KEYS = "parts.parts.keys"


def test_parts_that_contradict_each_other_are_an_error(tmp_path):
    path = tmp_path / "s"
    header, arrays = opened(KINDS["separate"], path)
    parts, keys, form = parts_of(PARTS, arrays), arrays[KEYS], arrays[f"{PARTS}#form"]

    def of(parts, forms=form):
        return with_parts(PARTS, arrays, parts, forms)

    def observed(rows):
        return arrays | {KEYS: np.array(rows, np.uint8), f"{KEYS}.ends": 1 + np.arange(len(rows))}

    assert loads(path, container.pack(header, of(parts)))
    bits = keys.tolist()
    last = parts[-1]
    others = {
        "fewer parts": of(parts[:-1], form[:-1]),
        "more parts": of([*parts, last], [*form, form[-1]]),
        "parts in another order": of(parts[::-1], form[::-1]),
        "no parts": of([], form[:0]),
        "a form that does not exist": of(parts, np.full_like(form, 99)),
        "no patterns": observed(bits[:0]),
        "fewer patterns": observed(bits[:-1]),
        "patterns in another order": observed(bits[::-1]),
        "a pattern twice": observed([bits[0], *bits[:-1]]),
        "a pattern of more features": observed([*bits[:-1], 0xFF]),
        "patterns of more bytes": arrays
        | {KEYS: np.repeat(keys, 2), f"{KEYS}.ends": 2 * arrays[f"{KEYS}.ends"]},
        "a part of other classes": of([*parts[:-1], last | {".classes": last[".classes"] + 1}]),
        "a part of a class twice": of(
            [*parts[:-1], last | {".classes": last[".classes"] * 0 + 97}]
        ),
        "no counts": {name: a for name, a in arrays.items() if name != "rows.count"},
        "an array too many": arrays | {"parts.cells": arrays["rows.count"]},
        "rows that are more than counted": arrays
        | {"rows.means.high": arrays["rows.means.high"] + 1},
    }
    loaded = [
        what for what, content in others.items() if loads(path, container.pack(header, content))
    ]
    assert loaded == []


def test_more_values_than_rows_are_an_error(tmp_path):
    path = tmp_path / "s"
    for detail in DETAILS:
        header, arrays = opened(part(slice(None), detail), path)
        changed = {**arrays, "rows.count": np.ones_like(arrays["rows.count"])}
        assert not loads(path, container.pack(header, changed))


HEADERS = {
    "another detail": ("parts.detail", "diagonal"),
    "a coarser detail": ("parts.detail", "shared"),
    "unknown detail": ("parts.detail", "pooled"),
    "fewer features": ("parts.n_features", 2),
    "more features": ("parts.n_features", 9),
    "no features": ("parts.n_features", 0),
    "text for features": ("parts.n_features", "3"),
    "as many features as no table has": ("parts.n_features", 2**24),
    "more features than numbers": ("parts.n_features", 10**30),
    "another field": ("known", 1),
    "another kind": ("kind", "Statistics"),
    "an unknown kind": ("kind", "poem"),
    "parts of another kind": ("parts.kind", "ByFeature"),
}


@pytest.mark.parametrize("what", HEADERS)
def test_headers_that_cannot_be_true_are_an_error_though_the_checksum_fits(what, tmp_path):
    path = tmp_path / "s"
    header, files = opened(KINDS["separate"], path)
    path.write_bytes(container.pack(with_field(header, *HEADERS[what]), files))
    with pytest.raises(InvalidFile, match=str(path)):
        sf.load(path)


@pytest.mark.parametrize("key", ["kind", "rows", "parts", "parts.detail", "parts.n_features"])
def test_a_header_that_lacks_an_entry_is_an_error(key, tmp_path):
    path = tmp_path / "s"
    header, files = opened(KINDS["separate"], path)
    path.write_bytes(container.pack(with_field(header, key, None), files))
    with pytest.raises(InvalidFile, match=str(path)):
        sf.load(path)
