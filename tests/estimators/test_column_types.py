"""Samples and imputed tables have the types of the table, one test per type and library."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import suffice as sf
from suffice.data.tables.frame_output import FrameForm

SIZE = 80
RNG = np.random.default_rng(5)
Y = RNG.choice(["no", "yes"], SIZE)
MINUTES = RNG.integers(0, 700_000, SIZE)
INSTANTS = [dt.datetime(2023, 1, 2) + dt.timedelta(minutes=int(one)) for one in MINUTES]
AWARE = [one.replace(tzinfo=dt.UTC) for one in INSTANTS]
DAYS = [one.date() for one in INSTANTS]
CLOCK = [one.time() for one in INSTANTS]
SPANS = [dt.timedelta(minutes=int(one)) for one in MINUTES % 500]
PRICES = [Decimal(int(one)).scaleb(-2) for one in MINUTES % 9_000]
SIZES = RNG.choice(["S", "M", "L"], SIZE).tolist()
CODES = (MINUTES % 3).tolist()
WHOLE = (MINUTES % 90).tolist()

POLARS = {
    "enum": (SIZES, pl.Enum(["S", "M", "L", "XL"])),
    "categorical": (SIZES, pl.Categorical()),
    "decimal": (PRICES, pl.Decimal(9, 2)),
    "duration": (SPANS, pl.Duration("ms")),
    "time": (CLOCK, pl.Time()),
    "date": (DAYS, pl.Date()),
    "naive": (INSTANTS, pl.Datetime("ns")),
    "zoned": (AWARE, pl.Datetime("ms", "America/New_York")),
    "small": (WHOLE, pl.Int8()),
}
ARROW = {
    "codes": (SIZES, pa.dictionary(pa.int8(), pa.large_string(), ordered=True)),
    "large text": (SIZES, pa.large_string()),
    "decimal": (PRICES, pa.decimal128(9, 2)),
    "duration": (SPANS, pa.duration("s")),
    "time": (CLOCK, pa.time32("s")),
    "date": (DAYS, pa.date64()),
    "naive": (INSTANTS, pa.timestamp("s")),
    "zoned": (AWARE, pa.timestamp("ms", "Europe/Vienna")),
    "small": (WHOLE, pa.uint8()),
}
PANDAS = {
    "ordered": (SIZES, pd.CategoricalDtype(["S", "M", "L", "XL"], ordered=True)),
    "categorical": (SIZES, pd.CategoricalDtype(["XL", "S", "M", "L"])),
    "numbers": (CODES, pd.CategoricalDtype([3, 0, 1, 2])),
    "text": (SIZES, "string"),
    "duration": (SPANS, "timedelta64[s]"),
    "naive": (INSTANTS, "datetime64[ms]"),
    "zoned": (AWARE, "datetime64[ns, Asia/Tokyo]"),
    "period": (DAYS, "period[D]"),
    "nullable": (WHOLE, "Int16"),
    "small": (WHOLE, "int8"),
    "arrow": (AWARE, "timestamp[ms, tz=Europe/Vienna][pyarrow]"),
    "arrow text": (SIZES, pd.ArrowDtype(pa.string())),
    "arrow decimal": (PRICES, pd.ArrowDtype(pa.decimal128(9, 2))),
    "dates": (DAYS, object),
    "times": (CLOCK, object),
    "decimals": (PRICES, object),
}
MAKERS = {
    pl: lambda cells, kind: pl.DataFrame({"a": pl.Series(cells, dtype=kind)}),
    pa: lambda cells, kind: pa.table({"a": pa.array(cells, type=kind)}),
    pd: lambda cells, kind: pd.DataFrame({"a": pd.Series(cells, dtype=kind)}),
}
CASES = [
    pytest.param(MAKERS[library], cells, kind, id=f"{library.__name__}, {name}")
    for library, kinds in ((pl, POLARS), (pa, ARROW), (pd, PANDAS))
    for name, (cells, kind) in kinds.items()
]
each_case = pytest.mark.parametrize(("make", "cells", "kind"), CASES)


def type_of(table):
    column = table["a"]
    if not isinstance(table, pd.DataFrame):
        return column.type if isinstance(table, pa.Table) else column.dtype
    return {type(one) for one in column} if column.dtype == object else column.dtype


def cell(table, row):
    one = table["a"][row]
    return one.as_py() if isinstance(table, pa.Table) else one


@each_case
@pytest.mark.parametrize("model", [sf.LDA, sf.MixedNB])
def test_samples_have_the_type_of_the_column_also_from_a_file(make, cells, kind, model, tmp_path):
    X = make(cells, kind)
    fitted = model(columns=sf.describe(X)).fit(X, Y)
    fitted.save(tmp_path / "model.suffice")
    for one in (fitted, sf.load(tmp_path / "model.suffice")):
        drawn = one.sample(20, random_state=0)[0]
        assert type(drawn) is type(X)
        assert type_of(drawn) == type_of(X)
        assert all(cell(drawn, row) is not None for row in range(20))


@each_case
def test_imputed_columns_keep_their_type_and_their_known_cells(make, cells, kind):
    # The integers of NumPy cannot be missing.
    kind = "Int8" if kind == "int8" else kind
    X = make([None, *cells[1:]], kind)
    filled = sf.LDA(columns=sf.describe(X)).fit(X, Y).impute(X)
    expected = type_of(make(cells, kind))
    assert type_of(filled) == expected
    assert not pd.isna(cell(filled, 0))
    assert [cell(filled, row) for row in range(1, SIZE)] == [cell(X, r) for r in range(1, SIZE)]


def test_sampled_times_are_within_the_days_and_hours_of_the_table():
    opening = [one.replace(hour=9 + one.hour % 8, tzinfo=dt.UTC) for one in INSTANTS]
    zone = pl.Datetime("us", "America/New_York")
    X = pl.DataFrame({"a": pl.Series(opening).dt.replace_time_zone(zone.time_zone)})
    drawn = sf.LDA().fit(X, Y).sample(300, random_state=0)[0]["a"]
    assert 9 < drawn.dt.hour().mean() < 17
    assert X["a"].min().year <= drawn.dt.year().median() <= X["a"].max().year


def test_values_beyond_a_type_become_its_ends():
    X = pl.DataFrame({"a": pl.Series([Decimal("9.8"), Decimal("9.9")] * 9, dtype=pl.Decimal(2, 1))})
    drawn = sf.LDA().fit(X, [0, 1] * 9).sample(100, random_state=0)[0]["a"]
    assert drawn.dtype == pl.Decimal(2, 1)
    assert drawn.max() == Decimal("9.9")


def test_describe_names_the_unit_of_durations():
    assert "durations, in seconds" in str(sf.describe(pd.DataFrame({"a": SPANS})))


def test_a_type_that_a_file_names_and_the_library_lacks_leaves_the_column_plain():
    X = pl.DataFrame({"a": pl.Series(WHOLE, dtype=pl.Int8)})
    form = FrameForm("polars", {"a": "Int7"})
    assert form.frame({"a": np.arange(3.0)})["a"].dtype == pl.Float64
    for text in ("Series", "DataFrame[1]", "Enum[1]", "Datetime[3]", "[", "object:set"):
        form = FrameForm("polars", {"a": text})
        assert form.frame({"a": X["a"].to_numpy()}).shape == (SIZE, 1)


@pytest.mark.parametrize(
    ("zone", "same"),
    [("+05:30", "Asia/Kolkata"), ("UTC+05:30", "Asia/Kolkata"), ("Nowhere/Land", "UTC")],
)
def test_a_fixed_offset_is_a_time_zone_and_an_unknown_one_is_utc(zone, same):
    seconds = np.random.default_rng(0).integers(1_600_000_000, 1_700_000_000, 60)

    def means(name):
        times = pa.array(1_000_000 * seconds, pa.timestamp("us", name))
        return sf.LDA().fit(pa.table({"t": times, "y": np.arange(60) % 2}), "y").means_

    np.testing.assert_array_equal(means(zone), means(same))
    assert (means("+05:30") != means("UTC")).any()
