"""Odd tables: columns and labels of unusual types, and what helps where they cannot be used."""

from __future__ import annotations

import warnings
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import suffice as sf
from suffice.data.tables.table_layout import TableLayout
from suffice.errors import InvalidFeatures, InvalidLabels, RowsInOtherOrder

rng = np.random.default_rng(0)
ROWS = 40
LABELS = np.arange(ROWS) % 2
SIZES = rng.normal(size=ROWS) + LABELS
COLUMNS = {
    "durations": pd.to_timedelta(np.arange(ROWS), "h"),
    "decimals": [Decimal(i) / 4 for i in range(ROWS)],
    "sparse": pd.arrays.SparseArray((np.arange(ROWS) % 3 == 0).astype(float)),
}


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("frame", [lambda f: f, pl.from_pandas, pa.Table.from_pandas])
def test_numbers_of_any_type_are_features_beside_numbers_alone(name, frame):
    if name == "sparse" and frame.__name__ != "<lambda>":
        pytest.skip("only pandas has sparse columns")
    table = frame(pd.DataFrame({"size": SIZES, "odd": COLUMNS[name]}))
    model = sf.LDA().fit(table, LABELS)
    assert model.feature_names_in_.tolist() == ["size", "odd"]
    assert np.isfinite(model.predict_log_proba(table)).all()


@pytest.mark.parametrize(
    ("X", "what"),
    [
        ({"size": SIZES}, "a dict of columns"),
        ([{"size": size} for size in SIZES], "a list of dicts"),
        (np.array([(size,) for size in SIZES], [("size", float)]), "a structured array"),
    ],
)
def test_columns_by_name_outside_a_frame_are_refused_with_the_call_that_makes_one(X, what):
    with pytest.raises(InvalidFeatures, match=f"X is {what}; pass a data frame: pandas"):
        sf.LDA().fit(X, LABELS)


@pytest.mark.parametrize(
    "y",
    [
        pd.PeriodIndex(np.where(LABELS, "2020", "2021"), freq="Y"),
        pd.to_datetime(np.where(LABELS, "2020-01-01", "2021-01-01")),
        [Decimal(int(label)) for label in LABELS],
    ],
)
def test_labels_of_an_unusual_type_are_refused_with_the_call_that_makes_strings(y):
    with pytest.raises(InvalidLabels, match=r"y holds .* Make them strings: y = "):
        sf.LDA().fit(SIZES[:, None], y)


def _report(X, y):
    with TemporaryDirectory() as folder:
        sf.report(X, y, Path(folder) / "page.html", model=sf.LDA())


@pytest.mark.parametrize(
    "call",
    [
        sf.LDA().fit,
        sf.summarize,
        sf.diagnose,
        sf.PooledDiscriminant([sf.LDA(), sf.GaussianNB()]).fit,
        lambda X, y: sf.evaluate(sf.LDA().fit(X, LABELS), X, y),
        lambda X, y: sf.select_model(X, y, [sf.LDA(), sf.GaussianNB()], cv=2),
        lambda X, y: sf.compare(X, y, [sf.LDA()], cv=2),
        _report,
    ],
)
def test_labels_in_another_order_than_the_index_of_their_rows_are_reported_once(call):
    X, y = pd.DataFrame({"size": SIZES}), pd.Series(LABELS)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RowsInOtherOrder)
        call(X, y[::-1])
    (warning,) = [one for one in caught if one.category is RowsInOtherOrder]
    assert "y.loc[X.index]" in str(warning.message)
    assert warning.filename == __file__  # the user's line, not one of ours
    with warnings.catch_warnings():
        warnings.simplefilter("error", RowsInOtherOrder)
        call(X, y)
        call(X[::-1], y[::-1])
        call(X, y.set_axis(y.index + 100))


def test_rows_and_labels_of_one_index_in_two_orders_are_paired_by_position():
    X, y = pd.DataFrame({"size": SIZES}), pd.Series(LABELS)
    with pytest.warns(RowsInOtherOrder):
        assert sf.summarize(X, y[::-1]) == sf.summarize(X, LABELS[::-1])


def test_masked_cells_are_missing_whatever_texts_mean_so():
    rows = np.array([["red", 1.0], ["blue", 2.0], ["red", 3.0]], object)
    mask = [[False, True], [True, False], [False, False]]
    layout = TableLayout.of(np.ma.masked_array(rows, mask), missing=[])
    colour, size = layout.read(np.ma.masked_array(rows, mask))
    assert colour.column.missing.tolist() == [False, True, False]
    np.testing.assert_array_equal(size.values, [np.nan, 2.0, 3.0])
