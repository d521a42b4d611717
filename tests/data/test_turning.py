"""Columns become rows: the compiled loop and the plain one write the same."""

from __future__ import annotations

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from suffice.data.chunk import chunk_rows
from suffice.data.chunk_batch import _held, floats
from suffice.data.column_features import ColumnFeatures
from suffice.data.turning import STRETCH, Columns, part_of_arrays, parts_of_table


@pytest.mark.parametrize("n", [0, 1, STRETCH - 1, STRETCH, STRETCH + 1, 1000])
@pytest.mark.parametrize("d", [1, 3, 70])
def test_every_value_is_in_its_place(n: int, d: int) -> None:
    arrays = [np.random.default_rng(j).normal(size=n) for j in range(d)]
    columns = Columns.of([part_of_arrays(arrays)])
    assert columns.shape == (n, d)
    out = columns.turned(0, np.full((n, d), np.nan))
    np.testing.assert_array_equal(out, np.column_stack(arrays))


def test_columns_of_any_type_and_stride() -> None:
    arrays = [
        np.arange(300, dtype=np.int8) % 100,
        np.linspace(0, 1, 300, dtype=np.float32),
        np.arange(600.0)[::2],
        np.arange(300) > 7,
    ]
    out = Columns.of([part_of_arrays(arrays)]).turned(0, np.empty((300, 4)))
    np.testing.assert_array_equal(out, np.column_stack([c.astype(float) for c in arrays]))


def test_some_rows_of_several_parts() -> None:
    lengths, rng = (5, 0, STRETCH + 3, 1, 40), np.random.default_rng(0)
    parts = [rng.normal(size=(3, n)) for n in lengths]
    whole = np.hstack(parts).T
    columns = Columns.of(part_of_arrays(list(part)) for part in parts)
    for start, stop in [(0, 0), (0, 5), (4, 6), (3, STRETCH + 20), (STRETCH + 8, len(whole))]:
        room = np.zeros((stop - start + 2, 3))
        columns.turned(start, room[1:-1])
        np.testing.assert_array_equal(room[1:-1], whole[start:stop])
        assert (room[[0, -1]] == 0).all()


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="differ in length"):
        part_of_arrays([np.ones(5), np.ones(4)])
    columns = Columns.of([part_of_arrays([np.ones(5), np.ones(5)])])
    for start, shape in [(0, (6, 2)), (-1, (2, 2)), (4, (2, 2)), (0, (5, 3))]:
        out = np.zeros(shape)
        with pytest.raises(ValueError, match="there are no"):
            columns.turned(start, out)
        assert (out == 0).all()
    gone = columns.let_go()
    assert gone.shape == (5, 2)
    with pytest.raises(ValueError, match="there are no"):
        gone.turned(0, np.zeros((5, 2)))


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_a_full_chunk_of_several_frames(library: str) -> None:
    d = 4
    n = chunk_rows(d)
    rng = np.random.default_rng(0)
    columns = {f"x{j}": rng.normal(size=n) for j in range(d - 1)} | {"whole": np.arange(n)}
    columns["x0"][::1000] = np.nan
    gaps = {"x1": np.flatnonzero(np.arange(n) % 777 == 5)}
    expected = np.column_stack([columns[name].astype(float) for name in columns])
    expected[gaps["x1"], 1] = np.nan
    if library == "polars":
        table = pl.DataFrame(columns).with_columns(
            pl.when(pl.int_range(n) % 777 == 5).then(None).otherwise(pl.col("x1")).alias("x1")
        )
        # Several chunks in a frame, and a frame of one.
        parts = [pl.concat([table[:100], table[100:5000]], rechunk=False), table[5000:]]
    else:
        masked = pa.array(columns["x1"], mask=np.arange(n) % 777 == 5)
        whole = pa.table({**columns, "x1": masked})
        parts = [pa.concat_tables([whole[:100], whole[100:5000]]), whole[5000:]]
    frames = [nw.from_native(part, eager_only=True) for part in parts]
    np.testing.assert_array_equal(floats(frames, list(columns)), expected)
    features = ColumnFeatures(_held(frames, list(columns)), tuple(columns))
    np.testing.assert_array_equal(features.peek(90, 110), expected[90:110])
    np.testing.assert_array_equal(features.read(0, n), expected)
    np.testing.assert_array_equal(features.read(7, 9), expected[7:9])
    np.testing.assert_array_equal(features.take(np.array([5, 3])), expected[[5, 3]])


def _table(n: int = 2 * STRETCH + 5) -> pa.Table:
    rng = np.random.default_rng(0)
    return pa.table({name: rng.normal(size=n) for name in "abcdefg"})


@pytest.mark.parametrize("names", ["abcdefg", "gca", "b"])
@pytest.mark.parametrize("start", [0, 3, STRETCH + 1])
def test_a_table_is_turned_from_where_its_columns_lie(names: str, start: int) -> None:
    # Parts that start within their columns, of several record batches.
    table = pa.concat_tables([_table()[start:], _table()[:start], _table()[7:7]])
    parts = parts_of_table(table, list(names))
    assert parts is not None
    columns = Columns.of(parts)
    out = columns.turned(0, np.full(columns.shape, np.nan))
    np.testing.assert_array_equal(out, table.select(list(names)).to_pandas().to_numpy())


@pytest.mark.parametrize("other", ["float", "int64", "string", "halffloat", "bool"])
def test_a_table_of_other_types_is_left_to_others(other: str) -> None:
    table = _table(4)
    column = pa.array([0, 1, 1, 0]).cast("bool" if other == "bool" else "float").cast(other)
    assert parts_of_table(table.append_column("n", column), ["a", "n"]) is None
    words = table.append_column("n", pa.array([0.5, 1.5, 0.5, 0.5]).dictionary_encode())
    assert parts_of_table(words, ["a", "n"]) is None
    assert parts_of_table(words, ["a", "b"]) is not None


def test_a_table_with_gaps_is_left_to_others() -> None:
    table = _table(9)
    gappy = table.append_column("h", pa.array([None, *([1.0] * 8)]))
    assert parts_of_table(gappy, ["a", "h"]) is None
    assert parts_of_table(gappy, ["a", "b"]) is not None
    # A part without gaps of a column that has one further on.
    parts = parts_of_table(gappy[1:], ["a", "h"])
    if parts is not None:
        out = Columns.of(parts).turned(0, np.empty((8, 2)))
        np.testing.assert_array_equal(out, gappy[1:].select(["a", "h"]).to_pandas().to_numpy())


def test_columns_are_let_go_once_they_are_turned() -> None:
    before = pa.total_allocated_bytes()
    kept = []
    for _ in range(3):
        table = pa.table({"a": pa.array(range(50_000)).cast("double")})
        frame = nw.from_native(table, eager_only=True)
        features = ColumnFeatures(_held([frame], ["a"]), ("a",))
        del table, frame
        assert pa.total_allocated_bytes() >= before + 400_000
        assert features.read(0, 50_000)[-1, 0] == 49_999
        kept.append(features)
    assert pa.total_allocated_bytes() <= before + 1000
