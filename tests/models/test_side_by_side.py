"""All classes measured by one product: the same distances as class by class, or left alone."""

from __future__ import annotations

import numpy as np
import pytest

import suffice as sf
from suffice.models.covariances.side_by_side import SideBySide


def _model(rows: np.ndarray, labels: np.ndarray):
    return sf.QuadraticDiscriminantAnalysis().fit(rows, labels)._fitted


def _rows(d: int, k: int, apart: float = 1.0, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(k), 4 * d + 4)
    mixing = rng.normal(size=(k, d, d))
    rows = np.einsum("nij,nj->ni", mixing[labels], rng.normal(size=(len(labels), d)))
    return rows + apart * rng.normal(size=(k, d))[labels], labels


@pytest.mark.parametrize(("d", "k"), [(1, 2), (3, 4), (16, 3), (17, 2), (37, 3), (64, 5), (70, 2)])
def test_equals_class_by_class(d: int, k: int) -> None:
    rows, labels = _rows(d, k)
    model = _model(rows, labels)
    assert model.side_by_side is not None
    found = model.side_by_side.squared_distances(rows)
    np.testing.assert_allclose(found, model._distances(rows), rtol=1e-11)


@pytest.mark.parametrize("n", [1, 63, 64, 65, 5000])
def test_any_number_of_rows(n: int) -> None:
    rows, labels = _rows(20, 3)
    model = _model(rows, labels)
    many = np.resize(rows, (n, 20))
    found = model.side_by_side.squared_distances(many)
    np.testing.assert_allclose(found, model._distances(many), rtol=1e-11)


def test_far_from_zero_costs_nothing() -> None:
    rows, labels = _rows(5, 3)
    rows += 1e9
    model = _model(rows, labels)
    assert model.side_by_side is not None
    found = model.side_by_side.squared_distances(rows)
    np.testing.assert_allclose(found, model._distances(rows), rtol=1e-11)


def test_distant_classes_are_measured_one_by_one() -> None:
    rows, labels = _rows(3, 2, apart=1e9)
    model = _model(rows, labels)
    assert model.side_by_side is None
    steps = rows[0] - model.means - model.means_low
    exact = [float(s @ np.linalg.solve(S, s)) for s, S in zip(steps, model.matrices, strict=True)]
    np.testing.assert_allclose(model.squared_distances(rows[:1])[0], exact, rtol=1e-9)


def test_large_factors_are_not_kept_twice() -> None:
    d = int(SideBySide.most_entries**0.5)
    rng = np.random.default_rng(0)
    model = _model(rng.normal(size=(4 * d, d)), np.arange(4 * d) % 2)
    assert model.side_by_side is None
