"""A file says the same, read as a whole or in parts, and is refused in the same words."""

from __future__ import annotations

import gzip

import polars as pl
import pyarrow as pa
import pytest

import suffice as sf
from suffice.data.sources.roles import ReadOptions
from suffice.data.sources.table_file import read_table
from suffice.errors import SufficeError
from suffice.statistics.summarize import summarize_parts

pytestmark = pytest.mark.filterwarnings("ignore:.*has no name")


@pytest.fixture(autouse=True)
def small(tmp_path, monkeypatch, read_in_parts):
    """Blocks and chunks of a few rows."""
    monkeypatch.chdir(tmp_path)
    read_in_parts(4, block=30)
    return tmp_path


def in_parts(name, **options):
    return summarize_parts([name], ReadOptions("y", **options), "separate")


def as_a_whole(name, **options):
    frame = read_table(name, text=["y"], **options).frame.drop_nulls("y")
    return sf.summarize(frame, target="y")


GOOD = {
    "row names": ',a,b,y\n"1",1,2,u\n"2",3,4,v\n"3",5,6.5,u\n',
    "row names without quotes": ",a,y\n0,1.5,u\n1,2.5,v\n",
    "spaces and null markers": "a , b,y\n 1,NA , u \n2, ,v\nnull,3,u\n?,N/A,v\n",
    "decimal commas": "a;b;y\n1,5;2;u\n-0,25;3,0;v\n;1e3;u\n",
    "empty lines": "a,b,y\n1,2,u\n\n3,4,v\n\n\n",
    "a row of empty cells": "a,b,y\n1,2,u\n,,v\n3,4,v\n",
    "quotes": 'a,b,y\n"1",2,"u, ""x"""\n3,"4","v\n\nw"\n5,6,5" pipe\n',
    "returns and a mark": "\ufeffa,b,y\r\n1,2,\u00e9\r\n3,4,v\r\n",
    "tabs": "a\tb\ty\n1\t2\tu\n3\t4\tv, w\n",
    "signs and infinity": "a,b,y\n+1,.5,u\n-2.,1e-3,v\n",
    "labels that mean nothing": "a,y\n1,u\n2,NA\n3,?\n4, nan \n5,v\n",
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("text", GOOD.values(), ids=GOOD)
def test_a_text_says_the_same_as_a_whole_and_in_parts(small, text, packed):
    data = text.encode()
    (small / "rows.csv").write_bytes(gzip.compress(data) if packed else data)
    parts = in_parts("rows.csv", null_markers=("?",), drop_unlabelled=True)
    assert parts == as_a_whole("rows.csv", null_markers=("?",))


BAD = {
    "too few fields": "a,b,y\n1,2,u\n1,2,v\n1,2,u\n3,v\n",
    "too many fields": "a,b,y\n1,2,u\n1,2,v\n1,2,u\n3,4,v,5\n",
    "an open quote": 'a,b,y\n1,2,u\n1,2,"v\n3,4,v\n',
    "a name twice": "a,a,y\n1,2,u\n",
    "no name": "a,,y\n1,2,u\n",
    "an empty line": "\na,b,y\n1,2,u\n",
    "returns alone": "a,b,y\r1,2,u\r",
    "nothing": "\n\n",
    "zero bytes": "a,b,y\n\0\1\2\n",
    "a model": '{"suffice":"1"}',
}


def refusal(read, *args):
    with pytest.raises(SufficeError) as caught:
        read(*args)
    return str(caught.value)


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_a_bad_text_is_refused_in_the_same_words(small, text):
    (small / "rows.csv").write_text(text, newline="")
    assert refusal(in_parts, "rows.csv") == refusal(read_table, "rows.csv")


def test_a_byte_that_is_not_utf8_is_named_by_its_line_wherever_it_stands(small):
    rows = "a,y\n" + "1.5,u\n" * 20
    (small / "rows.csv").write_bytes(rows.encode() + "2.5,\u00e9\n".encode("latin-1"))
    expected = "rows.csv is not UTF-8 (byte 0xe9 in line 22)"
    assert refusal(in_parts, "rows.csv").startswith(expected)
    assert refusal(read_table, "rows.csv") == refusal(in_parts, "rows.csv")


def test_an_arrow_stream_is_read_as_a_whole_too(small):
    frame = pl.DataFrame({"a": [1.0, 2.0, 4.0], "y": ["u", "v", "u"]})
    with pa.OSFile("rows.arrows", "wb") as file:
        table = frame.to_arrow(compat_level=pl.CompatLevel.oldest())
        with pa.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table)
    assert as_a_whole("rows.arrows") == in_parts("rows.arrows") == sf.summarize(frame, target="y")


@pytest.mark.parametrize("ending", ["parquet", "ipc"])
def test_null_markers_count_among_labels_that_have_a_type(small, ending):
    frame = pl.DataFrame({"a": [1.0, 2.0, 4.0, 8.0], "y": ["u", "?", "v", " ?"]})
    getattr(frame, f"write_{ending}")(f"rows.{ending}")
    parts = in_parts(f"rows.{ending}", null_markers=("?",), drop_unlabelled=True)
    assert parts.classes.tolist() == [" ?", "u", "v"]
    assert parts == as_a_whole(f"rows.{ending}", null_markers=("?",))
