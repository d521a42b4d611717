"""Moments of folds where values are missing, completed by EM."""

from __future__ import annotations

import numpy as np
import pytest

from suffice.models.em.expectation import expected_sums
from suffice.models.em.observed import Observed
from suffice.models.em.observed_parts import ObservedParts
from suffice.selection.family_path import FullPath
from suffice.selection.fold_completion import completed_moments
from suffice.selection.fold_moments import FoldMoments
from suffice.selection.folds import Fold
from suffice.statistics.summarize import summarize


def gapped(n=300, d=6, k=3, share=0.2):
    """Rows with missing values, some of them complete, and the codes of their classes."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, k, n)
    X = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)) + codes[:, None]
    X[rng.random((n, d)) < share] = np.nan
    X[:, 0] = np.where(rng.random(n) < 0.5, X[:, 0], 1.0)
    return X, codes


def test_rows_and_their_statistics_by_pattern_have_the_same_expected_sums():
    X, codes = gapped()
    weights = np.random.default_rng(1).random((2, 300)) * (
        np.arange(300) % 7 > np.array([[0], [1]])
    )
    held = ~np.isnan(X)
    for owner in (np.repeat([0, 1], 3), np.arange(6)):
        parts = ObservedParts.of_rows(np.where(held, X, 0.0), held, codes, weights, owner)
        means = np.random.default_rng(2).normal(size=(6, 6))
        covariances = np.eye(6) + np.arange(owner.max() + 1)[:, None, None] + 0.5
        total = np.concatenate([np.bincount(codes, own) for own in weights])
        found = expected_sums(parts, means, covariances, total)
        for f, own in enumerate(weights):
            rows = own > 0
            observed = Observed.of(summarize(X[rows], codes[rows], sample_weight=own[rows]))
            apart = len(owner) == owner.max() + 1
            one = observed.parts_separate if apart else observed.parts_shared
            at, groups = slice(3 * f, 3 * f + 3), np.unique(owner[3 * f : 3 * f + 3])
            wanted = expected_sums(one, means[at] - observed.centre, covariances[groups], total[at])
            np.testing.assert_allclose(found.means[at], wanted.means + observed.centre, atol=1e-10)
            np.testing.assert_allclose(found.scatter[groups], wanted.scatter, rtol=1e-9, atol=1e-8)
            np.testing.assert_allclose(found.imputed[groups], wanted.imputed, rtol=1e-9, atol=1e-8)


def test_values_that_are_missing_do_not_shrink_variances():
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(4000, 2)), np.zeros(4000, int)
    X[400:, 0] = np.nan
    folds = [Fold(np.arange(4000), np.arange(10))]
    moments = completed_moments(X, codes, np.ones(4000), folds, 1, tolerance=1e-8, max_steps=500)
    variance = moments.scatter[0, 0, 0, 0] / 4000
    assert abs(variance / np.var(X[:400, 0]) - 1) < 0.005


@pytest.mark.parametrize("d", [4, 20])
def test_distances_of_rows_with_gaps_are_those_of_their_known_values(d):
    X, codes = gapped(n=200, d=d, k=2, share=0.4)
    known = np.where(np.isnan(X), 0.0, X)
    fold = Fold(np.arange(100), np.arange(100, 200))
    moments = FoldMoments.of(known, codes, np.ones(200), [fold], 2)
    found = FullPath.of(moments, 1.0, "diagonal").distances(0, X[fold.test], np.array([0.1]))
    covariance = moments.pooled[0] / 100
    covariance = 0.9 * covariance + 0.1 * np.diag(covariance.diagonal())
    for i, row in enumerate(X[fold.test]):
        o = ~np.isnan(row)
        own, steps = covariance[np.ix_(o, o)], (row - moments.mean[0])[:, o]
        squares = (steps * np.linalg.solve(own, steps.T).T).sum(axis=1)
        np.testing.assert_allclose(found.squares[0, :, i], squares, rtol=1e-8)
        np.testing.assert_allclose(found.determinants[0, :, i], np.linalg.slogdet(own)[1])
