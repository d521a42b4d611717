"""Classifiers of discrete and mixed features: learning in parts, answers, and refusals."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import suffice as sf
from closeness import near
from lawful import one_per_class
from suffice.errors import (
    InvalidFeatures,
    InvalidInput,
    InvalidParameter,
    Mismatch,
    NeverIncluded,
    NotFinite,
    NotNumbers,
    SufficeError,
)

RNG = np.random.default_rng(0)
N = 300
Y = RNG.choice(["ant", "bee", "cat"], N, p=[0.5, 0.3, 0.2])
K = np.unique(Y, return_inverse=True)[1]
LEVELS = (RNG.integers(0, [3, 4], (N, 2)) * RNG.integers(0, 2, (N, 1)) + K[:, None]) % [3, 4]
COLOURS = np.array(["red", "blue", "green"], dtype=object)[LEVELS[:, 0]]
NUMBERS = RNG.normal(size=(N, 2)) @ [[1.0, 0.6], [0.0, 1.0]] + K[:, None]
GAPS = RNG.random((N, 4)) < 0.1


def table(gaps=True):
    X = np.empty((N, 4), object)
    X[:, 0], X[:, 1], X[:, 2], X[:, 3] = NUMBERS[:, 0], COLOURS, NUMBERS[:, 1], LEVELS[:, 1] > 1
    X[GAPS & gaps] = None
    return X


def strings(gaps=True):
    return np.where(GAPS[:, :2] & gaps, None, np.c_[COLOURS, LEVELS[:, 1].astype(str)])


MIXED, STRINGS = table(), strings()
INTEGERS = np.where(GAPS[:, :2], np.nan, LEVELS)
BITS = np.where(GAPS[:, :3], np.nan, RNG.random((N, 3)) < 0.2 + 0.25 * K[:, None])
CASES = {
    "binary": (sf.BernoulliNB(), BITS),
    "integers": (sf.CategoricalNB(alpha=0.5), INTEGERS),
    "strings": (sf.CategoricalNB(), STRINGS),
    "mixed": (sf.MixedNB(), MIXED),
    "mixed, full": (sf.MixedNB(structure="full"), MIXED),
}
each = pytest.mark.parametrize("case", CASES)


def fitted(case, rows=slice(None), w=None):
    model, X = CASES[case]
    return clone(model).fit(X[rows], Y[rows], sample_weight=w)


def known(values):
    return np.array([[v is not None and v == v for v in row] for row in values])


@pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")
@parametrize_with_checks(
    one_per_class(
        [sf.BernoulliNB(), sf.CategoricalNB(), sf.MixedNB(), sf.MixedNB(structure="full")]
    )
)
def test_every_estimator_passes_every_check_of_sklearn(estimator, check):
    check(estimator)


@each
@pytest.mark.parametrize("parts", [2, 7, 40])
def test_rows_learned_in_any_batches_give_the_model_of_all(case, parts):
    model, X = CASES[case]
    whole, learner = fitted(case), clone(model)
    for rows in np.array_split(np.random.default_rng(parts).permutation(N), parts):
        learner.partial_fit(X[rows], Y[rows])
    assert learner.statistics_ == whole.statistics_
    near(learner.predict_log_proba(X), whole.predict_log_proba(X), 1e-10)


@each
def test_merged_forgotten_and_built_models_equal_the_fitted_one(case):
    model, X = CASES[case]
    whole = fitted(case)
    merged = fitted(case, slice(0, None, 2)).merge(fitted(case, slice(1, None, 2)))
    twice = clone(model).fit(np.r_[X, X[:20]], np.r_[Y, Y[:20]])
    built = clone(model).fit_statistics(whole.statistics_)
    for other in (merged, twice.forget(X[:20], Y[:20]), built, pickle.loads(pickle.dumps(whole))):
        assert other.statistics_ == whole.statistics_
        near(other.predict_log_proba(X), whole.predict_log_proba(X), 1e-10)
        assert np.array_equal(other.classes_, whole.classes_)


@each
def test_forgetting_what_was_never_learned_changes_nothing(case):
    X = CASES[case][1]
    model = fitted(case, slice(0, 100))
    before = model.statistics_.digest()
    with pytest.raises(NeverIncluded):
        model.forget(X, Y)
    with pytest.raises(NeverIncluded):
        model.forget(X[:100], Y[:100])
    assert model.statistics_.digest() == before


@each
def test_weights_equal_repetition(case):
    model, X = CASES[case]
    w = np.random.default_rng(2).integers(0, 4, N)
    weighted = fitted(case, w=w.astype(float))
    repeated = clone(model).fit(X.repeat(w, axis=0), Y.repeat(w))
    near(weighted.predict_log_proba(X), repeated.predict_log_proba(X), 1e-11)
    near(weighted.priors_, repeated.priors_)


@each
def test_classes_that_come_later_are_welcome(case):
    model, X = CASES[case]
    order = np.argsort(Y, kind="stable")
    learner = clone(model)
    for rows in np.array_split(order, 9):
        learner.partial_fit(X[rows], Y[rows])
    assert learner.classes_.tolist() == ["ant", "bee", "cat"]
    near(learner.predict_log_proba(X), fitted(case).predict_log_proba(X), 1e-10)


def test_levels_that_come_later_are_welcome():
    order = np.argsort(COLOURS.astype(str), kind="stable")
    for case in ("strings", "mixed"):
        model, X = CASES[case]
        learner = clone(model)
        for rows in np.array_split(order, 6):
            learner.partial_fit(X[rows], Y[rows])
        assert learner.statistics_ == fitted(case).statistics_
    small = sf.CategoricalNB().fit([[0]], [0]).partial_fit([[3]], [1])
    near(small.predict_joint_log_proba([[2]]), np.log([[0.5 / 5, 0.5 / 5]]))


@each
def test_the_order_of_columns_makes_no_difference(case):
    model, X = CASES[case]
    flipped = clone(model).fit(X[:, ::-1], Y)
    near(flipped.predict_log_proba(X[:, ::-1]), fitted(case).predict_log_proba(X), 1e-11)


@each
def test_posteriors_sum_to_one_and_agree_with_all_other_scores(case):
    X = CASES[case][1]
    model = fitted(case)
    P, joint = model.predict_proba(X), model.predict_joint_log_proba(X)
    near(P.sum(axis=1), 1)
    near(np.exp(model.predict_log_proba(X)), P)
    near(joint - model.score_samples(X)[:, None], model.predict_log_proba(X))
    assert np.array_equal(model.classes_[P.argmax(axis=1)], model.predict(X))
    scores = model.discriminants(X)
    near(scores[:, 1] - scores[:, 0], joint[:, 1] - joint[:, 0], 1e-11)
    near(model.log_odds(X, "bee", "ant"), joint[:, 1] - joint[:, 0], 1e-11)
    prior = np.log(model.priors_[1] / model.priors_[0])
    near(model.log_likelihood_ratio(X, "bee", "ant"), joint[:, 1] - joint[:, 0] - prior, 1e-11)
    assert model.log_likelihood(X, Y) == pytest.approx(joint[np.arange(N), K].sum())


def standard_errors(model, again, n):
    """Differences of level probabilities, and standard errors of those of the sample."""
    for mine, theirs in zip(model, again, strict=True):
        p, q = np.exp(mine), np.exp(theirs)
        yield q - p, np.sqrt(p * (1 - p) / n[:, None])


@pytest.mark.parametrize("case", ["binary", "integers", "strings"])
def test_samples_have_the_levels_and_probabilities_of_the_model(case):
    model = fitted(case)
    S, y = model.sample(20_000, random_state=1)
    again = clone(model).set_params(alpha=0).fit(S, y)
    near(again.priors_, model.priors_, 4 * np.sqrt(0.25 / 20_000))
    if case == "binary":
        assert set(np.unique(S)) == {0, 1}
        pairs = [model.feature_log_prob_], [again.feature_log_prob_]
    else:
        for mine, theirs in zip(model.levels_, again.levels_, strict=True):
            assert np.array_equal(mine, theirs)
        pairs = model.feature_log_prob_, again.feature_log_prob_
    for gap, error in standard_errors(*pairs, again.class_count_):
        assert (np.abs(gap) < 4.5 * error).all()


@pytest.mark.parametrize("case", ["mixed", "mixed, full"])
def test_mixed_samples_refit_to_the_model(case):
    model = fitted(case)
    S, y = model.sample(20_000, random_state=1)
    again = clone(model).set_params(alpha=0).fit(S, y)
    assert again.categorical_features_ == (1, 3)
    n = again.statistics_.weight
    spread = np.sqrt(np.diagonal(model.covariances_, axis1=1, axis2=2))
    assert (np.abs(again.means_ - model.means_) < 4.5 * spread / np.sqrt(n)[:, None]).all()
    room = 4.5 * spread[:, :, None] * spread[:, None, :] * np.sqrt(2 / n)[:, None, None]
    assert (np.abs(again.covariances_ - model.covariances_) < room).all()
    for a, b in zip(model.levels_, again.levels_, strict=True):
        assert a.tolist() == b.tolist()


@each
def test_samples_of_a_class_are_of_it_and_a_seed_repeats_them(case):
    model = fitted(case)
    S, y = model.sample(5, y="bee", random_state=3)
    again, _ = model.sample(5, y="bee", random_state=3)
    assert y.tolist() == ["bee"] * 5
    assert S.tolist() == again.tolist()
    assert S.shape == (5, CASES[case][1].shape[1])


@each
def test_imputing_leaves_known_entries_untouched_and_no_gap(case):
    X = CASES[case][1]
    model = fitted(case)
    for filled in (model.impute(X), model.impute(X, Y), *model.impute_draws(X, 2, random_state=0)):
        assert known(filled).all()
        at = known(X)
        assert (np.asarray(filled, dtype=object)[at] == np.asarray(X, dtype=object)[at]).all()


def test_a_missing_level_becomes_the_most_probable_one():
    model = fitted("strings")
    filled = model.impute(STRINGS)
    shares = model.predict_proba(STRINGS)
    for j, levels in enumerate(model.levels_):
        chances = shares @ np.exp(model.feature_log_prob_[j])
        own = np.exp(model.feature_log_prob_[j])[K]
        gap = ~known(STRINGS)[:, j]
        assert (filled[gap, j] == levels[chances.argmax(axis=1)][gap]).all()
        assert (model.impute(STRINGS, Y)[gap, j] == levels[own.argmax(axis=1)][gap]).all()


def test_a_missing_number_becomes_its_mean_over_the_classes():
    model = fitted("mixed")
    shares = model.predict_proba(MIXED)
    filled = model.impute(MIXED)
    for place, j in enumerate(model.numeric_features_):
        gap = ~known(MIXED)[:, j]
        near(filled[gap, j].astype(float), (shares @ model.means_[:, place])[gap])
    full = fitted("mixed, full")
    row = np.array([[1.5, "red", None, None]], dtype=object)
    C, m = full.covariances_, full.means_
    conditional = m[:, 1] + C[:, 1, 0] / C[:, 0, 0] * (1.5 - m[:, 0])
    near(float(full.impute(row, ["bee"])[0, 2]), conditional[1])
    row[0, 3] = True
    near(float(full.impute(row)[0, 2]), full.predict_proba(row)[0] @ conditional)


@pytest.mark.parametrize("case", ["strings", "mixed"])
def test_a_level_never_seen_is_left_as_it_is(case):
    row = CASES[case][1][:2].copy()
    row[0] = [None, "x"] if case == "strings" else [None, "x", 1.0, True]
    filled = fitted(case).impute(row)
    assert filled[0, 1] == "x"


def test_an_integer_never_seen_is_left_as_it_is():
    model = sf.CategoricalNB().fit([[0, 0], [1, 1]], [0, 1])
    assert model.impute(np.array([[7.0, np.nan], [0.0, 1.0]]))[0, 0] == 7


def test_draws_follow_the_posterior_and_keep_levels_of_one_class_together():
    X = [["a", "a"], ["b", "b"]] * 50
    model = sf.CategoricalNB(alpha=1e-9).fit(X, [0, 1] * 50)
    rows = np.array([["a", "b"], [None, None]], dtype=object)[[1, 1, 0]]
    drawn = model.impute_draws(rows, 2000, random_state=0)
    assert drawn.shape == (2000, 3, 2)
    assert (drawn[:, :2, 0] == drawn[:, :2, 1]).all()
    assert abs((drawn[:, 0, 0] == "a").mean() - 0.5) < 4.5 * 0.5 / np.sqrt(2000)
    assert (model.impute_draws(rows, 3, y=[0, 1, 0], random_state=0)[:, 0] == "a").all()


def test_samples_may_be_given_what_is_known():
    model = fitted("mixed")
    row = [0.5, "red", np.nan, True]
    S, y = model.sample(4000, random_state=0, given=row)
    assert (S[:, [0, 1, 3]] == np.array([0.5, "red", True], dtype=object)).all()
    posterior = model.predict_proba(np.array([row], dtype=object))[0]
    shares = np.array([(y == c).mean() for c in model.classes_])
    near(shares, posterior, 4.5 * np.sqrt(0.25 / 4000))
    values = S[:, 2].astype(float)
    near(values.mean(), float(model.impute([row])[0, 2]), 4.5 * values.std() / np.sqrt(4000))
    bits, _ = fitted("binary").sample(50, random_state=0, given={0: 1})
    assert (bits[:, 0] == 1).all()


@pytest.mark.parametrize(
    ("case", "given"), [("strings", {0: "red"}), ("integers", {1: 2}), ("mixed", {0: 1.5})]
)
def test_samples_may_be_given_one_value(case, given):
    S, _ = fitted(case).sample(9, random_state=0, given=given)
    ((at, value),) = given.items()
    assert (S[:, at] == value).all()


def test_what_is_given_must_be_a_row_or_values_by_feature():
    model = fitted("strings")
    for given in ("red", ["red"], {"colour": "red"}, {5: "red"}, {0: ["red"]}):
        with pytest.raises(InvalidParameter):
            model.sample(2, given=given)


@each
@pytest.mark.parametrize("pair", [("ant", "bee"), ("cat", "ant")])
def test_contributions_add_up_to_the_log_odds_and_gaps_have_none(case, pair):
    X = CASES[case][1]
    model = fitted(case)
    found = model.contributions(X, *pair)
    near(found.log_odds, model.log_odds(X, *pair), 1e-11)
    assert (found.values[~known(X)] == 0).all()
    assert found.values.shape == X.shape
    assert found.classes == pair


@each
def test_a_row_is_explained_in_words(case):
    X = CASES[case][1]
    model = fitted(case)
    text = model.explain(X, 3)
    assert repr(str(model.predict(X[3:5])[0])) in text
    assert "log-odds" in text
    with pytest.raises(InvalidParameter):
        model.explain(X, N)


def kolmogorov(p):
    p = np.sort(p)
    steps = np.arange(len(p) + 1) / len(p)
    return max((steps[1:] - p).max(), (p - steps[:-1]).max())


@pytest.mark.parametrize("case", ["mixed", "mixed, full"])
def test_outlier_pvalues_of_rows_of_the_model_are_uniform(case):
    model = fitted(case)
    S, _ = model.sample(2000, random_state=5)
    assert kolmogorov(model.outlier_pvalue(S)) < 0.05
    S[:, 2] = None
    S[0, 3] = None
    assert kolmogorov(model.outlier_pvalue(S)) < 0.05
    S, _ = model.sample(2000, y="bee", random_state=6)
    assert kolmogorov(model.outlier_pvalue(S, by_class=True)[:, 1]) < 0.05


@each
def test_outlier_pvalues_lie_between_zero_and_one_and_the_threshold_has_its_share(case):
    model = fitted(case)
    p = model.outlier_pvalue(CASES[case][1])
    assert ((p > 0) & (p <= 1)).all()
    assert model.outlier_pvalue(CASES[case][1][:5], by_class=True).shape == (5, 3)
    S, _ = model.sample(4000, random_state=7)
    share = (model.score_samples(S) < model.outlier_threshold(0.2)).mean()
    assert share < 0.2 + 4.5 * np.sqrt(0.2 * 0.8 / 4000) + 0.01


def test_odd_rows_have_small_pvalues():
    odd = np.array([[40.0, "red", 1.0, True], [0.0, "red", -30.0, False]], dtype=object)
    assert (fitted("mixed").outlier_pvalue(odd) < 0.001).all()
    X = [["a", "a"]] * 500 + [["b", "b"]] * 500
    model = sf.CategoricalNB().fit(X, [0] * 500 + [1] * 500)
    common, odd, unseen = model.outlier_pvalue([["a", "a"], ["a", "b"], ["c", "c"]])
    assert common > 0.9
    assert odd < 0.02
    assert unseen < 0.02


@each
def test_other_priors_move_the_posterior_by_their_ratio(case):
    X = CASES[case][1]
    model = fitted(case)
    other = model.with_priors([0.1, 0.1, 0.8])
    near(other.priors_, [0.1, 0.1, 0.8])
    shifted = model.predict_proba(X) / model.priors_ * [0.1, 0.1, 0.8]
    near(other.predict_proba(X), shifted / shifted.sum(axis=1, keepdims=True))
    near(model.with_priors("uniform").priors_, [1 / 3] * 3)
    adapted = model.adapt_priors(X)
    assert adapted.score_samples(X).sum() >= model.score_samples(X).sum() - 1e-9
    near(adapted.priors_.sum(), 1)


@pytest.mark.parametrize("said", [{"fit_prior": False}, {"class_prior": [0.2, 0.8]}], ids=str)
def test_other_priors_replace_all_given_before(said):
    model = sf.CategoricalNB(**said).fit([["a"], ["b"], ["b"]], [0, 1, 1])
    shares = model.with_priors(None)
    near(shares.priors_, [1 / 3, 2 / 3])
    near(shares.partial_fit([["a"]], [0]).priors_, [1 / 2, 1 / 2])
    near(model.partial_fit([["a"]], [0]).priors_, said.get("class_prior", [1 / 2, 1 / 2]))


@each
def test_decisions_follow_the_costs(case):
    X = CASES[case][1]
    model = fitted(case)
    assert np.array_equal(model.decide(X), model.predict(X))
    costs = np.array([[0, 1, 9], [5, 0, 1], [1, 1, 0]])
    best = (model.predict_proba(X) @ costs).argmin(axis=1)
    assert np.array_equal(model.decide(X, costs), model.classes_[best])
    unsure = model.predict_proba(X).max(axis=1) < 0.7
    assert np.array_equal(np.equal(model.decide(X, reject=0.3), None), unsure)


GOOD = [["red", 0], ["blue", 1], ["red", 2], ["blue", 0]]
LABELS = [0, 0, 1, 1]
FRACTIONS = np.random.default_rng(0).random((600, 1)) + 1
BAD_ROWS = {
    "negative": (np.array([[0, 1], [2, -3]]), InvalidFeatures, "column 1 holds -3 in row 1"),
    "negative floats": ([[0.0, 1.0], [-2.0, 3.0]], InvalidFeatures, "column 0 holds -2.0 in row 1"),
    "measurement": (FRACTIONS, InvalidFeatures, "column 0 looks like a measurement"),
    "mixed kinds": ([["a", 1], ["b", "x"]], InvalidFeatures, "column 1 mixes int and str"),
    "booleans among texts": ([["a", True], ["b", "x"]], InvalidFeatures, "column 1 mixes"),
    "infinite": ([[0, 1.0], [1, np.inf]], NotFinite, "row 1, column 1"),
    "complex": (np.array([[1j], [0]]), InvalidFeatures, "[Cc]omplex"),
    "dates": (np.array([["2020-01-01"]] * 2, "M8[D]"), InvalidFeatures, "column 0"),
    "one dimension": (["a", "b"], InvalidFeatures, "2D"),
    "no columns": (np.empty((2, 0)), InvalidFeatures, "0 feature"),
    "text": ("ab", InvalidFeatures, "str"),
}


@pytest.mark.parametrize("case", BAD_ROWS)
def test_rows_that_hold_no_levels_are_refused_by_column(case):
    X, error, message = BAD_ROWS[case]
    y = np.arange(len(X)) % 2
    with pytest.raises(error, match=message):
        sf.CategoricalNB().fit(X, y)
    with pytest.raises(error, match=message):
        sf.count_levels(X, y)


def test_a_table_without_rows_is_refused_as_such():
    for work in (sf.CategoricalNB().fit, sf.count_levels):
        with pytest.raises(InvalidInput):
            work(np.empty((0, 2)), np.empty(0, int))


def test_a_measurement_of_a_frame_is_called_by_its_name():
    frame = pd.DataFrame({"kind": ["a", "b"] * 300, "weight": FRACTIONS[:, 0]})
    with pytest.raises(InvalidFeatures, match="column 'weight' looks like a measurement"):
        sf.CategoricalNB().fit(frame, np.arange(600) % 2)
    few = FRACTIONS[np.arange(600) % 256]
    assert sf.CategoricalNB().fit(few, np.arange(600) % 2).n_categories_[0] == 256


BAD_SETTINGS = [
    ({"alpha": -1}, "alpha"),
    ({"alpha": [1, 2, 3]}, r"alpha.*2 features"),
    ({"alpha": "much"}, "alpha is 'much'"),
    ({"alpha": [1, -1]}, "alpha"),
    ({"alpha": np.nan}, "alpha"),
    ({"alpha": None}, "alpha"),
    ({"min_categories": -1}, "min_categories"),
    ({"min_categories": 2.5}, "min_categories"),
    ({"min_categories": "3"}, "min_categories"),
    ({"min_categories": [1, 2, 3]}, "min_categories"),
    ({"levels": [["red", "blue"]]}, "1 lists for 2 features"),
    ({"levels": [["red"], None]}, "feature 0 has level 'blue'"),
    ({"levels": [None, [0, 1]]}, "feature 1 has level 2"),
    ({"levels": [None, ["0", "1", "2"]]}, "feature 1 do not have the type"),
    ({"levels": [[], None]}, "feature 0"),
    ({"levels": [None, [0.5, 1.5]]}, "feature 1"),
    ({"class_prior": [0.5, 0.2, 0.3]}, "prior"),
    ({"priors": [0.5, 0.9]}, "prior"),
    pytest.param({"levels": 5}, "levels"),
    pytest.param({"levels": [5, 5]}, "levels"),
    pytest.param({"levels": [["red", "blue", None], None]}, "levels"),
    pytest.param({"levels": [["red", "blue", 1], None]}, "levels"),
    pytest.param({"min_categories": [[1], [2, 3]]}, "min_categories"),
]


@pytest.mark.parametrize(("settings", "message"), BAD_SETTINGS, ids=str)
def test_settings_out_of_range_are_refused(settings, message):
    with pytest.raises(InvalidParameter, match=message):
        sf.CategoricalNB(**settings).fit(GOOD, LABELS)


@pytest.mark.parametrize("alpha", [-1, [1, 2, 3], "much"], ids=str)
@pytest.mark.parametrize(
    "model",
    [
        sf.CategoricalNB(),
        sf.BernoulliNB(binarize=0.5),
        sf.MixedNB(),
    ],
    ids=repr,
)
def test_learning_in_parts_refuses_the_settings_that_fit_refuses(model, alpha):
    X = [[0, 1], [1, 0]] if isinstance(model, sf.BernoulliNB) else [["a", "b"], ["b", "a"]]
    model = clone(model).set_params(alpha=alpha)
    with pytest.raises(InvalidParameter, match="alpha"):
        model.fit(X, [0, 1])
    with pytest.raises(InvalidParameter, match="alpha"):
        model.partial_fit(X, [0, 1])


@pytest.mark.parametrize("categorical", ["kind", ["colour"], [2], [-1], [0.5], 1, [None]], ids=str)
def test_columns_that_are_not_there_cannot_be_discrete(categorical):
    frame = pd.DataFrame({"kind": ["a", "b", "a", "b"], "size": [1.0, 2.0, 2.5, 4.0]})
    with pytest.raises(InvalidParameter, match="categorical"):
        sf.MixedNB(categorical=categorical).fit(frame, LABELS)


FRAME = pd.DataFrame({"kind": ["a", "b", "a", "b"], "size": [1.0, 2.0, 2.5, 4.0]})
TEXTS = pd.DataFrame({"kind": ["a", "b", "a", "b"], "size": ["s", "m", "s", "l"]})
ASKED = [
    (sf.MixedNB(), FRAME),
    (sf.CategoricalNB(), TEXTS),
    (sf.BernoulliNB(), FRAME.assign(kind=[0, 1, 1, 0])),
]


@pytest.mark.parametrize(("model", "frame"), ASKED, ids=["mixed", "levels", "binary"])
def test_other_columns_than_those_learned_are_refused(model, frame):
    model = clone(model).fit(frame, LABELS)
    others = [frame[["kind"]], frame.rename(columns={"kind": "sort"})]
    if model.columns_ is None:  # other tables are read by the names of their columns
        others += [frame[["size", "kind"]], frame.assign(more=1)]
    for other in others:
        for ask in (model.predict, model.impute, model.contributions, model.outlier_pvalue):
            with pytest.raises(InvalidFeatures):
                ask(other)
        with pytest.raises(InvalidInput):
            model.partial_fit(other, LABELS)
        with pytest.raises(InvalidInput):
            model.forget(other, LABELS)


def test_a_column_whose_kind_changes_is_refused_by_name():
    model = sf.CategoricalNB().fit(TEXTS, LABELS)
    with pytest.raises(InvalidFeatures, match="column 'size' holds integers"):
        model.predict(TEXTS.assign(size=[1, 2, 3, 4]))
    with pytest.raises(Mismatch, match="feature 'size'"):
        model.partial_fit(TEXTS.assign(size=[1, 2, 3, 4]), LABELS)
    mixed = sf.MixedNB().fit(FRAME, LABELS)
    unknown = mixed.predict_proba(FRAME.assign(kind=[1, 2, 3, 4]))
    assert np.array_equal(unknown, mixed.predict_proba(FRAME.assign(kind=list("cdef"))))
    with pytest.raises(NotNumbers, match="size"):
        mixed.predict(FRAME.assign(size=["s", "m", "s", "l"]))
    with pytest.raises(SufficeError, match="size"):
        mixed.partial_fit(FRAME.assign(size=["s", "m", "s", "l"]), LABELS)
    with pytest.raises(NotFinite, match="size"):
        mixed.predict(FRAME.assign(size=np.inf))
    with pytest.raises(NotFinite, match="size"):
        mixed.fit(FRAME.assign(size=np.inf), LABELS)


PLACES = {
    "mixed kinds": (1, ["a", 3, "a", "b"], "column 1"),
    "other kinds": (1, [1, 2, 3, 4], "feature 1"),
    "infinity": (2, [np.inf, 1.0, 2.0, 3.0], "column 2"),
    "text": (2, ["x", 1.0, 2.0, 3.0], r"X\[0, 2\]"),
}


@pytest.mark.parametrize("case", PLACES)
def test_mixed_arrays_are_refused_by_the_position_in_the_whole_table(case):
    X = np.array([[1.0, "a", 0.5], [1.2, "b", 1.0], [3.1, "a", 2.0], [2.9, "b", 1.5]], object)
    model = sf.MixedNB(categorical=[1]).fit(X, LABELS)
    at, values, message = PLACES[case]
    X[:, at] = values
    with pytest.raises(SufficeError, match=message):
        model.partial_fit(X, LABELS)


def test_mixed_features_of_a_pyarrow_table_keep_their_names():
    import pyarrow as pa

    frame = pa.table({name: FRAME[name].tolist() for name in FRAME})
    model = sf.MixedNB().partial_fit(frame, LABELS).partial_fit(frame, LABELS)
    assert model.statistics_.feature_names == ("kind", "size")
    assert list(model.feature_names_in_) == ["kind", "size"]


@pytest.mark.parametrize("model", [sf.CategoricalNB(), sf.MixedNB()], ids=repr)
@pytest.mark.parametrize("y", [[0, 1], [0, 1, 0, 1, 1], None])
def test_labels_must_be_one_a_row(model, y):
    with pytest.raises(InvalidInput, match=r"rows|samples|y"):
        clone(model).fit(GOOD, y)
    with pytest.raises(InvalidInput):
        sf.BernoulliNB().fit([[0], [1], [1], [0]], y)


def test_binary_features_must_be_binary_where_no_threshold_says_so():
    with pytest.raises(InvalidFeatures, match="row 1, column 0"):
        sf.BernoulliNB(binarize=None).fit([[0, 1], [2, 1]], [0, 1])
    with pytest.raises(NotFinite, match="row 0"):
        sf.BernoulliNB().fit([[np.inf, 1], [2, 1]], [0, 1])
    with pytest.raises(InvalidParameter, match="binarize"):
        sf.BernoulliNB(binarize="half").fit([[0, 1], [2, 1]], [0, 1])


def test_binary_features_are_called_by_the_names_of_the_frame_at_hand():
    frame = pd.DataFrame({"wet": [0, 1], "hot": [1, 2]})
    with pytest.raises(InvalidFeatures, match="row 1, column 'hot'"):
        sf.BernoulliNB(binarize=None).fit(frame, [0, 1])
    model = sf.BernoulliNB().fit(frame, [0, 1])
    with pytest.raises(NotFinite, match="row 0, column 2"):
        model.fit(np.array([[0, 1, np.inf], [1, 0, 1]]), [0, 1])


@pytest.mark.parametrize("rows", [[["a"], ["b"]], [[0], [2]]], ids=["texts", "three levels"])
def test_binary_models_refuse_counts_of_other_levels(rows):
    with pytest.raises(InvalidInput):
        sf.BernoulliNB().fit_statistics(sf.count_levels(rows, [0, 1]))


@pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")
def test_other_statistics_are_refused():
    moments = sf.summarize([[1.0], [2.0]], [0, 1])
    for model in (sf.CategoricalNB(), sf.BernoulliNB(), sf.MixedNB()):
        with pytest.raises(InvalidParameter):
            model.fit_statistics(moments)
    with pytest.raises(Mismatch, match="GaussianNB"):
        fitted("strings").merge(sf.GaussianNB().fit([[1.0], [2.0], [3.0]], [0, 1, 1]))


@each
def test_a_refused_batch_changes_nothing(case):
    X = CASES[case][1]
    model = fitted(case)
    before = model.statistics_.digest(), model.predict_proba(X).tolist()
    with pytest.raises(InvalidInput):
        model.partial_fit(X, Y[:-1])
    with pytest.raises(InvalidInput):
        model.partial_fit(X[:, :-1], Y)
    assert (model.statistics_.digest(), model.predict_proba(X).tolist()) == before


@pytest.mark.parametrize(
    ("model", "wanted"),
    [(sf.LDA(), "summarize"), (sf.CategoricalNB(), "count_levels"), (sf.MixedNB(), "MixedNB")],
    ids=["moments", "counts", "mixed"],
)
def test_statistics_of_another_kind_are_refused_with_the_right_ones(model, wanted):
    with pytest.raises(InvalidParameter, match=wanted):
        model.fit_statistics("statistics")


def test_one_class_has_no_odds():
    with pytest.raises(InvalidParameter, match="there is only one class, 'u'"):
        sf.CategoricalNB().fit([["p"], ["q"]], ["u", "u"]).log_odds([["p"]])
