"""What is forgotten is gone: from the model, from its pickle and from its file."""

import itertools
import pickle

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_wine

import suffice as sf
from forged import parts_of, without
from lawful import EXHAUSTIVE
from suffice.data.sources.files import read_whole
from suffice.errors import InvalidParameter, LostPrecision, NeverIncluded
from suffice.statistics.storage.container import unpack

# Repaired models are tested with the others.
pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")

X, Y = load_wine(return_X_y=True)
SPREAD = X.std(axis=0)
RNG = np.random.default_rng(0)
GAPS = np.where(RNG.random(X.shape) < 0.05, np.nan, X)
WIDE = np.hstack([X, RNG.normal(size=(len(X), 200))])
LEVELS = np.clip((X - X.min(0)) / np.ptp(X, axis=0) * 5, 0, 4).astype(int)

MODELS = {
    "LDA": lambda: sf.LDA(),
    "QDA": lambda: sf.QDA(),
    "GaussianNB": lambda: sf.GaussianNB(),
    "DiagonalLDA": lambda: sf.DiagonalLDA(),
    "regularised": lambda: sf.GaussianDiscriminant(pooling=0.5, shrinkage=0.1),
    "Ledoit-Wolf": lambda: sf.LDA(shrinkage="ledoit-wolf"),
    "Bayesian": lambda: sf.BayesianDiscriminant(),
}
MOMENTS = {
    **{name: (make, X) for name, make in MODELS.items()},
    **{f"{name} with gaps": (MODELS[name], GAPS) for name in ("LDA", "QDA", "GaussianNB")},
    **{f"wide {name}": (MODELS[name], WIDE) for name in ("LDA", "Ledoit-Wolf", "GaussianNB")},
}
COUNTS = {
    "BernoulliNB": (lambda: sf.BernoulliNB(), (LEVELS > 2).astype(int)),
    "CategoricalNB": (lambda: sf.CategoricalNB(), LEVELS),
    "MixedNB": (lambda: sf.MixedNB(categorical=[0, 1, 2]), np.hstack([LEVELS[:, :3], X])),
}
ALL = {**MOMENTS, **COUNTS}


def contents(data):
    """Every array in a file, those of parts one by one, by name; and the header."""
    header, arrays = unpack(data, "file")
    found = {"header": header} | {key: a for key, a in arrays.items() if "#shapes" not in key}
    for path in {key.partition("#shapes")[0] for key in arrays if "#shapes" in key}:
        found = without(path, found)
        for i, part in enumerate(parts_of(path, arrays)):
            found |= {f"{path}{key}/{i}": array for key, array in part.items()}
    return found


def saved(model, folder):
    model.save(folder / "model")
    return contents(read_whole(folder / "model"))


def shapes(model, folder):
    return {key: np.shape(part) for key, part in saved(model, folder).items()}


def held(value, at="", seen=None):
    """Every array that an object refers to, by the path to it."""
    seen = {} if seen is None else seen
    if isinstance(value, np.ndarray) and value.dtype != object:
        return {at: value}
    if id(value) in seen:
        return {}
    seen[id(value)] = value
    parts = {}
    if isinstance(value, dict):
        parts = {str(key): part for key, part in value.items()}
    elif isinstance(value, list | tuple):
        parts = {str(i): part for i, part in enumerate(value)}
    else:
        names = [*getattr(value, "__dict__", {}), *getattr(type(value), "__slots__", ())]
        parts = {name: getattr(value, name, None) for name in names}
    out = {}
    for name, part in parts.items():
        out |= held(part, f"{at}.{name}", seen)
    return out


def histories(make, table, gone):
    """Models that forgot some rows, and what never having seen them is, by name."""
    keep = np.setdiff1d(np.arange(len(Y)), gone)
    never = make().fit(table[keep], Y[keep])
    yield "at once", make().fit(table, Y).forget(table[gone], Y[gone]), never
    batches = make().fit(table[keep], Y[keep]).partial_fit(table[gone], Y[gone])
    yield "added and forgotten", batches.forget(table[gone], Y[gone]), never
    part_by_part = make().fit(table, Y)
    # Many rows one by one take long.
    for i in np.array_split(gone, min(len(gone), 48 if EXHAUSTIVE and table is not WIDE else 4)):
        part_by_part.forget(table[i], Y[i])
    yield "part by part", part_by_part, never


def assert_same_contents(found, want, tolerance):
    assert found.keys() == want.keys()
    for key, array in want.items():
        other = found[key]
        if not isinstance(array, np.ndarray):
            assert array == other, key
            continue
        assert (array.shape, array.dtype) == (other.shape, other.dtype), key
        if array.dtype.kind != "f" or key.partition("/")[0].endswith("low"):
            continue
        size = np.abs(array).max(initial=0.0, axis=tuple(range(array.ndim - 1)), keepdims=True)
        if array.ndim > 2:
            size = np.sqrt(np.abs(array).max(axis=0).diagonal())
            size = size[:, None] * size
        if "fourth.cubic" in key:  # of a class that is symmetric, zero but for rounding
            quartic = want[key.replace("cubic", "quartic")]
            size = np.maximum(size, quartic[:, None] ** 0.75)
        assert (np.abs(array - other) <= tolerance * size).all(), key


@pytest.mark.parametrize("name", ALL)
def test_the_file_after_forgetting_is_that_of_never_having_seen(name, tmp_path):
    make, table = ALL[name]
    for gone in ([7], [0, 70, 177], list(range(130, 178))):
        for history, model, never in histories(make, table, np.array(gone)):
            got, want = saved(model, tmp_path), saved(never, tmp_path)
            assert_same_contents(got, want, 1e-9), (history, gone)


@pytest.mark.parametrize("name", ALL)
def test_the_pickle_after_forgetting_holds_the_arrays_of_never_having_seen(name):
    make, table = ALL[name]
    for history, model, never in histories(make, table, np.array([3, 60, 140])):
        got, want = (held(pickle.loads(pickle.dumps(m))) for m in (model, never))
        for path, array in want.items():
            # Few rows of many features are held as they came until some are removed.
            if ".factor" in path or ".owner" in path:
                continue
            assert path in got, (history, path)
            assert got[path].shape == array.shape, (history, path)
            assert got[path].dtype == array.dtype, (history, path)
        extra = {path for path in got.keys() - want.keys() if not path.endswith(".low")}
        assert not extra, history


def vectors_of(arrays, d):
    """Every vector of d numbers that arrays hold, and every number beside them."""
    vectors, numbers = [], [1.0]
    for array in arrays.values():
        if not isinstance(array, np.ndarray) or array.dtype.kind not in "fi":
            continue
        if array.ndim and array.shape[-1] == d:
            vectors.extend(np.reshape(array, (-1, d)).astype(float))
        if array.ndim > 1 and array.shape[-2:] == (d, d):
            squares = np.reshape(array, (-1, d, d)).diagonal(axis1=1, axis2=2).astype(float)
            vectors.extend(squares)
            vectors.extend(np.sqrt(np.abs(squares)))
        elif array.size <= 16:
            numbers.extend(array.astype(float).ravel().tolist())
    numbers = sorted({n + i for n in numbers for i in (-1, 0, 1)})
    return np.array(vectors), np.array(numbers)


def closest(arrays, row, d):
    """How near a sum or a difference of products of what a file holds comes to a row."""
    vectors, numbers = vectors_of(arrays, d)
    if len(vectors) > 60:
        vectors = vectors[:: len(vectors) // 60]
    scaled = vectors / SPREAD[:d]
    target = row[:d] / SPREAD[:d]
    best = np.abs(scaled - target).max(axis=1).min()
    for u, sign, unit in itertools.product(scaled, (1.0, -1.0), (np.ones(d), SPREAD[:d])):
        multiples = numbers[:, None] * (u * unit)
        others = sign * numbers[:, None] * (scaled * unit)[:, None]
        # All sums in one feature; in the others only where this one is nearer than the best.
        first = multiples[:, 0] + others[..., 0, None] - target[0]
        v, b, a = np.nonzero(np.abs(first) < best)
        sums = multiples[a] + others[v, b] - target
        best = min(best, np.abs(sums).max(axis=1).min(initial=best))
    return best


@pytest.mark.parametrize("name", ["LDA", "QDA", "GaussianNB", "Ledoit-Wolf", "Bayesian"])
def test_no_forgotten_row_is_found_in_the_file_better_than_without_it(name, tmp_path):
    d = 4
    make, table = MODELS[name], X[:, :d]
    for gone in (5, 100):
        keep = np.delete(np.arange(len(Y)), gone)
        model = make().fit(table, Y).forget(table[[gone]], Y[[gone]])
        never = make().fit(table[keep], Y[keep])
        got, guess = (closest(saved(m, tmp_path), table[gone], d) for m in (model, never))
        assert got >= guess * (1 - 1e-6)


def test_an_outlier_that_was_forgotten_is_nowhere_in_the_file(tmp_path):
    odd = X[:1].copy()
    odd[0, 3] = 12345.678
    for make in MODELS.values():
        model = make().fit(np.vstack([X, odd]), np.append(Y, 0)).forget(odd, [0])
        for array in saved(model, tmp_path).values():
            if isinstance(array, np.ndarray) and array.dtype.kind == "f":
                assert not (np.abs(np.abs(array) - 12345.678) < 1).any()
        assert_same_contents(saved(model, tmp_path), saved(make().fit(X, Y), tmp_path), 1e-6)


def test_a_forgotten_class_leaves_not_even_the_length_of_its_name():
    names = np.array(["a", "b", "a name that is far longer than others"])[Y]
    model = sf.QDA().fit(X, names).forget(X[Y == 2], names[Y == 2])
    assert model.classes_.dtype == "<U1"
    assert b"far longer" not in pickle.dumps(model)


@pytest.mark.parametrize("make", [sf.LDA, sf.QDA, sf.GaussianNB])
def test_rows_whose_columns_are_mostly_zero_can_be_forgotten(make):
    digits, y = load_digits(return_X_y=True)
    for seed in range(5):
        gone = np.random.default_rng(seed).random(len(y)) < 0.5
        model = make().fit(digits, y).forget(digits[gone], y[gone])
        never = make().fit(digits[~gone], y[~gone])
        assert np.array_equal(model.predict(digits), never.predict(digits))
        constant = never.statistics_.squares == 0
        assert np.array_equal(model.statistics_.squares == 0, constant)
        zero = np.broadcast_to(constant, never.means_.shape) & (never.means_ == 0)
        assert not model.means_[zero].any()


@pytest.mark.parametrize("detail", ["separate", "shared", "diagonal"])
@pytest.mark.parametrize("offset", [0.0, 1 / 3, 1e6])
def test_a_feature_that_no_remaining_row_varies_in_is_constant_over_all_classes(detail, offset):
    rng = np.random.default_rng(4)
    y = np.arange(300) % 3
    rows = np.column_stack([rng.normal(size=300), np.full(300, offset)])
    odd = rng.random(300) < 0.2
    rows[odd, 1] += rng.normal(size=odd.sum()) * 7
    left = sf.summarize(rows, y, detail=detail)
    left = left - sf.summarize(rows[odd], y[odd], detail=detail)
    assert not left.squares[:, 1].any()
    assert np.ptp(left.mean[:, 1]) == 0
    np.testing.assert_allclose(left.mean[:, 1], offset, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("detail", ["separate", "shared", "diagonal"])
@pytest.mark.parametrize(
    ("value", "classes"), [(1e8, 1), (1e10, 1), (1e8, 3), (1e10, 3), (1e20, 3), (9.96921e36, 3)]
)
def test_a_spread_that_a_huge_value_has_swallowed_is_not_called_zero(detail, value, classes):
    odd, y = X[:, :5].copy(), Y % classes
    odd[0, 2] = value
    whole = sf.summarize(odd, y, detail=detail)
    with pytest.raises(LostPrecision, match="feature 2"):
        whole - sf.summarize(odd[:1], y[:1], detail=detail)


def test_what_was_chosen_with_the_rows_cannot_forget_them():
    model = sf.LDA(shrinkage="cv").fit(X, Y)
    with pytest.raises(InvalidParameter, match=r"set_params\(shrinkage="):
        model.forget(X[:3], Y[:3])
    assert hasattr(model, "selection_")
    model.set_params(shrinkage=model.shrinkage_).forget(X[:3], Y[:3])
    assert not hasattr(model, "selection_")
    powers = sf.UnskewedDiscriminant().fit(X, Y)
    with pytest.raises(InvalidParameter, match="powers were estimated from these rows"):
        powers.forget(X[:3], Y[:3])


FEATURES_APART = {
    "GaussianNB": lambda: sf.GaussianNB(),
    "DiagonalLDA": lambda: sf.DiagonalLDA(),
    "Bayesian": lambda: sf.BayesianDiscriminant(structure="diagonal"),
}


@pytest.mark.parametrize("make", FEATURES_APART.values(), ids=FEATURES_APART)
def test_with_missing_values_a_small_feature_outlives_a_large_one(make):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 50)
    rows = np.c_[rng.normal(size=100) * 1e7, rng.normal(size=100) + 2 * y]
    rows[0, 0] = np.nan
    gone = np.arange(100) % 10 != 0
    forgot = make().fit(rows, y).forget(rows[gone], y[gone])
    never = make().fit(rows[~gone], y[~gone])
    np.testing.assert_allclose(forgot.predict_proba(rows), never.predict_proba(rows), atol=1e-10)


@pytest.mark.parametrize("name", ["LDA", "QDA", "GaussianNB", "DiagonalLDA", "Bayesian"])
def test_rows_forgotten_one_by_one_leave_constant_features_that_say_nothing(name):
    for seed in range(20 if EXHAUSTIVE else 5):
        rng = np.random.default_rng(seed)
        rows = (rng.random((30, 6)) < 0.15) * rng.integers(1, 9, (30, 6)) / 10 + 0.1
        y = rng.integers(0, 2, 30)
        kept = np.isin(np.arange(30), rng.choice(30, 9, replace=False))
        if np.bincount(y[kept], minlength=2).min() < 3:
            continue
        model = MODELS[name]().fit(rows, y)
        for i in np.flatnonzero(~kept):
            model.forget(rows[[i]], y[[i]])
        never = MODELS[name]().fit(rows[kept], y[kept])
        found, right = (one.predict_proba(rows[kept]) for one in (model, never))
        np.testing.assert_allclose(found, right, atol=1e-6)


@pytest.mark.parametrize("name", ["LDA", "QDA", "GaussianNB"])
def test_a_column_that_varies_by_rounding_alone_can_be_forgotten(name):
    rng = np.random.default_rng(0)
    shares = rng.random((60, 5))
    shares /= shares.sum(axis=1, keepdims=True)
    rows, y = np.c_[shares[:, :3], shares.sum(axis=1)], rng.integers(0, 3, 60)
    assert np.ptp(rows[:, 3]) > 0
    forgot = MODELS[name]().fit(rows, y).forget(rows[:1], y[:1])
    never = MODELS[name]().fit(rows[1:], y[1:])
    np.testing.assert_allclose(forgot.predict_proba(rows), never.predict_proba(rows), atol=1e-12)


@pytest.mark.parametrize("left", [5, 9])
@pytest.mark.parametrize("classes", [1, 2, 3])
@pytest.mark.parametrize("name", ["LDA", "QDA", "Bayesian"])
def test_few_remaining_rows_keep_no_rounding_as_variance(name, classes, left, tmp_path):
    rng = np.random.default_rng(0)
    rows, new = (
        (rng.random((n, 60)) < 0.1) * rng.integers(1, 9, (n, 60)).astype(float) for n in (80, 50)
    )
    y, gone = np.arange(80) % classes, np.arange(80) < 80 - left
    forgot = MODELS[name]().fit(rows, y).forget(rows[gone], y[gone])
    never = MODELS[name]().fit(rows[~gone], y[~gone])
    # The strengths of a prior are found by search, to some digits.
    tolerance = 1e-6 if name == "Bayesian" else 1e-9
    np.testing.assert_allclose(forgot.score_samples(new), never.score_samples(new), rtol=tolerance)
    assert shapes(forgot, tmp_path) == shapes(never, tmp_path)


@pytest.mark.parametrize("rows", range(12, 60, 4))
@pytest.mark.parametrize("name", ["LDA", "QDA"])
def test_forgetting_one_row_leaves_the_arrays_of_never_having_seen_it(name, rows, tmp_path):
    order = np.random.default_rng(0).permutation(len(X))[:rows]
    some, y = X[order], Y[order]
    forgot = MODELS[name]().fit(some, y).forget(some[:1], y[:1])
    never = MODELS[name]().fit(some[1:], y[1:])
    assert shapes(forgot, tmp_path) == shapes(never, tmp_path)


@pytest.mark.parametrize("name", ["LDA", "QDA", "regularised", "Bayesian"])
def test_rows_that_leave_an_impossible_correlation_were_never_included(name):
    rng = np.random.default_rng(0)
    a, y = rng.normal(size=200), np.arange(200) % 2
    rows = np.c_[a, a + 0.05 * rng.normal(size=200)] + 3 * y[:, None]
    model = MODELS[name]().fit(rows, y)
    before = model.predict_proba(rows)
    with pytest.raises(NeverIncluded, match="impossible covariance"):
        model.forget([[1.5, -1.5], [-1.5, 1.5]], [0, 0])
    np.testing.assert_array_equal(model.predict_proba(rows), before)


@pytest.mark.parametrize("name", ["LDA", "QDA"])
def test_digits_that_an_outlier_took_are_lost_and_not_never_included(name):
    rng = np.random.default_rng(0)
    rows, y, w = rng.normal(size=(20, 40)), np.arange(20) % 2, rng.random(20) + 0.1
    rows[0] *= 1e6
    model = MODELS[name]().fit(rows, y, sample_weight=w)
    with pytest.raises(LostPrecision):
        model.forget(rows[:6], y[:6], sample_weight=w[:6])
