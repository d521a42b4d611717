"""What is wrong with a file is reported by an error that names the file, and where in it."""

from __future__ import annotations

import gzip
import os
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import suffice as sf
from suffice.data.sources import text_blocks
from suffice.data.sources.table_file import read_table
from suffice.errors import (
    BatchFailed,
    ChangedInput,
    ColumnNote,
    InvalidFeatures,
    InvalidFile,
    InvalidLabels,
    InvalidParameter,
    InvalidWeights,
    MissingFile,
    NotFinite,
    NotNumbers,
    UnreadableFile,
)


@pytest.fixture
def folder(tmp_path, monkeypatch, read_in_parts):
    """An empty folder to work in, and chunks of a few rows."""
    monkeypatch.chdir(tmp_path)
    read_in_parts(40)
    return tmp_path


def frame(rows=100, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, 3))
    return pl.DataFrame(X, schema=["a", "b", "c"]).with_columns(
        label=pl.Series(rng.integers(2, size=rows))
    )


def three(change, ending="parquet"):
    """Three files, the last one changed."""
    for i in range(3):
        one = frame(seed=i) if i < 2 else change(frame(seed=i))
        getattr(one, f"write_{ending}")(f"rows{i}.{ending}")
    return f"rows*.{ending}"


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_column_missing_in_the_third_file(folder, ending):
    files = three(lambda one: one.rename({"b": "bee"}), ending)
    with pytest.raises(InvalidFeatures, match=rf"rows2\.{ending} lacks 'b', which rows0"):
        sf.summarize(files, target="label")


def test_a_file_with_further_columns(folder):
    files = three(lambda one: one.with_columns(d=pl.lit(1.0)))
    with pytest.raises(InvalidFeatures, match=r"rows2\.parquet has 'd' beside .*columns="):
        sf.summarize(files, target="label")
    assert sf.summarize(files, target="label", columns=["a", "c"]).count.sum() == 300


def test_a_file_that_changes_its_types(folder):
    files = three(lambda one: one.with_columns(pl.col("b").cast(pl.String)))
    with pytest.raises(NotNumbers, match=r"rows2\.parquet has columns that are not numbers: 'b'"):
        sf.summarize(files, target="label")
    files = three(lambda one: one.with_columns(pl.col("label").cast(pl.String)))
    with pytest.raises(InvalidLabels, match=r"strings in rows2\.parquet but integers in rows0"):
        sf.summarize(files, target="label")
    frame().with_columns(pl.col("label").cast(pl.Date)).write_parquet("dates.parquet")
    with pytest.raises(InvalidLabels, match=r"labels 'label' of dates\.parquet hold Date"):
        sf.summarize("dates.parquet", target="label")


def test_a_corrupt_page_is_reported_with_its_row_group_and_column(folder):
    pq.write_table(
        frame(1000).to_arrow(),
        "rows.parquet",
        row_group_size=100,
        compression="gzip",
        use_dictionary=False,
    )
    column = pq.ParquetFile("rows.parquet").metadata.row_group(6).column(1)
    data = bytearray((folder / "rows.parquet").read_bytes())
    middle = column.data_page_offset + column.total_compressed_size // 2
    data[middle : middle + 60] = bytes(60)
    (folder / "rows.parquet").write_bytes(data)
    message = r"rows\.parquet, row group 6 \(rows 600 to 699\), column 'b': cannot be read"
    rows = []
    with pytest.raises(InvalidFile, match=message):
        sf.summarize("rows.parquet", target="label", progress=lambda p: rows.append(p.rows))
    assert rows[-1] >= 580


def test_files_cut_short_or_of_another_kind(folder):
    frame().write_parquet("rows.parquet")
    frame().write_ipc("rows.arrow")
    for name in ("rows.parquet", "rows.arrow"):
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data[: len(data) // 2])
        with pytest.raises(InvalidFile, match=name.replace(".", r"\.")):
            sf.summarize(name, target="label")
    (folder / "no.parquet").write_text("a,label\n1,2\n")
    with pytest.raises(InvalidFile, match=r"no\.parquet is not a Parquet file"):
        sf.summarize("no.parquet", target="label")
    text = frame(5000).write_csv().encode()
    for ending, data in (("gz", gzip.compress(text)), ("zst", pa.compress(text, "zstd", True))):
        name = f"rows.csv.{ending}"
        (folder / name).write_bytes(data[:-99])
        with pytest.raises(InvalidFile, match=rf"rows\.csv\.{ending} cannot be decompressed"):
            sf.summarize(name, target="label")
    (folder / "rows.jsonl").write_text('{"a": 1, "label": 2}\n')
    with pytest.raises(InvalidFile, match=r"rows\.jsonl holds JSON"):
        sf.summarize("rows.jsonl", target="label")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1,2", "2 fields where the first line has 4"),
        ("1,2,3,0,5", "5 fields where the first line has 4"),
        ("1,two,3,0", "column 'b' holds 'two', which is not a number"),
        ("1,1_0,3,0", "column 'b' holds '1_0', which is not a number"),
    ],
)
@pytest.mark.parametrize("columns", [None, ["a", "b"]])
@pytest.mark.parametrize("block", [1 << 24, 300])
def test_a_bad_line_of_csv_is_reported_by_its_number(
    folder, read_in_parts, line, message, columns, block
):
    read_in_parts(block=block, sampled=50)  # of the rows before that line
    lines = frame().write_csv().splitlines()
    (folder / "rows.csv").write_text("\n".join([*lines[:70], line, *lines[70:]]))
    with pytest.raises((InvalidFile, NotNumbers), match=rf"rows\.csv, line 71: {message}"):
        sf.summarize("rows.csv", target="label", columns=columns)


@pytest.mark.parametrize("read", [partial(sf.summarize, target="label"), read_table])
def test_lines_that_end_with_carriage_returns_alone(folder, read):
    Path("old.csv").write_bytes(frame(8).write_csv().replace("\n", "\r").encode())
    with pytest.raises(InvalidFile, match=r"old\.csv ends its lines with carriage returns alone"):
        read("old.csv")
    Path("both.csv").write_bytes(frame(8).write_csv().replace("\n", "\r\n").encode())
    assert read("both.csv") is not None


def test_bytes_that_are_not_text(folder, monkeypatch):
    monkeypatch.setattr(text_blocks.TextFile, "most_record_bytes", 100)
    (folder / "rows.csv").write_bytes(b"a,label\n1,caf\xe9\n")
    with pytest.raises(InvalidFile, match=r"rows\.csv is not UTF-8"):
        sf.summarize("rows.csv", target="label")
    (folder / "open.csv").write_text('a,label\n1,"b\n' + "2,c\n" * 9_000_000)
    with pytest.raises(InvalidFile, match=r"open\.csv, line 1 or later: a quote"):
        sf.summarize("open.csv", target="label")


LEFT_OPEN = {
    "before a label, to the end": ('a,label\n1,"b"\n2,"c\n3,b\n4,c\n', 3),
    "before a label, to the next": ('a,label\n1,"b"\n2,"c\n3,"b"\n4,"c"\n', 3),
    "twice": ('a,label\n1,b\n2,"c\n3,b\n4,"c\n5,b\n', 3),
    "before a number": ('a,label\n1,b\n"2,c\n3,b\n4,c\n', 3),
    "before a name": ('a,"label\n1,b\n2,c\n3,b\n', 1),
}


@pytest.mark.parametrize(("text", "line"), LEFT_OPEN.values(), ids=LEFT_OPEN)
def test_a_quote_left_open_is_reported_with_its_line(folder, text, line):
    (folder / "rows.csv").write_text(text)
    message = rf"rows\.csv, line {line}: a quote is opened and not closed"
    with pytest.raises(InvalidFile, match=message):
        sf.summarize("rows.csv", target="label")
    with pytest.raises(InvalidFile, match=message):
        read_table("rows.csv")


def test_a_quote_left_open_in_a_long_file_is_reported_soon(folder, monkeypatch):
    rows = "".join(f"{i % 1000}.25,{'ab'[i % 2]}\n" for i in range(5_000))
    (folder / "rows.csv").write_text('x,label\n1,"a\n' + rows)
    (folder / "pipes.csv").write_text('x,label\n1,5" pipe\n' + rows)
    monkeypatch.setattr(text_blocks.TextFile, "block_bytes", 1 << 10)
    read = counted(monkeypatch)
    with pytest.raises(InvalidFile, match=r"rows\.csv, line 2: a quote is opened"):
        sf.summarize("rows.csv", target="label")
    # Each line is looked at once or twice, not once for every line before it; and those of a
    # sample once more.
    assert read() < 6 * 5_000
    stats = sf.summarize("pipes.csv", target="label")
    assert stats.count.tolist() == [1, 2_500, 2_500]
    assert read() < 6 * 5_000


def counted(monkeypatch):
    """How many texts were looked through for quotes since it was asked before."""
    seen, look = [0], text_blocks._within_quotes

    def looking(*args):
        seen[0] += 1
        return look(*args)

    def since():
        found, seen[0] = seen[0], 0
        return found

    monkeypatch.setattr(text_blocks, "_within_quotes", looking)
    return since


def test_a_quote_within_a_name_stands_for_itself(folder):
    (folder / "rows.csv").write_text('x,pipe 5",label\n1,2,a\n3,4,b\n')
    stats = sf.summarize("rows.csv", target="label")
    assert stats.feature_names == ("x", 'pipe 5"')
    assert stats.count.tolist() == [1, 1]


def test_a_quote_within_a_text_stands_for_itself(folder):
    text = 'a,label\n1,5" pipe\n2,"6"" pipe"\n3,"6"" pipe"\n'
    (folder / "rows.csv").write_text(text)
    stats = sf.summarize("rows.csv", target="label")
    assert dict(zip(stats.classes, stats.count, strict=True)) == {'5" pipe': 1, '6" pipe': 2}


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_missing_labels_and_bad_numbers_are_reported_with_their_row(folder, length, ending):
    def write(**columns):
        getattr(frame().with_columns(**columns), f"write_{ending}")(f"rows.{ending}")

    holes = pl.when(pl.int_range(pl.len()) == 63).then(None)
    write(label=holes.otherwise(pl.col("label")))
    with pytest.raises(InvalidLabels, match=rf"rows\.{ending}: the label 'label' is .* row 63"):
        sf.summarize(f"rows.{ending}", target="label")
    write(b=pl.when(pl.int_range(pl.len()) == 63).then(np.inf).otherwise(pl.col("b")))
    with pytest.raises(NotFinite, match=rf"rows\.{ending}: .*infinity: .*row 63, column 'b'"):
        sf.summarize(f"rows.{ending}", target="label")
    write(b=pl.when(pl.int_range(pl.len()) == 63).then(-2.0).otherwise(1.0))
    with pytest.raises(InvalidWeights, match=rf"rows\.{ending}: the weight 'b' in row 63 is -2"):
        sf.summarize(f"rows.{ending}", target="label", weight="b")


def test_an_infinite_label_is_reported_with_its_row(folder, length):
    label = pl.when(pl.int_range(pl.len()) == 63).then(np.inf).otherwise(pl.col("label"))
    frame().with_columns(label=label).write_parquet("rows.parquet")
    with pytest.raises(InvalidLabels, match=r"rows\.parquet: the label 'label' in row 63 is inf"):
        sf.summarize("rows.parquet", target="label")


def test_labels_that_are_not_classes(folder):
    frame().write_parquet("rows.parquet")
    with pytest.raises(InvalidLabels, match=r"rows\.parquet: Unknown label type: continuous"):
        sf.summarize("rows.parquet", target="a")
    (folder / "rows.csv").write_text("a,label\n1,1\n2,1.0\n")
    with pytest.raises(InvalidLabels, match=r"label 1 is written '1' and '1\.0'"):
        sf.summarize("rows.csv", target="label")


def test_names_that_no_column_has(folder):
    frame().write_parquet("rows.parquet")
    for options, message in (
        ({"target": "lable"}, "no column 'lable'. Did you mean 'label'"),
        ({"target": "label", "weight": "w"}, "no column 'w'"),
        ({"target": "label", "columns": ["a", "z"]}, "no column 'z'"),
        ({"target": "label", "columns": ["a", "a"]}, "more than once"),
        ({"target": "label", "columns": []}, "empty"),
        ({"target": "label", "columns": ["label"]}, "is the target"),
        ({"target": "label", "weight": "label"}, "cannot be the target and the weights"),
        ({}, "name it with target="),
        ({"target": "label", "sample_weight": [1]}, "name it with target="),
    ):
        with pytest.raises(InvalidParameter, match=message):
            sf.summarize("rows.parquet", **options)


def test_paths_that_lead_nowhere(folder, monkeypatch):
    frame().write_csv("rows.csv")
    with pytest.raises(MissingFile, match=r"no file matches '\*\.parquet'"):
        sf.summarize("*.parquet", target="label")
    with pytest.raises(MissingFile, match=r"there is no file row\.csv\. Did you mean rows\.csv"):
        sf.summarize("row.csv", target="label")
    with pytest.raises(UnreadableFile, match="is a folder"):
        sf.summarize(str(folder), target="label")
    with pytest.raises(UnreadableFile, match=r"rows\.csv is named 2 times"):
        sf.summarize(["rows.csv", "rows.csv"], target="label")
    os.mkfifo("pipe")
    with pytest.raises(UnreadableFile, match="not a regular file"):
        sf.summarize("pipe", target="label")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(UnreadableFile, match=r"rows\.csv cannot be read: permission denied"):
        sf.summarize("rows.csv", target="label")


def test_batches_of_other_types_than_were_declared(folder):
    # The C interface hands buffers over without looking at them: 4 bytes would be read as 8.
    declared = pa.schema([("a", pa.float64()), ("label", pa.int64())])
    good = pa.record_batch({"a": [1.0, 2.0], "label": [0, 1]})
    for other in (
        pa.record_batch({"a": pa.array([1.0, 2.0], pa.float32()), "label": [0, 1]}),
        pa.record_batch({"label": [0, 1], "a": [1.0, 2.0]}),
    ):
        reader = pa.RecordBatchReader.from_batches(declared, iter([good, other]))
        with pytest.raises(BatchFailed, match=r"after 2 rows.*, where 'a' \(double\) was declared"):
            sf.summarize(reader, target="label")
    # Whether a column may hold nothing is no matter of how its values are read.
    strict = pa.schema([pa.field("a", pa.float64(), nullable=False), ("label", pa.int64())])
    other = pa.record_batch([pa.array([1.0, 2.0]), pa.array([0, 1])], schema=strict)
    reader = pa.RecordBatchReader.from_batches(declared, iter([good, other]))
    assert sf.summarize(reader, target="label").count.tolist() == [2, 2]


@pytest.mark.parametrize("kind", [pa.binary(8), pa.fixed_shape_tensor(pa.float64(), (2,))])
def test_columns_of_strange_types_are_set_aside(folder, kind):
    storage = pa.list_(pa.float64(), 2) if isinstance(kind, pa.BaseExtensionType) else kind
    values = pa.nulls(4, storage)
    column = pa.ExtensionArray.from_storage(kind, values) if storage is not kind else values
    table = pa.table({"a": column, "b": [1.0, 2, 4, 8], "label": [0, 1, 0, 1]})
    with pytest.warns(ColumnNote, match="column 'a' is set aside"):
        found = sf.summarize(table.to_reader(), target="label")
    assert found.every == sf.summarize(table.select(["b", "label"]), target="label")


def test_arrow_files_without_rows_are_passed_over(folder, length):
    whole = frame()
    for i, part in enumerate((whole[:0], whole[:40], whole[:0], whole[40:])):
        part.write_ipc(f"rows{i}.arrow")
    assert sf.summarize("rows*.arrow", target="label") == sf.summarize(whole, target="label")
    with pytest.raises(InvalidFeatures, match="no row of positive weight in rows0"):
        sf.summarize("rows0.arrow", target="label")


def test_files_without_rows(folder):
    (folder / "rows.csv").write_text("a,label\n")
    frame(0).write_parquet("rows.parquet")
    (folder / "nothing.csv").write_text("")
    for name in ("rows.csv", "rows.parquet"):
        with pytest.raises(InvalidFeatures, match=rf"no row .* in {name}"):
            sf.summarize(name, target="label")
    with pytest.raises(InvalidFile, match=r"nothing\.csv is empty"):
        sf.summarize("nothing.csv", target="label")
    frame(7).write_csv("more.csv")
    (folder / "rows.csv").write_text("a,b,c,label\n")
    assert sf.summarize(["rows.csv", "more.csv"], target="label").count.sum() == 7


def test_a_file_that_changes_while_it_is_read(folder):
    frame().write_csv("rows.csv")

    def meddle(progress):
        os.utime("rows.csv", ns=(1, progress.rows))

    with pytest.raises(ChangedInput, match=r"rows\.csv was changed while it was read"):
        sf.summarize("rows.csv", target="label", progress=meddle)
