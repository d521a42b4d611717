"""Describe: what a column is, decided by rules that a sentence explains."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import suffice as sf
from suffice.data.columns.column_kinds import Dates, Levels, Number, SetAside, WrittenNumber
from suffice.data.tables.level_groups import LevelGroups
from suffice.errors import InvalidFeatures, InvalidParameter, NotNumbers

FRAMES = {
    "pandas": pd.DataFrame,
    "polars": lambda columns: pl.DataFrame(columns, strict=False),
    "pyarrow": pa.table,
    "pandas on arrow": lambda columns: pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype),
}
frames = pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)


def column(values, name="x", **options):
    """The description of a table of one column."""
    (only,) = sf.describe(pd.DataFrame({name: pd.Series(values)}), **options).columns
    return only


def read(values, **options):
    """The features of a table of one column."""
    table = pd.DataFrame({"x": pd.Series(values)})
    return sf.describe(table, **options).layout.read(table)


def customers(n=600):
    """A table as a company exports it."""
    rng = np.random.default_rng(0)
    income = [f"${value:,.0f}" for value in rng.normal(50_000, 9_000, n)]
    return {
        "CustomerID": (rng.permutation(n) + 1000).tolist(),
        "Name": [f"Customer, Mr. {i}" for i in range(n)],
        "Income": ["?"] * 34 + income[34:],
        "Region": rng.choice(["north", "south"], n).tolist(),
        "Visits": rng.integers(0, 5, n).tolist(),
        "Since": [dt.date(2020, 1, 1) + dt.timedelta(int(d)) for d in rng.integers(0, 900, n)],
        "Active": rng.choice([True, False, None], n).tolist(),
        "Balance": [Decimal(int(cents)) / 100 for cents in rng.integers(0, 10_000, n)],
        "Status": rng.choice(["stays", "leaves"], n).tolist(),
    }


@frames
def test_every_kind_of_frame_gives_the_same_description(frame):
    found = sf.describe(frame(customers()), "Status")
    assert found.to_dict() == sf.describe(pd.DataFrame(customers()), "Status").to_dict()
    assert [column.kind.label for column in found.columns] == [
        *("set aside", "set aside", "number (text)", "levels", "number", "dates", "levels"),
        *("number", "target"),
    ]


@frames
def test_what_a_layout_read_from_one_frame_it_reads_from_another(frame):
    layout = sf.describe(pd.DataFrame(customers()), "Status").layout
    here, there = layout.read(frame(customers())), layout.read(pd.DataFrame(customers()))
    for a, b in zip(here, there, strict=True):
        assert a.name == b.name
        if hasattr(a, "column"):
            np.testing.assert_array_equal(a.column.values, b.column.values)
            np.testing.assert_array_equal(a.column.missing, b.column.missing)
        else:
            np.testing.assert_array_equal(a.values, b.values)
    assert layout.features == tuple(feature.name for feature in here)


def test_numbers_written_as_text_are_numbers_and_the_rest_are_reported():
    found = sf.describe(pd.DataFrame(customers()), "Status").columns[2]
    assert found.why == (
        "566 of 600 cells of Income are numbers, the others are '?': treated as missing (say "
        "missing=[] to keep them as levels)"
    )
    assert found.missing == 34


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["$1,234", "$5", "-$7.50"], [1234, 5, -7.5]),
        (["12%", " 7 %", "0.5%"], [12, 7, 0.5]),
        (["1.234,5", "2.000", "0,25"], [1234.5, 2000, 0.25]),
        (["1 234,5", "7", "12,25"], [1234.5, 7, 12.25]),
        (["1,234", "5,678", "12"], [1234, 5678, 12]),
        (["(1,000)", "£20", "3 €"], [-1000, 20, 3]),
        (["1e3", ".5", "-2."], [1000, 0.5, -2]),
    ],
)
def test_written_numbers_are_read_in_the_style_of_their_column(texts, numbers):
    (feature,) = read(texts)
    np.testing.assert_array_equal(feature.values, numbers)


def test_the_style_of_numbers_is_kept_for_new_rows():
    layout = sf.describe(pd.DataFrame({"x": ["1.234,5", "0,5", "3"]})).layout
    assert layout.kinds == (WrittenNumber(",", strict=True),)
    np.testing.assert_array_equal(layout.read(pd.DataFrame({"x": ["2.000"]}))[0].values, [2000])


def test_texts_that_failed_to_be_numbers_are_missing_in_new_rows_too():
    table = pd.DataFrame({"x": [*map(str, range(40)), "none of these"]})
    layout = sf.describe(table).layout
    (feature,) = layout.read(pd.DataFrame({"x": ["7", "nor this"]}))
    np.testing.assert_array_equal(feature.values, [7, np.nan])


def test_without_missing_texts_a_column_of_numbers_holds_nothing_else():
    values = [*map(str, range(40)), "?"]
    assert isinstance(column(values).kind, WrittenNumber)
    assert not isinstance(column(values, missing=[]).kind, WrittenNumber)


def test_codes_with_leading_zeros_are_not_numbers():
    assert column(["01234", "98765", "00001"] * 9).kind == Levels()


def test_few_whole_numbers_that_were_made_text_stay_levels():
    found = column(["1", "2", "3"] * 9)
    assert found.kind == Levels()
    assert "numeric=['x']" in found.why
    assert isinstance(column(["1", "2", "3"] * 9, numeric=["x"]).kind, WrittenNumber)


@pytest.mark.parametrize("name", ["id", "customer_id", "PassengerId", "Unnamed: 0", "index", ""])
def test_whole_numbers_that_differ_in_each_row_under_the_name_of_an_id_are_set_aside(name):
    assert column(range(50), name).kind == SetAside("id")
    assert column([*range(49), 48], name).kind == Number()
    assert column(range(50), name, numeric=[name]).kind == Number()


@pytest.mark.parametrize("name", ["paid", "humid", "width", "x", "kid"])
def test_numbers_under_another_name_are_always_numbers(name):
    assert column(range(50), name).kind == Number()


@pytest.mark.parametrize("values", [[0, 1, 2] * 9, [0.0, 1.0, 2.0, np.nan] * 9])
def test_few_whole_numbers_are_numbers_with_a_question(values):
    found = column(values)
    assert found.kind == Number()
    assert found.why == ("3 different whole numbers: if they are codes, say categorical=['x']")


def test_names_and_free_text_are_set_aside_however_few_the_rows():
    names = [f"person {i}" for i in range(11)]
    assert column(names).kind == SetAside("names or free text")
    assert column([*names, *names[:3]]).kind == Levels()
    assert column(["a", "b", "c"]).kind == Levels()
    assert column(["a", "b", "c"], "id").kind == SetAside("names or free text")


def test_more_than_200_levels_are_set_aside_unless_they_are_named():
    cities = [f"city {i}" for i in range(201)] * 3
    assert column(cities).kind == SetAside("too many levels")
    assert column(cities, categorical=["x"]).kind == Levels()
    assert column(cities[1:] + cities[1:2]).levels == 201
    assert column([city for city in cities if city != "city 7"]).kind == Levels()


def test_marks_of_missing_values_are_missing_and_frequent_words_are_levels():
    rare = column(["a", "b"] * 50 + ["-", "?"])
    assert (rare.kind, rare.missing, rare.levels) == (Levels(), 2, 2)
    often = column(["None", "airbag", "?"] * 9)
    assert (often.kind, often.missing, often.levels) == (Levels("text", ("None",)), 9, 2)
    named = column(["None", "airbag", "?"] * 9, missing=["None"])
    assert (named.missing, named.levels) == (9, 2)
    assert column(["None", "airbag", "?"] * 9, missing=[]).levels == 3


def test_a_kept_word_is_a_level_in_new_rows_too():
    layout = sf.describe(pd.DataFrame({"x": ["None", "airbag"] * 9})).layout
    (feature,) = layout.read(pd.DataFrame({"x": ["None", "?"]}))
    assert feature.column.values[0] == "None"
    assert feature.column.missing.tolist() == [False, True]


def test_empty_and_constant_columns_are_remarked_on():
    assert column([None, np.nan, ""]).kind == SetAside("empty")
    assert column([1.0, 1.0]).kind == Number()
    assert "carries no information" in column([1.0, 1.0]).why
    assert "carries no information" in column(["a", "a"]).why


@pytest.mark.parametrize("values", [[[1], [2]], [b"a", b"b"], [{"a": 1}, None], [1j, 2j]])
def test_what_is_neither_number_nor_level_is_set_aside(values):
    assert isinstance(column(values).kind, SetAside)
    with pytest.raises(InvalidParameter, match="neither numbers nor levels"):
        column(values, categorical=["x"])


@pytest.mark.parametrize(
    "texts",
    [
        ["2024-05-31", "2023-01-02"],
        ["2024-05-31T08:30:00Z", "2023-01-02 00:00"],
        ["31.5.2024", "2.1.2023"],
        ["31/05/2024", "02/01/2023"],
        ["05/31/2024", "01/02/2023"],
        ["May 31, 2024", "January 2, 2023"],
        ["31 May 2024", "2-Jan-2023"],
    ],
)
def test_written_dates_are_read_as_year_month_weekday_and_days(texts):
    features = {feature.name: feature.values for feature in read(texts)}
    assert features["x (year)"].tolist() == [2024, 2023]
    assert features["x (month)"].tolist() == [5, 1]
    assert features["x (weekday)"].tolist() == [4, 0]
    days = [dt.date(2024, 5, 31).toordinal(), dt.date(2023, 1, 2).toordinal()]
    assert (features["x (days)"] + dt.date(1970, 1, 1).toordinal()).tolist() == days


def test_dates_in_which_day_and_month_cannot_be_distinguished_are_set_aside():
    assert column(["3/4/2024", "5/6/2024"]).kind == SetAside("unclear dates")


def test_only_the_parts_of_dates_that_vary_are_features():
    morning = pd.to_datetime(["2024-05-01 08:00", "2024-05-01 09:30"])
    (hour,) = read(morning)
    assert (hour.name, hour.values.tolist()) == ("x (hour)", [8, 9.5])
    (hour,) = read([dt.time(8), dt.time(9, 30)])
    assert (hour.name, hour.values.tolist()) == ("x (hour)", [8, 9.5])


def test_dates_are_set_aside_on_request():
    assert column(["2024-05-31", "2023-01-02"], dates="drop").kind == SetAside("dates")


def test_hours_are_those_of_the_time_zone_that_was_learned():
    berlin = pd.to_datetime(["2024-01-01 08:00", "2024-07-01 09:00"]).tz_localize("Europe/Berlin")
    layout = sf.describe(pd.DataFrame({"x": berlin})).layout
    assert layout.kinds[0].zone == "Europe/Berlin"
    for zone in ("UTC", "America/New_York", "Europe/Berlin"):
        features = layout.read(pd.DataFrame({"x": berlin.tz_convert(zone)}))
        hours = next(feature for feature in features if feature.name == "x (hour)")
        assert hours.values.tolist() == [8, 9]


def test_a_user_may_say_what_a_column_is():
    table = pd.DataFrame({"code": [3, 1, 2] * 9, "zip": ["10115", "80331", "20095"] * 9})
    named = sf.describe(table, categorical=["code"], text=["zip"])
    assert [one.kind for one in named.columns] == [Levels("numbers"), Levels()]
    assert sf.describe(table, drop=[0]).layout.used == ("zip",)
    with pytest.raises(InvalidParameter, match=r"Did you mean 'code'\?"):
        sf.describe(table, categorical=["cod"])
    with pytest.raises(InvalidParameter, match="drop= and by text="):
        sf.describe(table, drop=["zip"], text=["zip"])
    with pytest.raises(InvalidParameter, match="no cell is a number"):
        sf.describe(pd.DataFrame({"x": ["a", "b"]}), numeric=["x"])


def test_levels_that_are_numbers_stay_numbers_and_negative_ones_become_text():
    assert read([3, 1, 2], categorical=["x"])[0].column.values.tolist() == [3, 1, 2]
    assert read([3, np.nan, 2], categorical=["x"])[0].column.values.tolist() == [3, 0, 2]
    assert read([-1, 1, 2], categorical=["x"])[0].column.values.tolist() == ["-1", "1", "2"]


def test_columns_are_found_by_name_and_set_aside_ones_may_be_absent():
    table = pd.DataFrame(customers())
    layout = sf.describe(table, "Status").layout
    turned = layout.read(table[list(layout.used[::-1])].assign(other=1))
    for here, there in zip(turned, layout.read(table), strict=True):
        assert here.name == there.name
    with pytest.raises(InvalidFeatures, match=r"lacks 'Region'.* now called 'region'\?"):
        layout.read(table.rename(columns={"Region": "region"}))


def test_text_where_numbers_are_expected_names_the_cell():
    layout = sf.describe(pd.DataFrame({"age": [31.0, 42.5]})).layout
    with pytest.raises(NotNumbers, match=r"column 'age' holds 'old' in row 1.*missing=\['old'\]"):
        layout.read(pd.DataFrame({"age": ["7", "old"]}))


def test_rows_without_names_are_described_by_position():
    rows = [["red", "$1,200", None], ["blue", "$900", True], ["red", "?", False]]
    layout = sf.describe(rows).layout
    assert layout.names == ("x1", "x2", "x3")
    assert layout.kinds == (Levels(), WrittenNumber("."), Levels("booleans"))
    assert layout == sf.describe(np.array(rows, object)).layout
    with pytest.raises(InvalidFeatures, match="2 columns, where 3 are expected"):
        layout.read([["red", "$1"]])


def test_a_description_prints_a_table_and_escapes_what_it_shows():
    found = sf.describe(pd.DataFrame({"<b>\x1b": [1.5, 2.5], "y": ["a", None]}), "y")
    assert str(found).splitlines() == [
        "2 rows, 1 column used",
        "column   kind    missing  levels  why",
        "<b>\\x1b  number                   numbers",
        "y        target        1       1  the classes; 1 row without one",
    ]
    assert "&lt;b&gt;" in found._repr_html_()
    assert "<b>" not in found._repr_html_()
    assert json.loads(json.dumps(found.to_dict()))["target"] == "y"


def test_odd_tables_are_described_too():
    several = pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")])
    assert sf.describe(pd.DataFrame(np.eye(2), columns=several)).layout.names == ("a x", "a y")
    assert sf.describe(pd.DataFrame(np.eye(2))).layout.names == ("0", "1")
    assert sf.describe(pd.DataFrame({"x": []})).rows == 0
    unused = pd.DataFrame({"x": pd.Categorical(["a", "b"], ["a", "b", "c"])})
    (feature,) = sf.describe(unused).layout.read(unused)
    assert feature.column.declared.tolist() == ["a", "b", "c"]
    with pytest.raises(InvalidFeatures, match="2 columns named 'a'; names must differ"):
        sf.describe(pd.DataFrame(np.eye(2), columns=["a", "a"]))
    with pytest.raises(InvalidFeatures, match="more than one column named '1'"):
        sf.describe(pd.DataFrame(np.eye(2), columns=[1, "1"]))
    parts = pd.DataFrame({"d": ["2020-01-01", "2021-05-06"], "d (year)": [1.0, 2.0]})
    with pytest.raises(InvalidFeatures, match=r"more than one feature named 'd \(year\)'"):
        sf.describe(parts).layout.read(parts)


def test_classes_may_be_passed_beside_the_table():
    found = sf.describe(pd.DataFrame({"x": [1.5, 2.5]}), ["a", "b"])
    assert (found.target, found.columns[-1].levels) == ("y", 2)
    assert found.layout.names == ("x",)


def test_levels_that_differ_only_in_case_are_pointed_out():
    table = pd.DataFrame({"use": ["car", "Car", "home"] * 9, "paid": ["Yes", "no", "No"] * 9})
    use, paid = sf.describe(table, "paid").columns
    assert use.why == "text; 'Car' and 'car' differ only in case: two different levels"
    assert "'No' and 'no' differ only in case" in paid.why


def test_numbers_of_customers_are_not_measurements():
    table = pd.DataFrame({"Kundennr": range(9), "account no.": range(9), "pass": range(9)})
    kinds = [column.kind.label for column in sf.describe(table).columns]
    assert kinds == ["set aside", "set aside", "number"]


def test_a_number_that_starts_with_zero_has_no_thousands():
    table = pd.DataFrame({"litres": ["0,499", "2,345", "7,120"] * 20, "kind": ["a", "b"] * 30})
    model = sf.LDA().fit(table, "kind")
    np.testing.assert_allclose(model.means_.mean(), (0.499 + 2.345 + 7.12) / 3)


def test_dates_with_two_digits_for_the_year_are_dates():
    found = column(["7/31/20 15:03", "8/1/20 1:03", "12/24/99 8:00"] * 5)
    assert found.kind == Dates(("year", "month", "weekday", "hour", "days"), "month first")


def test_ten_rows_that_were_summed_in_floats_are_ten_rows():
    levels = np.array(["just", "often", "seldom"])
    exact, rounded = (
        LevelGroups.of("c", levels, np.array([ten, 30.0, 3.0])) for ten in (10.0, 9.999999999999998)
    )
    assert rounded.names == exact.names == ["c=often", "c=seldom"]
