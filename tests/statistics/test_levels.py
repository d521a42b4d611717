"""Levels (categories): declared by the type of a column or seen in a row, and what stays of them
when rows are removed."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.naive_bayes import CategoricalNB as ScikitLearnCategoricalNB

import suffice as sf
from suffice.errors import InvalidFeatures, InvalidFile
from suffice.statistics.storage import container, storage

COLOURS = ["red", "blue", "green", "ultramarine"]  # no row is ultramarine
FORMS = {
    "pandas": lambda values: pd.Series(pd.Categorical(values, COLOURS)),
    "pandas, ordered": lambda values: pd.Series(pd.Categorical(values, COLOURS, ordered=True)),
    "polars": lambda values: pl.Series(values).cast(pl.Enum(COLOURS)),
    "pyarrow": lambda values: pa.chunked_array(
        [pa.DictionaryArray.from_arrays([COLOURS.index(value) for value in values], COLOURS)]
    ),
    "pandas of pyarrow": lambda values: pd.Series(
        pd.arrays.ArrowExtensionArray(
            pa.chunked_array(
                [pa.DictionaryArray.from_arrays([COLOURS.index(v) for v in values], COLOURS)]
            )
        )
    ),
}
FRAMES = {
    "pandas": pd.DataFrame,
    "pandas, ordered": pd.DataFrame,
    "pandas of pyarrow": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
}


def rows(n=60, seed=0):
    rng = np.random.default_rng(seed)
    colours = rng.choice(COLOURS[:3], n).tolist()
    return colours, rng.normal(size=n), np.where(rng.random(n) < 0.4, "a", "b")


def frame(form, colours, numbers=None):
    columns = {"colour": FORMS[form](colours)}
    return FRAMES[form](columns if numbers is None else columns | {"size": numbers})


def content(packed):
    """Header and arrays of a file, without the checksum and the time."""
    header, arrays = container.unpack(packed, "file")
    header.pop("created", None)
    return header, {name: (a.dtype, a.shape, a.tobytes()) for name, a in arrays.items()}


@pytest.mark.parametrize("form", FORMS)
def test_declared_categories_are_levels_with_or_without_rows(form):
    colours, _, y = rows()
    counts = sf.count_levels(frame(form, colours), y)
    assert counts.tables[0].levels.tolist() == sorted(COLOURS)
    assert counts.tables[0].rows[:, -1].tolist() == [0, 0]
    assert counts.tables[0].declared.all()
    model = sf.CategoricalNB(alpha=0.5).fit(frame(form, colours), y)
    total = np.array([(y == "a").sum(), (y == "b").sum()]) + 0.5 * len(COLOURS)
    assert np.allclose(np.exp(model.feature_log_prob_[0][:, -1]), 0.5 / total, 1e-14, 0)


@pytest.mark.parametrize("form", FORMS)
def test_declared_categories_count_as_min_categories_does_in_scikit_learn(form):
    colours, _, y = rows()
    codes = np.array([[sorted(COLOURS).index(colour)] for colour in colours])
    theirs = ScikitLearnCategoricalNB(min_categories=len(COLOURS)).fit(codes, y)
    ours = sf.CategoricalNB().fit(frame(form, colours), y)
    assert ours.n_categories_.tolist() == theirs.n_categories_.tolist()
    mine = ours.predict_log_proba(frame(form, COLOURS))
    query = [[sorted(COLOURS).index(colour)] for colour in COLOURS]
    assert np.allclose(mine, theirs.predict_log_proba(query), 1e-12, 0)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("mixed", [False, True])
def test_parts_with_the_same_declared_categories_make_the_whole(form, mixed, tmp_path):
    colours, numbers, y = rows()
    new = sf.MixedNB if mixed else sf.CategoricalNB

    def table(at):
        return frame(form, colours[at], numbers[at] if mixed else None)

    first, second = slice(0, 25), slice(25, 60)
    whole = new().fit(table(slice(0, 60)), y)
    parts = new().partial_fit(table(first), y[first]).partial_fit(table(second), y[second])
    merged = new().fit(table(first), y[first]).merge(new().fit(table(second), y[second]))
    less = new().fit(table(slice(0, 60)), y).forget(table(second), y[second])
    assert parts.statistics_ == whole.statistics_ == merged.statistics_
    assert less.statistics_ == new().fit(table(first), y[first]).statistics_
    for model in (whole, parts, merged, less):
        assert model.levels_[0].tolist() == sorted(COLOURS)
        model.save(tmp_path / "model")
        loaded = sf.load(tmp_path / "model")
        assert loaded.statistics_ == model.statistics_
        assert loaded.levels_[0].tolist() == sorted(COLOURS)
        assert pickle.loads(pickle.dumps(model)).statistics_ == model.statistics_


def test_a_categorical_of_polars_declares_nothing_beyond_its_rows():
    declared = pl.Series(COLOURS, dtype=pl.Categorical)
    counts = sf.count_levels(pl.DataFrame({"colour": declared[:2]}), ["a", "b"])
    assert counts.tables[0].levels.tolist() == ["blue", "red"]
    assert not counts.tables[0].declared.any()


def test_categories_that_only_one_part_declares_stay_through_merging_and_removing():
    some = sf.count_levels(pd.DataFrame({"x": pd.Categorical(["a", "b"], ["a", "b", "z"])}), [0, 1])
    none = sf.count_levels(pd.DataFrame({"x": ["a", "c"]}), [0, 1])
    for both in (some + none, none + some):
        assert both.tables[0].levels.tolist() == ["a", "b", "c", "z"]
        assert both.tables[0].declared.tolist() == [True, True, False, True]
    assert some + none - none == some
    assert (none + some - some).tables[0].levels.tolist() == ["a", "b", "c", "z"]
    assert (none - none).tables[0].levels.tolist() == []


def test_a_column_without_a_value_has_the_levels_that_its_type_declares():
    X = pd.DataFrame({"x": pd.Categorical([None, None, None], ["b", "a"])})
    model = sf.CategoricalNB().fit(X, [0, 0, 1])
    assert model.levels_[0].tolist() == ["a", "b"]
    assert np.allclose(np.exp(model.feature_log_prob_[0]), 0.5)


def test_declared_integers_reach_up_to_the_largest():
    X = pd.DataFrame({"x": pd.Categorical([0, 1, 1], [0, 1, 4])})
    model = sf.CategoricalNB().fit(X, ["a", "b", "b"])
    assert model.n_categories_.tolist() == [5]
    assert model.forget(X[1:2], ["b"]).n_categories_.tolist() == [5]


@pytest.mark.parametrize("categories", [[1, -2], [1, "x"]])
def test_categories_that_cannot_be_levels_are_refused_even_where_no_row_has_them(categories):
    X = pd.DataFrame({"size": pd.Categorical([1, 1], categories)})
    with pytest.raises(InvalidFeatures, match="column 'size' declares categories"):
        sf.count_levels(X, [0, 1])


def test_levels_given_as_a_parameter_stand_before_those_of_the_type():
    X = pd.DataFrame({"x": pd.Categorical(["a", "b"], ["a", "b", "z"])})
    model = sf.CategoricalNB(levels=[["a", "b", "c"]]).fit(X, [0, 1])
    assert model.levels_[0].tolist() == ["a", "b", "c"]


def test_leaving_a_row_out_keeps_declared_levels():
    colours, numbers, y = rows(25)
    colours[3] = "ultramarine"  # the only row of its level
    X = frame("pandas", colours, numbers)
    for model, table in ((sf.CategoricalNB(), X[["colour"]]), (sf.MixedNB(), X)):
        found = model.fit(table, y).leave_one_out(table, y)
        for i in range(len(y)):
            at = np.arange(len(y)) != i
            rest = type(model)().fit(table[at], y[at])
            expected = rest.predict_log_proba(table[i : i + 1])[0]
            assert np.allclose(found.log_proba[i], expected, 1e-8, 1e-9)


def text_rows():
    X = np.array([["plum", "x"], ["fig", "x"], ["fig", "y"], ["plum", "z"], ["a rare fruit", "w"]])
    return X, np.array(["a", "b", "b", "a", "a most uncommon class"])


CASES = {
    "texts": (sf.CategoricalNB, *text_rows()),
    "objects": (sf.CategoricalNB, text_rows()[0].astype(object), text_rows()[1]),
    "frame": (sf.CategoricalNB, pd.DataFrame(text_rows()[0], columns=["u", "v"]), text_rows()[1]),
    "integers": (
        sf.CategoricalNB,
        np.array([[0, 1], [1, 0], [2, 1], [0, 0], [40, 7]]),
        np.array([0, 1, 1, 0, 9]),
    ),
    "fractions": (
        sf.CategoricalNB,
        np.array([[0, 1], [1, 0], [2, 1], [0, 0], [40, 7.5]]),
        np.array([0, 1, 1, 0, 9]),
    ),
    "booleans": (
        sf.CategoricalNB,
        np.array([[True], [True], [True], [True], [False]]),
        np.array([True, False, False, True, True]),
    ),
    "declared": (
        sf.CategoricalNB,
        pd.DataFrame({"x": pd.Categorical(["red", "red", "blue", "blue", "green"], COLOURS)}),
        text_rows()[1],
    ),
    "binary": (
        sf.BernoulliNB,
        np.array([[0, 1], [1, 1], [1, 1], [0, 1], [1, 0]]),
        text_rows()[1],
    ),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("gone", [[4], [0, 4], [1, 2, 4]])
def test_what_is_forgotten_is_in_no_byte_of_the_file(case, gone, tmp_path):
    new, X, y = CASES[case]
    kept = np.setdiff1d(np.arange(5), gone)
    some = (lambda at: X.iloc[at]) if hasattr(X, "iloc") else (lambda at: X[at])
    model = new().fit(X, y).forget(some(gone), y[gone])
    never = new().fit(some(kept), y[kept])
    for one, path in ((model, "forgot"), (never, "never")):
        one.save(tmp_path / path)
    forgot, fresh = ((tmp_path / path).read_bytes() for path in ("forgot", "never"))
    assert content(forgot) == content(fresh)
    s, t = model.statistics_, never.statistics_
    assert storage.to_bytes(s) == storage.to_bytes(t)
    assert s.classes.dtype == t.classes.dtype
    assert [table.levels.dtype for table in s.tables] == [table.levels.dtype for table in t.tables]


def test_the_counts_of_mixed_statistics_forget_as_others_do():
    X, y = text_rows()
    table = pd.DataFrame({"u": X[:, 0], "size": [1.0, 2.0, 4.0, 3.0, 9.0], "v": X[:, 1]})
    model = sf.MixedNB(var_smoothing=1.0).fit(table, y).forget(table[4:], y[4:])
    never = sf.MixedNB(var_smoothing=1.0).fit(table[:4], y[:4])
    mine, theirs = model.statistics_.discrete, never.statistics_.discrete
    assert storage.to_bytes(mine) == storage.to_bytes(theirs)
    assert [t.levels.dtype for t in mine.tables] == [t.levels.dtype for t in theirs.tables]
    assert model.classes_.dtype == never.classes_.dtype


@pytest.mark.parametrize("new", [sf.CategoricalNB, sf.MixedNB])
def test_no_text_of_a_forgotten_row_is_left_in_a_pickle(new):
    X, y = text_rows()
    model = new().fit(X, y).forget(X[4:], y[4:])
    data = pickle.dumps(model)
    assert pickle.dumps(new().fit(X[:4], y[:4])).count(b"plum") == data.count(b"plum")
    for text in ("a rare fruit", "a most uncommon class"):
        assert text.encode("utf-8") not in data
        assert text.encode("utf-32-le") not in data
        assert text.encode("utf-32-le") in pickle.dumps(new().fit(X, y))
    assert not re.search(rb"U(12|21)\b", data), "the width of a removed text is left"


@pytest.mark.parametrize("detail", ["separate", "diagonal"])
@pytest.mark.parametrize("gaps", [False, True])
def test_the_width_of_a_removed_label_is_forgotten_by_numeric_statistics(detail, gaps):
    X = np.random.default_rng(0).normal(size=(12, 2))
    y = np.array(["a", "b", "a most uncommon class"] * 4)
    if gaps:
        X[:6, 0] = np.nan
    odd = y == y[2]
    whole = sf.summarize(X, y, detail=detail)
    never = sf.summarize(X[~odd], y[~odd], detail=detail)
    for left in (whole - sf.summarize(X[odd], y[odd], detail=detail), whole.drop_class(y[2])):
        assert left.classes.dtype == never.classes.dtype == np.dtype("<U1")
        assert not re.search(rb"U21\b", pickle.dumps(left))


def test_integer_levels_shrink_with_the_row_that_had_the_largest_unless_more_are_declared():
    X, y = np.array([[0], [1], [5]]), [0, 1, 1]
    assert sf.CategoricalNB().fit(X, y).forget(X[2:], y[2:]).n_categories_.tolist() == [2]
    model = sf.CategoricalNB(min_categories=4).fit(X, y).forget(X[2:], y[2:])
    assert model.n_categories_.tolist() == [4]


@pytest.mark.parametrize(
    "declared",
    [
        np.zeros(4, np.uint8),  # a level without rows that nothing declares
        np.full(4, 2, np.uint8),
        np.ones(5, np.uint8),
        np.ones(4, np.int64),
    ],
)
def test_a_file_whose_declared_levels_do_not_fit_is_invalid(declared, tmp_path):
    colours, _, y = rows()
    packed = storage.to_bytes(sf.count_levels(frame("pandas", colours), y))
    header, arrays = container.unpack(packed, "file")
    assert arrays["tables.declared"].tolist() == [1, 1, 1, 1]
    header.pop("format")
    path = tmp_path / "counts"
    path.write_bytes(container.pack(header, arrays | {"tables.declared": declared}))
    with pytest.raises(InvalidFile):
        sf.load(path)
