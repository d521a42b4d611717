"""Outlier p-values of tables with categories: uniform on fresh rows, whatever is rare."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import suffice as sf
from suffice.answers.level_tree import LevelTree

COLOURS = ["blue", "green", "mauve", "red"]
SHARES = np.array([[0.3, 0.09, 0.01, 0.6], [0.5, 0.28, 0.02, 0.2], [0.3, 0.3, 0.1, 0.3]])


def people(n: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Sizes that follow from colours, heights from the sex, weights from all of them."""
    rng = np.random.default_rng(seed)
    y = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    code = (rng.random(n)[:, None] > SHARES[y].cumsum(axis=1)).sum(axis=1)
    colour = np.array(COLOURS)[code]
    size = np.where(rng.random(n) < 0.9, np.where(colour == "red", "S", "L"), "XL")
    man = rng.random(n) < 0.5
    height = 170 + 10 * man + 3 * y + 6 * rng.normal(size=n)
    weight = 0.9 * (height - 100) + 5 * (colour == "red") + 8 * rng.normal(size=n)
    table = {"colour": colour, "size": size, "man": man, "height": height, "weight": weight}
    return pd.DataFrame(table), y


@pytest.mark.parametrize(
    "model",
    [
        sf.LDA(),
        sf.QDA(),
        sf.BayesianDiscriminant(),
        sf.MixtureDiscriminant(2, random_state=0),
        sf.UnskewedDiscriminant(pooling=1.0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_pvalues_of_fresh_rows_of_a_mixed_table_are_uniform(model):
    model.fit(*people(600, 0))
    fresh, y = people(4000, 1)
    p = model.outlier_pvalue(fresh)
    assert stats.kstest(p, "uniform").statistic < 0.04
    assert 0.005 < (p < 0.01).mean() < 0.02
    own = model.outlier_pvalue(fresh, by_class=True)[np.arange(len(y)), y]
    assert stats.kstest(own, "uniform").statistic < 0.04


def test_pvalues_with_gaps_are_uniform_too():
    model = sf.LDA().fit(*people(600, 0))
    fresh, _ = people(3000, 1)
    fresh["colour"] = fresh["colour"].where(np.arange(3000) % 3 > 0)
    fresh["height"] = fresh["height"].where(np.arange(3000) % 2 > 0)
    assert stats.kstest(model.outlier_pvalue(fresh), "uniform").statistic < 0.04


def test_a_rare_level_is_as_rare_as_it_is():
    X, y = people(2000, 0)
    rare = X["colour"] == "mauve"
    middle = X[~rare].iloc[[0]].assign(height=176.0, weight=68.0, size="L")
    row = middle.assign(colour="mauve")
    p = sf.LDA().fit(X, y).outlier_pvalue(row)
    # About one row in forty has this colour, so the row cannot be rarer than one in a thousand.
    assert 1e-3 < p[0] < 0.2
    odd = sf.LDA().fit(X, y).outlier_pvalue(middle.assign(height=300.0))
    assert odd[0] < 1e-6


def test_the_threshold_cuts_off_its_share_of_rows():
    model = sf.LDA().fit(*people(600, 0))
    fresh, _ = people(4000, 1)
    share = (model.score_samples(fresh) < model.outlier_threshold(0.05)).mean()
    assert 0.035 < share < 0.065


def tree_of(codes: np.ndarray, sizes: tuple[int, ...]) -> LevelTree:
    parts = [codes[:, [j]] == np.arange(1, size) for j, size in enumerate(sizes)]
    rows = np.concatenate(parts, axis=1).astype(float)
    return LevelTree.of(rows.mean(axis=0), np.cov(rows.T, ddof=0), sizes, 1e12)


def test_a_tree_has_the_counted_probabilities_of_two_columns_and_adds_up_to_one():
    rng = np.random.default_rng(0)
    first = rng.integers(0, 3, 900)
    second = (first + (rng.random(900) < 0.3)) % 4
    third = (second > 1) ^ (rng.random(900) < 0.1)
    codes, sizes = np.stack([first, second, third], axis=1), (3, 4, 2)
    tree = tree_of(codes, sizes)
    every = np.array(list(itertools.product(*map(range, sizes))))
    p = np.exp(tree.log_probability(every))
    assert p.sum() == pytest.approx(1)
    counted = np.array(
        [[((first == a) & (second == b)).mean() for b in range(4)] for a in range(3)]
    )
    np.testing.assert_allclose(p.reshape(sizes).sum(axis=2), counted, atol=1e-9)
    follows = np.array([[((second == b) & (third == c)).mean() for c in (0, 1)] for b in range(4)])
    np.testing.assert_allclose(p.reshape(sizes).sum(axis=0), follows, atol=1e-9)
    drawn = tree.draw(40_000, rng)
    shares = np.zeros(sizes)
    np.add.at(shares, tuple(drawn.T), 1 / len(drawn))
    np.testing.assert_allclose(shares.ravel(), p, atol=0.01)


def test_the_scale_of_the_covariance_does_not_matter_to_a_tree():
    codes = np.random.default_rng(1).integers(0, 2, (200, 3))
    rows = codes.astype(float)
    cov, mean = np.cov(rows.T, ddof=0), rows.mean(axis=0)
    a, b = (LevelTree.of(mean, scale * cov, (2, 2, 2), 200) for scale in (1.0, 7.0))
    np.testing.assert_allclose(a.log_probability(codes), b.log_probability(codes))
