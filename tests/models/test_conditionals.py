"""Inverses that EM reads regressions off: with eigenvalues or, far cheaper, without them."""

from __future__ import annotations

import numpy as np
import pytest

from suffice.models import conditionals
from suffice.models.conditionals import Inverses
from suffice.models.covariances.linalg import factor_of, invert_all
from suffice.models.em.gap_em import are_positive


def covariances(smallest, count=5, d=12, seed=0):
    """Random ones, (count, d, d), whose smallest eigenvalue is about this share."""
    rng = np.random.default_rng(seed)
    axes = np.linalg.qr(rng.normal(size=(count, d, d)))[0]
    sizes = np.geomspace(smallest, 1, d)
    scale = rng.uniform(0.1, 10, size=(count, d))
    return (axes * sizes) @ axes.transpose(0, 2, 1) * scale[:, :, None] * scale[:, None, :]


SHARES = [0.5, 1e-2, 1e-3, 1e-4, 1e-5, 1e-9, 1e-13]


@pytest.mark.parametrize("smallest", SHARES)
def test_inverses_are_the_same_whether_norms_or_eigenvalues_prove_them(smallest, monkeypatch):
    some = covariances(smallest)
    found = Inverses.of(some)
    monkeypatch.setattr(conditionals, "_proven_steady", lambda *_: None)
    wanted = Inverses.of(some)
    for name in ("scale", "regular", "steady", "inverse", "log_volume"):
        np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name))
    signs, volumes = np.linalg.slogdet(wanted.inverse)
    np.testing.assert_allclose(wanted.log_volume, -volumes, rtol=1e-10)
    assert (signs == 1).all()


def test_an_indefinite_covariance_is_not_proven_steady():
    indefinite = np.array([[[1.0, 2.0], [2.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]]])
    found = Inverses.of(indefinite)
    assert found.regular.tolist() == found.steady.tolist() == [False, True]


def test_well_conditioned_covariances_need_no_eigenvalues(monkeypatch):
    monkeypatch.setattr(np.linalg, "eigvalsh", None)
    assert Inverses.of(covariances(0.1)).steady.all()


@pytest.mark.parametrize("smallest", [0.1, 1e-9, 0.0, 1e-17, -1e-17, -1e-9, -0.1])
def test_a_matrix_is_positive_if_no_eigenvalue_is_clearly_negative(smallest):
    axes = np.linalg.qr(np.random.default_rng(1).normal(size=(9, 9)))[0]
    sizes = np.append(np.linspace(0.5, 3, 8), smallest)
    matrix = (axes * sizes) @ axes.T
    assert are_positive(matrix[None]) == (smallest > -1e-12)
    assert not are_positive(np.stack([matrix, -np.eye(9)]))


@pytest.mark.parametrize("d", [3, 20])
def test_matrices_are_inverted_together_as_each_alone(d):
    rows = np.random.default_rng(0).normal(size=(2, 4, 2 * d, d))
    matrices = rows.mT @ rows
    inverses, volumes = invert_all(matrices)
    np.testing.assert_allclose(
        inverses @ matrices, np.broadcast_to(np.eye(d), matrices.shape), atol=1e-9
    )
    np.testing.assert_allclose(volumes, np.linalg.slogdet(matrices)[1])


@pytest.mark.parametrize("rank", [0, 2, 5])
def test_the_rows_of_a_factor_have_the_scatter_as_outer_products(rank):
    rows = np.random.default_rng(0).normal(size=(rank, 5)) * [1e-9, 1.0, 0.0, 1e9, 3.0]
    scatter = rows.T @ rows
    factor = factor_of(scatter)
    assert len(factor) <= rank
    scale = np.sqrt(scatter.diagonal()) + (scatter.diagonal() == 0)
    np.testing.assert_allclose(
        factor.T @ factor / scale / scale[:, None], scatter / scale / scale[:, None], atol=1e-14
    )
