"""Columns become rows: the compiled loop and the plain one write the same."""

from __future__ import annotations

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from suffice.data.chunk import CHUNK_ENTRIES
from suffice.data.chunk_batch import floats
from suffice.data.turning import STRETCH, turn, turn_table


@pytest.mark.parametrize("n", [0, 1, STRETCH - 1, STRETCH, STRETCH + 1, 1000])
@pytest.mark.parametrize("d", [1, 3, 70])
def test_every_value_is_in_its_place(n: int, d: int) -> None:
    columns = [np.random.default_rng(j).normal(size=n) for j in range(d)]
    out = np.full((n, d), np.nan)
    turn(columns, out)
    np.testing.assert_array_equal(out, np.column_stack(columns))


def test_columns_of_any_type_and_stride() -> None:
    columns = [
        np.arange(300, dtype=np.int8) % 100,
        np.linspace(0, 1, 300, dtype=np.float32),
        np.arange(600.0)[::2],
        np.arange(300) > 7,
    ]
    out = np.empty((300, 4))
    turn(columns, out)
    np.testing.assert_array_equal(out, np.column_stack([c.astype(float) for c in columns]))


def test_nothing_beyond_the_rows_is_written() -> None:
    room = np.zeros((200, 2))
    turn([np.ones(70), np.ones(70)], room[100:170])
    assert room[:100].sum() == room[170:].sum() == 0
    assert (room[100:170] == 1).all()


def test_columns_of_other_lengths_are_refused() -> None:
    out = np.zeros((5, 2))
    with pytest.raises(ValueError, match="differ in length"):
        turn([np.ones(5), np.ones(4)], out)
    assert (out == 0).all()


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_a_full_chunk_of_several_frames(library: str) -> None:
    d = 4
    n = CHUNK_ENTRIES // d
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


def _table(n: int = 2 * STRETCH + 5) -> pa.Table:
    rng = np.random.default_rng(0)
    return pa.table({name: rng.normal(size=n) for name in "abcdefg"})


@pytest.mark.parametrize("names", ["abcdefg", "gca", "b"])
@pytest.mark.parametrize("start", [0, 3, STRETCH + 1])
def test_a_table_is_turned_from_where_its_columns_lie(names: str, start: int) -> None:
    # Parts that start within their columns, of several record batches.
    table = pa.concat_tables([_table()[start:], _table()[:start], _table()[7:7]])
    out = np.full((len(table) + 2, len(names)), np.nan)
    assert turn_table(table, list(names), out[1:-1])
    np.testing.assert_array_equal(out[1:-1], table.select(list(names)).to_pandas().to_numpy())
    assert np.isnan(out[[0, -1]]).all()


def test_a_table_of_other_types_or_with_gaps_is_left_to_others() -> None:
    table, out = _table(), np.empty((2 * STRETCH + 5, 2))
    whole = table.append_column("n", pa.array(np.arange(len(table))))
    assert not turn_table(whole, ["a", "n"], out)
    gappy = table.append_column("h", pa.array([None, *([1.0] * (len(table) - 1))]))
    assert not turn_table(gappy, ["a", "h"], out)
    # A part without gaps of a column that has one further on.
    part = gappy[1:]
    if turn_table(part, ["a", "h"], out[1:]):
        np.testing.assert_array_equal(out[1:], part.select(["a", "h"]).to_pandas().to_numpy())
    assert turn_table(gappy, ["a", "b"], out)


def test_columns_are_let_go_once_they_are_turned() -> None:
    before = pa.total_allocated_bytes()
    for _ in range(3):
        table = pa.table({"a": pa.array(range(50_000)).cast("double")})
        assert turn_table(table, ["a"], np.empty((50_000, 1)))
        del table
    assert pa.total_allocated_bytes() <= before + 1000
