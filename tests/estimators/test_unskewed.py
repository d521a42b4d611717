"""Unskewed: Gaussian classes of powers of the features, with every answer in their own units."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.integrate import quad
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import StandardScaler

import suffice as sf
from suffice.data.powers import EXPONENTS, UNITS, Powers
from suffice.errors import (
    InvalidFile,
    InvalidInput,
    InvalidParameter,
    Mismatch,
    NotFinite,
    NotOnDevice,
)
from suffice.estimators.files import file_of
from suffice.statistics.storage import container

X, Y = load_breast_cancer(return_X_y=True)
X = X[:, :8]


def skewed(n=400, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    z = rng.normal(size=(n, 3)) + y[:, None] * [1.0, 0.5, 0.0]
    return np.column_stack([np.exp(z[:, 0]), -np.exp(-z[:, 1]), z[:, 2]]), y


# The powers


def test_powers_are_those_of_box_and_cox():
    powers = Powers.of(X)
    z = (X - powers.origin) / powers.unit
    u = np.column_stack(
        [stats.boxcox(1 + column, p) for column, p in zip(z.T, powers.exponent, strict=True)]
    )
    expected = StandardScaler().fit_transform(u)
    np.testing.assert_allclose(powers.apply(X), expected, rtol=1e-9, atol=1e-9)


def test_no_other_power_is_likelier():
    powers = Powers.of(X[:, :1])

    def likelihood(origin, unit, p):
        z = (X[:, 0] - origin) / unit
        u = stats.boxcox(1 + z, p)
        rise = (p - 1) * np.log1p(z).mean() - np.log(abs(unit))
        return rise - np.log(u.std())

    deviation = X[:, 0].std()
    every = [
        likelihood(origin, sign * unit * deviation, p)
        for origin, sign in ((X[:, 0].min(), 1), (X[:, 0].max(), -1))
        for unit in UNITS
        for p in EXPONENTS
    ]
    found = likelihood(powers.origin[0], powers.unit[0], powers.exponent[0])
    assert found == pytest.approx(max(every), rel=1e-12)


def test_powers_make_lognormal_features_symmetric():
    rows, _ = skewed(2000)
    before, after = (np.abs(stats.skew(r)[:2]) for r in (rows, Powers.of(rows).apply(rows)))
    assert (before > 3).all()
    assert (after < 0.15 * before).all()
    assert Powers.of(rows).exponent[2] == pytest.approx(1.0, abs=0.3)


@pytest.mark.parametrize("unit", [3.0, -0.5])
@pytest.mark.parametrize("exponent", [0.0, 0.3, 0.5, 1.0])
def test_undoing_gives_the_rows_back_beyond_the_origin_too(exponent, unit):
    one = np.ones(1)
    powers = Powers(2 * one, unit * one, exponent * one, 0.4 * one, 0.7 * one, 5 * one)
    rows = np.array([[-8.0], [1.0], [2.0], [2.5], [9.0], [np.nan]])
    np.testing.assert_allclose(powers.undo(powers.apply(rows)), rows, rtol=1e-9)
    assert (np.sign(np.diff(powers.apply(rows[:5]), axis=0)) == np.sign(unit)).all()


def test_slopes_are_those_of_the_powers():
    powers = Powers.of(X)
    step = 1e-6 * X.std(axis=0)
    rise = (powers.apply(X + step) - powers.apply(X - step)) / (2 * step)
    found = np.log(np.abs(rise)).sum(axis=1)
    # At the origin the two powers meet, and so does what is left and right of it.
    inside = (np.abs(X - powers.origin) > 2 * step).all(axis=1)
    np.testing.assert_allclose(powers.log_slope(X)[inside], found[inside], rtol=1e-4)


def test_what_lies_beyond_the_powers_reach_stays_finite():
    powers = Powers.of(np.exp(np.random.default_rng(0).normal(size=(500, 1)) * 2))
    far = powers.undo(np.array([[50.0], [-50.0]]))
    assert np.isfinite(far).all()


def test_features_without_a_shape_are_left_as_they_are():
    rows = np.column_stack([np.arange(40.0) % 2, np.full(40, 7.0), np.full(40, np.nan)])
    powers = Powers.of(rows)
    assert powers.exponent.tolist() == [1.0, 1.0, 1.0]
    assert np.isnan(powers.apply(rows)[:, 2]).all()
    assert np.isfinite(powers.apply(rows)[:, :2]).all()


# The classifier


def test_it_is_the_family_on_powers():
    model = sf.UnskewedDiscriminant(pooling=0.5).fit(X, Y)
    rows = Powers.of(X).apply(X)
    plain = sf.GaussianDiscriminant(pooling=0.5).fit(rows, Y)
    np.testing.assert_array_equal(model.predict_proba(X), plain.predict_proba(rows))
    assert model.statistics_ == plain.statistics_
    np.testing.assert_allclose(model.contributions(X).log_odds, model.log_odds(X), rtol=1e-6)
    alone = model.leave_one_out(X, Y)
    assert alone.log_loss == pytest.approx(plain.leave_one_out(rows, Y).log_loss)


def test_densities_are_of_the_rows_as_they_are():
    rows, y = skewed()
    model = sf.UnskewedDiscriminant().fit(rows[:, :1], y)
    total, _ = quad(
        lambda x: np.exp(model.score_samples([[x]])[0]), -5, 400, limit=800, points=[0, 1, 5]
    )
    assert total == pytest.approx(1.0, abs=2e-3)
    np.testing.assert_allclose(
        model.log_likelihood(rows[:, :1], y),
        model.predict_joint_log_proba(rows[:, :1])[np.arange(len(y)), y].sum(),
    )


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_units_and_origins_do_not_matter(unit):
    model, other = (sf.UnskewedDiscriminant(pooling=0.3) for _ in range(2))
    moved = X * unit + 3 * unit
    p = other.fit(moved, Y).predict_log_proba(moved)
    np.testing.assert_allclose(p, model.fit(X, Y).predict_log_proba(X), rtol=1e-5, atol=1e-7)


def test_it_does_better_on_skewed_rows_than_plain_gaussians():
    rows, y = skewed()
    losses = {
        kind.__name__: kind().fit(rows, y).leave_one_out(rows, y).log_loss
        for kind in (sf.GaussianDiscriminant, sf.UnskewedDiscriminant)
    }
    assert losses["UnskewedDiscriminant"] < losses["GaussianDiscriminant"] - 0.05


def test_samples_and_filled_gaps_are_in_the_units_of_the_rows():
    rows, y = skewed(1000)
    model = sf.UnskewedDiscriminant().fit(rows, y)
    drawn, labels = model.sample(4000, random_state=0)
    for c in (0, 1):
        for j in range(3):
            same = stats.ks_2samp(drawn[labels == c, j], rows[y == c, j])
            assert same.pvalue > 1e-3
    gaps = rows.copy()
    gaps[::3, 0] = np.nan
    filled = model.impute(gaps)
    assert np.array_equal(filled[~np.isnan(gaps)], gaps[~np.isnan(gaps)])
    assert (filled[::3, 0] > -0.2).all()
    assert model.impute_draws(gaps, 3, random_state=0).shape == (3, *rows.shape)
    given, _ = model.sample(5, given={0: 2.0}, random_state=0)
    np.testing.assert_allclose(given[:, 0], 2.0, rtol=1e-9)


def test_gaps_in_training_are_left_out():
    rows, y = skewed()
    rows[::5, 0] = np.nan
    model = sf.UnskewedDiscriminant().fit(rows, y)
    assert model.score(rows, y) > 0.6
    assert np.isfinite(model.predict_log_proba(rows)).all()
    assert np.isfinite(model.score_samples(rows)).all()


@pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")
def test_powers_stay_those_of_the_first_rows():
    model = sf.UnskewedDiscriminant().partial_fit(X[:300], Y[:300])
    powers = model.powers_.copy()
    model.partial_fit(X[300:], Y[300:])
    np.testing.assert_array_equal(model.powers_, powers)
    again = clone(model).fit(X, Y)
    assert not np.array_equal(again.powers_, powers)


def test_a_failed_fit_changes_nothing():
    model = sf.UnskewedDiscriminant().fit(X, Y)
    before = model.predict_proba(X)
    with pytest.raises(InvalidInput):
        model.fit(X[:50] ** 2, Y[:49])
    bad = X.copy()
    bad[3, 2] = np.inf
    with pytest.raises(NotFinite, match="row 3, column 2"):
        model.fit(bad, Y)
    np.testing.assert_array_equal(model.predict_proba(X), before)
    with pytest.raises(NotFinite, match="row 3, column 2"):
        model.predict(bad)


def test_merging_takes_the_same_powers():
    a = sf.UnskewedDiscriminant().fit(X, Y)
    with pytest.raises(Mismatch, match="powers"):
        a.merge(sf.GaussianDiscriminant().fit(X, Y))
    with pytest.raises(Mismatch):
        a.merge(sf.UnskewedDiscriminant().fit(X[:200], Y[:200]))
    both = pickle.loads(pickle.dumps(a)).merge(a)
    np.testing.assert_allclose(both.predict_proba(X), a.predict_proba(X), rtol=1e-9, atol=1e-12)


def test_what_does_not_exist_for_powers_is_refused_in_words():
    model = sf.UnskewedDiscriminant(pooling=1.0).fit(X, Y)
    for ask in (
        model.boundary,
        lambda: model.ellipse(0),
        model.outlier_threshold,
        model.log_likelihood,
        model.bic,
        lambda: sf.UnskewedDiscriminant().fit_statistics(sf.summarize(X, Y)),
    ):
        with pytest.raises(InvalidParameter):
            ask()
    assert not hasattr(model, "discriminant_coef_")
    with pytest.raises(NotFittedError):
        sf.UnskewedDiscriminant().predict(X)
    assert model.n_parameters() == sf.LDA().fit(X, Y).n_parameters() + X.shape[1]


def test_names_cv_and_files(tmp_path):
    frame = pd.DataFrame(X, columns=[f"column {j}" for j in range(X.shape[1])])
    model = sf.UnskewedDiscriminant(pooling="cv", shrinkage="cv", target="diagonal")
    model.fit(frame, Y)
    assert model.statistics_.feature_names == tuple(frame.columns)
    assert 0 <= model.pooling_ <= 1
    model.save(tmp_path / "m.suffice")
    back = sf.load(tmp_path / "m.suffice")
    np.testing.assert_array_equal(back.predict_proba(frame), model.predict_proba(frame))
    np.testing.assert_array_equal(back.powers_, model.powers_)
    back.partial_fit(frame, Y)
    assert back.statistics_.weight.sum() == 2 * len(Y)
    assert "column 0" in model.explain(frame, row=0) + model.explain(frame, row=5)


def test_the_automatic_choice_sees_skew():
    found = sf.select_model(X, Y, cv=5, simple=True)
    assert isinstance(found.model, sf.UnskewedDiscriminant)
    plain = [i for i, one in enumerate(found.candidates) if one["model"] == "GaussianDiscriminant"]
    loss = found.table["log_loss"]
    assert loss[found.chosen] < loss[plain].min() - 0.005


def test_its_scores_are_those_of_refits_but_for_the_powers():
    rows, y = load_iris(return_X_y=True)
    found = sf.select_model(rows, y, sf.UnskewedDiscriminant(pooling=0.5), cv=5)
    powered = Powers.of(rows).apply(rows)
    plain = sf.select_model(powered, y, sf.GaussianDiscriminant(pooling=0.5), cv=5)
    np.testing.assert_allclose(found.scores["log_loss"], plain.scores["log_loss"], rtol=1e-12)
    assert found.complexity[0] == plain.complexity[0] + 4


def test_rows_elsewhere_are_refused_at_fit():
    torch = pytest.importorskip("torch")
    with pytest.raises(NotOnDevice):
        sf.UnskewedDiscriminant().fit(torch.as_tensor(X), torch.as_tensor(Y))
    dask_array = pytest.importorskip("dask.array")
    rows, y = dask_array.from_array(X, chunks=(200, -1)), dask_array.from_array(Y, chunks=200)
    with pytest.raises(InvalidInput, match="rows in memory"):
        sf.UnskewedDiscriminant().fit(rows, y)
    model = sf.UnskewedDiscriminant().fit(X, Y)
    np.testing.assert_array_equal(np.asarray(model.predict(rows)), model.predict(X))
    with pytest.raises(InvalidInput, match="rows in memory"):
        model.fit(rows, y)
    twice = sf.UnskewedDiscriminant().fit(X, Y).partial_fit(rows, y)
    assert twice.statistics_.weight.sum() == 2 * len(Y)


def test_files_with_broken_powers_are_refused(tmp_path):
    model = sf.UnskewedDiscriminant().fit(X, Y)
    header, arrays = container.unpack(file_of(model), "it")
    for name, value in (("unit", 0.0), ("exponent", 1.5), ("spread", -1.0), ("reach", -2.0)):
        bad = arrays[f"content.powers.{name}"].copy()
        bad[3] = value
        for wrong in (bad, bad[:2]):
            path = tmp_path / "m"
            path.write_bytes(container.pack(header, arrays | {f"content.powers.{name}": wrong}))
            with pytest.raises(InvalidFile, match="powers"):
                sf.load(path)
