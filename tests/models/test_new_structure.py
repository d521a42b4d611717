"""A covariance structure that the package does not know works everywhere: it is one class."""

from __future__ import annotations

import pickle
from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_wine

import suffice as sf
from suffice.errors import InvalidFile
from suffice.models.covariances.covariance import CovarianceEstimate, FullCovariance
from suffice.models.covariances.linalg import whitener
from suffice.models.structures import Structure
from suffice.statistics.storage.registry import STORABLE

X, Y = load_wine(return_X_y=True)
X = X[:, :5]
BLOCKS = ((0, 1, 3), (2, 4))


@dataclass(frozen=True)
class BlockDiagonal(Structure):
    """Features of different blocks are independent given the class."""

    name = "block-diagonal"
    blocks: tuple[tuple[int, ...], ...]

    def entries(self, rank):
        return sum(len(block) * (len(block) + 1) // 2 for block in self.blocks)

    def estimate(self, completed, settings):
        groups = completed.groups
        inside = np.zeros((groups.statistics.n_features,) * 2)
        for block in self.blocks:
            inside[np.ix_(block, block)] = 1.0
        matrices = [inside * groups.shrunk(groups.group(g)) for g in range(groups.size)]
        return CovarianceEstimate(tuple(FullCovariance(whitener(matrix)) for matrix in matrices))


def model(**parameters):
    return sf.GaussianDiscriminant(structure=BlockDiagonal(BLOCKS), **parameters)


def parts(**parameters):
    """The same model as a product of two: blocks are independent, so log-densities add up."""
    fitted = [sf.GaussianDiscriminant(**parameters).fit(X[:, block], Y) for block in BLOCKS]

    def joint(rows):
        scores = [
            one.predict_joint_log_proba(rows[:, block])
            for one, block in zip(fitted, BLOCKS, strict=True)
        ]
        return scores[0] + scores[1] - np.log(fitted[0].priors_)

    return joint


@pytest.mark.parametrize("parameters", [{}, {"pooling": 1.0}, {"pooling": 0.3, "ddof": 1}])
def test_it_predicts_what_the_product_of_its_blocks_does(parameters):
    found = model(**parameters).fit(X, Y).predict_joint_log_proba(X)
    np.testing.assert_allclose(found, parts(**parameters)(X), rtol=1e-10)


def test_it_learns_merges_and_forgets():
    whole = model().fit(X, Y)
    batches = model().partial_fit(X[::2], Y[::2]).partial_fit(X[1::2], Y[1::2])
    merged = model().fit(X[::2], Y[::2]).merge(model().fit(X[1::2], Y[1::2]))
    forgot = model().fit(np.r_[X, X[:9] + 1], np.r_[Y, Y[:9]]).forget(X[:9] + 1, Y[:9])
    for other in (batches, merged, forgot, clone(whole).fit(X, Y)):
        np.testing.assert_allclose(other.predict_proba(X), whole.predict_proba(X), atol=1e-9)


def test_samples_have_its_covariance():
    fitted = model().fit(X, Y)
    rows, labels = fitted.sample(20_000, random_state=0)
    for c, covariance in enumerate(fitted.covariances_):
        assert covariance[0, 2] == 0
        scale = np.sqrt(np.outer(covariance.diagonal(), covariance.diagonal()))
        found = np.cov(rows[labels == c].T)
        np.testing.assert_allclose(found / scale, covariance / scale, atol=0.05)


def test_files_and_pickles_hold_it(tmp_path, monkeypatch):
    fitted = model(pooling=0.5).fit(X, Y)
    fitted.save(tmp_path / "model")
    for again in (sf.load(tmp_path / "model"), pickle.loads(pickle.dumps(fitted))):
        assert again.structure == BlockDiagonal(BLOCKS)
        np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))
    monkeypatch.delitem(STORABLE, "BlockDiagonal")
    with pytest.raises(
        InvalidFile, match="'BlockDiagonal', which this version of suffice does not know"
    ):
        sf.load(tmp_path / "model")


def test_missing_values_are_integrated_out():
    gaps = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    fitted = model().fit(X, Y)
    one = gaps.copy()
    one[:, [2, 4]] = np.nan
    alone = sf.QDA().fit(X[:, BLOCKS[0]], Y)
    np.testing.assert_allclose(
        fitted.predict_proba(one), alone.predict_proba(one[:, BLOCKS[0]]), atol=1e-10
    )
    assert not np.isnan(fitted.impute(gaps)).any()
    assert model().fit(gaps, Y).score(gaps, Y) > 0.8


def test_criteria_count_its_free_numbers():
    fitted = model().fit(X, Y)
    assert fitted.n_parameters() == 2 + 3 * 5 + 3 * (6 + 3)
    joint = fitted.predict_joint_log_proba(X)[np.arange(len(Y)), Y].sum()
    assert fitted.log_likelihood() == pytest.approx(joint)
    assert fitted.aic() == pytest.approx(-2 * joint + 2 * fitted.n_parameters())


def test_leaving_a_row_out_is_a_refit():
    found = model().fit(X, Y).leave_one_out(X, Y)
    for i in (0, 70, 177):
        rest = np.arange(len(X)) != i
        refit = model().fit(X[rest], Y[rest])
        np.testing.assert_allclose(
            found.log_proba[i], refit.predict_log_proba(X[[i]])[0], atol=1e-9
        )


def test_parameters_are_chosen_by_cross_validation():
    chosen = model(pooling="cv").fit(X, Y)
    given = model(pooling=chosen.pooling_).fit(X, Y)
    np.testing.assert_allclose(chosen.predict_proba(X), given.predict_proba(X), atol=1e-12)
    assert len(chosen.selection_.candidates) > 1


def test_outliers_are_measured_by_it():
    fitted = model().fit(X, Y)
    assert fitted.outlier_pvalue(X).min() > 1e-6
    assert fitted.outlier_pvalue(X.mean(axis=0, keepdims=True) * 10)[0] < 1e-6
