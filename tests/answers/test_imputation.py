"""Laws of imputation, conditional samples, contributions and axes where values are missing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import softmax
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

import suffice as sf
from closeness import near
from suffice.errors import InvalidInput, InvalidParameter, NotFinite

X, CODES = load_iris(return_X_y=True)
Y = np.array(["setosa", "versicolor", "virginica"])[CODES]
GAPS = np.where(np.random.default_rng(0).random(X.shape) < 0.3, np.nan, X)
GAPS[:, 3][:2] = X[:2, 3]
GAPS[149] = np.nan
MISSING = np.isnan(GAPS)
MODELS = [
    sf.QDA(),
    sf.LDA(),
    sf.GaussianNB(),
    sf.DiagonalLDA(),
    sf.GaussianDiscriminant(pooling=0.4, shrinkage=0.2),
    sf.GaussianDiscriminant(structure="spherical"),
]
COPY = 3.0, -20.0
SINGULAR = [sf.QDA(), sf.LDA(), sf.GaussianDiscriminant(pooling=0.4)]
every_model = pytest.mark.parametrize("model", MODELS, ids=repr)
singular_models = pytest.mark.parametrize("model", SINGULAR, ids=repr)


def fitted(model):
    return clone(model).fit(X, Y)


def copied(model):
    """A model of iris with a copy of the first column in another unit, and its table."""
    table = np.c_[X, COPY[0] * X[:, 0] + COPY[1]]
    return clone(model).fit(table, Y), table


def conditional(m, c, x):
    """Mean and covariance of the missing values of a row given the others, in a class."""
    u, o = np.flatnonzero(np.isnan(x)), np.flatnonzero(~np.isnan(x))
    mean, S = m.means_[c], m.covariances_[c]
    slopes = S[np.ix_(u, o)] @ np.linalg.pinv(S[np.ix_(o, o)], rcond=1e-10, hermitian=True)
    return mean[u] + slopes @ (x[o] - mean[o]), S[np.ix_(u, u)] - slopes @ S[np.ix_(o, u)]


def mixture(m, x, shares):
    """Mean and covariance of the missing values over all classes."""
    parts = [conditional(m, c, x) for c in range(len(shares))]
    mean = sum(p * part[0] for p, part in zip(shares, parts, strict=True))
    spread = [part[1] + np.outer(part[0] - mean, part[0] - mean) for part in parts]
    return mean, sum(p * part for p, part in zip(shares, spread, strict=True))


def check_moments(drawn, mean, S):
    """Whether the draws (n, u) have this mean and covariance, to five standard errors."""
    n = len(drawn)
    steps = drawn - mean
    error = np.sqrt(np.maximum(S.diagonal(), 0) / n)
    assert (np.abs(steps.mean(axis=0)) <= 5 * error + 1e-12).all()
    products = steps[:, :, None] * steps[:, None, :]
    error = products.std(axis=0) / np.sqrt(n)
    assert (np.abs(products.mean(axis=0) - S) <= 5 * error + 1e-12).all()


@every_model
def test_a_complete_table_is_imputed_and_completed_as_it_is(model):
    m = fitted(model)
    assert np.array_equal(m.impute(X), X)
    assert np.array_equal(m.impute(X, Y), X)
    assert np.array_equal(m.impute_draws(X, 3), np.stack([X] * 3))
    assert m.impute(X) is not X
    single = X.astype(np.float32)
    assert np.array_equal(m.impute(single), single)
    assert m.impute(single).dtype == np.float64


@every_model
def test_known_values_are_never_touched(model):
    m = fitted(model)
    for table in (m.impute(GAPS), m.impute(GAPS, Y), *m.impute_draws(GAPS, 3)):
        assert np.array_equal(table[~MISSING], X[~MISSING])
        assert np.isfinite(table).all()


@every_model
def test_given_the_class_imputation_is_its_regression(model):
    m = fitted(model)
    found = m.impute(GAPS, Y)
    for i in np.flatnonzero(MISSING.any(axis=1)):
        near(found[i, MISSING[i]], conditional(m, CODES[i], GAPS[i])[0])
    for c, label in enumerate(m.classes_):
        near(m.impute(GAPS[:1], label)[0, MISSING[0]], conditional(m, c, GAPS[0])[0])


@every_model
def test_without_the_class_imputation_is_the_mixture_of_regressions(model):
    m = fitted(model)
    found, proba = m.impute(GAPS), m.predict_proba(GAPS)
    for i in np.flatnonzero(MISSING.any(axis=1)):
        near(found[i, MISSING[i]], mixture(m, GAPS[i], proba[i])[0])
    near(found[149], m.priors_ @ m.means_, 1e-12)


@pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")
def test_regression_of_a_complete_column_on_others_is_that_of_least_squares():
    m = sf.LDA().fit(X[CODES == 1], Y[CODES == 1])
    table = X[CODES == 1].copy()
    table[:, 2] = np.nan
    before = np.c_[np.ones(50), X[CODES == 1][:, [0, 1, 3]]]
    fit = before @ np.linalg.lstsq(before, X[CODES == 1][:, 2])[0]
    near(m.impute(table)[:, 2], fit, 1e-10)


@pytest.mark.parametrize("model", [sf.LDA(shrinkage=0.3), sf.QDA(shrinkage="oas")], ids=repr)
def test_wide_tables_are_imputed_by_their_regressions(model, one_thread):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(30, 8)) @ rng.normal(size=(8, 600)) + rng.normal(size=(30, 600))
    y = np.arange(30) % 2
    m = clone(model).fit(table, y)
    hidden = np.where(rng.random((4, 600)) < 0.3, np.nan, table[:4])
    found = m.impute(hidden, y[:4])
    for i, x in enumerate(hidden):
        near(found[i, np.isnan(x)], conditional(m, y[i], x)[0])


@every_model
def test_imputing_twice_changes_nothing_more(model):
    m = fitted(model)
    assert np.array_equal(m.impute(m.impute(GAPS)), m.impute(GAPS))


@every_model
def test_frames_are_imputed_like_arrays(model):
    frame = pd.DataFrame(GAPS, columns=list("abcd"))
    m = clone(model).fit(pd.DataFrame(X, columns=list("abcd")), Y)
    filled = m.impute(frame.convert_dtypes())
    assert list(filled.columns) == list("abcd")
    near(filled.to_numpy(float), fitted(model).impute(GAPS), 1e-12)


@every_model
def test_draws_are_the_same_for_the_same_seed(model):
    m = fitted(model)
    first = m.impute_draws(GAPS, 2, random_state=4)
    assert np.array_equal(first, m.impute_draws(GAPS, 2, random_state=4))
    assert np.array_equal(first, m.impute_draws(GAPS, 2, random_state=np.random.default_rng(4)))
    assert not np.array_equal(first, m.impute_draws(GAPS, 2, random_state=5))
    assert (first[0] != first[1])[MISSING].all()
    assert first.shape == (2, 150, 4)


ROWS = [
    [np.nan, 3.0, np.nan, 1.4],
    [6.1, np.nan, 4.9, np.nan],
    [np.nan, np.nan, 4.8, np.nan],
    [np.nan, np.nan, np.nan, np.nan],
    [5.9, 3.0, 4.9, np.nan],
]
every_row = pytest.mark.parametrize("row", ROWS, ids=str)


@every_model
@every_row
def test_draws_have_the_conditional_moments(model, row):
    m, x = fitted(model), np.array(row)
    many = np.tile(x, (200, 1))
    drawn = m.impute_draws(many, 100, random_state=1).reshape(-1, 4)
    check_moments(drawn[:, np.isnan(x)], *mixture(m, x, m.predict_proba(x[None])[0]))
    drawn = m.impute_draws(many, 100, y="versicolor", random_state=1).reshape(-1, 4)
    check_moments(drawn[:, np.isnan(x)], *conditional(m, 1, x))


@every_model
@every_row
def test_conditional_samples_have_the_conditional_moments(model, row):
    m, x = fitted(model), np.array(row)
    u, proba = np.isnan(x), m.predict_proba(x[None])[0]
    drawn, labels = m.sample(20_000, given=row, random_state=2)
    assert np.array_equal(drawn[:, ~u], np.tile(x[~u], (20_000, 1)))
    check_moments(drawn[:, u], *mixture(m, x, proba))
    share = (labels[:, None] == m.classes_).mean(axis=0)
    assert (np.abs(share - proba) <= 5 * np.sqrt(proba * (1 - proba) / 20_000) + 1e-12).all()
    for c in np.flatnonzero(share > 0.02):
        check_moments(drawn[labels == m.classes_[c]][:, u], *conditional(m, c, x))


@every_model
def test_the_class_of_conditional_samples_can_be_fixed(model):
    m = fitted(model)
    given = {1: 3.0, 3: 1.4}
    drawn, labels = m.sample(20_000, y="virginica", given=given, random_state=0)
    assert set(labels) == {"virginica"}
    check_moments(drawn[:, [0, 2]], *conditional(m, 2, np.array([np.nan, 3.0, np.nan, 1.4])))
    wanted = np.array(["virginica", "setosa", "virginica"])
    assert np.array_equal(m.sample(3, y=wanted, given=given)[1], wanted)


def test_what_is_given_may_be_named():
    frame = pd.DataFrame(X, columns=["sl", "sw", "pl", "pw"])
    m = sf.QDA().fit(frame, Y)
    by_name = m.sample(5, given={"pl": 1.5, "sw": 3.0}, random_state=0)
    for given in ({2: 1.5, 1: 3.0}, [np.nan, 3.0, 1.5, np.nan], np.array([np.nan, 3, 1.5, np.nan])):
        again = m.sample(5, given=given, random_state=0)
        assert all(np.array_equal(a, b) for a, b in zip(by_name, again, strict=True))
    assert not np.array_equal(by_name[0], m.sample(5, given={"pl": 1.5, "sw": 3.0})[0])


def test_a_row_given_in_full_is_the_sample():
    m = fitted(sf.QDA())
    drawn, labels = m.sample(2000, given=X[70], random_state=0)
    assert np.array_equal(drawn, np.tile(X[70], (2000, 1)))
    share = m.predict_proba(X[70:71])[0, 1]
    assert (labels == "versicolor").mean() == pytest.approx(share, abs=0.05)


@pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")
@singular_models
def test_samples_of_singular_covariances_refit_to_the_model(model):
    m, _ = copied(model)
    n = 50_000
    drawn, labels = m.sample(n, random_state=0)
    near(drawn[:, 4], COPY[0] * drawn[:, 0] + COPY[1], 1e-8)
    for c, label in enumerate(m.classes_):
        check_moments(drawn[labels == label], m.means_[c], m.covariances_[c])


@pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")
@singular_models
@pytest.mark.parametrize("known", [[1, 4], [0, 2], [1, 3], []], ids=str)
def test_the_copy_of_a_column_is_drawn_as_its_copy(model, known):
    m, table = copied(model)
    x = np.full(5, np.nan)
    x[known] = table[70, known]
    drawn, _ = m.sample(3000, given=x, random_state=0)
    near(drawn[:, 4], COPY[0] * drawn[:, 0] + COPY[1], 1e-8)
    hidden = np.tile(x, (30, 1))
    for filled in (m.impute(hidden), m.impute(hidden, "setosa"), *m.impute_draws(hidden, 20)):
        near(filled[:, 4], COPY[0] * filled[:, 0] + COPY[1], 1e-8)
    drawn, _ = m.sample(20_000, y="versicolor", given=x, random_state=0)
    check_moments(drawn[:, np.isnan(x)], *conditional(m, 1, x))


@every_model
def test_contributions_with_gaps_add_up_to_the_log_odds(model):
    m = fitted(model)
    found = m.contributions(GAPS, "versicolor", "virginica")
    odds = m.log_odds(GAPS, "versicolor", "virginica")
    near(found.values.sum(axis=1) + found.base, odds, 1e-10)
    near(found.log_odds, odds, 1e-10)
    assert not found.values[MISSING].any()
    assert np.array_equal(np.isfinite(found.values), np.ones(X.shape, bool))
    text = m.explain(GAPS, row=70)
    assert f"{abs(m.log_odds(GAPS[70:71], 'versicolor', 'virginica')[0]):.2f}" in text


@every_model
def test_contributions_of_complete_rows_do_not_notice_gaps_in_others(model):
    m = fitted(model)
    whole = ~MISSING.any(axis=1)
    a, b = (m.contributions(table, "setosa", "virginica") for table in (GAPS, X))
    near(a.values[whole], b.values[whole], 1e-12)
    near(a.base[whole], b.base[whole], 1e-12)


@pytest.mark.parametrize("model", MODELS[:4], ids=repr)
def test_contributions_of_known_features_are_those_of_the_model_of_these(model):
    m = fitted(model)
    hidden = np.where([True, False, True, True], X, np.nan)
    fewer = clone(model).fit_statistics(m.statistics_.select([0, 2, 3]))
    a = m.contributions(hidden, "setosa", "virginica")
    b = fewer.contributions(X[:, [0, 2, 3]], "setosa", "virginica")
    near(a.values[:, [0, 2, 3]], b.values, 1e-10)
    near(a.base, b.base, 1e-10)


@pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")
@singular_models
def test_contributions_of_singular_covariances_add_up_to_the_log_odds(model):
    m, table = copied(model)
    hidden = np.where(np.c_[MISSING, MISSING[:, 1]], np.nan, table)
    found = m.contributions(hidden, "versicolor", "virginica")
    near(found.log_odds, m.log_odds(hidden, "versicolor", "virginica"), 1e-8)


@pytest.mark.parametrize("model", [sf.LDA(), sf.LDA(shrinkage=0.3, n_components=1)], ids=repr)
def test_axes_put_rows_with_gaps_where_they_are_expected(model):
    m = fitted(model)
    near(m.transform(GAPS), m.transform(m.impute(GAPS)), 1e-12)
    whole = ~MISSING.any(axis=1)
    near(m.transform(GAPS)[whole], m.transform(X)[whole], 1e-12)
    assert m.transform(GAPS).shape == m.transform(X).shape
    drawn = m.impute_draws(GAPS, 400, random_state=0)
    mean = np.mean([m.transform(table) for table in drawn], axis=0)
    spread = np.std([m.transform(table) for table in drawn], axis=0)
    assert (np.abs(mean - m.transform(GAPS)) <= 5 * spread / 20 + 1e-9).all()


@pytest.mark.parametrize(
    ("load", "model"),
    [
        (load_iris, sf.QDA()),
        (load_iris, sf.LDA()),
        (load_wine, sf.QDA(shrinkage=0.01, target="diagonal")),
        (load_wine, sf.LDA()),
        (load_breast_cancer, sf.LDA()),
    ],
)
def test_imputation_beats_the_column_mean_on_values_it_never_saw(load, model, one_thread):
    table, y = load(return_X_y=True)
    missing = np.random.default_rng(0).random(table.shape) < 0.15
    hidden = np.where(missing, np.nan, table)
    sd = table.std(axis=0)
    m = clone(model).fit(hidden, y)

    def error(filled):
        return np.sqrt((((filled - table) / sd)[missing] ** 2).mean())

    by_mean = error(np.where(missing, np.nanmean(hidden, axis=0), table))
    assert error(m.impute(hidden)) < 0.8 * by_mean
    assert error(m.impute(hidden, y)) < 0.8 * by_mean
    assert by_mean < 1.1


@pytest.mark.parametrize("model", [sf.LDA(), sf.DiagonalLDA(), sf.LDA(shrinkage=0.2)], ids=repr)
def test_discriminants_of_a_shared_covariance_are_linear(model):
    m = fitted(model)
    linear = X @ m.discriminant_coef_.T + m.discriminant_intercept_
    near(m.discriminants(X), linear, 1e-10)
    near(m.predict_proba(X), softmax(linear, axis=1), 1e-10)
    assert m.discriminant_coef_.shape == (3, 4)
    assert m.discriminant_intercept_.shape == (3,)
    two = clone(model).fit(X[CODES > 0], CODES[CODES > 0])
    assert two.discriminant_coef_.shape == (2, 4)
    difference = np.diff(X @ two.discriminant_coef_.T + two.discriminant_intercept_)[:, 0]
    near(two.log_odds(X), difference, 1e-10)


@pytest.mark.parametrize("model", [sf.QDA(), sf.GaussianNB(), MODELS[4], MODELS[5]], ids=repr)
def test_quadratic_discriminants_have_no_slopes(model):
    m = fitted(model)
    for name in ("discriminant_coef_", "discriminant_intercept_"):
        assert not hasattr(m, name)
        with pytest.raises(AttributeError, match="quadratic"):
            getattr(m, name)
    near(m.predict_proba(GAPS), softmax(m.discriminants(GAPS), axis=1), 1e-12)


INFINITE = np.where(np.arange(600).reshape(150, 4) == 13, np.inf, GAPS)


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda m: m.impute(GAPS, "rose"), InvalidParameter, "no class 'rose'"),
        (lambda m: m.impute(GAPS, np.where(CODES, Y, "rose")), InvalidParameter, "no class 'rose'"),
        (lambda m: m.impute(GAPS, Y[:9]), InvalidParameter, "9 labels for 150 rows"),
        (lambda m: m.impute(GAPS, Y[:, None]), InvalidParameter, "150 rows"),
        (lambda m: m.impute(INFINITE), NotFinite, "row 3, column 1"),
        (lambda m: m.impute(GAPS[:, :3]), InvalidInput, "3 features"),
        (lambda m: m.impute_draws(GAPS, 2, "rose"), InvalidParameter, "no class 'rose'"),
        (lambda m: m.impute_draws(GAPS, 2, Y[:9]), InvalidParameter, "9 labels for 150 rows"),
        (lambda m: m.impute_draws(GAPS, 0), InvalidParameter, "n_draws is 0"),
        (lambda m: m.impute_draws(GAPS, -2), InvalidParameter, "n_draws is -2"),
        (lambda m: m.impute_draws(GAPS, 1.5), InvalidParameter, "n_draws is 1.5"),
        (lambda m: m.impute_draws(GAPS, True), InvalidParameter, "n_draws is True"),
        (lambda m: m.impute_draws(INFINITE, 2), NotFinite, "row 3, column 1"),
        (lambda m: m.sample(2, given={"sepal": 1.0}), InvalidParameter, "no feature 'sepal'"),
        (lambda m: m.sample(2, given={4: 1.0}), InvalidParameter, "no feature 4"),
        (lambda m: m.sample(2, given={-1: 1.0}), InvalidParameter, "no feature -1"),
        (lambda m: m.sample(2, given=[1.0, 2.0]), InvalidParameter, "a row of 4 values"),
        (lambda m: m.sample(2, given=GAPS[:1]), InvalidParameter, "a row of 4 values"),
        (lambda m: m.sample(2, given={2: np.inf}), NotFinite, "column 2"),
        (lambda m: m.sample(2, given=[np.nan, -np.inf, 1, 1]), NotFinite, "column 1"),
        (lambda m: m.sample(2, y="rose", given={2: 1.0}), InvalidParameter, "no class 'rose'"),
        (lambda m: m.contributions(INFINITE, "setosa", "virginica"), NotFinite, "row 3, column 1"),
        (lambda m: m.whiten(GAPS, "setosa"), NotFinite, "row 0, column"),
    ],
)
def test_what_cannot_be_filled_is_named(call, error, match):
    with pytest.raises(error, match=match):
        call(fitted(sf.QDA()))


@pytest.mark.parametrize(
    "given", ["abc", {0: "abc"}, {0: [1.0, 2.0]}, {True: 1.0}, [None, "x", 1, 1]], ids=str
)
def test_what_is_given_must_be_numbers_of_features(given):
    with pytest.raises(InvalidParameter):
        fitted(sf.QDA()).sample(2, given=given)
