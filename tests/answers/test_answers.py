"""Laws of the answers that every classifier gives."""

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, optimize, special, stats
from sklearn.base import clone
from sklearn.datasets import load_iris

import suffice as sf
from suffice.answers.adaptation import adapt_priors
from suffice.errors import HasGaps, InvalidParameter, NotFinite
from suffice.estimators.columns import LearnedColumns
from suffice.estimators.learned import Learned
from suffice.models.covariances.covariance import FullCovariance
from suffice.models.covariances.linalg import whitener
from suffice.models.gaussian import GaussianModel

X, y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])
MODELS = [
    sf.QDA(),
    sf.LDA(),
    sf.GaussianNB(),
    sf.DiagonalLDA(),
    sf.GaussianDiscriminant(pooling=0.4, shrinkage=0.2),
    sf.GaussianDiscriminant(structure="spherical"),
]
every_model = pytest.mark.parametrize("model", MODELS, ids=repr)


def fitted(model, features=4):
    return model.fit(X[:, :features], NAMES[y])


@every_model
def test_the_sigmoid_of_the_log_odds_is_the_posterior_of_the_pair(model):
    m = fitted(model)
    proba = m.predict_proba(X)
    odds = m.log_odds(X, "virginica", "versicolor")
    pair = proba[:, 2] / (proba[:, 1] + proba[:, 2])
    np.testing.assert_allclose(1 / (1 + np.exp(-odds)), pair, rtol=1e-10)


@every_model
def test_log_odds_and_likelihood_ratio_agree_exactly_when_priors_do(model):
    m = fitted(model).with_priors({"setosa": 0.2, "versicolor": 0.1, "virginica": 0.7})
    pair = ("setosa", "virginica")
    gap = m.log_odds(X, *pair) - m.log_likelihood_ratio(X, *pair)
    np.testing.assert_allclose(gap, np.log(0.2 / 0.7), rtol=1e-9)
    even = m.with_priors("uniform")
    np.testing.assert_allclose(
        even.log_odds(X, *pair), m.log_likelihood_ratio(X, *pair), rtol=1e-12
    )


@every_model
def test_of_two_classes_the_second_is_held_against_the_first(model):
    m = model.fit(X[y < 2], y[y < 2])
    np.testing.assert_allclose(m.log_odds(X), m.decision_function(X), rtol=1e-12)


@every_model
def test_the_boundary_evaluates_to_the_log_odds(model):
    m = fitted(model)
    boundary = m.boundary("versicolor", "virginica")
    odds = m.log_odds(X, "versicolor", "virginica")
    np.testing.assert_allclose(boundary(X), odds, rtol=1e-8, atol=1e-8)
    assert boundary.is_linear == (m.covariance_.ndim == 2)
    assert boundary.classes == ("versicolor", "virginica")


@every_model
def test_the_log_odds_are_zero_on_the_curve_of_the_boundary(model):
    m = fitted(model, 2)
    lines = m.boundary("versicolor", "virginica").curve(((4, 8), (2, 4.5)))
    assert lines
    for line in lines:
        assert np.abs(m.log_odds(line, "versicolor", "virginica")).max() < 1e-8


@every_model
def test_contributions_add_up_to_the_log_odds(model):
    m = fitted(model)
    found = m.contributions(X, "versicolor", "virginica")
    assert found.values.shape == X.shape
    odds = m.log_odds(X, "versicolor", "virginica")
    np.testing.assert_allclose(found.log_odds, odds, rtol=1e-9, atol=1e-9)


def test_contributions_of_independent_features_are_their_likelihood_ratios():
    m = fitted(sf.GaussianNB())
    found = m.contributions(X, "versicolor", "virginica").values
    sd = np.sqrt(m.var_)
    for j in range(4):
        a = stats.norm(m.means_[1, j], sd[1, j]).logpdf(X[:, j])
        b = stats.norm(m.means_[2, j], sd[2, j]).logpdf(X[:, j])
        np.testing.assert_allclose(found[:, j], a - b, rtol=1e-9, atol=1e-9)


def test_contributions_are_shapley_values():
    # v(S): the log-odds with the features outside S at the class means, each class its own
    m = fitted(sf.QDA(), 2)
    x = np.array([[6.1, 2.9]])
    P = [np.linalg.inv(c) for c in m.covariances_[1:]]
    steps = [x[0] - mean for mean in m.means_[1:]]

    def value(S):
        u = [np.where([j in S for j in range(2)], s, 0.0) for s in steps]
        return (u[1] @ P[1] @ u[1] - u[0] @ P[0] @ u[0]) / 2

    first = (value({0}) - value(set()) + value({0, 1}) - value({1})) / 2
    found = m.contributions(x, "versicolor", "virginica").values[0]
    np.testing.assert_allclose(found, [first, value({0, 1}) - first], rtol=1e-9)


@every_model
def test_an_explanation_names_the_classes_and_the_strongest_feature(model):
    m = fitted(model)
    text = m.explain(X, row=70)
    best, following = m.classes_[np.argsort(-m.predict_proba(X[70:71])[0])[:2]]
    assert text.startswith(f"'{best}' rather than '{following}'")
    values = m.contributions(X[70:71], best, following).values[0]
    assert f"x{np.abs(values).argmax() + 1} " in text


@every_model
def test_whitened_distances_equal_mahalanobis(model):
    m = fitted(model)
    for c, label in enumerate(m.classes_):
        rows, mean = m.whiten(X, label), m.whiten(m.means_[c : c + 1], label)
        squares = ((rows - mean) ** 2).sum(axis=1)
        np.testing.assert_allclose(squares, m.squared_mahalanobis(X)[:, c], rtol=1e-9, atol=1e-9)


def test_whitening_is_by_the_symmetric_root():
    m = fitted(sf.LDA())
    root = m.whiten(np.eye(4)) - m.whiten(np.zeros((4, 4)))
    np.testing.assert_allclose(root, root.T, atol=1e-10)
    np.testing.assert_allclose(root @ m.covariance_ @ root, np.eye(4), atol=1e-10)


@every_model
def test_samples_refit_to_the_model(model):
    m = fitted(model)
    n = 200_000
    rows, labels = m.sample(n, random_state=3)
    again = sf.QDA().fit(rows, labels)
    np.testing.assert_allclose(again.priors_, m.priors_, atol=5 / np.sqrt(n))
    sd = np.sqrt(np.array([np.diag(c) for c in m.covariances_]))
    assert (np.abs(again.means_ - m.means_) < 5 * sd / np.sqrt(n / 3)).all()
    scale = sd[:, :, None] * sd[:, None, :]
    assert (np.abs(again.covariances_ - m.covariances_) < 8 * scale / np.sqrt(n / 3)).all()


def test_samples_are_the_same_for_the_same_seed_and_any_number_of_threads(monkeypatch):
    m = fitted(sf.QDA())
    first = m.sample(50_000, random_state=1)
    monkeypatch.setenv("SUFFICE_NUM_THREADS", "1")
    second = m.sample(50_000, random_state=1)
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
    assert not np.array_equal(first[0], m.sample(50_000, random_state=2)[0])


def test_samples_can_be_drawn_from_given_classes():
    m = fitted(sf.LDA())
    assert set(m.sample(10, y="setosa", random_state=0)[1]) == {"setosa"}
    wanted = np.array(["virginica", "setosa", "virginica"])
    assert np.array_equal(m.sample(3, y=wanted, random_state=0)[1], wanted)


@pytest.mark.parametrize("probability", [0.5, 0.95])
def test_an_ellipse_holds_its_probability(probability):
    m = fitted(sf.QDA())
    curve = m.ellipse("versicolor", (1, 3), probability=probability).points()
    part = sf.QDA().fit(X[:, [1, 3]], NAMES[y])
    distances = part.squared_mahalanobis(curve)[:, 1]
    np.testing.assert_allclose(distances, stats.chi2(2).ppf(probability), rtol=1e-8)


def test_an_ellipse_lies_at_the_requested_deviations():
    m = fitted(sf.LDA(), 2)
    curve = m.ellipse("setosa", deviations=2).points()
    np.testing.assert_allclose(m.squared_mahalanobis(curve)[:, 0], 4.0, rtol=1e-9)


@every_model
@pytest.mark.parametrize("features", [1, 2])
def test_densities_integrate_to_one(model, features):
    m = fitted(model, features)
    low, high = X[:, :features].min(axis=0) - 6, X[:, :features].max(axis=0) + 6
    axes = [np.linspace(a, b, 801) for a, b in zip(low, high, strict=True)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, features)
    density = np.exp(m.score_samples(grid)).reshape([801] * features)
    for axis in reversed(axes):
        density = integrate.simpson(density, x=axis, axis=-1)
    assert float(density) == pytest.approx(1.0, abs=1e-6)


@every_model
def test_bayes_rule_closes(model):
    m = fitted(model)
    joint = m.predict_joint_log_proba(X)
    np.testing.assert_allclose(
        joint - m.score_samples(X)[:, None], m.predict_log_proba(X), rtol=1e-9, atol=1e-9
    )
    at = np.arange(len(y)), y
    assert m.log_likelihood(X, NAMES[y]) == pytest.approx(joint[at].sum(), rel=1e-12)


def test_adapted_priors_find_the_new_mix():
    m = fitted(sf.QDA())
    mix = [0.7, 0.05, 0.25]
    rows, _ = m.with_priors(mix).sample(20_000, random_state=0)
    adapted = m.adapt_priors(rows)
    np.testing.assert_allclose(adapted.priors_, mix, atol=0.015)
    assert adapted.score_samples(rows).sum() >= m.score_samples(rows).sum()


@pytest.mark.parametrize("priors", [[0.5, 0.5], [0.95, 0.05], [1e-3, 0.999]])
def test_adapted_priors_are_the_most_likely_ones_wherever_they_start(priors):
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(0, 1, 350), rng.normal(0.7, 1, 150)])
    scores = np.stack([-(x**2), -((x - 0.7) ** 2)], axis=1) / 2
    best = optimize.minimize_scalar(
        lambda p: -np.log(np.exp(scores) @ [1 - p, p]).sum(),
        bounds=(0, 1),
        method="bounded",
        options={"xatol": 1e-10},
    )
    joint = scores + np.log(priors)
    posterior = joint - special.logsumexp(joint, axis=1, keepdims=True)
    # Such classes overlap so much that plain EM takes hundreds of steps.
    found = adapt_priors(posterior, np.array(priors), max_steps=10)
    np.testing.assert_allclose(found, [1 - best.x, best.x], atol=1e-6)


def test_costs_move_the_decision_and_doubt_may_be_left_open():
    m = fitted(sf.LDA())
    assert np.array_equal(m.decide(X), m.predict(X))
    costs = np.ones((3, 3)) - np.eye(3)
    costs[2, 1] = 1000.0  # to call a virginica a versicolor
    assert (m.decide(X, costs) == "virginica").sum() > (m.predict(X) == "virginica").sum()
    open_rows = m.decide(X, reject=0.2) == None  # noqa: E711 - elementwise
    assert np.array_equal(open_rows, m.predict_proba(X).max(axis=1) < 0.8)
    assert open_rows.any()


def test_costs_by_class_name_are_those_of_the_array():
    m = fitted(sf.LDA())
    costs = np.ones((3, 3)) - np.eye(3)
    costs[2, 1], costs[0, 2] = 1000.0, 7.0
    pairs = {("virginica", "versicolor"): 1000.0, ("setosa", "virginica"): 7.0}
    nested = {"virginica": {"versicolor": 1000}, "setosa": {"virginica": 7}}
    frame = pd.DataFrame(costs, index=m.classes_, columns=m.classes_)[m.classes_[::-1]]
    for given in (pairs, nested, frame, frame.to_numpy()[:, ::-1]):
        assert np.array_equal(m.decide(X, given), m.decide(X, costs))


def test_a_threshold_is_the_probability_from_which_on_a_class_is_the_answer():
    m = fitted(sf.LDA())
    p = m.predict_proba(X)
    low = m.decide(X, threshold={"virginica": 0.05})
    assert np.array_equal(low == "virginica", p[:, 2] >= 0.05)
    others = m.classes_[p[:, :2].argmax(axis=1)]
    assert np.array_equal(low[p[:, 2] < 0.05], others[p[:, 2] < 0.05])
    two = sf.LDA().fit(X[50:], NAMES[y[50:]])
    half = two.decide(X[50:], threshold=0.5)
    assert np.array_equal(half, two.predict(X[50:]))
    second = two.predict_proba(X[50:])[:, 1]
    assert np.array_equal(two.decide(X[50:], threshold=0.9) == "virginica", second >= 0.9)


def test_a_threshold_by_costs_decides_as_costs_do():
    two = sf.LDA().fit(X[50:], NAMES[y[50:]])
    costs = {("virginica", "versicolor"): 4}
    found = sf.thresholds(two, X[50:], NAMES[y[50:]], costs=costs)
    assert found.expected == pytest.approx(0.2)
    assert np.array_equal(
        two.decide(X[50:], threshold=found.expected), two.decide(X[50:], costs=costs)
    )


def test_the_exercise_comes_out_as_a_vertical_line():
    S = np.array([[1.0, 0.5], [0.5, 1.0]])
    means = np.array([[0.0, 1.0], [4.0, 3.0]])
    model = GaussianModel(
        np.array(["-", "+"]), np.array([0.5, 0.5]), means, (FullCovariance(whitener(S)),), ()
    )
    m = sf.LDA()
    m._state = Learned(
        columns=LearnedColumns(2),
        kept={"model": model},
        classes=model.classes,
        statistics=None,
        settings=None,
        priors=None,
    )
    boundary = m.boundary("+", "-")
    assert str(boundary) == "x1 = 2"
    np.testing.assert_allclose(boundary.linear, [4, 0], atol=1e-12)
    assert boundary.constant == pytest.approx(-8)
    assert m.log_odds(np.array([[2.0, 0.0]]), "+", "-")[0] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda m: m.log_odds(X, "setosa", "rose"), "no class 'rose'"),
        (lambda m: m.log_odds(X, "setosa", "setosa"), "two different"),
        (lambda m: m.boundary(), "name two of the 3 classes"),
        (lambda m: m.decide(X, costs=np.eye(2)), r"\(3, 3\)"),
        (lambda m: m.decide(X, costs="x"), "numbers"),
        (lambda m: m.decide(X, costs=np.full((3, 3), np.nan)), "finite"),
        (lambda m: m.decide(X, reject=-1), "not below 0"),
        (lambda m: m.decide(X, costs={("setosa", "rose"): 1}), "no class 'rose'"),
        (lambda m: m.decide(X, costs={"setosa": 1}), "name the true and the predicted class"),
        (lambda m: m.decide(X, costs={("setosa", "virginica"): "x"}), "finite numbers"),
        (lambda m: m.decide(X, threshold=0.3), r"threshold=\{'virginica': 0.3\}"),
        (lambda m: m.decide(X, threshold={"virginica": 2}), "from 0 to 1"),
        (lambda m: m.decide(X, threshold={}), "names 0 classes"),
        (lambda m: m.decide(X, reject=0.1, threshold={"setosa": 0.3}), "decides alone"),
        (lambda m: m.sample(0), "positive integer"),
        (lambda m: m.sample(2, y="rose"), "no class 'rose'"),
        (lambda m: m.sample(2, y=["setosa"]), "1 labels for 2"),
        (lambda m: m.whiten(X), "name the class"),
        (lambda m: m.ellipse("setosa"), "either probability or deviations"),
        (lambda m: m.ellipse("setosa", probability=1.5), "between 0 and 1"),
        (lambda m: m.ellipse("setosa", deviations=0), "above 0"),
        (lambda m: m.ellipse("setosa", (0, 0), deviations=1), "two different"),
        (lambda m: m.ellipse("setosa", (0, 9), deviations=1), "no feature 9"),
        (lambda m: m.explain(X, row=200), "no row 200"),
        (lambda m: m.log_likelihood(X, ["setosa"]), "150 rows"),
        (lambda m: m.boundary("setosa", "virginica").curve(((0, 1), (0, 1))), "two"),
    ],
)
def test_what_cannot_be_answered_says_what_to_do(call, match):
    with pytest.raises(InvalidParameter, match=match):
        call(fitted(sf.QDA()))


PAIR = ("setosa", "virginica")
ANSWERS = {
    "log-odds": lambda m, rows: m.log_odds(rows, *PAIR),
    "log likelihood ratio": lambda m, rows: m.log_likelihood_ratio(rows, *PAIR),
    "contributions": lambda m, rows: m.contributions(rows, *PAIR),
    "log likelihood": lambda m, rows: m.log_likelihood(rows, NAMES[y]),
    "decision": lambda m, rows: m.decide(rows),
    "priors": lambda m, rows: m.adapt_priors(rows),
    "boundary": lambda m, rows: m.boundary(*PAIR)(rows),
    "whitening": lambda m, rows: m.whiten(rows, "setosa"),
    "imputation": lambda m, rows: m.impute(rows),
    "draws": lambda m, rows: m.impute_draws(rows),
}


@pytest.mark.parametrize("gap", [False, True], ids=["complete", "gap"])
@pytest.mark.parametrize("value", [np.inf, -np.inf])
@pytest.mark.parametrize("answer", ANSWERS)
def test_an_infinite_value_is_refused_by_every_answer(answer, value, gap):
    bad = X.copy()
    bad[3, 1] = value
    bad[2, 0] = np.nan if gap else 5.0
    for model in (sf.LDA(), sf.QDA()):
        with pytest.raises(NotFinite, match=r"infinity.*row 3, column 1\. Drop"):
            ANSWERS[answer](fitted(model), bad)


def test_an_infinite_value_cannot_be_explained():
    bad = X.copy()
    bad[3, 1] = np.inf
    with pytest.raises(NotFinite, match=r"infinity.*column 1"):
        fitted(sf.LDA()).explain(bad, row=3)


@every_model
@pytest.mark.parametrize("answer", ["boundary", "whitening"])
def test_answers_that_need_every_value_name_the_missing_one(model, answer):
    bad = X.copy()
    bad[3, 1] = np.nan
    with pytest.raises(HasGaps, match=r"NaN.*row 3, column 1\..*impute"):
        ANSWERS[answer](fitted(model), bad)


@every_model
def test_what_is_missing_in_one_row_does_not_matter_to_the_others(model):
    m = fitted(model)
    gappy = X.copy()
    gappy[3, 1] = np.nan
    others = np.arange(150) != 3
    for answer in ("log-odds", "log likelihood ratio"):
        found = ANSWERS[answer](m, gappy)
        assert np.isfinite(found).all()
        np.testing.assert_allclose(found[others], ANSWERS[answer](m, X)[others], rtol=1e-12)
    assert m.decide(gappy).tolist()[4:] == m.decide(X).tolist()[4:]


@pytest.mark.parametrize("model", [sf.LDA(), sf.QDA(), sf.DiagonalLDA()], ids=repr)
def test_a_row_with_a_gap_is_answered_from_the_features_it_has(model):
    known = [0, 2, 3]
    gappy = X.copy()
    gappy[:, 1] = np.nan
    whole, part = fitted(clone(model)), clone(model).fit(X[:, known], NAMES[y])
    for answer in ("log-odds", "log likelihood ratio", "log likelihood"):
        got, wanted = ANSWERS[answer](whole, gappy), ANSWERS[answer](part, X[:, known])
        np.testing.assert_allclose(got, wanted, rtol=1e-8, atol=1e-9)
    assert whole.decide(gappy).tolist() == part.decide(X[:, known]).tolist()
