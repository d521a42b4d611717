"""Bad input: a typed error that names the row or column and what to try."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

import suffice as sf
from suffice.data import batches
from suffice.errors import (
    BatchFailed,
    InvalidFeatures,
    InvalidInput,
    InvalidLabels,
    InvalidWeights,
    Mismatch,
    NotFinite,
    SufficeError,
)
from suffice.statistics.incomplete import IncompleteStatistics

GOOD = np.arange(12.0).reshape(6, 2)
Y = list("ababab")
NA = float("nan")

details = pytest.mark.parametrize("detail", ["separate", "shared", "diagonal"])


def refused(error, match, *arguments, **options):
    """The call raises exactly this error, with a message that says these things."""
    with pytest.raises(error, match=match) as caught:
        sf.summarize(*arguments, **options)
    assert isinstance(caught.value, SufficeError)
    assert isinstance(caught.value, ValueError)


def with_value(value, row=4, column=1):
    X = GOOD.astype(np.result_type(GOOD, type(value)))
    X[row, column] = value
    return X


FEATURES = {
    "no rows": (np.empty((0, 2)), [], InvalidFeatures, r"0 sample.*X is empty"),
    "no columns": (np.empty((6, 0)), Y, InvalidFeatures, r"0 feature.*no columns"),
    "an empty list": ([], [], InvalidFeatures, r"2D array|empty"),
    "an empty frame": (pd.DataFrame({"a": []}), [], InvalidFeatures, "X is empty"),
    "a frame of no columns": (
        pd.DataFrame(index=range(6)),
        Y,
        InvalidFeatures,
        "X is empty|no columns",
    ),
    "one dimension": (np.arange(6.0), Y, InvalidFeatures, r"1D array.*X\.reshape\(-1, 1\)"),
    "a list of numbers": ([1.0, 2.0], ["a", "b"], InvalidFeatures, r"X\.reshape\(-1, 1\)"),
    "a series": (pd.Series(np.arange(6.0)), Y, InvalidFeatures, r"X\.reshape\(-1, 1\)"),
    "a polars series": (pl.Series(np.arange(6.0)), Y, InvalidFeatures, r"X\.reshape\(-1, 1\)"),
    "three dimensions": (np.ones((6, 2, 2)), Y, InvalidFeatures, r"3D array.*\(6, 2, 2\)"),
    "a number": (5.0, Y, InvalidFeatures, "0D array"),
    "nothing": (None, Y, InvalidFeatures, "X is a NoneType"),
    "text": ("rows", Y, InvalidFeatures, "X is a str"),
    "a file": (Path("rows.csv"), Y, InvalidFeatures, r"X is a \w+Path.*summarize\(X, target="),
    "complex": (GOOD + 1j, Y, InvalidFeatures, "Complex data not supported.*real and imaginary"),
    "bytes": (GOOD.astype("S"), Y, InvalidFeatures, "Encode strings"),
    "dates": (GOOD.astype("M8[D]"), Y, InvalidFeatures, "real numbers"),
    "objects": (with_value(np.object_), Y, InvalidFeatures, r"X\[4, 1\].*Encode"),
    "an infinite object": (
        np.array([[1.0, None], [3.0, np.inf]], object),
        ["a", "b"],
        InvalidFeatures,
        "row 1, column 1",
    ),
    "a complex object": (
        np.array([[1.0, 2.0], [3.0, 1j]], object),
        ["a", "b"],
        InvalidFeatures,
        r"X\[1, 1\] is 1j",
    ),
    "an integer beyond the floats": (
        [[1, 10**400], [2, 3]],
        ["a", "b"],
        InvalidFeatures,
        r"X\[0, 1\]",
    ),
    "ragged rows": ([[1.0, 2.0], [3.0]], ["a", "b"], InvalidFeatures, "equally long"),
    "sparse": (scipy.sparse.csr_matrix(GOOD), Y, InvalidFeatures, r"X\.toarray\(\)"),
    "sparse array": (scipy.sparse.coo_array(GOOD), Y, InvalidFeatures, r"X\.toarray\(\)"),
    "a complex column": (pd.DataFrame({"u": GOOD[:, 0] + 1j}), Y, InvalidFeatures, "column 'u'"),
    "a lazy frame": (pl.LazyFrame({"u": range(6)}), Y, InvalidFeatures, r"collect\(\)"),
    "repeated columns": (pd.DataFrame(GOOD, columns=["u", "u"]), Y, InvalidFeatures, "u"),
}


@details
@pytest.mark.parametrize("what", FEATURES)
def test_features_that_are_not_a_table_of_real_numbers_are_refused(what, detail):
    X, y, error, match = FEATURES[what]
    refused(error, match, X, y, detail=detail)


def test_one_feature_as_a_column_works():
    s = sf.summarize(np.arange(6.0).reshape(-1, 1), Y)
    assert s.mean.ravel().tolist() == [2.0, 3.0]


INFINITE = {"infinity": np.inf, "minus infinity": -np.inf}
TO_DO = r"Drop such rows, or put NaN where a value is missing\."


@details
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2"])
@pytest.mark.parametrize("what", INFINITE)
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("gaps", [False, True], ids=["complete", "gaps"])
def test_an_infinite_value_is_named_by_row_and_column(what, dtype, order, gaps, detail, kernels):
    X = np.asarray(with_value(INFINITE[what]), dtype, order=order)
    X[[0, 2, 4], [1, 0, 0]] = NA if gaps else 0
    refused(NotFinite, rf"infinity.*row 4, column 1\. {TO_DO}", X, Y, detail=detail)


@details
def test_of_several_infinite_values_the_first_row_is_named(detail, kernels):
    X = np.zeros((5000, 3))
    X[[4000, 700, 4999, 30], [0, 2, 1, 1]] = [np.inf, -np.inf, -np.inf, NA]
    refused(NotFinite, "infinity.*row 700, column 2", X, np.arange(5000) % 3, detail=detail)


LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
libraries = pytest.mark.parametrize("library", LIBRARIES.values(), ids=list(LIBRARIES))


@libraries
@pytest.mark.parametrize("missing", [2.0, NA, None])
def test_an_infinite_value_in_a_frame_is_named_by_column_name(library, missing):
    frame = library({"u": [1.0, missing, 3.0], "height": [1.0, np.inf, missing]})
    refused(NotFinite, "infinity.*row 1, column 'height'", frame, [0, 0, 0])


def test_an_infinite_value_among_nullable_ones_is_named():
    frame = pd.DataFrame({"u": pd.array([None, 2, -np.inf], dtype="Float64")})
    refused(NotFinite, "infinity.*row 2, column 'u'", frame, [0, 0, 0])


@libraries
def test_of_several_infinite_values_in_a_frame_the_first_row_is_named(library):
    frame = library({"u": [1.0, None, np.inf], "v": [None, -np.inf, 3.0]})
    refused(NotFinite, "row 1, column 'v'", frame, [0, 0, 0])


@libraries
@pytest.mark.parametrize("first", [3, 12_345])
def test_the_first_infinite_row_of_a_long_frame_is_named(library, first):
    u = np.ones(20_000).tolist()
    for row in (first, 15_000, 19_999):
        u[row] = np.inf
    u[1] = u[14_000] = None
    refused(NotFinite, f"row {first}, column 'u'", library({"u": u}), np.zeros(20_000, int))


@pytest.mark.parametrize("form", [np.asarray, lambda X: pl.DataFrame(X, schema=["0", "1"])])
@pytest.mark.parametrize("missing", [NA, None])
def test_rows_are_numbered_from_the_start_of_the_table(form, missing, monkeypatch):
    monkeypatch.setattr(batches.batches, "__defaults__", (None, "", 2))
    X = form(GOOD)
    if isinstance(X, pl.DataFrame):
        X = X.with_columns(pl.Series("1", [1.0, missing, 5, 7, np.inf, 11]))
    else:
        X = with_value(np.inf).astype(object if missing is None else float)
        X[1, 1] = missing
    refused(NotFinite, "row 4, column '?1", X, Y)


@details
def test_values_whose_squares_are_too_large_are_refused(detail, kernels):
    refused(NotFinite, "too large.*rescale", with_value(1e200), Y, detail=detail)


@pytest.mark.parametrize(
    "detail",
    [
        "separate",
        "shared",
        "diagonal",
    ],
)
def test_values_whose_squares_are_too_large_are_refused_beside_gaps(detail, kernels):
    X = with_value(1e200)
    X[2, 0] = NA
    refused(NotFinite, "too large.*rescale", X, Y, detail=detail)


@details
@pytest.mark.parametrize("other", [1.0, NA, None])
def test_a_single_row_that_is_infinite_is_named(other, detail):
    refused(NotFinite, "infinity.*row 0, column 1", [[other, np.inf]], ["a"], detail=detail)


LABELS = {
    "none": (None, InvalidLabels, "y is missing|tuple"),
    "empty": ([], InvalidInput, "6 rows but y has 0 labels"),
    "too few": (Y[:5], InvalidInput, "6 rows but y has 5 labels"),
    "too many": ([*Y, "a"], InvalidInput, "6 rows but y has 7 labels"),
    "two columns": (np.ones((6, 2)), InvalidLabels, r"one label per row.*\(6, 2\)"),
    "a number": (5, InvalidLabels, "one label per row"),
    "a string": ("ababab", InvalidLabels, "the name of a column, but X is a ndarray"),
    "ragged": ([[1], [2, 3], [1], [1], [1], [1]], InvalidLabels, "one label per row|equally long"),
    "missing in a list": (
        ["a", "b", None, "a", "b", None],
        InvalidLabels,
        "2 missing labels.*row 2.*drop",
    ),
    "missing in floats": ([0.0, 1.0, 0.0, NA, 1.0, 0.0], InvalidLabels, "1 missing label,.*row 3"),
    "missing in objects": (np.array(["a", NA, "a", "b", "a", "b"], object), InvalidLabels, "row 1"),
    "pandas.NA in objects": (
        np.array(["a", pd.NA, "a", "b", "a", "b"], object),
        InvalidLabels,
        "row 1",
    ),
    "pandas.NA in a list": (["a", pd.NA, "a", "b", "a", "b"], InvalidLabels, "row 1"),
    "pandas.NaT in a list": (["a", pd.NaT, "a", "b", "a", "b"], InvalidLabels, "row 1"),
    "missing in pandas": (pd.Series(["a", "b", None, "a", "b", "a"]), InvalidLabels, "row 2"),
    "missing in a category": (
        pd.Categorical(["a", "b", None, "a", "b", "a"]),
        InvalidLabels,
        "row 2",
    ),
    "missing integers": (pd.Series([1, 2, None, 1, 2, 1], dtype="Int64"), InvalidLabels, "row 2"),
    "missing in polars": (pl.Series(["a", "b", None, "a", "b", "a"]), InvalidLabels, "row 2"),
    "NaN in polars": (pl.Series([0.0, 1.0, NA, 0.0, 1.0, 0.0]), InvalidLabels, "row 2"),
    "missing in pyarrow": (pa.array(["a", "b", None, "a", "b", "a"]), InvalidLabels, "row 2"),
    "missing in pyarrow integers": (pa.array([1, 2, None, 1, 2, 1]), InvalidLabels, "row 2"),
    "missing in chunks": (
        pa.chunked_array([["a", "b", None], ["a", "b", "a"]]),
        InvalidLabels,
        "row 2",
    ),
    "masked": (np.ma.masked_array([0, 1, 0, 1, 0, 1], [0, 0, 1, 0, 0, 0]), InvalidLabels, "row 2"),
    "fractions": ([0.5, 1, 2, 3, 4, 5], InvalidLabels, r"y\[0\] is .*bin it"),
    "infinite": ([0.0, np.inf, 2, 3, 4, 5], InvalidLabels, r"y\[1\] is "),
    "complex": (np.ones(6) + 1j, InvalidLabels, "complex"),
    "dates": (np.arange(6).astype("M8[D]"), InvalidLabels, "datetime"),
    "mixed": (["a", 1, "a", 1, "a", 1], InvalidLabels, "mixes labels.*int, str.*all strings"),
    "tuples": (np.fromiter([("a", 1)] * 6, object), InvalidLabels, "tuple"),
    "beyond 64 bits": ([2**70, 1, 2, 1, 2, 1], InvalidLabels, "64.bit.*strings"),
    "unsigned beyond 64 bits": (np.full(6, 2**63, np.uint64), InvalidLabels, "64.bit.*strings"),
    "bytes that are no text": (np.array([b"\xff"] * 6), InvalidLabels, "UTF-8|utf-8"),
}


@pytest.mark.parametrize("what", LABELS)
def test_labels_that_are_not_one_class_per_row_are_refused(what):
    y, error, match = LABELS[what]
    refused(error, match, GOOD, y)


WEIGHTS = {
    "negative": ([1, 1, -2, 1, 1, -1], r"sample_weight\[2\] is -2.*not negative"),
    "NaN": ([1, 1, 1, NA, 1, 1], r"sample_weight\[3\] is nan"),
    "infinite": ([1, np.inf, 1, 1, 1, 1], r"sample_weight\[1\] is inf"),
    "all zero": (np.zeros(6), "zero in every row"),
    "zero": (0.0, "zero in every row"),
    "a negative number": (-1.0, "-1"),
    "too few": (np.ones(5), r"\(5,\).*6 rows"),
    "too many": (np.ones(7), r"\(7,\).*6 rows"),
    "a column": (np.ones((6, 1)), r"\(6, 1\).*one weight per row"),
    "words": (list("abcdef"), "must hold numbers"),
    "complex": (np.ones(6) + 1j, "must hold (real )?numbers"),
    "missing": ([1, 1, None, 1, 1, 1], r"sample_weight\[2\]|must hold numbers"),
    "missing in polars": (pl.Series([1.0, None, 1, 1, 1, 1]), r"sample_weight\[1\]"),
    "ragged": ([1, [1, 2], 1, 1, 1, 1], "must hold numbers"),
    "too large to add up": (np.full(6, 1e308), "weight"),
}


@details
@pytest.mark.parametrize("what", WEIGHTS)
def test_weights_that_are_no_weights_are_refused(what, detail):
    weights, match = WEIGHTS[what]
    refused(InvalidWeights, match, GOOD, Y, weights, detail=detail)


def failing_source():
    yield GOOD, Y
    yield GOOD, Y
    raise OSError("connection lost")


def one(X, y, *more):
    return [(GOOD, Y), (X, y, *more)]


BATCHES = {
    "that fail midway": (
        failing_source(),
        BatchFailed,
        "batch 2, after 12 rows.*connection lost.*again",
    ),
    "none": (iter([]), InvalidFeatures, "no batch"),
    "of rows only": ([GOOD, GOOD], InvalidLabels, r"y is missing.*tuple \(X, y\)"),
    "of too many parts": ([(GOOD, Y, None, 1)], InvalidLabels, "tuple"),
    "with a hole": ([(GOOD, Y), None, (GOOD, Y)], InvalidInput, "batch 1"),
    "with infinity": (one(with_value(np.inf), Y), NotFinite, "batch 1: .*row 4, column 1"),
    "with infinity in a frame": (
        one(pd.DataFrame(with_value(-np.inf)), Y),
        NotFinite,
        "batch 1: .*row 4, column 1",
    ),
    "with infinity after gaps": (
        [(with_value(NA, 0), Y), (with_value(np.inf), Y)],
        NotFinite,
        "batch 1: .*row 4, column 1",
    ),
    "that are empty": (one(GOOD[:0], []), InvalidFeatures, "batch 1: .*empty"),
    "of other lengths": (one(GOOD, Y[:3]), InvalidInput, "batch 1: .*6 rows but y has 3"),
    "of other features": (
        one(GOOD[:, :1], Y),
        Mismatch,
        "batch 1: .*2 features.*1|batch 1: .*1 features",
    ),
    "of other labels": (one(GOOD, range(6)), Mismatch, "batch 1: .*(strings|integers)"),
    "with names": (one(pd.DataFrame(GOOD, columns=["u", "v"]), Y), Mismatch, "batch 1: .*names"),
    "with missing labels": (one(GOOD, [*Y[:5], None]), InvalidLabels, "batch 1: .*row 5"),
    "with bad weights": (one(GOOD, Y, [-1] * 6), InvalidWeights, r"batch 1: .*sample_weight\[0\]"),
}


@details
@pytest.mark.parametrize("what", BATCHES)
def test_an_error_in_a_batch_names_the_batch(what, detail):
    source, error, match = BATCHES[what]
    if what == "that fail midway":
        source = failing_source()
    elif what == "none":
        source = iter([])
    refused(error, match, source, detail=detail)


def test_the_cause_of_a_failed_batch_is_kept():
    with pytest.raises(BatchFailed) as caught:
        sf.summarize(failing_source())
    assert isinstance(caught.value.__cause__, OSError)


def test_an_interrupt_is_not_swallowed():
    def interrupted():
        yield GOOD, Y
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sf.summarize(interrupted())


def test_batches_take_their_weights_along():
    refused(InvalidInput, r"\(X, y, weight\)", [(GOOD, Y)], None, np.ones(6))


FRAME = pd.DataFrame(GOOD, columns=["u", "v"]).assign(kind=Y)


def test_a_target_must_be_a_column_of_a_frame():
    refused(InvalidLabels, "no column 'sort'.*'u', 'v', 'kind'", FRAME, target="sort")
    refused(InvalidInput, "pass no y", FRAME, Y, target="kind")
    refused(InvalidInput, "data frame", GOOD, target="kind")
    refused(InvalidFeatures, "no columns|empty", FRAME[["kind"]], target="kind")
    refused(
        InvalidLabels, "row 3", FRAME.assign(kind=["a", "b", "a", None, "a", "a"]), target="kind"
    )


def test_a_target_beside_repeated_columns_is_refused():
    frame = FRAME.set_axis(["u", "u", "kind"], axis=1)
    refused(InvalidInput, "u", frame, target="kind")


def test_the_error_for_a_table_without_labels_says_what_to_pass():
    refused(InvalidLabels, "y is missing", GOOD)
    refused(InvalidLabels, "y is missing", FRAME[["u", "v"]])
    refused(InvalidLabels, "y is missing", GOOD.tolist())


GAPPY = GOOD.copy()
GAPPY[[0, 4, 5, 5], [1, 1, 0, 1]] = NA
MISSING = np.isnan(GAPPY)
NAMED = pd.DataFrame(GAPPY, columns=["u", "v"])


def masked(dtype, hidden=7):
    return np.ma.masked_array(np.where(MISSING, hidden, GOOD).astype(dtype), MISSING)


def without(missing):
    """The rows as lists, with something in the place of each missing value."""
    return [[missing if np.isnan(x) else x for x in row] for row in GAPPY.tolist()]


def columns(missing, kind=float):
    return {
        name: [missing if np.isnan(x) else kind(x) for x in column]
        for name, column in zip("uv", GAPPY.T, strict=True)
    }


WITHOUT_NAMES = {
    "NaN": GAPPY,
    "NaN in Fortran order": np.asfortranarray(GAPPY),
    "NaN of 32 bits": GAPPY.astype(np.float32),
    "NaN of 16 bits": GAPPY.astype(np.float16),
    "NaN in swapped bytes": GAPPY.astype(">f8"),
    "negative NaN": np.copysign(GAPPY, np.where(MISSING, -1, 1)),
    "NaN in lists": without(NA),
    "None in lists": without(None),
    "NaN in objects": GAPPY.astype(object),
    "None in objects": np.array(without(None), object),
    "masked": masked(float),
    "masked infinity": masked(float, np.inf),
    "masked NaN": masked(float, NA),
    "masked 32 bits": masked(np.float32),
    "masked integers": masked(np.int64),
    "masked bytes": masked(np.uint8),
    "masked in Fortran order": np.ma.masked_array(np.asfortranarray(masked(float).data), MISSING),
    "masked for good": np.ma.masked_array(masked(int).data, MISSING, hard_mask=True),
    "NaN beside a mask": np.ma.masked_array(GAPPY, MISSING & (GOOD < 10)),
    "NaN under no mask": np.ma.masked_array(GAPPY),
}
WITH_NAMES = {
    "NaN in pandas": NAMED,
    "None in pandas": pd.DataFrame(columns(None)),
    "nullable integers": pd.DataFrame(columns(None, int)).astype("Int64"),
    "nullable bytes": pd.DataFrame(columns(None, int)).astype("UInt8"),
    "nullable floats": pd.DataFrame(columns(None)).astype("Float32"),
    "arrow integers in pandas": pd.DataFrame(columns(None, int)).astype("int64[pyarrow]"),
    "NaN in polars": pl.DataFrame(columns(NA)),
    "null in polars": pl.DataFrame(columns(None)),
    "null integers in polars": pl.DataFrame(columns(None, int)),
    "null bytes in polars": pl.DataFrame(columns(None, int), schema={"u": pl.Int8, "v": pl.UInt8}),
    "both in polars": pl.DataFrame(columns(None)).with_columns(pl.col("u").fill_null(NA)),
    "NaN in pyarrow": pa.table(columns(NA)),
    "null in pyarrow": pa.table(columns(None)),
    "null integers in pyarrow": pa.table(columns(None, int)),
    "null in chunks": pa.concat_tables(
        [pa.table(columns(None, int)).slice(0, 3), pa.table(columns(None, int)).slice(3)]
    ),
}


@details
@pytest.mark.parametrize("form", WITHOUT_NAMES)
def test_every_way_to_leave_out_a_value_gives_the_same(form, detail, kernels):
    s = sf.summarize(WITHOUT_NAMES[form], Y, detail=detail)
    assert isinstance(s, IncompleteStatistics)
    assert s.known_count.tolist() == [[3, 1], [2, 2]]
    assert s.digest() == sf.summarize(GAPPY, Y, detail=detail).digest()


@details
@pytest.mark.parametrize("form", WITH_NAMES)
def test_every_way_to_leave_out_a_value_of_a_frame_gives_the_same(form, detail, kernels):
    s = sf.summarize(WITH_NAMES[form], Y, detail=detail)
    assert s.feature_names == ("u", "v")
    assert s.digest() == sf.summarize(NAMED, Y, detail=detail).digest()
    unnamed = sf.summarize(GAPPY, Y, detail=detail)
    assert np.array_equal(s.known_count, unnamed.known_count)
    assert np.array_equal(s.mean, unnamed.mean)


@details
@pytest.mark.parametrize("missing", [NA, None])
def test_a_missing_target_is_distinguished_from_missing_features(missing, detail):
    frame = pl.DataFrame(columns(missing) | {"kind": Y})
    s = sf.summarize(frame, target="kind", detail=detail)
    assert s.digest() == sf.summarize(NAMED, Y, detail=detail).digest()


@details
def test_missing_booleans_are_neither_true_nor_false(detail):
    values = [True, None, False, None, True, True]
    wanted = sf.summarize(pd.DataFrame({"u": [1, NA, 0, NA, 1, 1]}), Y, detail=detail)
    for frame in (
        pd.DataFrame({"u": pd.array(values, dtype="boolean")}),
        pl.DataFrame({"u": values}),
        pa.table({"u": values}),
    ):
        assert sf.summarize(frame, Y, detail=detail).digest() == wanted.digest()
    hidden = np.ma.masked_array([[bool(v)] for v in values], [[v is None] for v in values])
    wanted = sf.summarize([[1], [NA], [0], [NA], [1], [1]], Y, detail=detail)
    assert sf.summarize(hidden, Y, detail=detail).digest() == wanted.digest()


@details
def test_a_mask_that_hides_nothing_changes_nothing(detail):
    hidden = np.ma.masked_array(GOOD, np.zeros(GOOD.shape, bool))
    s = sf.summarize(hidden, Y, detail=detail)
    assert isinstance(s, sf.Statistics)
    assert s.digest() == sf.summarize(GOOD, Y, detail=detail).digest()


def test_masked_input_stays_as_it_was():
    given = masked(float)
    before = given.copy()
    sf.summarize(given, Y)
    assert np.array_equal(given.data, before.data)
    assert np.array_equal(given.mask, before.mask)


def test_a_mask_over_objects_hides_values():
    s = sf.summarize(masked(object), Y)
    assert s.digest() == sf.summarize(GAPPY, Y).digest()


@pytest.mark.parametrize("form", [list, lambda rows: np.array(rows, object)])
def test_pandas_NA_among_objects_is_missing(form):
    s = sf.summarize(form(without(pd.NA)), Y)
    assert s.digest() == sf.summarize(GAPPY, Y).digest()


@details
def test_infinity_in_a_row_of_weight_zero_does_not_matter_beside_gaps(detail):
    X = GAPPY.copy()
    X[2, 0] = np.inf
    w = np.arange(6) != 2
    s = sf.summarize(X, Y, w, detail)
    assert s == sf.summarize(X[w], np.array(Y)[w], np.ones(5), detail)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (sf.summarize(GOOD[:, :1], Y), "2 features.* 1|1 features.* 2"),
        (sf.summarize(pd.DataFrame(GOOD, columns=["u", "v"]), Y), "names"),
        (sf.summarize(GOOD, range(6)), "(integers|strings)"),
        (sf.summarize(GOOD, Y, detail="diagonal"), "detail"),
    ],
)
def test_statistics_of_other_features_do_not_merge(other, message):
    s = sf.summarize(GOOD, Y)
    before = s.digest(), other.digest()
    with pytest.raises(Mismatch, match=message):
        s + other
    assert (s.digest(), other.digest()) == before
