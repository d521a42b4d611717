"""Files of every format say the same as the table they hold."""

from __future__ import annotations

import gzip
import threading

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import suffice as sf
from suffice.data import packages
from suffice.data.sources.chunk import Piece, cut
from suffice.errors import ColumnNote, InvalidParameter, MissingPackage

ROWS = 500


def table(labels="text", gaps=False):
    """Three features, a weight, labels, and a column that nobody asked for."""
    rng = np.random.default_rng(1)
    y = rng.integers(3, size=ROWS)
    X = 100 + y[:, None] + rng.standard_normal((ROWS, 3)).round(3)
    if gaps:
        X[rng.random(X.shape) < 0.1] = np.nan
    kinds = {
        "text": np.array(["cat", "dog, big", "egg"])[y],
        "integers": np.array([2, 10, -1])[y],
        "booleans": y > 0,
    }
    frame = pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "n": rng.integers(5, size=ROWS)})
    return frame.fill_nan(None).with_columns(
        w=pl.Series(rng.integers(3, size=ROWS) / 2),
        label=pl.Series(kinds[labels]),
        other=pl.Series(["x" * (i % 7) for i in range(ROWS)]),
    )


def _stream(frame, path):
    with pa.OSFile(str(path), "wb") as file:
        schema = frame.to_arrow().schema
        with pa.ipc.new_stream(file, schema) as writer:
            writer.write_table(frame.to_arrow(), max_chunksize=77)


def _zstd(frame, path):
    data = frame.write_csv().encode()
    with pa.CompressedOutputStream(str(path), "zstd") as file:
        file.write(data)


FORMATS = {
    "rows.parquet": lambda f, path: f.write_parquet(path, row_group_size=70),
    "one.parquet": lambda f, path: pq.write_table(f.to_arrow(), path),
    "rows.arrow": lambda f, path: f.write_ipc(path, record_batch_size=33, compression="lz4"),
    "rows.feather": lambda f, path: pyarrow.feather.write_feather(f.to_arrow(), str(path)),
    "rows.arrows": _stream,
    "rows.csv": lambda f, path: f.write_csv(path),
    "rows.tsv": lambda f, path: f.write_csv(path, separator="\t"),
    "rows.csv.gz": lambda f, path: path.write_bytes(gzip.compress(f.write_csv().encode())),
    "rows.csv.zst": _zstd,
}
CHOSEN = {"target": "label", "columns": ["n", "a", "b"]}


@pytest.mark.parametrize("labels", ["text", "integers", "booleans"])
@pytest.mark.parametrize("name", list(FORMATS))
def test_every_format_says_what_its_table_says(small, tmp_path, name, labels):
    frame = table(labels)
    FORMATS[name](frame, tmp_path / name)
    found = sf.summarize(tmp_path / name, **CHOSEN)
    assert found == sf.summarize(frame, **CHOSEN)
    assert found.feature_names == ("n", "a", "b")
    assert found.classes.dtype.kind == {"text": "U", "integers": "i", "booleans": "b"}[labels]


@pytest.mark.parametrize("detail", ["separate", "shared", "diagonal"])
@pytest.mark.parametrize("name", ["rows.parquet", "rows.arrow", "rows.csv"])
def test_gaps_and_weights_count_as_in_memory(small, length, tmp_path, name, detail):
    frame = table("integers", gaps=True)
    FORMATS[name](frame, tmp_path / name)
    options = {**CHOSEN, "weight": "w", "detail": detail}
    found, expected = sf.summarize(tmp_path / name, **options), sf.summarize(frame, **options)
    assert found == expected
    assert found.count.sum() == (frame["w"] > 0).sum()
    # Written as text, read as text, and numbers again: as wide as any.
    np.testing.assert_array_equal(found.classes, [-1, 2, 10])


@pytest.mark.parametrize(
    ("name", "needed"),
    [("rows.parquet", "pyarrow"), ("rows.arrow", "pyarrow"), ("rows.csv", "polars")],
)
def test_each_format_is_read_by_one_package(tmp_path, monkeypatch, name, needed):
    FORMATS[name](table("text", gaps=True), tmp_path / name)
    both = sf.summarize(tmp_path / name, **CHOSEN).digest()
    with monkeypatch.context() as patch:
        patch.setattr(packages, {"polars": "pyarrow"}.get(needed, "polars"), lambda part="": None)
        assert sf.summarize(tmp_path / name, **CHOSEN).digest() == both
    monkeypatch.setattr(packages, needed, lambda part="": None)
    with pytest.raises(MissingPackage, match=rf"needs {needed}: pip install 'suffice\[files\]'"):
        sf.summarize(tmp_path / name, **CHOSEN)


@pytest.mark.parametrize("labels", ["text", "integers"])
def test_large_record_batches_are_read_by_part(small, length, tmp_path, monkeypatch, labels):
    from suffice.data.sources import arrow_source

    frame = table(labels, gaps=True).with_columns(
        pl.col("label").cast(pl.String).cast(pl.Categorical)
    )
    for size in (500, 200):
        frame.write_ipc(tmp_path / "rows.arrow", record_batch_size=size, compression="uncompressed")
        with monkeypatch.context() as patch:
            usual = sf.summarize(tmp_path / "rows.arrow", **CHOSEN)
            patch.setattr(arrow_source.ArrowSource, "large_batch_bytes", 0)
            assert sf.summarize(tmp_path / "rows.arrow", **CHOSEN).digest() == usual.digest()
        assert usual == sf.summarize(frame, **CHOSEN)


def test_columns_stand_in_any_order_in_many_files(small, length, tmp_path):
    frame = table().drop("other")
    frame[:200].write_parquet(tmp_path / "1.parquet")
    frame[200:201].select("label", "b", "w", "n", "a").write_parquet(tmp_path / "2.parquet")
    frame[201:].with_columns(pl.col("n").cast(pl.Float32)).write_parquet(tmp_path / "3.parquet")
    found = sf.summarize(f"{tmp_path}/?.parquet", target="label")
    assert found == sf.summarize(frame, target="label")
    names = [str(tmp_path / f"{i}.parquet") for i in (3, 1, 2)]
    assert sf.summarize(names, target="label") == found


def test_integers_that_become_decimals_and_texts_are_no_trouble(small, tmp_path):
    """Types are not told by the first rows, so no later row can break them."""
    lines = ["a,label", *(f"{i},{i % 2}" for i in range(400)), "0.5,1", "7,x"]
    (tmp_path / "rows.csv").write_text("\n".join(lines))
    found = sf.summarize(tmp_path / "rows.csv", target="label")
    assert found.classes.tolist() == ["0", "1", "x"]


def test_labels_are_alike_in_all_files(small, tmp_path):
    """The same label is not 1 in one file and "1" in another."""
    (tmp_path / "1.csv").write_text("a,label\n1,1\n2,2\n")
    (tmp_path / "2.csv").write_text("a,label\n3,1\n4,b\n")
    assert sf.summarize(f"{tmp_path}/*.csv", target="label").classes.tolist() == ["1", "2", "b"]


@pytest.mark.parametrize("detail", ["separate", "shared", "diagonal"])
def test_labels_that_turn_out_to_be_numbers_stand_in_their_order(tmp_path, detail):
    """Wide rows are kept as a factor, which is reordered, too."""
    rng = np.random.default_rng(0)
    for gaps in (False, True):
        X, y = rng.standard_normal((12, 30)).round(3), np.array([2, 10, 9] * 4)
        if gaps:
            X[3, 4] = np.nan
        frame = pl.DataFrame(X, schema=[f"x{j}" for j in range(30)]).fill_nan(None)
        frame = frame.with_columns(label=pl.Series(y))
        frame.write_csv(tmp_path / "rows.csv")
        found = sf.summarize(tmp_path / "rows.csv", target="label", detail=detail)
        assert found == sf.summarize(frame, target="label", detail=detail)
        assert found.digest() == sf.summarize(frame, target="label", detail=detail).digest()


def test_quotes_blank_lines_spaces_and_marks_are_read_as_meant(small, tmp_path):
    text = '\ufeffa,b,label\r\n1,2,"x, y"\r\n\r\n 3 , 4.0,"say ""no"""\r\n"5",NA,"two\nlines"\r\n'
    (tmp_path / "rows.csv").write_bytes(text.encode())
    found = sf.summarize(tmp_path / "rows.csv", target="label")
    expected = {'say "no"': [3.0, 4.0], "two\nlines": [5.0, None], "x, y": [1.0, 2.0]}
    assert found == sf.summarize(list(expected.values()), list(expected)) or (
        found.classes.tolist() == list(expected)
        and found.known_count.tolist() == [[1, 1], [1, 0], [1, 1]]
    )
    assert found.mean[:, 0].tolist() == [3.0, 5.0, 1.0]


def test_decimal_commas_are_read_where_semicolons_separate(tmp_path):
    (tmp_path / "rows.csv").write_text("a;label\n1,5;x\n2,25;y\n")
    found = sf.summarize(tmp_path / "rows.csv", target="label")
    assert found.mean.tolist() == [[1.5], [2.25]]


def test_columns_that_are_not_requested_are_not_read(tmp_path):
    """A page of theirs may be damaged, and their text need not be numbers."""
    frame = table().drop("other").with_columns(junk=pl.Series(np.arange(ROWS) * 1.5))
    path = tmp_path / "rows.parquet"
    pq.write_table(frame.to_arrow(), path, compression="gzip", use_dictionary=False)
    column = pq.ParquetFile(path).metadata.row_group(0).column(frame.columns.index("junk"))
    data = bytearray(path.read_bytes())
    middle = column.data_page_offset + column.total_compressed_size // 2
    data[middle : middle + 40] = bytes(40)
    path.write_bytes(data)
    assert sf.summarize(path, **CHOSEN) == sf.summarize(frame, **CHOSEN)
    with pytest.raises(sf.errors.InvalidFile, match=r"row group 0 .*column 'junk'"):
        sf.summarize(path, target="label", columns=["a", "junk"])


def test_anything_that_delivers_arrow_batches_is_summarized(small):
    frame = table("integers", gaps=True)
    expected = sf.summarize(frame, **CHOSEN)
    reader = pa.RecordBatchReader.from_batches(
        frame.to_arrow().schema, frame.to_arrow().to_batches(max_chunksize=9)
    )

    class Query:
        def __arrow_c_stream__(self, requested_schema=None):
            return frame.to_arrow().__arrow_c_stream__(requested_schema)

    lazy = frame.lazy().filter(pl.col("n") >= 0)
    digests = {sf.summarize(X, **CHOSEN).digest() for X in (reader, Query(), lazy)}
    assert len(digests) == 1
    assert sf.summarize(Query(), **CHOSEN) == expected
    for whole in (frame.to_pandas(), frame.to_arrow(), frame):
        assert sf.summarize(whole, **CHOSEN) == expected


def test_any_query_of_duckdb_is_summarized(small, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    frame = table()
    frame.write_parquet(tmp_path / "rows.parquet")
    query = duckdb.sql(
        f"select a * 2 as twice, n, label from '{tmp_path}/rows.parquet' where n > 1"
    )
    found = sf.summarize(query, target="label")
    kept = frame.filter(pl.col("n") > 1)
    assert found == sf.summarize(kept.select(twice=pl.col("a") * 2, n="n"), kept["label"])


def test_categories_and_nulls_of_any_type_are_read(small, length, tmp_path):
    frame = pd.DataFrame(
        {
            "x": pd.array([1, None, 3, 4], dtype="Int64"),
            "flag": pd.array([True, None, False, True], dtype="boolean"),
            "empty": [None] * 4,
            "label": pd.Categorical(["b", "a", "b", "a"], categories=["c", "b", "a"]),
        }
    )
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), tmp_path / "rows.parquet")
    found = sf.summarize(tmp_path / "rows.parquet", target="label")
    assert found.classes.tolist() == ["a", "b"]
    assert found.known_count.tolist() == [[1, 1, 0], [2, 2, 0]]


def test_rows_of_weight_zero_and_whole_chunks_of_them_are_absent(small, length, tmp_path):
    frame = table("integers").with_columns(w=pl.Series([0.0] * 100 + [1.0] * (ROWS - 100)))
    frame.write_parquet(tmp_path / "rows.parquet")
    found = sf.summarize(tmp_path / "rows.parquet", weight="w", **CHOSEN)
    assert found == sf.summarize(frame[100:], **CHOSEN)


def test_models_are_fitted_of_files(tmp_path):
    frame = table("text")
    frame.write_csv(tmp_path / "rows.csv")
    model = sf.LDA().fit_statistics(sf.summarize(tmp_path / "rows.csv", **CHOSEN))
    X = frame.select(CHOSEN["columns"])
    np.testing.assert_allclose(
        model.predict_proba(X), sf.LDA().fit(X, frame["label"]).predict_proba(X), rtol=1e-9
    )


def test_progress_reports_rows_and_time_left(small, tmp_path):
    frame = table()
    for name in ("1.csv", "2.csv"):
        frame.write_csv(tmp_path / name)
    told = []
    sf.summarize(f"{tmp_path}/*.csv", progress=told.append, **CHOSEN)
    assert [one.rows for one in told] == sorted({one.rows for one in told})
    assert told[-1].rows == 2 * ROWS
    assert told[-1].share == pytest.approx(1.0)
    assert told[-1].seconds_left == pytest.approx(0.0)
    assert told[0].seconds_left > 0
    with pytest.raises(InvalidParameter, match="progress is 'yes'"):
        sf.summarize(f"{tmp_path}/*.csv", progress="yes", **CHOSEN)


def test_the_reader_stops_when_the_pass_does(small, tmp_path):
    table().write_csv(tmp_path / "rows.csv")

    def interrupt(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sf.summarize(tmp_path / "rows.csv", progress=interrupt, **CHOSEN)
    assert not [one for one in threading.enumerate() if one.name == "suffice-reader"]


def test_pieces_are_cut_to_the_same_chunks_wherever_they_end():
    import narwhals.stable.v2 as nw

    frame = nw.from_native(pl.DataFrame({"a": range(100)}), eager_only=True)
    for step in (1, 7, 16, 33, 100):
        pieces = (Piece((frame[i : i + step],), i) for i in range(0, 100, step))
        found = [
            [value for one in piece.frames for value in one["a"].to_list()]
            for piece in cut(pieces, 16, 20)
        ]
        assert found == [list(range(i, min(100, i + 16))) for i in range(20, 100, 16)]


def test_a_first_column_without_a_name_is_left_out_as_of_a_table(tmp_path):
    """R and pandas write the names of the rows so."""
    frame = pd.DataFrame({"a": [1.5, 2.0, 4.0, 8.0], "b": [3.0, 1.0, 2.0, 9.0], "y": list("uuvv")})
    frame.to_csv(tmp_path / "rows.csv")
    with pytest.warns(ColumnNote, match=r"rows\.csv: the first column has no name"):
        found = sf.summarize(tmp_path / "rows.csv", target="y")
    assert found.feature_names == ("a", "b")
    assert found == sf.summarize(frame, target="y")
