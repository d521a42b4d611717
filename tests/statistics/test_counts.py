"""Counts and mixed statistics: laws of their algebra, files, and the forms that rows come in."""

from __future__ import annotations

import hashlib
import json
import pickle
import tempfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import suffice as sf
from forged import resealed, with_field
from lawful import law
from suffice.errors import (
    InvalidFeatures,
    InvalidFile,
    InvalidInput,
    InvalidParameter,
    InvalidWeights,
    LostPrecision,
    Mismatch,
    NeverIncluded,
    SufficeError,
)
from suffice.statistics.passes import count_pass
from suffice.statistics.storage import container

LAW = law(50)
KINDS = {
    "integers": st.integers(0, 4),
    "strings": st.sampled_from(["red", "blue", "", "größer"]),
    "booleans": st.booleans(),
    "fractions": st.sampled_from([0.5, 1.0, 2.0, 2.25]),
}
LABELS = (["a", "b", "long name"], [-7, 3, 1 << 40], [False, True])


class Rows:
    """Labelled rows of objects, perhaps with weights, of which any part can be counted."""

    def __init__(self, X, y, w, mixed):
        self.X, self.y, self.w, self.mixed = X, y, w, mixed

    def __repr__(self):
        w = None if self.w is None else self.w.tolist()
        return f"Rows({self.X.tolist()}, {self.y.tolist()}, {w})"

    def __len__(self):
        return len(self.X)

    def counted(self, at=slice(None)):
        w = None if self.w is None else self.w[at]
        if not self.mixed:
            return sf.count_levels(self.X[at], self.y[at], w)
        model = sf.MixedNB(categorical=range(1, self.X.shape[1]))
        return model.partial_fit(self.X[at], self.y[at], sample_weight=w).statistics_

    def empty(self, at):
        return not len(at) or (self.w is not None and not self.w[at].any())


@st.composite
def tables(draw, mixed=False, kinds=tuple(KINDS)):
    n = draw(st.integers(2, 10))
    gaps = draw(st.booleans())
    columns = []
    if mixed:
        columns.append(draw(st.lists(st.integers(0, 5).map(float), min_size=n, max_size=n)))
    for kind in draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=3)):
        value = st.one_of(st.none(), KINDS[kind]) if gaps else KINDS[kind]
        columns.append(draw(st.lists(value, min_size=n, max_size=n)))
    X = np.empty((n, len(columns)), object)
    for j, column in enumerate(columns):
        X[:, j] = column
    labels = draw(st.sampled_from(LABELS))
    y = np.array(draw(st.lists(st.sampled_from(labels), min_size=n, max_size=n)))
    weight = st.sampled_from([0.0, 0.5, 1.0, 3.0])
    w = draw(st.one_of(st.none(), st.lists(weight, min_size=n, max_size=n).map(np.array)))
    rows = Rows(X, y, w, mixed)
    assume(not rows.empty(np.arange(n)))
    return rows


PLAIN = ("integers", "strings", "booleans")
anything = pytest.mark.parametrize("mixed", [False, True], ids=["counts", "mixed"])


def split(data, rows):
    """Two parts of the rows, each with some weight."""
    chosen = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    first, second = np.flatnonzero(chosen), np.flatnonzero(~np.array(chosen))
    assume(not rows.empty(first))
    assume(not rows.empty(second))
    return first, second


@contextmanager
def precise():
    """Examples whose numeric part would lose digits are left out."""
    try:
        yield
    except LostPrecision:
        assume(False)


@anything
@LAW
@given(data=st.data())
def test_the_merge_of_any_split_equals_the_whole(mixed, data):
    rows = data.draw(tables(mixed))
    first, second = (rows.counted(at) for at in split(data, rows))
    assert first + second == rows.counted() == second + first
    assert sum([first, second]) == rows.counted()


@anything
@LAW
@given(data=st.data())
def test_what_is_added_and_removed_again_leaves_no_trace(mixed, data):
    rows = data.draw(tables(mixed, PLAIN))
    first, second = split(data, rows)
    whole, a, b = rows.counted(), rows.counted(first), rows.counted(second)
    with precise():
        assert a + b - b == a
        assert whole - a == b
    assert len((whole - whole).classes) == 0
    assert (whole - whole) + a == a


def test_a_fraction_that_is_removed_again_leaves_no_trace():
    whole = sf.count_levels([[0], [2]], ["a", "a"])
    fraction = sf.count_levels([[0.5]], ["a"])
    assert whole + fraction - fraction == whole


def test_a_dropped_class_takes_its_fractions_with_it():
    s = sf.count_levels([[0], [2], [0.5]], ["a", "a", "b"])
    assert s.drop_class("b") == sf.count_levels([[0], [2]], ["a", "a"])


@anything
@LAW
@given(data=st.data())
def test_three_parts_merge_in_any_order(mixed, data):
    rows = data.draw(tables(mixed))
    cuts = sorted(data.draw(st.tuples(*[st.integers(1, len(rows))] * 2)))
    parts = np.split(np.arange(len(rows)), cuts)
    assume(not any(rows.empty(at) for at in parts))
    a, b, c = (rows.counted(at) for at in parts)
    assert (a + b) + c == a + (b + c) == c + a + b == rows.counted()


@anything
@LAW
@given(data=st.data())
def test_removing_more_than_there_is_raises_and_changes_nothing(mixed, data):
    rows = data.draw(tables(mixed))
    first, _ = split(data, rows)
    part, whole = rows.counted(first), rows.counted()
    before = part.digest(), whole.digest()
    with pytest.raises(NeverIncluded):
        part - whole
    with pytest.raises(NeverIncluded):
        whole - (whole + part)
    assert (part.digest(), whole.digest()) == before


NEVER = {
    "class": ([["red", 0]], ["c"], None, "class 'c'"),
    "level": ([["green", 0]], ["a"], None, "'green'"),
    "level of another class": ([["blue", 0]], ["a"], None, "'blue'"),
    "more rows": ([["red", 0]] * 3, ["a"] * 3, None, "class 'a' has 2 rows"),
    "more weight": ([["red", 0]], ["a"], [1.75], "'red'"),
}


@pytest.mark.parametrize("case", NEVER)
def test_removing_rows_never_included_names_the_first_of_them(case):
    X, y, w, message = NEVER[case]
    whole = sf.count_levels([["red", 0], ["red", 1], ["blue", 0]], ["a", "a", "b"], [1.0, 0.5, 2.0])
    before = whole.digest()
    with pytest.raises(NeverIncluded, match=message):
        whole - sf.count_levels(X, y, w)
    assert whole.digest() == before


def test_a_row_with_a_gap_is_not_removed_where_no_row_had_one():
    whole = sf.count_levels([["a"], ["b"]], [0, 0])
    with pytest.raises(NeverIncluded):
        whole - sf.count_levels([[None]], [0])


@pytest.mark.parametrize("weight", [2.0, 5.0])
def test_a_row_with_a_gap_is_not_removed_with_more_weight_than_the_class_has(weight):
    whole = sf.count_levels([[None], ["a"]], [0, 0])
    with pytest.raises(NeverIncluded):
        whole - sf.count_levels([[None]], [0], [weight])


def test_all_the_weight_is_not_removed_with_some_of_the_rows():
    whole = sf.count_levels([["a"], ["a"]], [0, 0])
    with pytest.raises(NeverIncluded):
        whole - sf.count_levels([["a"]], [0], [2.0])


@pytest.mark.parametrize("levels", [["a", "a"], ["a", "b"]], ids=["in a level", "in a class"])
def test_what_weighs_too_little_beside_what_is_removed_is_refused(levels):
    small = sf.count_levels([[levels[0]]], [0], [1e-4])
    large = sf.count_levels([[levels[1]]], [0], [1e6])
    with pytest.raises(LostPrecision, match="class 0"):
        small + large - large


def test_the_last_level_removed_takes_its_kind_with_it():
    whole = sf.count_levels([[None], [True]], [0, 0])
    left = whole - sf.count_levels([[True]], [0])
    assert left.digest() == sf.count_levels([[None]], [0]).digest()
    assert (left + sf.count_levels([["red"]], [0])).tables[0].levels == ["red"]


def test_classes_and_levels_of_one_part_only_stand_in_the_union():
    a = sf.count_levels([["red"], ["blue"]], ["x", "y"])
    b = sf.count_levels([["green"], ["red"], ["red"]], ["y", "z", "z"])
    both = a + b
    assert both.classes.tolist() == ["x", "y", "z"]
    assert both.count.tolist() == [1, 2, 2]
    (table,) = both.tables
    assert table.levels.tolist() == ["blue", "green", "red"]
    assert table.rows.tolist() == [[0, 0, 1], [1, 1, 0], [0, 0, 2]]
    assert both - b == a
    assert (both - b).tables[0].levels.tolist() == ["blue", "red"]


@LAW
@given(rows=tables())
def test_counts_are_what_a_loop_over_the_rows_finds(rows):
    found = rows.counted()
    w = np.ones(len(rows)) if rows.w is None else rows.w
    counted = w > 0
    assert found.classes.tolist() == sorted(set(rows.y[counted].tolist()))
    for c, label in enumerate(found.classes):
        own = counted & (rows.y == label)
        assert found.count[c] == own.sum()
        assert found.weight[c] == w[own].sum()
        for j, table in enumerate(found.tables):
            for level, n, total in zip(table.levels, table.rows[c], table.weight[c], strict=True):
                at = own & (rows.X[:, j] == level)
                assert (n, total) == (at.sum(), w[at].sum())


def test_a_weight_of_zero_counts_as_absent():
    some = sf.count_levels([["a"], ["b"], ["a"]], [0, 0, 1], [1.0, 0.0, 0.0])
    assert some == sf.count_levels([["a"]], [0])
    with pytest.raises(InvalidWeights, match="zero in every row"):
        sf.count_levels([["a"]], [0], [0.0])


@LAW
@given(rows=tables(), seed=st.integers(0, 99))
def test_integer_weights_equal_repetition(rows, seed):
    w = np.random.default_rng(seed).integers(0, 3, len(rows))
    assume(w.any())
    weighted = sf.count_levels(rows.X, rows.y, w)
    repeated = sf.count_levels(rows.X.repeat(w, axis=0), rows.y.repeat(w))
    assert np.array_equal(weighted.classes, repeated.classes)
    assert np.array_equal(weighted.weight, repeated.weight)
    for a, b in zip(weighted.tables, repeated.tables, strict=True):
        assert np.array_equal(a.levels, b.levels)
        assert np.array_equal(a.weight, b.weight)


FRAME = pd.DataFrame(
    {"colour": ["red", "blue", None, "red"], "size": [1, 0, 2, 2], "old": [True, False, True, True]}
)
Y = ["a", "b", "a", "b"]


def test_selected_features_are_those_of_the_table_without_the_others():
    s = sf.count_levels(FRAME, Y)
    assert s.select(["size", "colour"]) == sf.count_levels(FRAME[["size", "colour"]], Y)
    assert s.select([2]) == sf.count_levels(FRAME[["old"]], Y)
    with pytest.raises(InvalidParameter, match="weight"):
        s.select(["weight"])


@LAW
@given(data=st.data())
def test_a_dropped_class_was_never_there(data):
    rows = data.draw(tables(data.draw(st.booleans()), PLAIN))
    s = rows.counted()
    assume(len(s.classes) > 1)
    label = data.draw(st.sampled_from(s.classes.tolist()))
    assert s.drop_class(label) == rows.counted(np.flatnonzero(rows.y != label))
    with pytest.raises(InvalidParameter, match="no class"):
        s.drop_class(label).drop_class(label)


def test_a_label_of_another_type_is_not_a_class():
    with pytest.raises(InvalidParameter, match="no class 3"):
        sf.count_levels(FRAME, Y).drop_class(3)


@anything
@law(25)
@given(data=st.data())
def test_what_was_saved_is_loaded_to_the_last_bit(mixed, data):
    s = data.draw(tables(mixed)).counted()
    with tempfile.TemporaryDirectory() as folder:
        s.save(Path(folder) / "s")
        again = sf.load(Path(folder) / "s")
    for copy in (again, pickle.loads(pickle.dumps(s))):
        assert type(copy) is type(s)
        assert copy == s
        assert copy.digest() == s.digest()
        assert copy + s == s + s


def of_frame(frame):
    return sf.MixedNB().partial_fit(frame, Y).statistics_


STORED = {
    "counts": sf.count_levels(FRAME, Y),
    "counts of fractions": sf.count_levels([[0.5, 1], [2, None]], [True, False], [0.25, 3.0]),
    "counts of gaps": sf.count_levels([[None, "a"], [None, "b"]], [0, 1]),
    "no counts": sf.count_levels(FRAME, Y) - sf.count_levels(FRAME, Y),
    "mixed": of_frame(FRAME),
    "mixed with gaps": of_frame(FRAME.assign(weight=[1.5, np.nan, 2.0, 0.1])),
    "mixed, all discrete": of_frame(FRAME[["colour", "old"]]),
    "mixed, all numeric": of_frame(FRAME[["size"]]),
}
stored = pytest.mark.parametrize("kind", STORED)


@stored
def test_equal_content_has_one_fingerprint_and_files_keep_it(kind, tmp_path):
    s = STORED[kind]
    s.save(tmp_path / "s")
    assert hashlib.sha256((tmp_path / "s").read_bytes()).hexdigest() == s.digest()
    again = sf.load(tmp_path / "s")
    assert again == s
    assert again.digest() == s.digest()
    assert again.feature_names == s.feature_names
    assert again.classes.dtype.kind == s.classes.dtype.kind


@stored
def test_any_changed_byte_makes_a_file_invalid(kind, tmp_path):
    path = tmp_path / "s"
    STORED[kind].save(path)
    data = path.read_bytes()
    rng = np.random.default_rng(0)
    for at, change in zip(rng.integers(0, len(data), 300), rng.integers(1, 256, 300), strict=True):
        damaged = bytearray(data)
        damaged[at] ^= change
        path.write_bytes(damaged)
        with pytest.raises(InvalidFile):
            sf.load(path)


@stored
def test_a_file_forged_with_a_fitting_checksum_is_invalid_or_a_value(kind, tmp_path):
    path = tmp_path / "s"
    STORED[kind].save(path)
    data = path.read_bytes()
    rng = np.random.default_rng(1)
    refused = 0
    for at, byte in zip(rng.integers(0, len(data), 300), rng.integers(0, 256, 300), strict=True):
        damaged = bytearray(data)
        damaged[at] = byte
        path.write_bytes(resealed(bytes(damaged)))
        try:
            s = sf.load(path)
        except InvalidFile:
            refused += 1
        else:
            assert s.digest()
            assert s + s == s + s
    assert refused > 50


@stored
def test_a_file_cut_short_or_extended_is_invalid(kind, tmp_path):
    path = tmp_path / "s"
    STORED[kind].save(path)
    data = path.read_bytes()
    for end in range(0, len(data), 17):
        path.write_bytes(data[:end])
        with pytest.raises(InvalidFile):
            sf.load(path)
    path.write_bytes(data + b"\0")
    with pytest.raises(InvalidFile):
        sf.load(path)


JUNK = (None, 5, -1, "x", True, 0.5, [], {}, [None], [[1]], [["a", "b"]], [{}], ["x", "x"], [1e999])


@stored
def test_a_header_with_any_other_entry_is_invalid(kind, tmp_path):
    path = tmp_path / "s"
    s = STORED[kind]
    s.save(path)
    header, arrays = container.unpack(path.read_bytes(), "s")
    for key in header.keys() - {"format"}:
        for junk in (*JUNK, "absent"):
            other = {name: value for name, value in header.items() if name != key}
            other |= {} if junk == "absent" else {key: junk}
            if json.dumps(other, sort_keys=True) == json.dumps(header, sort_keys=True):
                continue
            path.write_bytes(container.pack(other, arrays))
            try:
                loaded = sf.load(path)
            except InvalidFile:
                continue
            if key == "feature_names":
                assert loaded.feature_names is None
                continue
            assert key == "signed"
            assert loaded == s


@pytest.mark.parametrize("kind", ["counts", "mixed"])
def test_a_file_with_a_name_twice_is_invalid(kind, tmp_path):
    path = tmp_path / "s"
    STORED[kind].save(path)
    header, arrays = container.unpack(path.read_bytes(), "s")
    names = header["feature_names"]["tuple"]
    for others in ([*names[:-1], names[0]], [*names, names[0]], names[1:]):
        changed = with_field(header, "feature_names", {"tuple": others})
        path.write_bytes(container.pack(changed, arrays))
        with pytest.raises(InvalidFile, match="name"):
            sf.load(path)


def changed(arrays, name, work):
    return {**arrays, name: work(arrays[name].copy())}


FORGED = {
    "negative rows": ("tables.rows", lambda a: a - 9),
    "more values than rows": ("tables.rows", lambda a: a + 9),
    "no rows": ("count", lambda a: a * 0),
    "negative weight": ("weight", lambda a: -a),
    "infinite weight": ("tables.weight", lambda a: a / 0.0 + np.inf),
    "rows as floats": ("tables.rows", lambda a: a.astype(float)),
    "another shape": ("tables.weight", lambda a: a[:-1]),
    "one class fewer": ("count", lambda a: a[:-1]),
}


@pytest.mark.parametrize("case", FORGED)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_numbers_that_no_rows_have_are_invalid(case, tmp_path):
    path = tmp_path / "s"
    STORED["counts"].save(path)
    header, arrays = container.unpack(path.read_bytes(), "s")
    path.write_bytes(container.pack(header, changed(arrays, *FORGED[case])))
    with pytest.raises(InvalidFile, match=str(path)):
        sf.load(path)


FORGED_WEIGHTS = {
    "of a level without rows": lambda a: np.where(a == 0, 1.0, a),
    "above that of the class": lambda a: a * 100,
}


@pytest.mark.parametrize("case", FORGED_WEIGHTS)
def test_weights_that_no_rows_have_are_invalid(case, tmp_path):
    path = tmp_path / "s"
    STORED["counts"].save(path)
    header, arrays = container.unpack(path.read_bytes(), "s")
    path.write_bytes(container.pack(header, changed(arrays, "tables.weight", FORGED_WEIGHTS[case])))
    with pytest.raises(InvalidFile):
        sf.load(path)


@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.uint8, np.float64, np.float32])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("order", ["C", "F"])
def test_the_compiled_path_counts_as_the_plain_one(dtype, weighted, order, monkeypatch):
    monkeypatch.setenv("SUFFICE_NUM_THREADS", "3")
    rng = np.random.default_rng(0)
    X = np.asarray(rng.integers(0, [2, 5, 90], (101, 3)), dtype, order)
    y = rng.choice(["a", "b", "c"], 101)
    w = rng.integers(0, 3, 101) / 4 if weighted else None
    plain = sf.count_levels(X, y, w)
    monkeypatch.setattr(count_pass, "COMPILED_FROM", 0)
    compiled = sf.count_levels(X, y, w)
    assert compiled == plain
    assert compiled.digest() == plain.digest()
    monkeypatch.setattr(count_pass, "MOST_CELLS", 10)
    assert sf.count_levels(X, y, w).digest() == plain.digest()


@pytest.mark.parametrize(
    "dtype",
    [
        "uint64",
        ">i4",
        ">f8",
        "f2",
    ],
)
def test_the_compiled_path_takes_every_type_of_numbers(dtype, monkeypatch):
    X = np.random.default_rng(0).integers(0, 4, (50, 2))
    y = np.arange(50) % 2
    plain = sf.count_levels(X, y)
    monkeypatch.setattr(count_pass, "COMPILED_FROM", 0)
    assert sf.count_levels(X.astype(dtype), y) == plain


@pytest.mark.parametrize("largest", [2**62, 2**63 - 1])
def test_the_compiled_path_leaves_enormous_levels_to_the_plain_one(largest, monkeypatch):
    X, y = np.array([[largest], [1], [2]]), [0, 1, 2]
    plain = sf.count_levels(X, y)
    monkeypatch.setattr(count_pass, "COMPILED_FROM", 0)
    assert sf.count_levels(X, y) == plain


@pytest.mark.parametrize("bad", [-1, np.nan, np.inf, 0.5], ids=str)
def test_the_compiled_path_judges_odd_values_as_the_plain_one(bad, monkeypatch):
    X = np.array([[0.0, 1.0], [2.0, 1.0], [1.0, bad]])
    X = X.astype(int) if bad == -1 else X

    def outcome():
        try:
            return sf.count_levels(X, [0, 1, 1]).digest()
        except SufficeError as error:
            return type(error), str(error)

    plain = outcome()
    monkeypatch.setattr(count_pass, "COMPILED_FROM", 0)
    assert outcome() == plain


FRAMES = {
    "pandas": lambda c: pd.DataFrame(c),
    "pandas objects": lambda c: pd.DataFrame(c).astype(object),
    "pandas nullable": lambda c: pd.DataFrame(c).convert_dtypes(),
    "pandas categories": lambda c: pd.DataFrame(c).astype("category"),
    "pandas arrow": lambda c: pd.DataFrame(c).convert_dtypes(dtype_backend="pyarrow"),
    "polars": lambda c: pl.DataFrame(c),
    "polars categories": lambda c: pl.DataFrame(c).cast({"colour": pl.Categorical}),
    "pyarrow": lambda c: pa.table(c),
    "pyarrow dictionaries": lambda c: pa.table(
        {**c, "colour": pa.array(c["colour"]).dictionary_encode()}
    ),
}
COLUMNS = {
    "colour": ["red", None, "blue", "red", "green"],
    "size": [3, 0, None, 1, 3],
    "old": [True, None, False, True, True],
    "grade": [0, 1, 2, 1, 0],
    "half": [0.5, 1.0, None, 0.5, 2.0],
}


@pytest.mark.parametrize("form", FRAMES)
def test_frames_count_as_arrays_and_bring_their_names(form):
    y = ["a", "b", "a", "b", "a"]
    X = np.array(list(COLUMNS.values()), dtype=object).T
    plain = sf.count_levels(X, y)
    found = sf.count_levels(FRAMES[form](COLUMNS), y)
    assert found.feature_names == tuple(COLUMNS)
    assert plain.feature_names is None
    for a, b in zip(found.tables, plain.tables, strict=True):
        assert a.levels.dtype.kind == b.levels.dtype.kind
        assert np.array_equal(a.levels, b.levels)
        assert np.array_equal(a.rows, b.rows)
        assert np.array_equal(a.weight, b.weight)


@pytest.mark.parametrize("form", ["pandas", "polars", "pyarrow"])
def test_a_frame_may_hold_the_labels(form):
    y = ["a", "b", "a", "b", "a"]
    whole = FRAMES[form]({**COLUMNS, "kind": y})
    assert sf.count_levels(whole, target="kind") == sf.count_levels(FRAMES[form](COLUMNS), y)


def test_masked_entries_are_missing():
    X = np.ma.masked_array([[0, 1], [2, 1]], [[False, True], [False, False]])
    assert sf.count_levels(X, [0, 1]) == sf.count_levels([[0, None], [2, 1]], [0, 1])


def test_whole_numbers_are_integers_whatever_their_type():
    wanted = sf.count_levels(np.array([[0], [3]]), [0, 1])
    for X in ([[0.0], [3.0]], [[0], [3]], np.array([[0], [3]], np.uint8)):
        assert sf.count_levels(X, [0, 1]).digest() == wanted.digest()


def test_large_integers_stay_apart_beside_a_gap():
    s = sf.count_levels([[2**53], [2**53 + 1], [None]], [0, 0, 0])
    assert s.tables[0].levels.tolist() == [2**53, 2**53 + 1]


def test_an_integer_beyond_the_range_is_not_called_negative():
    with pytest.raises(InvalidFeatures, match=str(2**63 + 5)):
        sf.count_levels(np.array([[2**63 + 5], [1]], np.uint64), [0, 1])


@stored
def test_counts_cannot_be_changed_in_place(kind):
    s = STORED[kind] if isinstance(STORED[kind], sf.Counts) else STORED[kind].discrete
    if s is None:
        s = STORED[kind].numeric
    arrays = [s.count, s.weight, *(t.rows for t in getattr(s, "tables", ()))]
    assert not any(array.flags.writeable for array in arrays)


MISMATCHED = {
    "width": (sf.count_levels([["a"]], [0]), "the other 1"),
    "names": (sf.count_levels(pd.DataFrame({"p": ["a"], "q": [1]}), [0]), "names"),
    "kinds": (sf.count_levels([[1, 1]], [0]), "feature 0 have two types"),
    "labels": (sf.count_levels([["a", 1]], ["x"]), "label"),
}


@pytest.mark.parametrize("case", MISMATCHED)
def test_counts_of_other_things_do_not_mix(case):
    s = sf.count_levels([["a", 1], ["b", 0]], [0, 1])
    other, message = MISMATCHED[case]
    with pytest.raises(Mismatch, match=message):
        s + other
    with pytest.raises(Mismatch, match=message):
        s - other
    assert s != other


def test_mixed_statistics_of_other_layouts_do_not_mix():
    a, b = of_frame(FRAME), of_frame(FRAME.assign(size=["s", "m", "l", "l"]))
    with pytest.raises(Mismatch, match="numeric on one side"):
        a + b
    with pytest.raises(Mismatch, match="names"):
        a + of_frame(FRAME.rename(columns={"size": "length"}))


@pytest.mark.parametrize("s", [STORED["counts"], STORED["mixed"]], ids=["counts", "mixed"])
def test_nothing_but_statistics_is_added_or_compared(s):
    for other in (1, "x", None, sf.summarize([[1.0]], [0])):
        with pytest.raises(TypeError):
            s + other
        with pytest.raises(TypeError):
            s - other
        assert s != other
    with pytest.raises(TypeError):
        hash(s)
    assert "4 rows" in repr(s)


def test_labels_and_weights_must_be_one_a_row():
    with pytest.raises(InvalidInput, match="2 rows but y has 3"):
        sf.count_levels([["a"], ["b"]], [0, 1, 1])
    with pytest.raises(InvalidWeights):
        sf.count_levels([["a"], ["b"]], [0, 1], [1.0])
    with pytest.raises(InvalidWeights):
        sf.count_levels([["a"], ["b"]], [0, 1], [1.0, -1.0])
