"""The walker: whatever is registered can be saved, and nothing else is built from a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import suffice as sf
from forged import with_field
from suffice.data.arrays import Array, Floats, Indices
from suffice.errors import InvalidFile
from suffice.estimators.files import file_of
from suffice.models.covariances.covariance import DiagonalCovariance
from suffice.statistics.storage import container, registry
from suffice.statistics.storage.rebuilding import read
from suffice.statistics.storage.registry import STORABLE, storable
from suffice.statistics.storage.room import Room
from suffice.statistics.storage.saving import Savable
from suffice.statistics.storage.walker import to_arrays

X = np.random.default_rng(0).normal(size=(60, 3))


@storable
@dataclass(frozen=True)
class Anything:
    """A value of any kind."""

    content: Any


@storable
@dataclass(frozen=True, eq=False)
class Extremes:
    """Smallest and largest value of each feature in a class."""

    low: Floats
    high: Floats

    def validated(self):
        if self.low.shape != self.high.shape or (self.low > self.high).any():
            raise ValueError("the smallest value is above the largest")
        return self


@storable
@dataclass(frozen=True, eq=False)
class Ranges(Savable):
    """Statistics of a kind that the package does not have."""

    classes: Array
    count: Indices
    of_class: tuple[Extremes, ...]
    units: Mapping[str, float]
    feature_names: tuple[str, ...] | None = None


@storable
@dataclass(frozen=True, slots=True)
class Tilted(DiagonalCovariance):
    """A covariance of a kind that the package does not have."""

    angle: float


def ranges():
    rows = [X[i::3] for i in range(3)]
    each = tuple(Extremes(part.min(axis=0), part.max(axis=0)) for part in rows)
    return Ranges(np.array(["ant", "bee", "cät"]), np.full(3, 20), each, {"m": 1.0, "a b": -np.inf})


def roundtrip(value):
    """What is read of what was written, through the bytes of a file."""
    data = container.pack(*to_arrays(value))
    header, arrays = container.unpack(data, "it")
    about = {name: node for name, node in header.items() if name not in container.OUTER}
    return read(about, arrays, Room(len(data)))


def same(a, b):
    if isinstance(a, np.ndarray):
        return (
            isinstance(b, np.ndarray)
            and (a.dtype == b.dtype or a.dtype.kind == b.dtype.kind == "U")
            and a.shape == b.shape
            and np.isfortran(a) == np.isfortran(b)
            and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
        )
    if isinstance(a, Mapping):
        return type(b) is dict and [*a] == [*b] and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, Anything):
        return isinstance(b, Anything) and same(a.content, b.content)
    return type(a) is type(b) and (a == b or (a != a and b != b))


def test_statistics_of_a_new_class_are_saved_without_a_line_of_file_code(tmp_path):
    s = ranges()
    sf.save(s, tmp_path / "s")
    again = sf.load(tmp_path / "s")
    assert type(again) is Ranges
    assert again.digest() == s.digest()
    assert again.units == s.units
    assert np.array_equal(again.of_class[1].high, s.of_class[1].high)


def test_a_new_covariance_is_saved_without_a_line_of_file_code(tmp_path):
    model = sf.GaussianMixture(2, covariance_type="diag", random_state=0).fit(X)
    mixture = model._fitted
    tilted = tuple(
        Tilted(one.variances, 0.1 * i) for i, one in enumerate(mixture.components.covariances)
    )
    components = replace(mixture.components, covariances=tilted)
    model._state = replace(model._state, kept={"model": replace(mixture, components=components)})
    model.save(tmp_path / "m")
    again = sf.load(tmp_path / "m")
    assert [one.angle for one in again._fitted.components.covariances] == [0.0, 0.1]
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_a_field_that_is_none_leaves_no_trace_in_the_file():
    header, arrays = to_arrays(ranges())
    assert not [name for name in (*header, *arrays) if "feature_names" in name]
    header, _ = to_arrays(replace(ranges(), feature_names=("u", "v", "w")))
    assert header["feature_names"] == {"tuple": ["u", "v", "w"]}


def test_each_value_is_checked_by_its_class_when_it_is_read(tmp_path):
    header, arrays = container.unpack(file_of(ranges()), "it")
    path = tmp_path / "s"
    path.write_bytes(container.pack(header, arrays | {"of_class.low": arrays["of_class.high"] + 1}))
    with pytest.raises(InvalidFile, match="smallest value is above the largest"):
        sf.load(path)


FIELDS = {
    "numbers for labels": ("classes", 3, "classes has the wrong type"),
    "floats for counts": ("count", {"list": [20.0, 20.0, 20.0]}, "count has the wrong type"),
    "a list for a tuple": ("of_class", {"list": []}, "of_class has the wrong type"),
    "values of another class": ("of_class", {"tuple": [{"kind": "Anything"}]}, "wrong type"),
    "texts for numbers": ("units", {"names": {"m": "1"}}, "units has the wrong type"),
    "flags for numbers": ("units", {"names": {"m": True}}, "units has the wrong type"),
    "a class of another package": ("of_class", {"kind": "Popen", "args": "ls"}, "'Popen'"),
    "no count": ("count", None, "lacks the field 'count'"),
    "another field": ("wisdom", 1, "'wisdom'"),
    "two forms": ("units", {"list": [], "tuple": []}, "no known form"),
    "an unknown form": ("units", {"code": "import os"}, "unknown form 'code'"),
    "a number beyond floats": ("units", {"names": {"m": 10**400}}, "no float can hold"),
    "an unknown float": ("units", {"names": {"m": {"float": "pi"}}}, "unknown form 'float'"),
    "parts without forms": ("of_class", {"tuple": {"forms": []}}, "unknown forms"),
    "forms that are none": ("of_class", {"tuple": {"forms": 3}}, "no forms"),
}


@pytest.mark.parametrize("what", FIELDS)
def test_what_does_not_conform_to_the_type_hints_is_an_error_that_says_where(what, tmp_path):
    header, arrays = container.unpack(file_of(ranges()), "it")
    path, node, said = FIELDS[what]
    (tmp_path / "s").write_bytes(container.pack(with_field(header, path, node), arrays))
    with pytest.raises(InvalidFile, match=said):
        sf.load(tmp_path / "s")


def test_what_is_not_registered_is_neither_written_nor_read(monkeypatch, tmp_path):
    sf.save(ranges(), tmp_path / "s")
    monkeypatch.delitem(STORABLE, "Extremes")
    with pytest.raises(TypeError, match="Extremes, which is not registered"):
        to_arrays(ranges())
    with pytest.raises(
        InvalidFile, match="'Extremes', which this version of suffice does not know"
    ):
        sf.load(tmp_path / "s")
    monkeypatch.delitem(STORABLE, "Ranges")
    with pytest.raises(InvalidFile, match="'Ranges', which this version cannot read"):
        sf.load(tmp_path / "s")


def test_a_name_belongs_to_one_class():
    with pytest.raises(TypeError, match="already hold another DiagonalCovariance"):
        storable(type("DiagonalCovariance", (), {"__module__": "elsewhere"}))


dtypes = st.sampled_from([np.float64, np.int64, np.bool_, np.uint8, np.float32, np.dtype("<U3")])
texts = st.text(st.characters(codec=None), max_size=5)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | texts
arrays = dtypes.flatmap(
    lambda dtype: npst.arrays(
        dtype,
        npst.array_shapes(max_dims=1 if dtype == np.dtype("<U3") else 3, min_side=0, max_side=3),
        elements=st.text("abä", max_size=3) if dtype == np.dtype("<U3") else None,
    )
)
turned = arrays.map(lambda array: np.asfortranarray(array))


def nested(values):
    items = st.lists(values, max_size=4)
    keys = st.text("ab .#:é", max_size=4) | st.integers(-5, 5)
    return (
        items | items.map(tuple) | st.dictionaries(keys, values, max_size=4) | values.map(Anything)
    )


@given(st.recursive(scalars | arrays | turned, nested, max_leaves=12))
def test_any_value_comes_back_as_it_was_and_gives_the_same_bytes_again(value):
    again = roundtrip(Anything(value)).content
    assert same(value, again)
    assert container.pack(*to_arrays(Anything(again))) == container.pack(
        *to_arrays(Anything(value))
    )


@pytest.mark.parametrize(
    "values",
    [
        ["a"] * 65,
        [*range(1000)],
        [2**63] * 65,
        [0.5] * 65,
        [True] * 65,
        [None, 1, "a", 2.5] * 20,
        [[1], [True], [1.0], [1]],
        ["x" * 5000, "y"],
        [np.arange(3), np.arange(3) / 2, np.array(["a", "bc"]), np.array([True])],
        [np.arange(4).reshape(2, 2), np.zeros((0, 3)), np.float64(0.5), "a", 2**70, None],
        [[np.arange(2)], [np.arange(3), np.zeros(1)], []],
        {i: i / 2 for i in range(100)},
        {f"k{i}": np.arange(i) for i in range(100)},
        {b"ab": 1, b"": 2},
    ],
    ids=lambda values: str(values)[:30],
)
def test_long_and_mixed_sequences_come_back_as_they_were(values):
    plain = [one.item() if isinstance(one, np.generic) else one for one in values]
    expected = values if isinstance(values, dict) else plain
    assert same(expected, roundtrip(Anything(values)).content)


def test_the_header_does_not_grow_with_the_number_of_values():
    def size(count):
        s = ranges()
        value = Anything([Tilted(np.full(2, 1.0 + i), i / 7) for i in range(count)])
        return len(str(to_arrays(value)[0])), len(to_arrays(value)[1]), s

    assert size(10)[:2] == size(1000)[:2]


def test_arrays_are_tested_through_an_alias_as_those_of_numpy_2_5():
    extensions = pytest.importorskip("typing_extensions")
    scalar = TypeVar("scalar")
    of_scalars = np.ndarray[Any, np.dtype[scalar]]
    alias = extensions.TypeAliasType("alias", of_scalars, type_params=(scalar,))
    for hint in (alias[np.float64], alias[np.float64] | None):
        conforms = registry.conforms_to(hint)
        assert conforms(np.ones(2))
        assert not conforms(np.array([np.nan]))
        assert not conforms(np.ones(2, np.int64))
    assert registry.conforms_to(alias[Any])(np.ones(2, np.int64))
