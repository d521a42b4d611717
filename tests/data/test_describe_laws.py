"""Describe: whatever a table holds, it can be described, and read as described."""

from __future__ import annotations

import datetime as dt
import uuid
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suffice as sf
from suffice.data.columns.column_kinds import SetAside
from suffice.errors import InvalidParameter

ZONES = st.sampled_from([dt.UTC, dt.timezone(dt.timedelta(hours=2))])
TEXTS = st.one_of(
    st.text(max_size=6),
    st.sampled_from(["?", "NA", "None", "-", "", " ", "a", "b", "12%", "$1,000", "1.5", "1,5"]),
    st.sampled_from(["2024-01-31", "31/1/2024", "3.4.2020", "8:30", "May 2020", "007", "nan"]),
)
NUMBERS = st.one_of(st.integers(), st.floats(), st.integers(0, 3), st.floats(-2, 2))
VALUES = {
    "text": TEXTS,
    "numbers": NUMBERS,
    "booleans": st.booleans(),
    "integers": st.integers(-(2**63), 2**63 - 1),
    "dates": st.dates(),
    "times": st.one_of(st.datetimes(), st.datetimes(timezones=ZONES)),
    "hours": st.times(),
    "spans": st.timedeltas(),
    "decimals": st.decimals(allow_nan=False, allow_infinity=False),
    "bytes": st.binary(max_size=3),
    "lists": st.lists(st.integers(), max_size=2),
    "objects": st.sampled_from([1j, object, uuid.UUID(int=1), {"a": 1}, (1,), Decimal("NaN")]),
}
ANYTHING = st.one_of(st.none(), *VALUES.values())
COLUMNS = st.one_of(
    *(st.lists(st.one_of(st.none(), values), min_size=9, max_size=9) for values in VALUES.values()),
    st.lists(ANYTHING, min_size=9, max_size=9),
)
TABLES = st.dictionaries(st.text(max_size=5), COLUMNS, min_size=1, max_size=3)
NEITHER = tuple(
    SetAside(what)
    for what in ("binary values", "lists or records", "complex numbers", "type objects")
)
# Types that pandas, polars and pyarrow all hold.
SHARED = st.one_of(
    *(
        st.lists(st.one_of(st.none(), values), min_size=9, max_size=9)
        for values in (TEXTS, st.floats(), st.booleans(), st.integers(-(2**50), 2**50))
    ),
    st.lists(
        st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1)), min_size=9, max_size=9
    ),
)


def objects(table):
    """A frame whose columns hold Python objects as they are."""
    columns = {}
    for name, values in table.items():
        cells = np.empty(len(values), object)
        cells[:] = values
        columns[name] = cells
    return pd.DataFrame(columns, dtype=object)


@given(TABLES, st.booleans())
def test_every_table_can_be_described_and_read_as_described(table, typed):
    frame = objects(table)
    frame = frame.convert_dtypes() if typed else frame
    found = sf.describe(frame)
    assert len(found.columns) == len(table)
    assert all(column.why for column in found.columns)
    assert str(found)
    assert found._repr_html_()
    features = found.layout.read(frame)
    assert tuple(feature.name for feature in features) == found.layout.features


@given(st.lists(ANYTHING, min_size=1, max_size=9))
def test_rows_of_anything_can_be_described_and_read(values):
    rows = [[value, 1.0] for value in values]
    layout = sf.describe(rows).layout
    assert len(layout.read(rows)) == len(layout.features)


@given(TABLES, st.randoms())
def test_the_order_of_rows_does_not_matter(table, random):
    order = list(range(9))
    random.shuffle(order)
    frame = objects(table)
    assert sf.describe(frame).to_dict() == sf.describe(frame.iloc[order]).to_dict()
    assert sf.describe(frame).layout == sf.describe(frame.iloc[order]).layout


@given(st.dictionaries(st.text("abcd", min_size=1), SHARED, min_size=1, max_size=3))
def test_frames_of_all_kinds_have_the_same_layout(table):
    expected = sf.describe(pl.DataFrame(table)).layout
    assert sf.describe(pa.table(table)).layout == expected
    assert sf.describe(pd.DataFrame(table)).layout == expected


@given(COLUMNS)
def test_a_column_named_categorical_has_levels_or_an_error_that_says_why(values):
    frame = objects({"x": values})
    if sf.describe(frame).layout.kinds[0] in NEITHER:
        with pytest.raises(InvalidParameter, match="neither numbers nor levels"):
            sf.describe(frame, categorical=["x"])
        return
    for feature in sf.describe(frame, categorical=["x"]).layout.read(frame):
        levels, codes = feature.column.encode()
        assert len(codes) == 9
        assert codes.max() == len(levels) - 1


@pytest.mark.parametrize("kind", ["booleans", "integers", "dates", "hours", "spans", "decimals"])
@given(st.data())
def test_new_rows_of_the_same_type_are_read_whatever_they_hold(kind, data):
    cells = st.lists(VALUES[kind], min_size=5, max_size=5)
    layout = sf.describe(objects({"x": data.draw(cells)})).layout
    assert len(layout.read(objects({"x": data.draw(cells)}))) == len(layout.features)
