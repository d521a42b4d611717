"""A stream has the same statistics as a table of its rows, however it is cut and delivered."""

from __future__ import annotations

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

import exact
import suffice as sf
from lawful import examples
from suffice.data.sources import stream
from suffice.errors import InvalidInput, NotFinite

D = 5
BLOCK = 256
CHUNK = 2 * BLOCK + 37


@pytest.fixture(autouse=True)
def small(read_in_parts):
    """Chunks of some hundred rows, in which there are several blocks and a rest."""
    read_in_parts(CHUNK * D)


def rows(n=6 * CHUNK + 100, d=D, k=3, seed=0):
    """Classes of one shape, with correlated features, far from zero."""
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    X = rng.gamma(3.0, size=(n, d)) @ rng.normal(size=(d, d)) + 100
    return X + 3 * y[:, None], y


def streamed(X, y, sizes=(1000,), **options):
    """The rows as a reader of Arrow batches delivers them."""
    names = [f"x{j}" for j in range(X.shape[1])]
    table = pa.table({**{name: X[:, j] for j, name in enumerate(names)}, "y": y})
    batches, at = [], 0
    while at < len(table):
        size = sizes[len(batches) % len(sizes)]
        batches += table.slice(at, size).combine_chunks().to_batches()
        at += size
    reader = pa.RecordBatchReader.from_batches(table.schema, batches)
    return sf.summarize(reader, target="y", detail="shared", **options)


def in_memory(X, y):
    """The same rows as a table."""
    frame = pl.DataFrame(X, schema=[f"x{j}" for j in range(X.shape[1])])
    return sf.summarize(frame, y, detail="shared")


def test_all_sums_are_as_exact_as_of_a_table():
    X, y = rows(3 * CHUNK + 50)
    found = streamed(X, y)
    parts = exact.by_class(X, y)
    for c, (_, mean, _) in enumerate(parts):
        for j in range(D):
            assert exact.relative_error(found.mean[c, j], mean[j]) <= 2e-16
    assert exact.covariance_error(found.scatter, exact.pooled(parts)) <= 2e-15
    whole = in_memory(X, y)
    assert found == whole
    np.testing.assert_array_equal(found.count, whole.count)
    # To look alike takes a matrix that is its own transpose to the last bit.
    np.testing.assert_array_equal(found.scatter, found.scatter.T)


@pytest.mark.parametrize("sizes", [(CHUNK,), (1, 700, 13), (10**6,), (3 * CHUNK + 1, 5)])
def test_how_rows_are_delivered_changes_no_bit(sizes):
    X, y = rows()
    assert streamed(X, y, sizes).digest() == streamed(X, y).digest()


def test_the_number_of_threads_changes_no_bit(monkeypatch):
    X, y = rows(20 * CHUNK)
    found = set()
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("SUFFICE_NUM_THREADS", threads)
        found.add(streamed(X, y).digest())
    assert len(found) == 1


def test_chunks_that_lie_elsewhere():
    X, y = rows(8 * CHUNK)
    X[3 * CHUNK : 5 * CHUNK] += 1e7
    assert streamed(X, y) == in_memory(X, y)


def test_classes_that_come_later_or_are_removed():
    X, before = rows(6 * CHUNK)
    y = before.copy()
    y[: 2 * CHUNK][y[: 2 * CHUNK] == 1] = 0
    y[4 * CHUNK :][y[4 * CHUNK :] == 2] = 0
    y[5 * CHUNK :] = 0
    X += 3 * (y - before)[:, None]
    assert streamed(X, y) == in_memory(X, y)
    names = np.array(["b", "ab", "longer than the others"])
    assert streamed(X, names[y]) == in_memory(X, names[y])


def test_features_that_are_constant_for_a_while():
    X, y = rows(5 * CHUNK)
    X[: 2 * CHUNK, 1] = 0.1
    X[:, 2] = 1 / 3
    X[:, 3] = y / 7
    X[3 * CHUNK :, 3] += 1e-3
    found, whole = streamed(X, y), in_memory(X, y)
    assert found == whole
    assert found.scatter[2, 2] == 0
    assert found.scatter[3, 3] == pytest.approx(whole.scatter[3, 3], rel=1e-12)


@pytest.mark.parametrize("scale", [1e-120, 1e-70, 1e70, 1e120])
def test_numbers_of_any_size(scale):
    X, y = rows()
    found, whole = streamed(X * scale, y), in_memory(X * scale, y)
    np.testing.assert_allclose(found.scatter, whole.scatter, rtol=1e-12)


def test_numbers_that_grow_beyond_any_unit():
    X, y = rows()
    X[2 * CHUNK + 7] = 1e150
    assert streamed(X, y) == in_memory(X, y)


def test_numbers_that_are_too_large_or_too_close_are_reported_as_for_a_table():
    X, y = rows()
    for bad, at in ((1e200, 3 * CHUNK), (np.inf, 2 * CHUNK + 3), (np.inf, 10)):
        spoilt = X.copy()
        spoilt[at, 2] = bad
        with pytest.raises(NotFinite) as table:
            in_memory(spoilt, y)
        with pytest.raises(NotFinite) as stream:
            streamed(spoilt, y)
        assert str(stream.value) == str(table.value)
    close = X.copy()
    close[:, 4] = np.where(np.arange(len(X)) % 2, 1e-180, 0)
    with pytest.raises(NotFinite, match="column 'x4' of X holds values so close together"):
        streamed(close, y)


@pytest.mark.parametrize("at", [0, 3 * CHUNK + 5])
def test_missing_values_anywhere(at):
    X, y = rows()
    X[at, 1] = np.nan
    found, whole = streamed(X, y), in_memory(X, y)
    assert found == whole
    assert type(found) is type(whole)


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_many_small_files_are_read_once_if_there_is_much_in_all(tmp_path, monkeypatch, ending):
    X, y = rows(12 * 200)
    for i in range(12):
        part = slice(200 * i, 200 * (i + 1))
        names = [f"x{j}" for j in range(D)]
        frame = pl.DataFrame(X[part], schema=names).with_columns(y=pl.Series(y[part]))
        getattr(frame, f"write_{ending}")(tmp_path / f"{i:02}.{ending}")
    few = sf.summarize(f"{tmp_path}/*", target="y", detail="shared")
    monkeypatch.setattr(stream.FileStream, "long_bytes", 1 << 16)
    many = sf.summarize(f"{tmp_path}/*", target="y", detail="shared")
    assert few == many == in_memory(X, y)


def test_rows_with_weights():
    X, y = rows()
    w = np.random.default_rng(1).integers(0, 3, len(y)) / 2
    table = pa.table({**{f"x{j}": X[:, j] for j in range(D)}, "y": y, "w": w})
    found = sf.summarize(table.to_reader(900), target="y", weight="w", detail="shared")
    frame = pl.from_arrow(table).drop("y", "w")
    assert found == sf.summarize(frame, y, w, detail="shared")


def test_more_features_than_rows_are_kept_thin(read_in_parts):
    X, y = rows(90, d=40)
    read_in_parts(30 * 40)
    assert streamed(X, y) == in_memory(X, y)


def test_one_bad_label_is_reported_where_it_is():
    X, y = rows()
    labels = [None if i == CHUNK + 3 else int(label) for i, label in enumerate(y)]
    with pytest.raises(InvalidInput, match=f"label 'y' is missing in row {CHUNK + 3}"):
        streamed(X, labels)


@settings(max_examples=examples(30), deadline=None)
@given(st.data())
def test_any_stream_equals_its_table(data):
    d, k = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 5))
    n = data.draw(st.integers(1, 4 * CHUNK))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    y = rng.integers(k, size=n)
    if data.draw(st.booleans()):
        y.sort()
    offset = data.draw(st.sampled_from([0.0, 1.0, 1e8, -1e12]))
    spread = 10.0 ** rng.integers(-3, 4, size=d)
    X = offset + rng.standard_normal((n, d)) * spread + y[:, None]
    assert streamed(X, y, (data.draw(st.integers(1, 2000)),)) == in_memory(X, y)


@pytest.mark.parametrize("detail", ["separate", "shared", "diagonal"])
def test_a_stream_comes_to_the_same_bits_every_time(detail, read_in_parts):
    read_in_parts(64)
    X, y = rows(200, d=4)
    table = pa.table({**{f"x{j}": X[:, j] for j in range(4)}, "y": y})
    found = {
        sf.summarize(table.to_reader(50), target="y", detail=detail).digest() for _ in range(40)
    }
    assert len(found) == 1


def test_a_class_that_moves_keeps_its_digits(read_in_parts):
    """It is near by the measure of another class, which is wide."""
    read_in_parts(CHUNK * 2)
    rng = np.random.default_rng(0)
    n = 6 * CHUNK
    y = rng.integers(2, size=n)
    X = rng.standard_normal((n, 2)) * 1e8
    X[y == 1] = 0.1 + rng.standard_normal((int((y == 1).sum()), 2)) * 1e-6
    X[:CHUNK][y[:CHUNK] == 1] += 1e6
    found = streamed(X, y)
    _, (_, mean, _) = exact.by_class(X, y)
    for j in range(2):
        assert exact.relative_error(found.mean[1, j], mean[j]) <= 4e-16


def test_a_heavy_part_far_from_a_light_one_keeps_its_digits():
    """A first row far away, as merged with all others, which the other class is heavier than."""
    first = sf.summarize(np.array([5.0] * 40 + [1e12])[:, None], [0] * 40 + [1])
    rest = 0.1 + np.random.default_rng(0).standard_normal((30, 1))
    second = sf.summarize(rest, [1] * 30)
    found = first + second
    (_, mean, _) = exact.by_class(np.concatenate([[[1e12]], rest]), np.ones(31, int))[0]
    assert exact.relative_error(found.mean[1, 0], mean[0]) <= 2e-16


def test_threads_of_the_library_held_elsewhere_change_no_bit(monkeypatch, read_in_parts):
    """What a fit of many features does in another thread of the process."""
    from suffice.statistics.passes.threads import small_matrices

    monkeypatch.setenv("SUFFICE_NUM_THREADS", "2")
    read_in_parts(4096 * 300)
    X, y = rows(12_000, d=300, k=2)
    alone = streamed(X, y).digest()
    with threadpool_limits(2), small_matrices(400):
        assert streamed(X, y).digest() == alone
