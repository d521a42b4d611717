"""Tables as people have them: columns of nothing, of objects, of bins; and what others are told."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import suffice as sf
from suffice.errors import (
    InvalidFeatures,
    InvalidInput,
    InvalidLabels,
    InvalidParameter,
    NotFinite,
    NotNumbers,
    TooFewRows,
)

LABELS = ["ant", "ant", "bee", "bee"]
COLUMNS = {"size": [1.0, 2.0, 3.5, 4.5], "kind": ["x", "y", "y", "z"]}
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
each_frame = pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
DISCRETE = (sf.CategoricalNB(), sf.MixedNB())


@each_frame
@pytest.mark.parametrize(
    "model",
    [sf.GaussianNB(), sf.LDA(), sf.MixtureDiscriminant(1), sf.BernoulliNB(binarize=2.0)],
    ids=repr,
)
def test_a_column_of_nothing_is_a_column_of_gaps(frame, model):
    numbers = {"size": COLUMNS["size"], "age": [1.0, 3.0, 2.0, 5.0]}
    model.fit(frame(numbers), LABELS)
    found = model.predict_proba(frame({"size": [None], "age": [3.0]}))
    assert np.array_equal(found, model.predict_proba(frame({"size": [np.nan], "age": [3.0]})))


@each_frame
def test_a_row_may_know_a_level_or_a_number_only(frame):
    model = sf.MixedNB().fit(frame(COLUMNS), LABELS)
    assert model.predict(frame({"size": [None], "kind": ["x"]})) == ["ant"]
    assert model.predict(frame({"size": [4.4], "kind": [None]})) == ["bee"]
    nothing = model.predict_proba(frame({"size": [None], "kind": [None]}))
    np.testing.assert_allclose(nothing, [[0.5, 0.5]])


@pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")
def test_numbers_among_objects_are_numbers():
    frame = pd.DataFrame({**COLUMNS, "size": [1, None, 3.5, np.float32(4.5)]}, dtype=object)
    assert sf.MixedNB().fit(frame, LABELS).categorical_features_ == (1,)
    known = frame[["size"]].astype(float)
    assert sf.summarize(frame[["size"]], LABELS) == sf.summarize(known, LABELS)
    bits = pd.DataFrame({"wet": [True, None, False, True]})
    assert sf.BernoulliNB().fit(bits, LABELS).feature_count_.tolist() == [[1], [1]]
    with pytest.raises(NotNumbers, match="column 'size'"):
        sf.summarize(pd.DataFrame({"size": [1, None, 2 + 1j, "x"]}), LABELS)


@pytest.mark.parametrize("ordered", [True, False])
def test_bins_are_levels(ordered):
    bins = pd.cut([1.0, 2.0, 9.0, 8.0, np.nan], [0, 5, 10])
    bins = bins if ordered else bins.as_unordered()
    frame, labels = pd.DataFrame({"size": bins}), [*LABELS, "bee"]
    for model in DISCRETE:
        model.fit(frame, labels)
        assert model.levels_[0].tolist() == ["(0, 5]", "(5, 10]"]
        assert model.predict(frame.iloc[[1, 2]]).tolist() == ["ant", "bee"]


def test_frames_whose_columns_are_numbered_are_taken_by_position():
    frame = pd.DataFrame({0: COLUMNS["size"], 1: COLUMNS["kind"]})
    model = sf.MixedNB().fit(frame, LABELS)
    assert model.categorical_features_ == (1,)
    assert np.array_equal(model.predict(frame), model.predict(frame.to_numpy()))


def test_discrete_columns_may_be_given_as_a_mask():
    frame = pd.DataFrame({**COLUMNS, "legs": [6, 6, 4, 4]})
    for mask in ([False, True, True], np.array([False, True, True])):
        assert sf.MixedNB(categorical=mask).fit(frame, LABELS).categorical_features_ == (1, 2)
    with pytest.raises(InvalidParameter, match="False"):
        sf.MixedNB(categorical=[False, True]).fit(frame, LABELS)


@pytest.mark.parametrize("kind", [["x", "y", "y", "z"], [0, 1, 1, 3], [0.5, 1, 1, 2], [True] * 4])
def test_the_levels_of_one_model_can_be_given_to_another(kind):
    X = np.array(kind, object)[:, None]
    model = sf.CategoricalNB().fit(X, LABELS)
    other = sf.CategoricalNB(levels=model.levels_).fit(X[:1], ["ant"])
    assert np.array_equal(other.levels_[0], model.levels_[0])


@pytest.mark.parametrize(
    "levels", [{"kind": ["x", "y", "z"]}, ["xyz"], [["x", None]], [[]], [[1.0, np.inf]]], ids=str
)
def test_levels_that_are_not_one_list_per_feature_are_refused(levels):
    with pytest.raises(InvalidParameter, match="levels"):
        sf.CategoricalNB(levels=levels).fit([["x"], ["y"], ["y"], ["z"]], LABELS)


@pytest.mark.parametrize(
    "labels",
    [pd.Series([0, None, 0, 1, None, 1], dtype="Int64"), pl.Series([0, None, 0, 1, None, 1])],
)
def test_classes_stay_integers_beside_missing_labels(labels):
    model = sf.MixtureDiscriminant(1).fit([[1.0], [1.4], [2.0], [8.0], [8.5], [9.0]], labels)
    assert model.classes_.dtype == np.int64


@each_frame
@pytest.mark.parametrize("model", [*DISCRETE, sf.BernoulliNB(), sf.MixtureDiscriminant()], ids=repr)
def test_a_frame_without_rows_is_refused_as_such(frame, model):
    empty = frame({"size": pa.array([], pa.float64()) if frame is pa.table else []})
    with pytest.raises(InvalidFeatures, match="X is empty"):
        model.fit(empty, [])


@pytest.mark.parametrize("model", DISCRETE, ids=repr)
def test_a_list_without_rows_and_labels_without_rows_are_refused(model):
    with pytest.raises(InvalidFeatures):
        model.fit([], [])
    with pytest.raises(InvalidInput, match="0 labels"):
        model.fit([["x"], ["y"]], [])


def test_dates_are_called_what_they_are():
    model = sf.CategoricalNB()
    frame = pd.DataFrame({"day": pd.date_range("2020-01-01", periods=4)})
    with pytest.raises(InvalidFeatures, match=r"column 'day' holds Timestamp objects.*to strings"):
        model.fit(frame, LABELS)


def test_the_error_for_levels_taken_for_numbers_says_how_to_name_them():
    frame = pd.DataFrame(COLUMNS)
    with pytest.raises(NotNumbers, match=r"column 'kind'.*categorical="):
        sf.MixedNB(categorical=[]).fit(frame, LABELS)
    unknown = np.array([[1.0, None], [2.0, None]], object)
    with pytest.raises(NotNumbers, match="categorical="):
        sf.MixedNB().partial_fit(unknown, ["a", "a"]).partial_fit([[1.0, "x"]], ["a"])


@pytest.mark.parametrize("binarize", [np.nan, True, "half"])
def test_a_threshold_must_be_a_number(binarize):
    with pytest.raises(InvalidParameter, match="binarize"):
        sf.BernoulliNB(binarize=binarize).fit([[0], [1]], [0, 1])
    half = sf.BernoulliNB(binarize=np.float32(0.5)).fit([[0.4], [0.6]], [0, 1])
    assert half.feature_count_.tolist() == [[0], [1]]


def test_a_seed_must_be_a_seed():
    with pytest.raises(InvalidParameter, match="random_state is 'x'"):
        sf.GaussianMixture(2, random_state="x").fit([[1.0], [2.0], [3.0]])


def test_one_row_is_called_one_row():
    with pytest.raises(TooFewRows, match=r"X has 1 row \(1 sample\)"):
        sf.GaussianMixture().fit([[1.0, 2.0]])


def test_no_smoothing_is_a_number():
    with pytest.raises(InvalidParameter, match="alpha is None; it must be a number"):
        sf.CategoricalNB(alpha=None).fit([["x"], ["y"]], [0, 1])


@pytest.mark.parametrize("name", [1, ("kind", "of")], ids=["a number", "a tuple"])
@pytest.mark.parametrize(
    "call",
    [
        lambda X, y: sf.LDA().fit(X, y),
        sf.select_model,
        sf.diagnose,
        lambda X, y: sf.report(X, y, "never_written.html"),
        lambda X, y: sf.summarize(X, target=y),
    ],
    ids=["fit", "select_model", "diagnose", "report", "summarize"],
)
def test_labels_named_by_something_that_is_not_text_are_refused_with_the_way_out(call, name):
    frame = pd.DataFrame({0: COLUMNS["size"]})
    frame[name] = pd.Series(LABELS)
    frame.columns = pd.Index([0, name], dtype=object, tupleize_cols=False)
    with pytest.raises(InvalidLabels, match="only text can name the labels"):
        call(frame, name)
    frame.columns = [str(column) for column in frame.columns]
    assert sf.LDA().fit(frame, str(name)).target_name_ == str(name)


def test_columns_of_the_same_name_are_refused_by_name():
    frame = pd.DataFrame([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]], columns=["size", "age", "size"])
    with pytest.raises(InvalidFeatures, match=r"2 columns named 'size'.*duplicated"):
        sf.LDA().fit(frame, ["a", "b"])


@pytest.mark.parametrize("summarized", [False, True], ids=["fit", "summarize"])
def test_columns_of_the_same_name_are_refused_in_the_same_words(summarized):
    frame = pd.DataFrame([[1.0, 2.0, "a"], [4.0, 5.0, "b"]], columns=["size", "size", "is"])
    call = sf.summarize if summarized else sf.LDA().fit
    with pytest.raises(InvalidFeatures, match=r"2 columns named 'size'.*duplicated"):
        call(frame, "is")


def test_several_lines_of_names_are_joined():
    frame = pd.DataFrame({"a": COLUMNS["size"], "b": COLUMNS["kind"], "c": LABELS})
    lines = frame.set_axis(pd.MultiIndex.from_tuples([("x", "a"), ("x", "b"), ("y", "c")]), axis=1)
    joined = frame.set_axis(["x a", "x b", "y c"], axis=1)
    model = sf.LDA(shrinkage=0.5).fit(lines, "y c")
    assert model.feature_names_in_.tolist() == ["x a", "x b"]
    np.testing.assert_array_equal(model.predict_proba(lines), model.predict_proba(joined))
    assert model.impute(lines).columns.tolist() == ["x a", "x b"]
    with pytest.raises(InvalidLabels, match=r"no column 'c'.*Its columns are 'x a', 'x b', 'y c'"):
        sf.LDA().fit(lines, "c")
    with pytest.raises(InvalidLabels, match="pass 'y c'"):
        sf.summarize(lines, ("y", "c"))


def test_a_truth_value_among_numbers_and_texts_is_a_level_of_its_own():
    values = [1, True, "two", None, 3.5, "1"]
    model = sf.LDA(shrinkage=0.5).fit(pd.DataFrame({"a": values * 6, "b": range(36)}), [0, 1] * 18)
    (groups,) = model.statistics_.groups
    assert groups.levels.tolist() == ["1", "3.5", "True", "two"]
    # Whatever row comes first.
    frame = pd.DataFrame({"a": values, "b": range(6)})
    np.testing.assert_allclose(
        model.predict_proba(frame[::-1])[::-1], model.predict_proba(frame), rtol=1e-12
    )


@pytest.mark.parametrize("call", [sf.LDA().fit, sf.select_model, sf.compare, sf.diagnose])
@pytest.mark.filterwarnings("error")
def test_values_whose_squares_overflow_are_refused_by_every_function(call):
    frame = pd.DataFrame({"a": [1e200, -1e200] * 10, "b": [1.0, 2.0, 4.0, 3.0] * 5})
    with pytest.raises(NotFinite, match="squares to be added up; rescale"):
        call(frame, [0, 0, 1, 1] * 5)


@pytest.mark.parametrize("call", [sf.compare, sf.diagnose, sf.select_model])
def test_infinity_is_named_by_its_column(call):
    frame = pd.DataFrame({"a": [1.0, np.inf] * 10, "b": ["x", "y", "z", "x"] * 5})
    with pytest.raises(NotFinite, match="row 1, column 'a'"):
        call(frame, [0, 1] * 10)


@each_frame
def test_labels_default_to_the_column_that_the_model_was_fitted_to(frame):
    rows = frame(COLUMNS | {"is": LABELS})
    model = sf.DiagonalLDA().fit(rows, "is")
    assert sf.evaluate(model, rows).metrics == sf.evaluate(model, rows, "is").metrics
    found, named = sf.importance(model, rows), sf.importance(model, rows, "is")
    np.testing.assert_array_equal(found.increase, named.increase)
    found, named = (sf.thresholds(model, rows, *y, positive="ant") for y in ((), ("is",)))
    assert found.for_recall(0.5) == named.for_recall(0.5)


def test_labels_cannot_default_to_a_column_without_a_name():
    rows = np.array([[1.0], [2.0], [4.0], [5.0]])
    model = sf.LDA().fit(rows, LABELS)
    for question in (sf.evaluate, sf.importance, sf.thresholds):
        with pytest.raises(InvalidLabels, match=r"y is missing.* pass y"):
            question(model, rows)


@pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")
def test_a_table_in_which_every_level_is_rare_has_a_model():
    kinds = [f"k{i}" for i in range(12)] * 3
    labels = np.where(np.arange(36) % 2, "a", "b")
    chosen = sf.select_model(pd.DataFrame({"kind": kinds}), labels)
    assert chosen.model.predict_proba(pd.DataFrame({"kind": kinds})).shape == (36, 2)


def test_infinity_in_a_table_with_levels_is_named_by_its_column():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"kind": rng.choice(["u", "v"], 60), "size": rng.normal(size=60)})
    rows.loc[7, "size"] = np.inf
    with pytest.raises(NotFinite, match="size"):
        sf.select_model(rows, rng.choice(["a", "b"], 60))


def test_a_description_that_sets_every_column_aside_says_how_to_read_one():
    table = pd.DataFrame({"size": [1.0, 2.0, 3.0, 4.0], "town": ["Ulm", "Wien", "Ulm", "Wien"]})
    nothing = sf.describe(table, drop=["size", "town"])
    with pytest.raises(InvalidParameter, match=r"columns=suffice\.describe\(X, categorical="):
        sf.LDA(columns=nothing).fit(table, [0, 0, 1, 1])
