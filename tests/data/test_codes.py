"""Codes: digits that name something stay text, wherever they come from."""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import suffice as sf
from suffice.data.columns.column_kinds import Levels, Number, WrittenNumber

ROWS = 60
POSTCODES = ["01234", "02345", "98765"] * (ROWS // 3)


def table(**columns):
    frame = pd.DataFrame({"size": range(ROWS), **columns})
    return frame.assign(kind=["01", "02"] * (ROWS // 2))


@pytest.fixture
def file(tmp_path):
    def write(frame):
        frame.to_csv(tmp_path / "rows.csv", index=False)
        return str(tmp_path / "rows.csv")

    return write


@pytest.mark.parametrize("frame", [lambda f: f, pl.from_pandas, pa.Table.from_pandas])
def test_a_file_and_a_frame_of_postcodes_have_the_same_description(frame, file):
    rows = table(postcode=POSTCODES)
    found = sf.describe(file(rows), "kind")
    assert found.to_dict() == sf.describe(frame(rows), "kind").to_dict()
    assert found.layout.by_name["postcode"] == Levels()
    assert "codes such as '01234'" in str(found)


def test_postcodes_of_a_file_keep_their_zeros_in_statistics_and_labels(file):
    statistics = sf.summarize(file(table(postcode=POSTCODES)), target="kind")
    assert statistics == sf.summarize(table(postcode=POSTCODES), "kind")
    assert statistics.classes.tolist() == ["01", "02"]


def test_a_file_of_later_rows_without_zeros_has_the_same_levels(file):
    rows = table(postcode=POSTCODES)
    model = sf.LDA().fit(rows, "kind")
    later = rows[rows.postcode == "98765"]
    read = pl.read_csv(file(later), schema_overrides={"kind": pl.String})
    assert read["postcode"].dtype == pl.Int64
    assert (model.predict_proba(read) == model.predict_proba(later)).all()


def test_codes_that_differ_in_each_row_are_set_aside_as_codes():
    column = sf.describe(table(phone=[f"0301{i:05d}" for i in range(ROWS)])).columns[1]
    assert column.kind.label == "set aside"
    assert column.why.startswith("codes: 60 different ones in 60 rows, such as '030100000'")


def test_product_codes_such_as_1e5_are_levels_and_programs_exponents_are_numbers(file):
    codes, numbers = ["1e5", "2e7", "3e1"] * (ROWS // 3), ["1e+05", "2e+07", "30"] * (ROWS // 3)
    rows = table(code=codes, number=numbers)
    assert sf.describe(rows).layout.kinds[1:3] == (Levels(), WrittenNumber(strict=True))
    assert sf.describe(file(rows)).layout.kinds[1:3] == (Levels(), Number())


def test_codes_are_numbers_where_the_user_says_so(file):
    rows = table(code=[f"{i:03d}" for i in range(ROWS)])
    for given in (rows, file(rows)):
        found = sf.describe(given, "kind", numeric=["code"])
        assert isinstance(found.layout.by_name["code"], WrittenNumber)
