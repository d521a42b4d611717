"""Which directions a covariance has: all that float64 can resolve, and no others."""

from __future__ import annotations

import numpy as np
import pytest

import suffice as sf
from suffice.errors import RepairedModel
from suffice.models.covariances.linalg import cholesky_solve, rank_tolerance


def narrow(layout, d, spread, seed=0):
    """Rows whose classes differ only along a direction of so small a spread, and their labels."""
    rng = np.random.default_rng(seed)
    y = np.arange(3000) % 2
    X = rng.normal(size=(3000, d))
    signal = spread * (X[:, -1] + 1.2 * y)
    if layout == "one factor":
        X = rng.normal(size=(3000, 1)) + 1e-2 * X
        X[:, -1] = X[:, :-1].mean(axis=1) + signal
    elif layout == "copy":
        X[:, -1] = X[:, 0] + signal
    else:
        rotation = np.linalg.qr(rng.normal(size=(d, d)))[0]
        X[:, -1] = signal
        X = X @ rotation
    return X, y


@pytest.mark.parametrize("layout", ["one factor", "copy", "rotated"])
@pytest.mark.parametrize("d", [2, 3, 12, 40])
@pytest.mark.parametrize("model", [sf.LDA, sf.QDA])
@pytest.mark.parametrize("spread", [1e-3, 1e-6])
def test_a_direction_of_small_spread_decides_if_classes_differ_along_it(layout, d, model, spread):
    X, y = narrow(layout, d, spread)
    wide, _ = narrow(layout, d, 1.0)
    half = slice(0, 1500), slice(1500, 3000)
    found = model().fit(X[half[0]], y[half[0]])
    assert all(covariance.rank == d for covariance in found._fitted.covariances)
    # The best there is: the same rows in units in which the spread is one.
    best = model().fit(wide[half[0]], y[half[0]]).score(wide[half[1]], y[half[1]])
    assert best > 0.6
    assert abs(found.score(X[half[1]], y[half[1]]) - best) < 0.02


@pytest.mark.parametrize("layout", ["one factor", "copy", "rotated"])
@pytest.mark.parametrize("d", [2, 12])
@pytest.mark.parametrize("spread", [1e-8, 1e-10, 0.0])
def test_a_direction_that_float64_cannot_resolve_is_left_out_with_a_warning(layout, d, spread):
    X, y = narrow(layout, d, spread)
    with pytest.warns(RepairedModel, match="linearly dependent.*1 of"):
        model = sf.LDA().fit(X, y)
    assert model._fitted.covariances[0].rank == d - 1


@pytest.mark.parametrize("offset", [0.0, 1e4])
@pytest.mark.parametrize("factor", [1e-6, 1.0, 1e6])
def test_neither_units_nor_offsets_decide_what_is_left_out(offset, factor):
    X, y = narrow("copy", 5, 1e-6)
    X = (np.rint(X * 2**30) / 2**30 + offset) * [1.0, factor, 1.0, 1.0, 1.0]
    assert sf.LDA().fit(X, y)._fitted.covariances[0].rank == 5


def columns(kind, rng):
    """Rows of which the last column depends on the others."""
    n, d = int(rng.choice([30, 200, 2000])), int(rng.choice([2, 3, 6, 20]))
    X = {
        "normal": lambda: rng.normal(size=(n, d)) * 10 ** rng.uniform(-3, 3, d),
        "integers": lambda: rng.integers(0, 20, (n, d)).astype(float),
        "flags": lambda: (rng.random((n, d)) < 0.3).astype(float),
        "skew": lambda: np.exp(2 * rng.normal(size=(n, d))),
        "indicators": lambda: np.eye(d)[rng.permutation(np.arange(n) % d)],
    }[kind]()
    if kind != "indicators":
        X[:, -1] = [
            lambda: 3.7 * X[:, 0],
            lambda: X[:, :-1].sum(axis=1),
            lambda: X[:, :-1] @ rng.normal(size=d - 1),
        ][rng.integers(3)]()
    return X + rng.choice([0.0, 100.0]), np.arange(n) % 2


@pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")
@pytest.mark.parametrize("kind", ["normal", "integers", "flags", "skew", "indicators"])
def test_columns_that_depend_on_others_are_recognised_whatever_the_rounding(kind):
    rng = np.random.default_rng(3)
    for _ in range(40):
        X, y = columns(kind, rng)
        varies = int((X.std(axis=0) > 0).sum())
        assert sf.LDA().fit(X, y)._fitted.covariances[0].rank < varies


@pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")
@pytest.mark.parametrize("dependence", ["copy", "sum", "shares"])
def test_columns_of_float32_that_depend_on_others_are_recognised(dependence):
    rng = np.random.default_rng(4)
    for _ in range(20):
        X = rng.normal(1.0, 1.0, size=(500, 5)).astype(np.float32)
        if dependence == "copy":
            X[:, -1] = np.float32(3.7) * X[:, 0]
        elif dependence == "sum":
            X[:, -1] = X[:, :-1].sum(axis=1)
        else:
            X = np.abs(X)
            X /= X.sum(axis=1, keepdims=True)
        assert sf.LDA().fit(X, np.arange(500) % 2)._fitted.covariances[0].rank == 4


def test_rounding_of_the_scatter_stays_far_below_the_tolerance():
    rng = np.random.default_rng(5)
    worst = 0.0
    for _ in range(100):
        flags = (rng.random((3000, 3)) < 0.2).astype(float)
        flags[:, 2] = flags[:, 0]
        scatter = sf.summarize(flags, np.zeros(3000)).scatter[0]
        scale = np.sqrt(scatter.diagonal())
        worst = max(worst, abs(np.linalg.eigvalsh(scatter / scale / scale[:, None])[0]))
    assert worst < rank_tolerance(3) / 2


@pytest.mark.parametrize("seed", range(8))
def test_a_system_that_rounding_makes_indefinite_is_solved_where_it_can_be(seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(2, 4))
    matrix = rows.T @ rows
    columns = matrix @ rng.normal(size=(4, 2))
    solution, log_determinant = cholesky_solve(matrix.copy(), columns.copy())
    np.testing.assert_allclose(matrix @ solution, columns, atol=1e-10)
    assert np.abs(solution).max() < 100
    assert np.isfinite(log_determinant)
