"""Criteria: likelihoods from statistics alone, and parameters as they are counted by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.datasets import load_iris, load_wine
from sklearn.mixture import GaussianMixture as Peer

import suffice as sf
from lawful import law
from suffice.errors import InvalidParameter, TooFewRows
from suffice.estimators.bayesian import BayesianDiscriminant
from suffice.models.settings import Settings
from suffice.selection.criteria import effective_parameters

# Repaired models are tested with the others.
pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")

LAW = law(200)

NOTES = np.loadtxt(
    Path(__file__).parents[1] / "reference" / "notes3b.csv", delimiter=",", skiprows=1
)
IRIS = load_iris(return_X_y=True)
TABLES = {
    "notes3b": (NOTES[:, :2], NOTES[:, 2].astype(int)),
    "iris, two columns": (IRIS[0][:, :2], IRIS[1]),
    "iris": IRIS,
}
MODELS = (sf.QDA(), sf.LDA(), sf.GaussianNB(var_smoothing=0), sf.DiagonalLDA())
FIGURES = {
    "notes3b": (-1670.814585, -1770.718764, -1766.945977, -1772.299973),
    "iris, two columns": (-282.570646, -301.126430, -316.567325, -325.884121),
    "iris": (-188.375555, -263.203743, -326.050081, -384.088301),
}


@pytest.mark.parametrize("name", TABLES)
def test_the_figures_of_the_texts_come_from_statistics_alone(name):
    for model, figure in zip(MODELS, FIGURES[name], strict=True):
        fitted = model.fit_statistics(sf.summarize(*TABLES[name]))
        assert abs(fitted.log_likelihood() - figure) <= 5.001e-7


def by_rows(model, X, y, w):
    joint = model.predict_joint_log_proba(X)
    own = joint[np.arange(len(y)), np.searchsorted(model.classes_, y)]
    return float(own @ (np.ones(len(y)) if w is None else w))


def assert_equals_rows(model, X, y, w=None):
    model.fit(X, y, sample_weight=w)
    expected, total = by_rows(model, X, y, w), len(y) if w is None else w.sum()
    assert abs(model.log_likelihood() - expected) <= 1e-10 * max(abs(expected), total)
    if w is None:
        assert model.log_likelihood(X, y) == pytest.approx(expected, rel=1e-12)


@st.composite
def tables(draw):
    """Rows of one to three classes, regular or not, perhaps with gaps."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    k, d = draw(st.integers(1, 3)), draw(st.integers(1, 5))
    y = np.concatenate([[0, 0, 0], rng.integers(0, k, draw(st.integers(2, 25)))])
    n = len(y)
    X = rng.normal(size=(n, d)) * (1 + y[:, None]) + 2 * rng.normal(size=(k, d))[y]
    X = X @ (np.eye(d) + 0.4 * rng.normal(size=(d, d)))
    kind = draw(st.sampled_from(["normal", "collinear", "grid", "constant"]))
    if kind == "collinear":
        X = np.round(8 * X) / 8
        X = np.column_stack([X, X[:, 0] + 2 * X[:, -1]])
    elif kind == "grid":
        X = rng.integers(-1, 3, size=(n, d)) / 4.0
        X[:3] = rng.normal(size=(3, d))
    elif kind == "constant":
        X = np.column_stack([X, np.full(n, 3.0)])
    w = rng.integers(1, 9, n) / 2 if draw(st.booleans()) else None
    return X, y, w


@LAW
@given(
    table=tables(),
    structure=st.sampled_from(["full", "diagonal", "spherical"]),
    pooling=st.sampled_from([0.0, 0.3, 1.0]),
    shrinkage=st.sampled_from([0.0, 0.2, 1.0, "oas", "ledoit-wolf"]),
    target=st.sampled_from(["identity", "unit"]),
    priors=st.sampled_from([None, "uniform"]),
    ddof=st.sampled_from([0, 1]),
)
def test_likelihoods_of_statistics_are_sums_over_rows(table, priors, ddof, **kind):
    model = sf.GaussianDiscriminant(priors=priors, ddof=ddof, **kind)
    try:
        assert_equals_rows(model, *table)
    except TooFewRows:
        assume(False)


@LAW
@given(table=tables(), share=st.sampled_from([0.0, 0.2, "oas"]), pooling=st.sampled_from([0.0, 1]))
def test_the_same_for_shrunk_correlations(table, share, pooling):
    model = sf.GaussianDiscriminant(pooling=pooling, shrinkage=share, target="diagonal")
    assert_equals_rows(model, *table)


def test_the_same_with_more_features_than_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 600)), np.arange(20) % 2
    for model in (sf.LDA(shrinkage=0.3), sf.QDA(shrinkage="auto"), sf.LDA(), sf.QDA()):
        assert_equals_rows(model, X, y)


@law(40)
@given(
    seed=st.integers(0, 999),
    structure=st.sampled_from(["full", "diagonal", "spherical"]),
    pooling=st.sampled_from([0.0, 0.5, 1.0]),
    shrinkage=st.sampled_from([0.0, 0.3, "oas"]),
    weighted=st.booleans(),
)
def test_the_same_with_missing_values(seed, structure, pooling, shrinkage, weighted):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 3)) + np.arange(40)[:, None] % 2, np.arange(40) % 2
    X[rng.random(X.shape) < 0.15] = np.nan
    w = rng.integers(1, 9, 40) / 2 if weighted else None
    model = sf.GaussianDiscriminant(structure, pooling, shrinkage)
    assert_equals_rows(model, X, y, w)
    rich = model.fit_statistics(sf.summarize(X, y, w))
    expected = by_rows(rich, X, y, w)
    assert rich.log_likelihood() == pytest.approx(expected, rel=1e-10)


def test_the_same_for_levels_and_for_numbers_beside_them():
    rng = np.random.default_rng(1)
    y, w = np.arange(40) % 3, np.arange(40) % 4 + 0.5
    X = rng.integers(0, 4, size=(40, 3)).astype(float)
    X[3, 1] = X[4, 2] = np.nan
    for alpha in (0.0, 1.0):
        assert_equals_rows(sf.CategoricalNB(alpha=alpha), X, y, w)
        assert_equals_rows(sf.BernoulliNB(alpha=alpha), X, y, w)
    table = pd.DataFrame(X, columns=list("abc")).assign(d=rng.choice(["r", "s", None], 40))
    assert_equals_rows(sf.MixedNB(), table, y, w)
    assert_equals_rows(sf.MixedNB(structure="full"), table[["a", "d"]], y)
    assert_equals_rows(sf.MixedNB(), table[["d"]], y)


def test_other_priors_change_the_likelihood_and_cost_nothing():
    X, y = IRIS
    model = sf.QDA().fit(X, y)
    other = model.with_priors([0.2, 0.3, 0.5])
    assert other.log_likelihood() == pytest.approx(by_rows(other, X, y, None), rel=1e-13)
    assert (model.n_parameters(), other.n_parameters()) == (44, 42)
    assert model.with_priors([0.0, 0.5, 0.5]).log_likelihood() == -np.inf


@pytest.mark.parametrize(("k", "d"), [(1, 1), (2, 3), (3, 2), (4, 5)])
def test_parameters_are_those_of_the_textbook(k, d):
    rng = np.random.default_rng(0)
    y = np.arange(20 * k) % k
    X = rng.normal(size=(20 * k, d))
    triangle, means = d * (d + 1) // 2, k * d + k - 1
    expected = {
        ("full", 0.0): k * triangle,
        ("full", 0.5): k * triangle,
        ("full", 1.0): triangle,
        ("diagonal", 0.0): k * d,
        ("diagonal", 1.0): d,
        ("spherical", 0.0): k,
        ("spherical", 1.0): 1,
    }
    for (structure, pooling), free in expected.items():
        for share in (0.0, 0.3, "oas"):
            model = sf.GaussianDiscriminant(structure, pooling, share).fit(X, y)
            assert model.n_parameters() == means + free
        uniform = sf.GaussianDiscriminant(structure, pooling, priors="uniform").fit(X, y)
        assert uniform.n_parameters() == k * d + free


def test_a_target_that_replaces_the_covariance_leaves_what_it_leaves_free():
    X, y = IRIS
    count = {
        target: sf.GaussianDiscriminant(shrinkage=1.0, target=target).fit(X, y).n_parameters()
        for target in ("identity", "diagonal", "unit")
    }
    assert count == {"identity": 14 + 3, "diagonal": 14 + 12, "unit": 14}


def test_features_and_directions_without_variance_count_nowhere():
    X, y = IRIS
    still = np.column_stack([X, np.ones(150)])
    dependent = np.column_stack([X, X[:, 0] - X[:, 1]])
    for model in (sf.LDA(), sf.QDA(), sf.GaussianNB(), sf.DiagonalLDA()):
        expected = model.fit(X, y).n_parameters()
        assert model.fit(still, y).n_parameters() == expected
    for model in (sf.LDA(), sf.QDA()):
        expected = model.fit(X, y).n_parameters()
        assert model.fit(dependent, y).n_parameters() == expected


def test_what_classes_borrow_counts_once():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2, 3], [30, 30, 3, 2])
    X = rng.normal(size=(65, 4)) + y[:, None]
    assert sf.QDA().fit(X, y).n_parameters() == 3 + 16 + 2 * 10 + 10
    X[y == 2, 1] = 5.0
    X[y == 3, 1] = 7.0
    assert sf.GaussianNB().fit(X, y).n_parameters() == 3 + 16 + 14 + 1


def test_parameters_of_levels_are_probabilities_less_one_a_feature():
    X = np.array([[0, 0], [1, 2], [0, 1], [1, 0]])
    y = [0, 0, 1, 1]
    assert sf.CategoricalNB().fit(X, y).n_parameters() == 1 + 2 * (1 + 2)
    assert sf.CategoricalNB(min_categories=4).fit(X, y).n_parameters() == 1 + 2 * (3 + 3)
    assert sf.CategoricalNB(fit_prior=False).fit(X, y).n_parameters() == 2 * (1 + 2)
    assert sf.BernoulliNB().fit(X, y).n_parameters() == 1 + 2 * 2
    table = pd.DataFrame({"a": [1.0, 2.0, 5.0, 7.0], "b": ["r", "s", "t", "r"]})
    assert sf.MixedNB().fit(table, y).n_parameters() == 1 + 4 + 2 * 2


def test_criteria_weigh_likelihood_against_parameters():
    X, y = load_wine(return_X_y=True)
    model = sf.LDA().fit(X, y)
    p, found = model.n_parameters(), model.log_likelihood()
    assert model.aic() == pytest.approx(2 * p - 2 * found)
    assert model.bic() == pytest.approx(p * np.log(178) - 2 * found)
    doubled = sf.LDA().fit(X, y, sample_weight=np.full(178, 2.0))
    repeated = sf.LDA().fit(np.repeat(X, 2, axis=0), np.repeat(y, 2))
    assert doubled.bic() == pytest.approx(repeated.bic(), rel=1e-12)


def test_bic_finds_the_structure_that_made_the_rows():
    rng = np.random.default_rng(0)
    y = np.arange(3000) % 3
    shared = rng.normal(size=(3000, 4)) @ rng.normal(size=(4, 4)) + 3 * rng.normal(size=(3, 4))[y]
    apart = rng.normal(size=(3000, 4)) * (1 + rng.random((3, 4)))[y]
    family = [sf.LDA(), sf.QDA(), sf.GaussianNB(var_smoothing=0), sf.DiagonalLDA()]
    for X, best in ((shared, 0), (apart, 2)):
        assert np.argmin([model.fit(X, y).bic() for model in family]) == best


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_mixtures_count_parameters_as_their_peers_do(kind):
    X = IRIS[0]
    model = sf.GaussianMixture(3, covariance_type=kind, random_state=0).fit(X)
    free = (model.bic(X) - model.aic(X)) / (np.log(150) - 2)
    assert free == pytest.approx(Peer(3, covariance_type=kind).fit(X)._n_parameters())


def test_icl_adds_twice_the_entropy_of_the_assignments():
    X = IRIS[0]
    model = sf.GaussianMixture(3, random_state=0).fit(X)
    shares = model.predict_proba(X)
    entropy = -(shares[shares > 0] * np.log(shares[shares > 0])).sum()
    assert entropy > 1
    assert model.icl(X) == pytest.approx(model.bic(X) + 2 * entropy, rel=1e-12)
    one = sf.GaussianMixture(1).fit(X)
    assert one.icl(X) == one.bic(X)


def test_a_bayesian_model_is_not_judged_by_criteria():
    model = BayesianDiscriminant().fit(*IRIS)
    with pytest.raises(InvalidParameter, match="BayesianDiscriminant are not sufficient"):
        model.bic()


@pytest.mark.parametrize(("target", "kept"), [("identity", 1), ("diagonal", 4), ("unit", 0)])
def test_shrinking_takes_all_free_numbers_but_those_of_the_target(target, kept):
    k, d = 3, 4
    for pooling, covariances in ((0.0, k), (0.5, 2), (1.0, 1)):
        for share in (0.0, 0.25, 1.0):
            settings = Settings(pooling=pooling, shrinkage=share, target=target)
            of_each = (1 - share) * d * (d + 1) / 2 + share * kept
            assert effective_parameters(settings, k, d) == k * d + covariances * of_each
