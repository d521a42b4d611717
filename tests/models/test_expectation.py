"""Expected sums of rows with missing values, against one regression per pattern."""

from __future__ import annotations

import numpy as np
import pytest

from suffice.models.em.expectation import expected_sums
from suffice.models.em.observed_parts import Lines, ObservedParts, Units

D, GROUPS = 6, 3


def regressed(parts, means, covariances, weight):
    """Means and scatter pattern by pattern: the rows of a pattern are those of one cell."""
    k, units, lines = len(means), parts.units, parts.lines
    first, second, imputed = means * 0, covariances * 0, covariances * 0
    left = weight - np.bincount(units.group, units.weight, k)
    for u, (o, g, w) in enumerate(zip(units.observed, units.group, units.weight, strict=True)):
        S, m = covariances[g], ~o
        slopes = np.linalg.pinv(S[np.ix_(o, o)], rcond=1e-14, hermitian=True) @ S[np.ix_(o, m)]
        A = np.zeros((D, D))
        A[np.ix_(o, o)] = np.eye(o.sum())
        A[np.ix_(m, o)] = slopes.T
        (mean,) = lines.values[(lines.unit == u) & (lines.code >= 0)]
        step = A @ (mean - means[g])
        first[g] += w * step
        second[g] += w * np.outer(step, step)
        factor = lines.values[(lines.unit == u) & (lines.code < 0)] @ A.T
        second[g] += factor.T @ factor
        rest = S[np.ix_(m, m)] - S[np.ix_(m, o)] @ slopes
        imputed[g][np.ix_(m, m)] += w * rest
    imputed += left[:, None, None] * covariances
    shift = first / weight[:, None]
    second -= weight[:, None, None] * shift[:, :, None] * shift[:, None, :]
    return means + shift, second + imputed, imputed


@pytest.mark.parametrize("closeness", [1.0, 0.1, 1e-3])
def test_expected_sums_are_those_of_a_regression_for_each_pattern(closeness):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(GROUPS, 20, D))
    rows[:, :, 3] = rows[:, :, 1] + closeness * rows[:, :, 3]  # nearly the same feature
    rows[1, :, 2] = 0  # constant in one group, and two in another
    rows[2, :, [0, 5]] = 0
    covariances = np.einsum("gni,gnj->gij", rows, rows) / 20
    observed = rng.random((12, D)) < 0.6
    observed[0], observed[1] = True, np.arange(D) == 4
    group = np.repeat(np.arange(GROUPS), 4)
    values = rng.normal(size=(12, D)) * observed
    units = Units(observed, group, rng.random(12) + 1)
    order = np.sort([*np.arange(12), *np.arange(0, 12, 2)])
    is_mean = np.diff(order, prepend=-1) > 0  # the second line of a unit is a factor
    lines = Lines(
        order,
        np.where(is_mean, group[order], -1),
        np.where(is_mean, units.weight[order], 1.0),
        np.where(is_mean[:, None], rng.normal(size=(18, D)) * observed[order], values[order]),
    )
    parts = ObservedParts(units, lines, np.zeros((GROUPS, D, D)), np.arange(GROUPS))
    means = rng.normal(size=(GROUPS, D))
    weight = np.bincount(group, units.weight) + 0.5
    found = expected_sums(parts, means, covariances, weight)
    for own, expected in zip(
        (found.means, found.scatter, found.imputed),
        regressed(parts, means, covariances, weight),
        strict=True,
    ):
        np.testing.assert_allclose(own, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_the_log_likelihood_is_that_of_the_observed_values():
    rng = np.random.default_rng(1)
    A = rng.normal(size=(D, D))
    S, x = A @ A.T, rng.normal(size=(8, D))
    observed = rng.random((8, D)) < 0.6
    observed[0] = True
    observed[:, 0] = True
    units = Units(observed, np.zeros(8, int), np.ones(8))
    lines = Lines(np.arange(8), np.zeros(8, int), np.ones(8), x * observed)
    parts = ObservedParts(units, lines, np.zeros((1, D, D)), np.zeros(1, int))
    mean = np.zeros((1, D))
    level = expected_sums(parts, mean, S[None], np.array([8.0]), likely=True).log_likelihood
    expected = 0.0
    for row, o in zip(x, observed, strict=True):
        own = 2 * np.pi * S[np.ix_(o, o)]
        length = row[o] @ np.linalg.solve(S[np.ix_(o, o)], row[o])
        expected -= (np.linalg.slogdet(own)[1] + length) / 2
    assert level == pytest.approx([expected], rel=1e-12)
