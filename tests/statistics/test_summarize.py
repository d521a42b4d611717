"""What `summarize` accepts, how it is threaded, and how much memory it takes."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import suffice as sf
from suffice.data import batches
from suffice.errors import InvalidParameter, NotFinite
from suffice.statistics.passes import reader, threads

DETAILS = ("separate", "shared", "diagonal")
MB = 1 << 20

details = pytest.mark.parametrize("detail", DETAILS)


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 100, (60, 4)).astype(float)
    return X, rng.choice(["no", "yes", "perhaps"], 60)


def brute(X, y, detail="separate"):
    """Scatter computed class by class with NumPy."""
    X, y = np.asarray(X, float), np.asarray(y)
    S = np.array([np.cov(X[y == c].T, bias=True) * (y == c).sum() for c in np.unique(y)])
    return {"separate": S, "shared": S.sum(0), "diagonal": S.diagonal(axis1=1, axis2=2)}[detail]


def peak_of(call):
    """The most memory that was held during a call beyond what was there before."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        result = call()
        return result, tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


@details
def test_statistics_are_those_of_numpy(table, detail, kernels):
    X, y = table
    s = sf.summarize(X, y, detail=detail)
    assert s.classes.tolist() == ["no", "perhaps", "yes"]
    assert s.count.tolist() == s.weight.tolist() == [int((y == c).sum()) for c in s.classes]
    np.testing.assert_allclose(s.mean, [X[y == c].mean(0) for c in s.classes], rtol=1e-14)
    np.testing.assert_allclose(s.scatter, brute(X, y, detail), rtol=1e-12, atol=1e-9)
    assert s.detail == detail
    assert s.feature_names is None
    assert repr(s) == f"<Statistics of 60 rows, 4 features, 3 classes, detail={detail!r}>"


REAL = ["f8", "f4", "f2", "g", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">f8", ">f4", ">i4"]


@details
@pytest.mark.parametrize("dtype", REAL)
def test_every_real_dtype_gives_the_same(table, dtype, detail, kernels):
    X, y = table
    assert sf.summarize(X.astype(dtype), y, detail=detail) == sf.summarize(X, y, detail=detail)


@details
def test_booleans_are_zeros_and_ones(table, detail, kernels):
    X, y = table
    assert sf.summarize(X > 50, y, detail=detail) == sf.summarize((X > 50) * 1.0, y, detail=detail)


def layouts(X, folder):
    apart = np.zeros((2 * len(X), 3 * X.shape[1]))
    apart[::2, 1::3] = X
    file = np.lib.format.open_memmap(folder / "X.npy", "w+", X.dtype, X.shape)
    file[:] = X
    file.flush()
    frozen = X.copy()
    frozen.setflags(write=False)
    odd = np.frombuffer(b"\0" + X.tobytes(), np.uint8)[1:].view(np.float64).reshape(X.shape)
    return {
        "C order": np.ascontiguousarray(X),
        "Fortran order": np.asfortranarray(X),
        "strided": apart[::2, 1::3],
        "reversed rows": X[::-1].copy()[::-1],
        "reversed columns": X[:, ::-1].copy()[:, ::-1],
        "memory map": np.load(folder / "X.npy", mmap_mode="r"),
        "read only": frozen,
        "unaligned": odd,
        "lists": X.tolist(),
        "tuples": tuple(map(tuple, X.tolist())),
        "objects": X.astype(object),
    }


@pytest.mark.parametrize(
    "layout",
    [
        "C order",
        "Fortran order",
        "strided",
        "reversed rows",
        "reversed columns",
        "memory map",
        "read only",
        "unaligned",
        "lists",
        "tuples",
        "objects",
    ],
)
@details
def test_every_layout_gives_the_same_and_stays_as_it_was(table, layout, detail, kernels, tmp_path):
    X, y = table
    given = layouts(X, tmp_path)[layout]
    s = sf.summarize(given, y, detail=detail)
    assert s == sf.summarize(X, y, detail=detail)
    assert np.array_equal(np.asarray(given, float), X)


FRAMES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
}


@pytest.mark.parametrize("library", FRAMES)
@details
def test_frames_keep_their_feature_names(table, library, detail, kernels):
    X, y = table
    columns = {"width": X[:, 0], "height": X[:, 1].astype(int), "flag": X[:, 2] > 50}
    s = sf.summarize(FRAMES[library](columns), y, detail=detail)
    assert s.feature_names == ("width", "height", "flag")
    plain = sf.summarize(np.column_stack(list(columns.values())), y, detail=detail)
    np.testing.assert_allclose(s.scatter, plain.scatter, rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("library", FRAMES)
def test_target_takes_the_labels_from_the_frame(table, library):
    X, y = table
    frame = FRAMES[library]({"a": X[:, 0], "kind": y.tolist(), "b": X[:, 1]})
    s = sf.summarize(frame, target="kind")
    assert s.feature_names == ("a", "b")
    assert s.select([0, 1]) == s
    assert np.array_equal(s.mean, sf.summarize(X[:, :2], y).mean)
    assert sf.summarize(frame, "kind") == s
    assert sf.count_levels(frame, "kind") == sf.count_levels(frame, target="kind")


def test_labels_may_be_the_name_of_a_column_of_files_and_lazy_frames(table, tmp_path):
    X, y = table
    frame = pl.DataFrame({"a": X[:, 0], "kind": y.tolist()})
    frame.write_parquet(tmp_path / "rows.parquet")
    s = sf.summarize(frame, target="kind")
    for rows in (tmp_path / "rows.parquet", str(tmp_path / "*.parquet"), frame.lazy()):
        assert sf.summarize(rows, "kind") == s


def test_pandas_frames_of_nullable_and_unnamed_columns_are_read(table):
    X, y = table
    nullable = pd.DataFrame(X).astype("Int64")
    s = sf.summarize(nullable, y)
    assert s.feature_names is None
    assert s == sf.summarize(X, y)
    odd = pd.DataFrame(X, index=np.arange(60)[::-1])
    assert sf.summarize(odd, pd.Series(y, index=odd.index)) == sf.summarize(X, y)


@pytest.mark.parametrize("rows", [60, 20_000])
def test_frames_larger_than_a_block_are_read_in_parts(rows, monkeypatch):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(rows, 3)), rng.integers(0, 5, rows)
    whole = sf.summarize(X, y)
    monkeypatch.setattr(reader.Reader, "converted_bytes", 700)
    frame = pl.DataFrame(X, schema=["a", "b", "c"])
    assert np.allclose(sf.summarize(frame, y).scatter, whole.scatter, rtol=1e-12, atol=1e-9)


def label_forms():
    names = np.random.default_rng(2).choice(["a", "bb", "a longer name"], 60)
    codes = np.unique(names, return_inverse=True)[1]
    forms = {
        "strings": names,
        "string objects": names.astype(object),
        "string list": names.tolist(),
        "StringDType": names.astype(np.dtypes.StringDType()),
        "bytes": names.astype("S"),
        "pandas": pd.Series(names),
        "pandas string": pd.Series(names, dtype="string"),
        "pandas category": pd.Series(names, dtype="category"),
        "pandas categorical": pd.Categorical(
            names, categories=["bb", "unused", "a", "a longer name"]
        ),
        "pandas index": pd.Index(names),
        "polars": pl.Series(names),
        "polars category": pl.Series(names.tolist(), dtype=pl.Categorical),
        "polars enum": pl.Series(names.tolist(), dtype=pl.Enum(["bb", "a longer name", "a"])),
        "pyarrow": pa.chunked_array([names[:20].tolist(), names[20:].tolist()]),
        "pyarrow array": pa.array(names.tolist()),
        "pyarrow dictionary": pa.chunked_array([pa.array(names.tolist()).dictionary_encode()]),
    }
    return names, codes, forms


@pytest.mark.parametrize("form", label_forms()[2])
def test_every_form_of_text_label_gives_the_same(form):
    names, _, forms = label_forms()
    X = np.random.default_rng(3).normal(size=(60, 2))
    s = sf.summarize(X, forms[form])
    assert s.classes.tolist() == ["a", "a longer name", "bb"]
    assert s.digest() == sf.summarize(X, names).digest()


@pytest.mark.parametrize(
    "values",
    [[0, 1, 2], [-5, -1, 7], [10, 5000, 60_000], [-(2**62), 0, 2**62], [2**40, 2**40 + 1, 2**41]],
    ids=str,
)
@pytest.mark.parametrize(
    "form",
    [
        np.asarray,
        np.ndarray.tolist,
        pd.Series,
        pl.Series,
        pa.array,
        pd.Categorical,
        lambda y: y.astype(object),
        lambda y: y[:, None],
        lambda y: pd.Series(y, dtype="Int64"),
    ],
)
def test_every_form_of_integer_label_gives_the_same(values, form):
    _, codes, _ = label_forms()
    X = np.random.default_rng(3).normal(size=(60, 2))
    s = sf.summarize(X, form(np.array(values)[codes]))
    assert s.classes.dtype == np.int64
    assert s.classes.tolist() == values
    assert s.scatter.tobytes() == sf.summarize(X, codes).scatter.tobytes()


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "u8", ">i8"])
def test_integer_labels_of_any_width_are_the_same_classes(dtype):
    _, codes, _ = label_forms()
    X = np.random.default_rng(3).normal(size=(60, 2))
    assert sf.summarize(X, codes.astype(dtype)).digest() == sf.summarize(X, codes).digest()


@pytest.mark.parametrize("form", [np.asarray, np.ndarray.tolist, pd.Series, pl.Series, pa.array])
def test_booleans_are_labels(form):
    X = np.arange(6.0)[:, None]
    s = sf.summarize(X, form(np.array([True, False, True, True, False, True])))
    assert s.classes.dtype == bool
    assert s.classes.tolist() == [False, True]
    assert s.count.tolist() == [2, 4]
    assert sf.summarize(X, form(np.ones(6, bool))).classes.tolist() == [True]


def test_whole_floats_are_labels():
    s = sf.summarize([[1.0], [2.0], [3.0]], [2.0, -1.0, 2.0])
    assert s.classes.tolist() == [-1.0, 2.0]
    assert s == sf.summarize([[1.0], [2.0], [3.0]], np.array([2, -1.0, 2], object))


@pytest.mark.parametrize("form", [list, np.asarray, pd.Series, pl.Series, pa.array])
def test_weights_come_in_every_form(table, form):
    X, y = table
    w = np.random.default_rng(4).integers(1, 9, 60)
    assert sf.summarize(X, y, form(w)).digest() == sf.summarize(X, y, w.astype(float)).digest()


def test_one_weight_for_all_rows_scales_the_scatter(table):
    X, y = table
    assert sf.summarize(X, y, 2.0) == sf.summarize(X, y, np.full(60, 2))


def test_classes_whose_rows_all_have_weight_zero_are_absent(table, kernels):
    X, y = table
    for detail in DETAILS:
        s = sf.summarize(X, y, (y != "no") * 1.0, detail)
        assert s.classes.tolist() == ["perhaps", "yes"]
        assert s == sf.summarize(X[y != "no"], y[y != "no"], detail=detail)


@details
@pytest.mark.parametrize("d", [1, 5], ids=["dense", "thin"])
@pytest.mark.parametrize(("kept", "ignored"), [(1.0, 1e200), (1e-140, 1e20), (1e6, 1.0)])
def test_the_size_of_a_row_with_weight_zero_does_not_matter(detail, d, kept, ignored, kernels):
    X = np.array([[1.0], [2.0], [4.0]]) * np.ones(d) * kept
    y = np.zeros(3, int)
    more = np.vstack([X, np.full((1, d), ignored), np.full((1, d), -ignored)])
    s = sf.summarize(more, np.zeros(5, int), [1, 1, 1, 0, 0], detail)
    present = sf.summarize(X, y, np.ones(3), detail)
    np.testing.assert_allclose(s.scatter, present.scatter, rtol=1e-12)
    if s.fourth is not None:
        assert s.fourth.unit == present.fourth.unit
        got, want = (t.fourth.centred(t.known).quartic for t in (s, present))
        np.testing.assert_allclose(got, want, rtol=1e-12)


@details
def test_a_single_row_with_the_others_ignored_is_its_own_mean(detail, kernels):
    s = sf.summarize([[1e6, 2.0], [1e6 + 1, 5.0]], ["a", "a"], [0, 3], detail)
    assert s.mean.tolist() == [[1e6 + 1, 5.0]]
    assert s.weight.tolist() == [3]
    assert not s.scatter.any()


@details
@pytest.mark.parametrize("weighted", [False, True])
def test_batches_may_come_from_any_iterable(table, detail, weighted):
    X, y = table
    w = np.arange(1.0, 61) if weighted else None
    parts = [slice(0, 1), slice(1, 30), slice(30, 60)]

    def tuples():
        for part in parts:
            yield (X[part], y[part], w[part]) if weighted else (X[part], y[part])

    whole = sf.summarize(X, y, w, detail)
    for given in (
        tuples(),
        list(tuples()),
        tuple(tuples()),
        iter(list(tuples())),
        map(tuple, tuples()),
    ):
        assert sf.summarize(given, detail=detail) == whole


def test_batches_may_be_frames(table):
    X, y = table
    frames = [
        (pl.DataFrame(X[:9], schema=list("abcd")), y[:9]),
        (pd.DataFrame(X[9:], columns=list("abcd")), y[9:]),
    ]
    s = sf.summarize(frames)
    assert s.feature_names == tuple("abcd")
    assert np.allclose(s.scatter, brute(X, y))


@details
def test_rows_beyond_the_size_of_a_batch_are_taken_in_parts(table, detail, monkeypatch):
    X, y = table
    w = (np.arange(60) >= 20) * 1.5
    whole = sf.summarize(X, y, w, detail), sf.summarize(pd.DataFrame(X), y, w, detail)
    monkeypatch.setattr(batches.batches, "__defaults__", (None, "", 7))
    assert sf.summarize(X, y, w, detail) == whole[0]
    assert sf.summarize(pd.DataFrame(X), y, w, detail) == whole[1]


@pytest.mark.parametrize("detail", ["pooled", None, 3, "SEPARATE"])
def test_an_unknown_detail_is_an_error_that_lists_the_known(detail):
    with pytest.raises(InvalidParameter, match="separate, shared, diagonal"):
        sf.summarize([[1.0]], [0], detail=detail)


@details
def test_results_cannot_be_written_to(table, detail):
    X, y = table
    a, b = sf.summarize(X[:5], y[:5], detail=detail), sf.summarize(X[5:], y[5:], detail=detail)
    single = sf.summarize(X[:1], y[:1], detail=detail)
    for s in (a, a + b, a + b - b, single, (a + b).select([0, 1])):
        for name in (
            "classes",
            "count",
            "weight",
            "mean",
            "scatter",
            "factor",
        ):
            array = getattr(s, name)
            if array is not None:
                assert not array.flags.writeable, name
        with pytest.raises(AttributeError):
            s.weight = s.weight


@details
def test_the_input_is_not_shared_with_the_result(detail):
    for rows in (1, 8):
        X, y, w = np.arange(rows * 2.0).reshape(rows, 2), np.array(["a"] * rows), np.ones(rows)
        s = sf.summarize(X, y, w, detail)
        before = s.digest()
        X[:], y[:], w[:] = 99, "z", 7
        assert s.digest() == before
        assert X.flags.writeable
        assert w.flags.writeable


@details
@pytest.mark.parametrize("weighted", [None, "weighted", "some zero"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    ("n", "d", "k"), [(5000, 3, 4), (9000, 70, 2), (300, 40, 150), (50, 60, 3)]
)
def test_compiled_and_plain_loops_agree(detail, weighted, dtype, n, d, k, request, monkeypatch):
    rng = np.random.default_rng(5)
    X, y = (rng.normal(size=(n, d)) + 100).astype(dtype), rng.integers(0, k, n)
    w = rng.uniform(0.1, 2, n) if weighted else None
    if weighted == "some zero":
        w[rng.random(n) < 0.3] = 0
    plain = sf.summarize(X, y, w, detail)
    request.getfixturevalue("compiled")
    assert_agree(sf.summarize(X, y, w, detail), plain)
    monkeypatch.setenv("SUFFICE_NUM_THREADS", "1")
    assert_agree(sf.summarize(X, y, w, detail), plain)


def assert_agree(a, b, tolerance=1e-12):
    assert np.array_equal(a.classes, b.classes)
    assert np.array_equal(a.count, b.count)
    np.testing.assert_allclose(a.weight, b.weight, rtol=tolerance)
    np.testing.assert_allclose(a.mean, b.mean, rtol=tolerance)
    size = np.sqrt(b.spread.diagonal())
    outer = size**2 if b.detail == "diagonal" else size[:, :, None] * size[:, None, :]
    assert (np.abs(a.scatter - b.scatter) <= tolerance * outer).all()
    if b.fourth is not None:
        p, q = (s.fourth.centred(s.known) for s in (a, b))
        np.testing.assert_allclose(p.square, q.square, rtol=tolerance, atol=1e-300)
        np.testing.assert_allclose(p.quartic, q.quartic, rtol=tolerance, atol=1e-300)


@details
@pytest.mark.parametrize("room", [0, 1 << 12])
def test_threads_without_room_for_sums_of_their_own_share_the_classes(
    detail, room, compiled, monkeypatch
):
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(2000, 9)), rng.integers(0, 11, 2000)
    w = np.where(rng.random(2000) < 0.2, 0.0, 1.0)
    roomy = sf.summarize(X, y, w, detail)
    monkeypatch.setattr(reader.Reader, "copies_bytes", room)
    assert_agree(sf.summarize(X, y, w, detail), roomy)
    assert_agree(sf.summarize(np.asfortranarray(X), y, w, detail), roomy)


@details
@pytest.mark.parametrize("weighted", [False, True])
def test_two_identical_calls_agree_to_the_last_bit(detail, weighted, kernels):
    rng = np.random.default_rng(7)
    X, y = rng.normal(size=(3000, 5)), rng.integers(0, 3, 3000)
    w = rng.uniform(0, 1, 3000) if weighted else None
    first = sf.summarize(X, y, w, detail).digest()
    assert all(sf.summarize(X, y, w, detail).digest() == first for _ in range(5))


def test_the_number_of_threads_is_the_requested_one(monkeypatch):
    monkeypatch.setenv("SUFFICE_NUM_THREADS", "")
    assert threads.n_threads() >= 1
    monkeypatch.setenv("SUFFICE_NUM_THREADS", "5")
    assert threads.n_threads() == 5
    monkeypatch.delenv("SUFFICE_NUM_THREADS")
    monkeypatch.delattr("os.sched_getaffinity", raising=False)
    assert threads.n_threads() >= 1


@details
@pytest.mark.parametrize("gap", [False, True])
def test_an_error_in_a_thread_reaches_the_caller(detail, gap, compiled):
    X = np.ones((3000, 4))
    X[2900, 2] = np.inf
    X[10, 3] = np.nan if gap else 1
    with pytest.raises(NotFinite, match="row 2900, column 2"):
        sf.summarize(X, np.zeros(3000, int), detail=detail)


@details
def test_a_gap_in_a_thread_is_found(detail, compiled):
    X = np.random.default_rng(12).normal(size=(3000, 4))
    X[2900, 2] = np.nan
    y = np.arange(3000) % 2
    s = sf.summarize(X, y, detail=detail)
    assert s.known_count.tolist() == [[1500, 1500, 1499, 1500], [1500] * 4]
    np.testing.assert_allclose(s.mean, [np.nanmean(X[y == c], axis=0) for c in (0, 1)], rtol=1e-12)


def test_large_data_takes_the_compiled_loops():
    # The size from which on they are used, not forced: each entry is a small integer.
    n, d = 1 << 17, 64
    X = (np.arange(n * d, dtype=np.float32) % 7).reshape(n, d)
    y = np.arange(n) % 3
    s = sf.summarize(X, y, detail="diagonal")
    for c in range(3):
        rows = X[y == c].astype(float)
        np.testing.assert_allclose(s.mean[c], rows.mean(0), rtol=1e-12)
        np.testing.assert_allclose(s.scatter[c], rows.var(0) * len(rows), rtol=1e-11)


@pytest.mark.parametrize(
    ("detail", "most"), [("shared", 300), ("diagonal", 300), ("separate", 300)]
)
def test_a_thousand_wide_classes_take_no_matrix_each(detail, most):
    # A matrix for each class would take 8 GB.
    rng = np.random.default_rng(8)
    X, y = rng.normal(size=(3000, 1024)), np.arange(3000) % 1000
    s, peak = peak_of(lambda: sf.summarize(X, y, detail=detail))
    assert peak < most * MB
    both, peak = peak_of(lambda: s + s)
    assert peak < most * MB
    assert both.count.tolist() == [6] * 1000
    if detail == "shared":
        centred = X - s.mean[y]
        np.testing.assert_allclose(s.scatter, centred.T @ centred, rtol=0, atol=1e-8)


@pytest.mark.parametrize("detail", ["separate", "shared"])
def test_more_features_than_rows_fit_in_little_memory(detail):
    # As a matrix the pooled scatter alone would take 3.2 GB.
    rng = np.random.default_rng(9)
    X, y = rng.normal(size=(200, 20_000)) + 5, np.arange(200) % 4

    def work():
        s, other = (sf.summarize(rows, y, detail=detail) for rows in (X, X + 1))
        few, fewer = (sf.summarize(X[:n], y[:n], detail=detail) for n in (30, 10))
        return s, s + other, few - fewer

    (s, _, left), peak = peak_of(work)
    assert peak < 900 * MB
    assert s.factor.shape[0] <= 200
    chosen = [0, 77, 19_999]
    want = brute(X[:, chosen], y, detail)
    np.testing.assert_allclose(s.select(chosen).scatter, want, rtol=1e-12, atol=1e-10)
    want = brute(X[10:30, chosen], y[10:30], detail)
    np.testing.assert_allclose(left.select(chosen).scatter, want, rtol=0, atol=1e-10)


@pytest.mark.parametrize("detail", ["separate", "shared"])
def test_merging_thin_parts_compresses_them_once_rows_pass_features(detail):
    rng = np.random.default_rng(10)
    X, y = rng.normal(size=(300, 20)), np.arange(300) % 2
    total, thin = None, []
    for start in range(0, 300, 10):
        rows = slice(start, start + 10)
        part = sf.summarize(X[rows], y[rows], detail=detail)
        assert part.factor is not None
        total = part if total is None else total + part
        thin.append(total.factor is not None)
    assert thin[0]
    assert not thin[-1]
    assert thin == sorted(thin, reverse=True)
    assert np.allclose(total.scatter, brute(X, y, detail), rtol=1e-11, atol=1e-11)


SMALL = 128 * MB


@pytest.mark.parametrize("detail", DETAILS)
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_memory_beyond_the_data_is_bounded(detail, order, dtype):
    X = np.asarray(np.random.default_rng(11).random((400_000, 64), np.float32), dtype, order=order)
    y = np.arange(400_000) % 10
    s, peak = peak_of(lambda: sf.summarize(X, y, detail=detail))
    assert peak < SMALL
    assert s.count.sum() == 400_000


LABELS = {
    "int64": lambda n: np.arange(n) % 5,
    "int32": lambda n: (np.arange(n) % 5).astype(np.int32),
    "negative": lambda n: np.arange(n) % 5 - 9,
    "gaps": lambda n: np.arange(n) % 5 * 3,
    "booleans": lambda n: np.arange(n) % 2 == 0,
    "floats": lambda n: np.arange(n) % 5.0,
    "strings": lambda n: np.array(["ant", "bee", "cat", "dog", "emu"])[np.arange(n) % 5],
    "category": lambda n: pd.Series(pd.Categorical.from_codes(np.arange(n) % 5, list("abcde"))),
    "polars": lambda n: pl.Series(np.arange(n) % 5),
}


def repeated(n, d=1):
    """A view in which all rows are one: many rows that take no room themselves."""
    return np.broadcast_to(np.ones((1, d)), (n, d))


@pytest.mark.parametrize(
    ("labels", "n"), [("int64", 9_000_000), ("gaps", 9_000_000), ("strings", 3_000_000)]
)
def test_memory_is_bounded_for_many_rows(labels, n):
    y = LABELS[labels](n)
    w = None
    if labels != "strings":
        w = np.ones(n)
        w[::100] = 0
    s, peak = peak_of(lambda: sf.summarize(repeated(n), y, w))
    assert s.count.sum() == (n if w is None else n - n // 100)
    assert peak < SMALL


@pytest.mark.parametrize("weights", [None, np.float64, np.float32])
@pytest.mark.parametrize("labels", LABELS)
def test_memory_does_not_grow_with_the_row_count(labels, weights, monkeypatch):
    monkeypatch.setattr(batches.batches, "__defaults__", (None, "", 1 << 15))

    def peak(n):
        y, w = LABELS[labels](n), None if weights is None else np.ones(n, weights)
        return peak_of(lambda: sf.summarize(repeated(n), y, w))[1]

    few, many = 100_000, 200_000
    peak(few)  # several batches: the first merge imports what it needs
    assert peak(many) - peak(few) < 0.5 * (many - few)
