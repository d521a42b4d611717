"""Columns become rows: the compiled loop and the plain one write the same."""

from __future__ import annotations

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from suffice.data.number_columns import to_rows
from suffice.data.transposing import write_rows


@pytest.mark.parametrize("n", [0, 1, 1023, 1024, 1025, 3000])
@pytest.mark.parametrize("d", [1, 3, 4, 70])
def test_every_value_is_in_its_place(n, d):
    columns = [np.random.default_rng(j).normal(size=n) for j in range(d)]
    room = np.full((n + 2, d), np.nan)
    write_rows(columns, room[1:-1])
    np.testing.assert_array_equal(room[1:-1], np.column_stack(columns))
    assert np.isnan(room[[0, -1]]).all()


def test_columns_of_any_type_and_stride():
    columns = [
        np.arange(300, dtype=np.int8) % 100,
        np.linspace(0, 1, 300, dtype=np.float32),
        np.arange(600.0)[::2],
        np.arange(300) > 7,
    ]
    out = np.empty((300, 4))
    write_rows(columns, out)
    np.testing.assert_array_equal(out, np.column_stack([c.astype(float) for c in columns]))


@pytest.mark.parametrize("shape", [(6, 2), (4, 2), (5, 3), (5, 1)])
def test_what_does_not_fit_is_refused(shape):
    out = np.zeros(shape)
    with pytest.raises(ValueError, match="do not fill"):
        write_rows([np.ones(5), np.ones(5)], out)
    assert (out == 0).all()


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_a_chunk_of_several_frames(library, compiled):
    n, rng = 6000, np.random.default_rng(0)
    columns = {f"x{j}": rng.normal(size=n) for j in range(3)} | {"whole": np.arange(n)}
    columns["x0"][::1000] = np.nan
    missing = np.arange(n) % 777 == 5
    expected = np.column_stack([columns[name].astype(float) for name in columns])
    expected[missing, 1] = np.nan
    whole = pa.table({**columns, "x1": pa.array(columns["x1"], mask=missing)})
    if library == "polars":
        table = pl.from_arrow(whole)
        # Several chunks in a frame, and a frame of one.
        parts = [pl.concat([table[:100], table[100:5000]], rechunk=False), table[5000:]]
    else:
        parts = [pa.concat_tables([whole[:100], whole[100:5000]]), whole[5000:]]
    frames = [nw.from_native(part, eager_only=True) for part in parts]
    np.testing.assert_array_equal(to_rows(frames, compiled=compiled), expected)
