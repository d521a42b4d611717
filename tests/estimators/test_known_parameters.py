"""Models from known parameters: every answer that takes no rows, against independent formulas."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import suffice as sf
from suffice.errors import InvalidFile, InvalidParameter, NoStatistics

MEANS = np.array([[4.0, 3.0, 0.0], [0.0, 1.0, 1.0]])
SHARED = np.array([[1.0, 0.5, 0.1], [0.5, 2.0, 0.2], [0.1, 0.2, 1.5]])
OWN = np.stack([SHARED, np.diag([1.0, 2.0, 0.5]) + 0.2])
POINTS = np.array([[2.0, 0.0, 1.0], [4.0, 2.0, 0.0], [-1.0, 3.0, 0.5]])
LABELS = ["spam", "ham"]  # not in their sorted order
PRIORS = [0.3, 0.7]

GAUSSIANS = {
    "LDA": (sf.LDA, SHARED),
    "QDA": (sf.QDA, OWN),
    "QDA of one matrix": (sf.QDA, SHARED),
    "GaussianNB": (sf.GaussianNB, [[1.0, 2.0, 3.0], [0.5, 0.25, 4.0]]),
    "DiagonalLDA": (sf.DiagonalLDA, [1.0, 2.0, 3.0]),
    "shared matrix": (sf.GaussianDiscriminant, SHARED),
    "own matrices": (sf.GaussianDiscriminant, OWN),
    "own variances": (sf.GaussianDiscriminant, [[1.0, 2.0, 3.0], [0.5, 0.25, 4.0]]),
    "shared variances": (sf.GaussianDiscriminant, [1.0, 2.0, 3.0]),
}


def _matrix(covariances, c):
    values = np.asarray(covariances)
    own = values[c] if values.shape in ((2, 3, 3), (2, 3)) else values
    return np.diag(own) if own.ndim == 1 else own


def _made(name):
    kind, covariances = GAUSSIANS[name]
    return kind.from_parameters(MEANS, covariances, PRIORS, LABELS), covariances


@pytest.mark.parametrize("name", GAUSSIANS)
def test_joint_densities_are_those_of_the_given_gaussians(name):
    model, covariances = _made(name)
    expected = {
        label: np.log(PRIORS[c])
        + stats.multivariate_normal(MEANS[c], _matrix(covariances, c)).logpdf(POINTS)
        for c, label in enumerate(LABELS)
    }
    assert model.classes_.tolist() == ["ham", "spam"]
    joint = model.predict_joint_log_proba(POINTS)
    np.testing.assert_allclose(joint, np.column_stack([expected["ham"], expected["spam"]]), 1e-12)


@pytest.mark.parametrize("name", GAUSSIANS)
def test_a_file_gives_the_same_answers_to_the_last_bit(name, tmp_path):
    model, _ = _made(name)
    model.save(tmp_path / "model.suffice")
    again = sf.load(tmp_path / "model.suffice")
    assert repr(again) == repr(model)
    np.testing.assert_array_equal(again.predict_log_proba(POINTS), model.predict_log_proba(POINTS))
    again.save(tmp_path / "again.suffice")
    assert (tmp_path / "again.suffice").read_bytes() == (tmp_path / "model.suffice").read_bytes()


@pytest.mark.parametrize("name", ["LDA", "QDA", "GaussianNB", "DiagonalLDA"])
def test_the_parameters_of_a_fit_make_the_same_model(name):
    X, y = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 3
    fitted = getattr(sf, name)().fit(X + y[:, None], y)
    covariances = fitted.var_ if name == "GaussianNB" else fitted.covariance_
    made = type(fitted).from_parameters(fitted.means_, covariances, fitted.priors_)
    np.testing.assert_allclose(
        made.predict_joint_log_proba(X), fitted.predict_joint_log_proba(X), rtol=1e-12
    )
    assert str(made.boundary(0, 1)) == str(fitted.boundary(0, 1))


def test_outlier_pvalues_of_known_classes_are_chi_squared():
    model = sf.QDA.from_parameters(MEANS, OWN, PRIORS)
    distances = model.squared_mahalanobis(POINTS)
    expected = stats.chi2.sf(distances, 3)
    np.testing.assert_allclose(model.outlier_pvalue(POINTS, by_class=True), expected, rtol=1e-12)
    with_gap = np.array([[np.nan, 3.0, 0.0]])
    one = stats.chi2.sf(model.squared_mahalanobis(with_gap), 2)
    np.testing.assert_allclose(model.outlier_pvalue(with_gap, by_class=True), one, rtol=1e-12)
    share = np.mean(model.outlier_pvalue(model.sample(4000, random_state=1)[0]) < 0.1)
    assert abs(share - 0.1) < 0.02


def test_answers_without_rows_work():
    model = sf.LDA.from_parameters(MEANS, SHARED, classes=LABELS, feature_names=["a", "b", "c"])
    X, y = model.sample(500, random_state=0)
    assert X.shape == (500, 3)
    assert set(y) == set(LABELS)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert model.scalings_.shape == (3, 1)
    expected = MEANS[0, 0] + SHARED[0, 1] / SHARED[1, 1] * (4.0 - MEANS[0, 1])
    model = sf.LDA.from_parameters(MEANS, SHARED, classes=LABELS)
    filled = model.impute([[np.nan, 4.0, np.nan]], "spam")
    assert filled[0, 0] == pytest.approx(expected)
    assert "known, not estimated" in sf.model_card(model)
    assert "classes" in str(sf.summary(model))
    other = model.with_priors([0.9, 0.1])
    assert other.log_odds([[0, 0, 0]], "ham", "spam") - model.log_odds(
        [[0, 0, 0]], "ham", "spam"
    ) == pytest.approx(np.log(9))


@pytest.mark.parametrize(
    "use",
    [
        lambda m: m.statistics_,
        lambda m: m.partial_fit(POINTS, ["ham", "spam", "ham"]),
        lambda m: m.forget(POINTS, ["ham", "spam", "ham"]),
        lambda m: m.merge(
            sf.QDA().fit(MEANS[[0, 0, 1, 1]] + np.eye(4)[:, :3], ["a", "a", "b", "b"])
        ),
        lambda m: m.leave_one_out(POINTS, ["ham", "spam", "ham"]),
        lambda m: m.bic(),
        lambda m: m.n_parameters(),
        lambda m: m.log_likelihood(),
    ],
)
def test_what_takes_statistics_says_so_and_changes_nothing(use):
    model = sf.QDA.from_parameters(MEANS, OWN, PRIORS, LABELS)
    before = model.predict_proba(POINTS)
    with pytest.raises(NoStatistics, match="known parameters"):
        use(model)
    np.testing.assert_array_equal(model.predict_proba(POINTS), before)
    assert not hasattr(model, "statistics_")


def test_a_fit_replaces_known_parameters():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), np.arange(40) % 2
    model = sf.QDA.from_parameters(MEANS, OWN, PRIORS).fit(X, y)
    assert model.statistics_.count.tolist() == [20, 20]
    np.testing.assert_allclose(model.priors_, PRIORS)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: sf.LDA.from_parameters([4, 3], SHARED), "one row per class"),
        (lambda: sf.LDA.from_parameters([["a", "b"]], SHARED), "means must hold numbers"),
        (lambda: sf.LDA.from_parameters([[np.nan, 1]], np.eye(2)), "finite numbers"),
        (lambda: sf.LDA.from_parameters(MEANS, np.eye(2)), r"shape \(2, 2\); for 2 classes and 3"),
        (lambda: sf.LDA.from_parameters(MEANS, None), "covariances has shape None"),
        (lambda: sf.LDA.from_parameters(MEANS, OWN), "share one"),
        (lambda: sf.DiagonalLDA.from_parameters(MEANS, OWN), "share one"),
        (lambda: sf.DiagonalLDA.from_parameters(MEANS, [[1.0, 2, 3], [3, 2, 1]]), "share one"),
        (lambda: sf.DiagonalLDA.from_parameters(MEANS, SHARED), r"independent features.*0\.5"),
        (lambda: sf.DiagonalLDA.from_parameters(MEANS, [1.0, 2.0]), r"shape \(2,\); for 2 classes"),
        (lambda: sf.DiagonalLDA.from_parameters(MEANS, 1.0), r"shape \(\); for 2 classes"),
        (lambda: sf.DiagonalLDA.from_parameters(MEANS, [1.0, 0, 2]), "variance 0 for feature 1"),
        (lambda: sf.DiagonalLDA.from_parameters(MEANS, [1.0, np.nan, 2]), "finite numbers"),
        (lambda: sf.DiagonalLDA.from_parameters(MEANS, ["a", "b", "c"]), "must hold numbers"),
        (lambda: sf.QDA.from_parameters(MEANS, OWN[:1]), r"shape \(1, 3, 3\)"),
        (lambda: sf.QDA.from_parameters(MEANS, np.where(OWN == 2, np.inf, OWN)), "finite numbers"),
        (lambda: sf.QDA.from_parameters(np.empty((0, 3)), SHARED), "one row per class"),
        (lambda: sf.LDA.from_parameters(MEANS, SHARED, [np.nan, 1.0]), "non-negative"),
        (lambda: sf.LDA.from_parameters(MEANS, SHARED, [-0.5, 1.5]), "non-negative"),
        (lambda: sf.LDA.from_parameters(MEANS, SHARED, [[0.5, 0.5]]), "priors must match"),
        (lambda: sf.LDA.from_parameters(MEANS, SHARED, "balanced"), "uniform"),
        (lambda: sf.LDA.from_parameters(MEANS, SHARED, classes=["a", None]), "classes"),
        (lambda: sf.LDA.from_parameters(MEANS, SHARED, feature_names=["a"] * 4), "3 features"),
        (lambda: sf.LDA.from_parameters(MEANS, SHARED, feature_names=["a", "a", "b"]), "features"),
        (lambda: sf.BernoulliNB.from_parameters([[0.2, np.nan]]), "finite numbers"),
        (lambda: sf.CategoricalNB.from_parameters([[[0.5, -0.5]]]), "must not be negative"),
        (lambda: sf.GaussianMixture.from_parameters([-0.5, 1.5], MEANS, SHARED), "add up to 1"),
        (lambda: sf.GaussianNB.from_parameters(MEANS, OWN), r"independent features.*0\.5 in entry"),
        (lambda: sf.LDA.from_parameters(MEANS, SHARED + np.eye(3, k=1)), "is not symmetric"),
        (lambda: sf.LDA.from_parameters(MEANS, SHARED - 2 * (1 - np.eye(3))), "positive definite"),
        (lambda: sf.QDA.from_parameters(MEANS, -OWN, classes=LABELS), "class 'spam' has variance"),
        (lambda: sf.GaussianNB.from_parameters(MEANS, [0.0, 1, 1]), "variances must be above 0"),
        (lambda: sf.LDA.from_parameters(MEANS, SHARED, [0.3, 0.3]), "sum of the priors"),
        (lambda: sf.LDA.from_parameters(MEANS, SHARED, [1.0]), "priors must match"),
        (lambda: sf.LDA.from_parameters(MEANS, SHARED, {"x": 1.0}), "priors names class 'x'"),
        (lambda: sf.LDA.from_parameters(MEANS, SHARED, classes=["a"]), "1 labels for 2 rows"),
        (lambda: sf.LDA.from_parameters(MEANS, SHARED, classes=["a", "a"]), "'a' twice"),
        (lambda: sf.LDA.from_parameters(MEANS, SHARED, feature_names=["a"]), "feature_names"),
        (lambda: sf.LDA.from_parameters(MEANS, SHARED, feature_names="abc"), "feature_names"),
        (lambda: sf.LDA.from_parameters(MEANS, SHARED, feature_names=["a", "a", 1]), "strings"),
        (lambda: sf.LDA.from_parameters(1e200 * MEANS, SHARED), "too large"),
        (lambda: sf.BernoulliNB.from_parameters([[0.2, 1.7]]), "a probability is from 0 to 1"),
        (lambda: sf.BernoulliNB.from_parameters([0.2, 0.7]), "one row per class"),
        (lambda: sf.CategoricalNB.from_parameters("abc"), "one table per feature"),
        (lambda: sf.CategoricalNB.from_parameters([]), "empty"),
        (lambda: sf.CategoricalNB.from_parameters([[[0.5, 0.4]]]), "add up to 0.9"),
        (lambda: sf.CategoricalNB.from_parameters([[[1.0]], [[0.5, 0.5]] * 2]), "row per class"),
        (
            lambda: sf.CategoricalNB.from_parameters([[[0.5, 0.5]]], levels=[["a", "a"]]),
            "levels of feature 0 are 1 different",
        ),
        (lambda: sf.GaussianMixture.from_parameters([0.5, 0.6], MEANS, SHARED), "add up to 1"),
        (lambda: sf.GaussianMixture.from_parameters([1.0], MEANS, SHARED), "weights"),
        (lambda: sf.UnskewedDiscriminant.from_parameters(MEANS, SHARED), "finds powers"),
        (lambda: sf.LDA.from_parameters(MEANS, SHARED).with_priors(None), "there are no rows"),
    ],
)
def test_impossible_parameters_are_refused_in_words(make, words):
    with pytest.raises(InvalidParameter, match=words):
        make()


def test_bernoulli_probabilities_multiply():
    model = sf.BernoulliNB.from_parameters([[0.2, 0.7], [0.5, 0.0]], [0.6, 0.4], ["+", "-"])
    joint = np.exp(model.predict_joint_log_proba([[1, 1], [1, 0], [0, None]]))
    expected = [[0.6 * 0.14, 0.0], [0.6 * 0.06, 0.4 * 0.5], [0.6 * 0.8, 0.4 * 0.5]]
    np.testing.assert_allclose(joint, expected, rtol=1e-14)


def test_categorical_probabilities_multiply_whatever_the_order_of_levels(tmp_path):
    tables = [[[0.5, 0.2, 0.3], [0.1, 0.9, 0.0]], [[0.3, 0.7], [0.6, 0.4]]]
    levels = [["red", "blue", "green"], ["small", "large"]]
    model = sf.CategoricalNB.from_parameters(tables, [0.25, 0.75], ["plum", "apple"], levels=levels)
    joint = np.exp(model.predict_joint_log_proba([["red", "large"], ["green", None]]))
    expected = [[0.75 * 0.1 * 0.4, 0.25 * 0.5 * 0.7], [0.0, 0.25 * 0.3]]
    np.testing.assert_allclose(joint, expected, rtol=1e-14)  # columns: apple, plum
    model.save(tmp_path / "fruit.suffice")
    again = sf.load(tmp_path / "fruit.suffice")
    rows = [["blue", "small"], ["green", "large"]]
    np.testing.assert_array_equal(again.predict_log_proba(rows), model.predict_log_proba(rows))


def test_a_mixture_of_known_components_is_their_weighted_sum(tmp_path):
    model = sf.GaussianMixture.from_parameters(PRIORS, MEANS, OWN)
    density = sum(
        share * stats.multivariate_normal(mean, own).pdf(POINTS)
        for share, mean, own in zip(PRIORS, MEANS, OWN, strict=True)
    )
    np.testing.assert_allclose(model.score_samples(POINTS), np.log(density), rtol=1e-12)
    assert model.n_iter_ == 0
    model.save(tmp_path / "mixture.suffice")
    again = sf.load(tmp_path / "mixture.suffice")
    np.testing.assert_array_equal(again.score_samples(POINTS), model.score_samples(POINTS))


def test_a_file_whose_parameters_contradict_each_other_is_refused(tmp_path):
    from suffice.estimators.model_file.model import StoredModel
    from suffice.statistics.storage.container import pack
    from suffice.statistics.storage.walker import to_arrays

    naive = StoredModel.of(sf.GaussianNB.from_parameters(MEANS, [1.0, 2.0, 3.0], PRIORS))
    full = StoredModel.of(sf.QDA.from_parameters(MEANS, OWN, PRIORS))
    levels = StoredModel.of(sf.BernoulliNB.from_parameters([[0.1, 0.2, 0.3]] * 2, PRIORS))
    from dataclasses import replace

    crossed = [
        replace(naive, content=full.content),
        replace(full, content=naive.content),
        replace(full, content=levels.content),
        replace(levels, content=full.content),
        replace(full, parameters={**full.parameters, "priors": "uniform"}),
    ]
    for one in crossed:
        path = tmp_path / "crossed.suffice"
        path.write_bytes(pack(*to_arrays(one), None))
        with pytest.raises(InvalidFile):
            sf.load(path)
