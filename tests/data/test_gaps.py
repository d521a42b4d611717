"""Gaps: rows that miss the same values come together, and stay what they were."""

from __future__ import annotations

import numpy as np
import pytest

from suffice.data.gaps import Gaps

WIDTHS = [1, 7, 64, 65, 200]
widths = pytest.mark.parametrize("d", WIDTHS)


def few_patterns(d, rows=300, patterns=12, seed=0):
    """Rows of a few patterns in no order; some differ in the first or last feature only."""
    rng = np.random.default_rng(seed)
    kinds = rng.random((patterns, d)) < 0.3
    kinds[1], kinds[2], kinds[3] = kinds[0], kinds[0], False
    kinds[1, -1] ^= True
    kinds[2, 0] ^= True
    kinds[4] = True
    return kinds[rng.integers(0, patterns, rows)]


def all_patterns(d, rows=300, seed=1):
    return np.random.default_rng(seed).random((rows, d)) < 0.5


def single_gaps(d):
    """Every pattern of one gap, twice, and the complete row."""
    return np.vstack([np.eye(d, dtype=bool), np.zeros((1, d), bool), np.eye(d, dtype=bool)[::-1]])


TABLES = {"few": few_patterns, "all": all_patterns, "single": single_gaps}
tables = pytest.mark.parametrize("table", TABLES)


@widths
@tables
def test_the_order_holds_every_row_once_and_the_runs_say_what_it_misses(d, table):
    missing = TABLES[table](d)
    order, gaps = Gaps.sorted(missing)
    assert sorted(order.tolist()) == list(range(len(missing)))
    assert np.array_equal(gaps.rows, missing[order])
    assert gaps.starts[0] == 0
    assert gaps.starts[-1] == len(missing)
    assert (np.diff(gaps.starts) > 0).all()


@pytest.mark.parametrize("d", WIDTHS)
@pytest.mark.parametrize("table", TABLES)
def test_equal_patterns_stand_together_in_one_run(d, table):
    missing = TABLES[table](d)
    _, gaps = Gaps.sorted(missing)
    assert len(np.unique(gaps.patterns, axis=0)) == len(gaps.patterns)
    assert len(gaps.patterns) == len(np.unique(missing, axis=0))


def test_rows_that_miss_one_of_two_features_make_two_runs():
    missing = np.zeros((100, 128), bool)
    missing[::2, 56] = missing[1::2, 120] = True
    _, gaps = Gaps.sorted(missing)
    assert gaps.starts.tolist() == [0, 50, 100]


@widths
def test_rows_of_one_pattern_keep_their_order(d):
    order, gaps = Gaps.sorted(few_patterns(d))
    for _, run in gaps:
        assert (np.diff(order[run]) > 0).all()


@widths
@tables
def test_each_run_names_the_features_it_misses(d, table):
    missing = TABLES[table](d)
    order, gaps = Gaps.sorted(missing)
    for features, run in gaps:
        rows = missing[order[run]]
        assert rows[:, features].all()
        assert rows.sum() == len(rows) * len(features)


@widths
@tables
def test_the_gaps_between_two_rows_are_those_of_the_rows_alone(d, table):
    missing = TABLES[table](d)
    order, gaps = Gaps.sorted(missing)
    n = len(missing)
    places = np.unique([0, 1, n // 3, n // 2, n - 1, n, *gaps.starts[:9].tolist()])
    for low in places.tolist():
        for high in places[places >= low].tolist():
            part = gaps.between(low, high)
            assert np.array_equal(part.rows, missing[order[low:high]])
            assert part.starts[0] == 0
            assert part.starts[-1] == high - low
            assert low == high or (np.diff(part.starts) > 0).all()


@widths
def test_parts_of_parts_are_parts(d):
    _, gaps = Gaps.sorted(few_patterns(d))
    once = gaps.between(35, 220).between(20, 111)
    wanted = gaps.between(55, 146)
    assert np.array_equal(once.patterns, wanted.patterns)
    assert np.array_equal(once.starts, wanted.starts)


@widths
def test_consecutive_parts_make_up_the_whole(d):
    _, gaps = Gaps.sorted(few_patterns(d))
    parts = [gaps.between(low, low + 25).rows for low in range(0, 300, 25)]
    assert np.array_equal(np.vstack(parts), gaps.rows)


@widths
def test_no_rows_have_no_patterns(d):
    order, gaps = Gaps.sorted(np.zeros((0, d), bool))
    assert order.shape == (0,)
    assert gaps.patterns.shape == (0, d)
    assert gaps.starts.tolist() == [0]
    assert list(gaps) == []
    assert gaps.rows.shape == (0, d)
    assert gaps.between(0, 0).starts.tolist() == [0]
    assert gaps.between(0, 0).rows.shape == (0, d)


@widths
@pytest.mark.parametrize("value", [False, True])
def test_rows_that_all_miss_the_same_are_one_run_in_their_order(d, value):
    order, gaps = Gaps.sorted(np.full((9, d), value))
    assert order.tolist() == list(range(9))
    assert gaps.patterns.tolist() == [[value] * d]
    assert gaps.starts.tolist() == [0, 9]


@widths
@pytest.mark.parametrize("each", [1, 4])
def test_the_same_patterns_in_as_many_rows_each(d, each):
    _, gaps = Gaps.sorted(few_patterns(d))
    even = gaps.of_each(each)
    assert np.array_equal(even.rows, np.repeat(gaps.patterns, each, axis=0))
    assert np.array_equal(even.patterns, gaps.patterns)


@widths
def test_the_memory_order_of_the_table_does_not_matter(d):
    missing = few_patterns(d)
    order, gaps = Gaps.sorted(missing)
    for other in (np.asfortranarray(missing), np.repeat(missing, 2, axis=1)[:, ::2]):
        same, found = Gaps.sorted(other)
        assert np.array_equal(same, order)
        assert np.array_equal(found.patterns, gaps.patterns)


def test_the_input_stays_as_it_was():
    missing = few_patterns(65)
    before = missing.copy()
    Gaps.sorted(missing)
    assert np.array_equal(missing, before)
