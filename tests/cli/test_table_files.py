"""Tables in every format, read and written, and cells that a spreadsheet would run."""

from __future__ import annotations

import gzip
import json

import polars as pl
import pyarrow as pa
import pytest
from command_runs import answer, flowers, iris, run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lawful import examples
from suffice.data.sources.table_file import read_table
from suffice.data.tables.table_output import frame_of, table_bytes
from suffice.errors import InvalidFile

WRITERS = {
    "t.csv": lambda frame, file: frame.write_csv(file),
    "t.tsv": lambda frame, file: frame.write_csv(file, separator="\t"),
    "t.txt": lambda frame, file: frame.write_csv(file, separator=";"),
    "t.csv.gz": lambda frame, file: file.write_bytes(gzip.compress(frame.write_csv().encode())),
    "t.csv.zst": lambda frame, file: file.write_bytes(
        pa.compress(frame.write_csv().encode(), codec="zstd", asbytes=True)
    ),
    "t.parquet": lambda frame, file: frame.write_parquet(file),
    "t.arrow": lambda frame, file: frame.write_ipc(file),
    "t.feather": lambda frame, file: frame.write_ipc(file, compression="zstd"),
    "t.jsonl": lambda frame, file: frame.write_ndjson(file),
    "t.ndjson": lambda frame, file: frame.write_ndjson(file),
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_reads_as_the_same_table(tmp_path, name):
    WRITERS[name](flowers(), tmp_path / name)
    assert read_table(tmp_path / name).frame.equals(flowers())


@pytest.mark.parametrize("name", WRITERS)
def test_columns_can_be_read_as_text(tmp_path, name):
    WRITERS[name](flowers(), tmp_path / name)
    found = read_table(tmp_path / name, text=["code", "not there"]).frame
    assert found["code"].to_list() == [str(code) for code in flowers()["code"]]


def test_text_keeps_its_leading_zeros(tmp_path):
    (tmp_path / "t.csv").write_text("code,y\n007,u\n010,v\n")
    assert read_table(tmp_path / "t.csv", text=["code"]).frame["code"].to_list() == ["007", "010"]


def test_what_means_a_missing_value(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,c\n1,NA,?\nNaN,x,2\n,null,-999\n4, N/A ,5\n")
    found = read_table(tmp_path / "t.csv", null_markers=["?", "-999"]).frame
    assert found["a"].to_list() == [1, None, None, 4]
    assert found["b"].to_list() == [None, "x", None, None]
    assert found["c"].to_list() == [None, 2, None, 5]


@pytest.mark.parametrize("late", ["2.5", "x", "", "true", "99999999999999999999"])
@pytest.mark.parametrize("early", ["1", "", "false", "2.5", "x"])
def test_types_are_those_of_all_rows(tmp_path, monkeypatch, early, late):
    monkeypatch.setattr("suffice.data.sources.text_blocks.TextFile.block_bytes", 4)
    text = "a,b\n" + f"{early},1\n" * 5 + f"{late},2\n" * 2
    (tmp_path / "t.csv").write_text(text)
    expected = pl.read_csv(text.encode(), infer_schema_length=None)
    expected = expected.with_columns(pl.selectors.by_dtype(pl.Int128).cast(pl.Float64))
    assert read_table(tmp_path / "t.csv").frame.equals(expected)


def test_spaces_around_cells_do_not_count(tmp_path):
    (tmp_path / "t.csv").write_text("a , b, y\n 1, 2.5 , u \n2 , 1e3,v\n")
    found = read_table(tmp_path / "t.csv").frame
    assert found.columns == ["a", "b", "y"]
    assert found.rows() == [(1, 2.5, "u"), (2, 1000.0, "v")]


def test_decimal_commas_where_commas_do_not_separate(tmp_path):
    (tmp_path / "t.csv").write_text("a;b;y\n1,5;2;u\n-0,25;3,0;v, w\n;1e3;u\n")
    found = read_table(tmp_path / "t.csv").frame
    assert found.rows() == [(1.5, 2.0, "u"), (-0.25, 3.0, "v, w"), (None, 1000.0, "u")]


def test_a_row_of_empty_cells_is_a_row_and_an_empty_line_is_not(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n,\n\n3,4\n\n")
    assert read_table(tmp_path / "t.csv").frame.rows() == [(1, 2), (None, None), (3, 4)]


def test_lines_within_quotes_are_one_row(tmp_path):
    (tmp_path / "t.csv").write_text('a,b\n1,"x\n\ny, z"\n2,\n')
    assert read_table(tmp_path / "t.csv").frame["b"].to_list() == ["x\n\ny, z", None]


def test_windows_files_with_a_mark(tmp_path):
    (tmp_path / "t.csv").write_bytes("﻿a,b\r\n1,é\r\n2,u\r\n".encode())
    assert read_table(tmp_path / "t.csv").frame.rows() == [(1, "é"), (2, "u")]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    where = tmp_path_factory.mktemp("files")
    iris().write_csv(where / "iris.csv")
    run("fit", where / "iris.csv", "-t", "species", "--model", "lda", "-o", where / "lda")
    return where / "lda"


READERS = {
    "p.csv": pl.read_csv,
    "p.tsv": lambda file: pl.read_csv(file, separator="\t"),
    "p.csv.gz": pl.read_csv,
    "p.parquet": pl.read_parquet,
    "p.arrow": pl.read_ipc,
    "p.feather": pl.read_ipc,
    "p.json": pl.read_json,
    "p.jsonl": pl.read_ndjson,
}


@pytest.mark.parametrize("name", READERS)
def test_the_ending_says_what_is_written(model, tmp_path, name):
    run("predict", model, model.parent / "iris.csv", "--keep", "--out", tmp_path / name)
    found = READERS[name](tmp_path / name)
    expected = answer("predict", model, model.parent / "iris.csv", "--keep")
    assert found.rows(named=True) == expected


def test_standard_output_is_csv_by_default(model):
    table = iris()[:3].write_csv()
    text = run("predict", model, "-", stdin=table).stdout
    assert text.splitlines()[0].startswith("prediction,probability_setosa")
    assert run("predict", model, "-", "--out", "-", stdin=table).stdout == text
    assert len(answer("predict", model, "-", stdin=table)) == 3


FORMULAS = ["=1+1", "+1", "-1+2", "@SUM(A1)", "\t=1", "\r=1"]


@pytest.mark.parametrize("text", FORMULAS)
def test_text_that_a_spreadsheet_would_run_is_disarmed(text):
    columns = {"a": [text, "plain", "a=b", None], "n": [-1.5, 2.0, 3.0, None], text: [1, 2, 3, 4]}
    found = pl.read_csv(table_bytes(columns, ".csv"))
    assert found["a"].to_list() == [f"'{text}", "plain", "a=b", None]
    assert found["n"].to_list() == [-1.5, 2.0, 3.0, None]
    assert found.columns[2] == f"'{text}"
    as_it_is = pl.read_csv(table_bytes(columns, ".csv", safe=False))
    assert as_it_is["a"][0] == text
    assert json.loads(table_bytes(columns, ".json"))[0]["a"] == text


def test_formulas_are_disarmed_on_the_command_line_unless_wanted(model, tmp_path):
    frame = iris()[:2].with_columns(note=pl.Series(["=cmd|' /C calc'!A0", "fine"]))
    frame.write_csv(tmp_path / "t.csv")
    asked = ("outliers", model, tmp_path / "t.csv")
    assert "'=cmd" in run(*asked).stdout
    assert "'=cmd" not in run(*asked, "--formulas").stdout
    assert "=cmd" in run(*asked, "--formulas").stdout


def test_labels_are_disarmed_too(tmp_path):
    frame = iris().with_columns(species=pl.Series(["=A1"] * 75 + ["ok"] * 75))
    frame.write_csv(tmp_path / "t.csv")
    run("fit", tmp_path / "t.csv", "-t", "species", "--model", "lda", "-o", tmp_path / "m")
    lines = run("predict", tmp_path / "m", tmp_path / "t.csv").stdout.splitlines()
    assert lines[1].startswith("'=A1,")


def test_numbers_that_json_does_not_know_are_null():
    text = table_bytes({"a": [1.0, float("nan"), float("inf")]}, ".json")
    assert [row["a"] for row in json.loads(text)] == [1.0, None, None]


def test_a_number_is_written_to_its_last_digit(tmp_path):
    value = 0.1 + 0.2
    (tmp_path / "t.csv").write_bytes(table_bytes({"a": [value, 1e-300]}, ".csv"))
    assert read_table(tmp_path / "t.csv").frame["a"].to_list() == [value, 1e-300]
    assert frame_of({"a": [value]})["a"][0] == value


CELLS = st.sampled_from(
    ["", "1", "-2.5", "x", '"', '""', ",", "\n", "\r\n", ";", "é", "=1", " ", "NA"]
) | st.sampled_from(['{"a":', "}", "[", "]", '{"a":1}'])
ENDINGS = ("t.csv", "t.tsv", "t.parquet", "t.arrow", "t.jsonl", "t.json", "t.csv.gz")


@pytest.mark.filterwarnings("ignore:.*has no name")
@settings(max_examples=examples(300), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.lists(CELLS, max_size=30).map(lambda cells: "".join(cells).encode())
    | st.binary(max_size=60)
    | st.lists(CELLS, max_size=12).map(lambda cells: ("a,b\n" + ",".join(cells)).encode()),
    name=st.sampled_from(ENDINGS),
)
def test_whatever_is_in_a_file_it_is_a_table_or_refused(tmp_path, data, name):
    (tmp_path / name).write_bytes(data)
    try:
        table = read_table(tmp_path / name)
    except InvalidFile:
        return
    assert len(table) > 0
    assert len(set(table.columns)) == len(table.columns)
