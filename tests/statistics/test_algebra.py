"""What + and - refuse, what they leave, and how statistics are cut down."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from operator import add, sub

import numpy as np
import pandas as pd
import pytest
from shared_laws import assert_lost, each_lost_detail, each_operation

import suffice as sf
from suffice.errors import (
    InvalidInput,
    InvalidParameter,
    InvalidWeights,
    LostPrecision,
    Mismatch,
    NeverIncluded,
    NotFinite,
)

DETAILS = ("separate", "shared", "diagonal")
details = pytest.mark.parametrize("detail", DETAILS)

X = np.random.default_rng(0).normal(size=(40, 3)) * [1, 10, 100] + 5
Y = np.array(["a", "b", "c", "d"])[np.arange(40) % 4]


def part(rows, detail="separate", **columns):
    return sf.summarize(X[rows], Y[rows], detail=detail, **columns)


def framed(names, detail="separate"):
    return sf.summarize(pd.DataFrame(X, columns=list(names)), Y, detail=detail)


def assert_refused(operation, *operands, error, match):
    """The error comes, and nothing that took part has changed."""
    before = [s.digest() for s in operands]
    with pytest.raises(error, match=match):
        operation(*operands)
    assert [s.digest() for s in operands] == before


MISMATCHES = {
    "number of features": (part(slice(9)), part(slice(9)).select([0, 1]), "3 features.* 2"),
    "detail": (part(slice(9)), part(slice(9), "shared"), "'separate'.*'shared'.*coarsen"),
    "kind of label": (
        part(slice(9)),
        sf.summarize(X, np.arange(40) % 4),
        "(strings|integers) on one side and (strings|integers)",
    ),
    "names": (framed("uvw"), framed("uvx"), "'w' on one side, 'x' on the other"),
    "order of names": (framed("uvw"), framed("uwv"), "a different order; use select"),
    "no names": (framed("uvw"), part(slice(9)), "none; pass data frames on both"),
}


@each_operation
@pytest.mark.parametrize("what", MISMATCHES)
def test_statistics_of_different_things_do_not_mix(what, operation):
    a, b, message = MISMATCHES[what]
    assert_refused(operation, a, b, error=Mismatch, match=message)
    with pytest.raises(Mismatch):
        operation(b, a)


@pytest.mark.parametrize("other", [1, 0.0, None, "s", [1]])
def test_only_statistics_and_the_zero_of_sum_can_be_added(other):
    s = part(slice(9))
    with pytest.raises(TypeError):
        s - other
    with pytest.raises(TypeError):
        s + other
    assert s != other
    assert 0 + s is s


def test_statistics_cannot_be_hashed():
    with pytest.raises(TypeError):
        hash(part(slice(9)))


def test_classes_are_united_by_label():
    one, two = part(Y < "c"), part(Y >= "b")
    both = one + two
    assert both.classes.tolist() == list("abcd")
    assert both.count.tolist() == [10, 20, 10, 10]
    assert both == sf.summarize(np.r_[X[Y < "c"], X[Y >= "b"]], np.r_[Y[Y < "c"], Y[Y >= "b"]])


@details
def test_new_classes_stand_where_their_labels_sort(detail):
    labels = ["b", "d", "a", "long label", "c"]
    parts = [
        sf.summarize(X[i : i + 3], [label] * 3, detail=detail) for i, label in enumerate(labels)
    ]
    total = sum(parts)
    assert total.classes.tolist() == sorted(labels)
    for i, label in enumerate(labels):
        np.testing.assert_allclose(total.mean[total.classes == label][0], X[i : i + 3].mean(0))


@details
@pytest.mark.parametrize("d", [3, 30], ids=["dense", "thin"])
def test_removing_a_whole_class_drops_it(detail, d):
    wide = np.random.default_rng(1).normal(size=(40, d))
    s = sf.summarize(wide, Y, detail=detail)
    left = s - sf.summarize(wide[Y == "b"], Y[Y == "b"], detail=detail)
    assert left.classes.tolist() == ["a", "c", "d"]
    assert left == sf.summarize(wide[Y != "b"], Y[Y != "b"], detail=detail)
    if detail != "shared":
        assert left == s.drop_class("b")


@details
@pytest.mark.parametrize("rows", [1, 9, 40])
def test_removing_everything_leaves_the_empty_statistic(detail, rows):
    s = part(slice(rows), detail)
    left = s - part(np.arange(rows)[::-1], detail)
    assert left == sf.Statistics.empty(like=s)
    assert left.classes.size == left.count.size == 0
    assert left + s == s
    assert (left - left).n_features == 3
    for other in DETAILS[1:] if detail == "separate" else ():
        assert left.coarsen(other) == sf.Statistics.empty(like=s.coarsen(other))


NEVER_IN = {
    "more rows": (part(slice(8)), part(slice(12)), "class 'a' has 2 rows; 3 cannot"),
    "an unknown class": (part(Y < "c"), part(slice(8)), "class 'c'.*none were ever added"),
    "further rows": (
        part(slice(8)),
        sf.summarize(X[[0]] + 99, ["a"]),
        "spread further than the rows they are removed from",
    ),
    "different weights": (
        part(slice(8)),
        sf.summarize(X[:2], Y[:2], [1, 5]),
        "'b' has .* weight; 5",
    ),
    "from nothing": (sf.Statistics.empty(like=part(slice(8))), part(slice(8)), "nothing to remove"),
    "all rows lighter": (part(slice(4)), sf.summarize(X[:1], Y[:1], [0.5]), "'a' has .* weight"),
    "all weight": (part(slice(8)), sf.summarize(X[:1], Y[:1], [2]), "'a' has .* weight"),
}


@pytest.mark.parametrize("what", NEVER_IN)
def test_what_was_never_in_cannot_be_removed(what):
    s, gone, message = NEVER_IN[what]
    assert_refused(sub, s, gone, error=NeverIncluded, match=message)


@details
@pytest.mark.parametrize("d", [1, 9], ids=["dense", "thin"])
def test_rows_that_spread_too_far_cannot_be_removed(detail, d):
    # Each value is one of the rows'; together they vary more than the rows they leave.
    whole = np.array([-1.0, 0, 0, 0, 0, 1])[:, None] * np.ones(d)
    gone = np.array([-1.0, -1, 1, 1])[:, None] * np.ones(d)
    s, other = (sf.summarize(rows, ["a"] * len(rows), detail=detail) for rows in (whole, gone))
    assert_refused(sub, s, other, error=NeverIncluded, match=r"[Ww]ere they (ever )?added")


@details
def test_an_error_names_classes_and_features_as_the_user_does(detail):
    frame = pd.DataFrame({"width": [1.0, 2, 3], "height": [1.0, 2, 3]})
    s = sf.summarize(frame, [7, 7, 7], detail=detail)
    far = sf.summarize(frame + np.array([0, 50]), [7, 7, 7], detail=detail)
    with pytest.raises(NeverIncluded, match=r"impossible variance of feature 'height'"):
        s + s - far
    large = sf.summarize(frame * 1e5, [7, 7, 7], detail=detail)
    with pytest.raises(LostPrecision, match=r"feature 'width'(?! in class np)"):
        s + large - large


@details
def test_what_weighs_too_little_beside_what_is_removed_is_refused(detail):
    small = sf.summarize([[1.0], [2.0]], ["a", "a"], [1e-6, 1e-6], detail=detail)
    large = sf.summarize([[1.0], [2.0]], ["a", "a"], [1e6, 1e6], detail=detail)
    with pytest.raises(LostPrecision, match="class 'a' weighs too little"):
        small + large - large


@details
@pytest.mark.parametrize("columns", [3, 40], ids=["dense", "thin"])
def test_a_column_whose_only_one_is_removed_has_exactly_no_variance(detail, columns):
    rows = np.random.default_rng(2).normal(size=(20, columns))
    rows[:, 1] = 0
    rows[4, 1] = 1
    y = np.arange(20) % 2
    left = sf.summarize(rows, y, detail=detail) - sf.summarize(rows[4:6], y[4:6], detail=detail)
    scatter = left.scatter if detail == "diagonal" else left.spread.diagonal()
    assert not scatter[:, 1].any()
    assert scatter[:, 0].all()
    if detail != "diagonal":
        assert not left.scatter[..., 1].any()
        assert not left.scatter[..., 1, :].any()
    others = np.delete(np.arange(20), [4, 5])
    want = sf.summarize(rows[others], y[others], detail=detail)
    np.testing.assert_allclose(left.scatter, want.scatter, rtol=0, atol=1e-12)


@details
def test_what_is_removed_may_itself_have_had_rows_removed(detail):
    s = part(slice(None), detail)
    gone = part(slice(0, 24), detail) - part(slice(0, 8), detail)
    left = s - gone
    rest = np.r_[0:8, 24:40]
    assert left == part(rest, detail)


@details
def test_rows_can_be_removed_one_by_one_until_none_is_left(detail):
    levels = np.array([-1.0, 0.0, -1.0, 1.0, 1.0])
    rows, y = np.column_stack([levels, levels == 1]), ["a"] * 5
    left = sf.summarize(rows, y, detail=detail)
    for i in range(5):
        left = left - sf.summarize(rows[[i]], ["a"], detail=detail)
        assert left.count.sum() == 4 - i
    assert left == sf.Statistics.empty(like=left)


@details
def test_a_single_row_that_is_left_has_exactly_no_scatter(detail):
    left = part(slice(0, 8, 4), detail) - part([4], detail)
    assert left.count.tolist() == [1]
    assert not left.scatter.any()
    np.testing.assert_allclose(left.mean, X[:1], rtol=1e-14)


@details
def test_values_whose_squares_are_too_large_cannot_be_merged(detail):
    a, b = (sf.summarize([[size, 1.0]], ["a"], detail=detail) for size in (1e200, -1e200))
    assert_refused(add, a, b, error=NotFinite, match="rescale")


@details
def test_weights_that_are_too_large_cannot_be_added_up(detail):
    a, b = (sf.summarize([[x]], ["a"], [1e308], detail) for x in (1.0, 2.0))
    assert_refused(add, a, b, error=InvalidInput, match="weight")
    with pytest.raises(InvalidWeights, match="weight"):
        sf.summarize([[1.0], [2.0]], ["a", "a"], [1e308, 1e308], detail)


@pytest.mark.parametrize("detail", ["shared", "diagonal"])
@pytest.mark.parametrize("d", [3, 30], ids=["dense", "thin"])
def test_coarsening_equals_summarizing_in_that_detail(detail, d):
    rows = np.random.default_rng(3).normal(size=(40, d))
    fine = sf.summarize(rows, Y)
    coarse = fine.coarsen(detail)
    assert coarse == sf.summarize(rows, Y, detail=detail)
    assert coarse.detail == detail
    assert coarse.coarsen(detail) is coarse
    less = fine - sf.summarize(rows[:8], Y[:8])
    other = sf.summarize(rows[:8], Y[:8], detail=detail)
    assert less.coarsen(detail) + other == coarse
    assert coarse - other == less.coarsen(detail)


@each_lost_detail
def test_lost_detail_does_not_come_back(detail, wanted):
    assert_lost(part(slice(9), detail), wanted)


@details
def test_features_are_selected_by_name_or_position_in_the_requested_order(detail):
    s = framed("uvw", detail)
    assert s.select(["w", "u"]).feature_names == ("w", "u")
    assert s.select(["w", "u"]) == s.select([2, 0]) == s.select(np.array([2, 0]))
    plain = sf.summarize(X[:, [2, 0]], Y, detail=detail)
    np.testing.assert_allclose(s.select(["w", "u"]).scatter, plain.scatter, rtol=1e-12)
    assert s.select(list("wvu")).select(list("uvw")).digest() == s.digest()


def test_a_permutation_keeps_the_fourth_order_sums_and_a_choice_drops_them():
    s = part(slice(None))
    turned = s.select([2, 0, 1])
    want = sf.summarize(X[:, [2, 0, 1]], Y)
    got, wanted = (t.fourth.centred(t.known) for t in (turned, want))
    np.testing.assert_allclose(got.quartic, wanted.quartic, rtol=1e-12)
    np.testing.assert_allclose(got.cubic, wanted.cubic, rtol=1e-9)
    assert s.select([0]).fourth is None
    assert (s.select([0]) + s.select([0])).fourth is None
    assert (s.select([0]) + s.select([0]) - s.select([0])).fourth is None


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ([], "at least one"),
        (["u", "z"], "no feature 'z'; the features are 'u', 'v', 'w'"),
        ([3], "no feature 3; positions run to 2"),
        ([-1], "no feature -1"),
        (["u", "u"], "twice"),
        ([0, "u"], "twice"),
        ([1.5], "1.5"),
        ([None], "None"),
    ],
    ids=str,
)
def test_features_that_are_not_there_cannot_be_selected(features, message):
    s = framed("uvw")
    assert_refused(lambda s: s.select(features), s, error=InvalidParameter, match=message)


@pytest.mark.parametrize("mask", [[True, False], np.array([True, False])], ids=type)
def test_a_mask_is_not_taken_for_positions(mask):
    s = part(slice(9)).select([0, 1])
    assert_refused(lambda s: s.select(mask), s, error=InvalidParameter, match="True|mask|bool")


def test_unnamed_features_cannot_be_selected_by_name():
    with pytest.raises(InvalidParameter, match="unnamed, so use positions"):
        part(slice(9)).select(["u"])


@pytest.mark.parametrize("detail", ["separate", "diagonal"])
def test_dropping_a_class_is_never_having_seen_it(detail):
    s = part(slice(None), detail)
    assert s.drop_class("c") == part(Y != "c", detail)
    rest = s.drop_class("a").drop_class("b").drop_class("c").drop_class("d")
    assert rest == sf.Statistics.empty(like=s)


@pytest.mark.parametrize("label", ["z", 0, None, "A"])
def test_a_class_that_is_not_there_cannot_be_dropped(label):
    with pytest.raises(InvalidParameter, match="the classes are 'a', 'b', 'c', 'd'"):
        part(slice(None)).drop_class(label)


def test_a_long_list_of_classes_is_cut_short_in_a_message():
    s = sf.summarize(np.ones((30, 1)), np.arange(30))
    with pytest.raises(InvalidParameter, match="8, 9 and 20 more"):
        s.drop_class(99)


def test_the_pooled_scatter_lets_no_class_be_dropped():
    s = part(slice(None), "shared")
    assert_refused(
        lambda s: s.drop_class("a"), s, error=InvalidParameter, match="detail='separate'"
    )


def test_statistics_of_other_classes_counts_features_or_numbers_are_not_equal():
    s = part(slice(None))
    others = {
        "detail": part(slice(None), "shared"),
        "names": framed("uvw"),
        "features": s.select([0, 1]),
        "classes": s.drop_class("a"),
        "kind": sf.summarize(X, np.arange(40) % 4),
        "count": s + part([0]),
        "weight": sf.summarize(X, Y, 2.0),
        "mean": sf.summarize(X + np.array([0, 1e-6, 0]), Y),
        "scatter": sf.summarize(X * [1, 1, 1 + 1e-8], Y),
        "products": sf.summarize(X + np.eye(3)[0] * (X[:, [1]] - X[:, [1]].mean()) * 1e-8, Y),
    }
    assert [what for what, other in others.items() if s == other] == []
    assert s == sf.summarize(X * (1 + 1e-16), Y)


def test_equality_does_not_depend_on_units_or_offsets():
    for scale in (1e-150, 1.0, 1e140):
        s = sf.summarize(X * scale, Y)
        assert s == sf.summarize(X[::-1] * scale, Y[::-1])
        assert s != sf.summarize(X * scale * (1 + 1e-8), Y)


@details
def test_copies_and_pickles_are_the_same_to_the_last_bit(detail):
    s = part(slice(None), detail) - part(slice(4), detail)
    for again in (pickle.loads(pickle.dumps(s)), copy.copy(s), copy.deepcopy(s)):
        assert again.digest() == s.digest()
        assert again + s == s + s
        assert not again.weight.flags.writeable
        assert not again.mean.flags.writeable


@details
def test_digests_differ_where_anything_does(detail):
    s = part(slice(None), detail)
    others = [
        s,
        part(slice(39), detail),
        sf.summarize(X * (1 + 1e-15), Y, detail=detail),
        sf.summarize(X, Y.astype("O") + "'", detail=detail),
        framed("uvw", detail),
        framed("uvx", detail),
        s.select([1, 0, 2]),
        s + part([0], detail) - part([0], detail),
    ]
    assert len({other.digest() for other in others}) == len(others)


PROGRAM = """
import numpy as np, suffice as sf
X = np.arange(60.0).reshape(20, 3) ** 1.5
for detail in ("separate", "shared", "diagonal"):
    s = sf.summarize(X, np.array(list("abcd") * 5), detail=detail)
    print((s + s).digest(), s.select([1]).digest())
"""


def test_digests_are_the_same_in_every_process():
    runs = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
        ).stdout
        for _ in range(3)
    ]
    assert len(set(runs)) == 1
    assert len(runs[0].split()) == 6


def test_a_failed_summary_of_a_stream_leaves_what_was_there():
    s = part(slice(None))
    before = s.digest()
    with pytest.raises(Mismatch):
        s += sf.summarize(X[:, :2], Y)
    assert s.digest() == before


@details
def test_thin_and_dense_parts_can_be_merged_and_removed(detail):
    rng = np.random.default_rng(4)
    rows, y = rng.normal(size=(60, 8)), np.arange(60) % 2
    few, many = (
        sf.summarize(rows[part], y[part], detail=detail) for part in (slice(5), slice(5, 60))
    )
    other = sf.summarize(rows[:5] + 0.1, ["z"] * 5, detail=detail)
    labels = sf.summarize(rows, np.where(y, "b", "a"), detail=detail)
    assert few + many == many + few == sf.summarize(rows, y, detail=detail)
    assert few + many - few == many
    left = few + many - many
    np.testing.assert_allclose(left.scatter, few.scatter, rtol=0, atol=1e-11)
    assert labels + other - other == labels
    point = sf.summarize(rows[:1], ["a"], detail=detail)
    assert labels - point == sf.summarize(rows[1:], np.where(y, "b", "a")[1:], detail=detail)
    new = sf.summarize(rows[:1], ["zz"], detail=detail)
    assert (labels + new).classes.tolist() == ["a", "b", "zz"]
    assert labels + new - new == labels


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("factor", [0.5, 1 - 1e-6, 1 + 1e-6, 3.0])
@pytest.mark.parametrize("rows", [3, 4])
def test_other_weights_than_were_added_cannot_be_removed_in_any_unit(unit, factor, rows):
    X, y, w = np.arange(8.0).reshape(4, 2) ** 2, np.zeros(4), unit * np.ones(4)
    whole = sf.summarize(X, y, w)
    weight = w[:rows] * (factor if rows == 4 else max(factor, 1.0) * 1.5)
    with pytest.raises(NeverIncluded, match=r"weight; .* cannot be removed"):
        whole - sf.summarize(X[:rows], y[:rows], weight)
