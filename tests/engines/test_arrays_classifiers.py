"""Classifiers answer for rows on other devices as for NumPy's, on the same device."""

import pickle
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from elsewhere import CUDA, OTHER, STRICT, TORCH, everywhere, some, torches
from sklearn.base import clone
from sklearn.datasets import load_wine

import suffice as sf
from suffice import errors
from suffice.engines import arrays
from suffice.engines.arrays import fused_pass, measures, summary
from suffice.engines.arrays.held_model import HeldModel
from suffice.engines.arrays.model import ArrayModel
from suffice.engines.arrays.space import Space

# Repaired models are tested with the others.
pytestmark = pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")

FAMILY = [
    sf.LDA(),
    sf.LDA(shrinkage="ledoit-wolf", priors="uniform"),
    sf.LDA(shrinkage=0.3, target="diagonal", ddof=1),
    sf.QDA(),
    sf.QDA(reg_param=0.1),
    sf.QDA(shrinkage="oas", target="diagonal", priors=[0.2, 0.3, 0.5]),
    sf.GaussianNB(),
    sf.GaussianNB(var_smoothing=0.1),
    sf.DiagonalLDA(),
    sf.DiagonalLDA(shrinkage="ledoit-wolf"),
    sf.GaussianDiscriminant(pooling=0.5, shrinkage="ledoit-wolf", inflation=1.7),
    sf.GaussianDiscriminant(pooling=0.3, shrinkage="oas", ddof=1),
    sf.GaussianDiscriminant(pooling=0.3, shrinkage=0.2, target="diagonal"),
    sf.GaussianDiscriminant(structure="spherical", pooling=0.2),
    sf.GaussianDiscriminant(structure="diagonal", pooling=0.4, shrinkage="oas"),
]
ANSWERS = (
    "predict_proba",
    "predict_log_proba",
    "predict_joint_log_proba",
    "score_samples",
    "decision_function",
    "discriminants",
    "squared_mahalanobis",
)
family = pytest.mark.parametrize("model", FAMILY, ids=repr)


@pytest.fixture(params=["on the host", "held"])
def kept(request, monkeypatch):
    """Each test twice: with small tables brought to the host, and with all of them held."""
    if request.param == "held":
        monkeypatch.setattr(summary, "SMALL_BYTES", 0)
    return request.param


@pytest.fixture
def held(monkeypatch):
    monkeypatch.setattr(summary, "SMALL_BYTES", 0)


def wine():
    X, y = load_wine(return_X_y=True)
    X[:, 3] = X[:, 3] * 1e-6 + 1e3
    return X, y


def check_answers(place, here, there, X, rtol=1e-10, rows=None):
    rows = place.put(X) if rows is None else rows
    np.testing.assert_array_equal(place.fetch(here.predict(rows)), there.predict(X))
    for name in ANSWERS:
        got, want = place.fetch(getattr(here, name)(rows)), getattr(there, name)(X)
        assert got.dtype == np.float64
        if name in ("decision_function", "discriminants") and want.ndim == 2:
            # Scores are joint log densities up to a constant of the row.
            got, want = (one - one.max(axis=1, keepdims=True) for one in (got, want))
        np.testing.assert_allclose(
            got,
            want,
            rtol=rtol,
            atol=rtol * max(1.0, np.abs(want[np.isfinite(want)]).max()),
            err_msg=name,
        )


@some(TORCH, OTHER, CUDA)
@family
def test_fit_and_answers_are_those_of_numpy(place, model, kept):
    X, y = wine()
    here, there = clone(model).fit(place.put(X), place.put(y)), clone(model).fit(X, y)
    check_answers(place, here, there, X)
    assert here.statistics_ == there.statistics_
    np.testing.assert_allclose(here.covariance_, there.covariance_, rtol=1e-9)
    np.testing.assert_allclose(here.means_, there.means_, rtol=1e-12)
    assert here.score(X, y) == there.score(X, y)
    assert arrays.call(here, "score", place.put(X), place.put(y)) == there.score(X, y)


@some(TORCH, STRICT, CUDA)
@family
def test_a_model_of_numpy_rows_answers_for_rows_elsewhere(place, model):
    X, y = wine()
    there = clone(model).fit(X, y)
    check_answers(place, there, there, X)


@everywhere
def test_pairs_of_classes_whitening_and_axes(place, kept):
    X, y = wine()
    rows = place.put(X)
    for model in (sf.LDA(n_components=1), sf.QDA(), sf.GaussianNB()):
        here, there = clone(model).fit(rows, place.put(y)), clone(model).fit(X, y)
        for name in ("log_odds", "log_likelihood_ratio"):
            got, want = getattr(here, name)(rows, 0, 2), getattr(there, name)(X, 0, 2)
            np.testing.assert_allclose(place.fetch(got), want, rtol=1e-9)
        got, want = here.whiten(rows, 1), there.whiten(X, 1)
        np.testing.assert_allclose(place.fetch(got), want, rtol=1e-8, atol=1e-8)
        labels = place.put(y)
        assert here.log_likelihood(rows, labels) == pytest.approx(there.log_likelihood(X, y))
        np.testing.assert_array_equal(place.fetch(here.decide(rows)), there.decide(X))
        costs = [[0, 1, 5], [1, 0, 1], [9, 1, 0]]
        got, want = place.fetch(here.decide(rows, costs)), there.decide(X, costs)
        np.testing.assert_array_equal(got, want)
        with pytest.raises(errors.InvalidParameter, match="reject"):
            here.decide(rows, reject=-1)
        got, want = here.decide(rows, reject=0.01), there.decide(X, reject=0.01)
        np.testing.assert_array_equal(got, want)
        if isinstance(model, sf.LDA):
            got, want = place.fetch(here.transform(rows)), there.transform(X)
            np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9)


@everywhere
def test_updates_and_removals_are_those_of_numpy(place, kept):
    X, y = wine()
    for model in (sf.LDA(), sf.QDA(shrinkage=0.1), sf.GaussianNB()):
        here, there = clone(model), clone(model)
        for at in (np.arange(0, 100), np.arange(100, 178)):
            here.partial_fit(place.put(X[at]), place.put(y[at]))
            there.partial_fit(X[at], y[at])
        check_answers(place, here, there, X)
        gone = np.arange(20, 40)
        here.forget(place.put(X[gone]), place.put(y[gone]))
        there.forget(X[gone], y[gone])
        check_answers(place, here, there, X, rtol=1e-8)
        here.partial_fit(X[gone], y[gone])  # NumPy's rows may come in between
        assert here.statistics_ == clone(model).fit(X, y).statistics_


@everywhere
def test_priors_may_name_classes_that_are_still_to_come(place, kept):
    X, y = wine()
    model = sf.LDA(priors={0: 0.5, 1: 0.25, 2: 0.25})
    first = y < 2
    model.partial_fit(place.put(X[first]), place.put(y[first]))
    with pytest.raises(errors.MissingClasses):
        model.predict(place.put(X))
    model.partial_fit(place.put(X[~first]), place.put(y[~first]))
    check_answers(place, model, clone(model).fit(X, y), X)
    with pytest.raises(errors.MissingClasses):
        clone(model).fit(place.put(X[first]), place.put(y[first]))


@everywhere
@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_float32_and_distant_rows(place, offset):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 4, 500)
    X = rng.normal(size=(500, 6)) + 2 * rng.normal(size=(4, 6))[y] + offset
    X = X.astype(np.float64 if offset else np.float32)
    for model in (sf.LDA(), sf.QDA(), sf.GaussianNB(), sf.DiagonalLDA()):
        here = clone(model).fit(place.put(X), place.put(y))
        check_answers(place, here, clone(model).fit(X, y), X)


@everywhere
def test_labels_come_back_as_they_were(place):
    X, y = wine()
    rows = place.put(X)
    for labels in (y == 1, y + 100, y.astype(float)):
        found = place.fetch(sf.LDA().fit(rows, place.put(labels)).predict(rows))
        want = sf.LDA().fit(X, labels).predict(X)
        np.testing.assert_array_equal(found, want)
        assert found.dtype == want.dtype
    names = np.array(["red", "rosé", "white"])[y]
    found = sf.LDA().fit(rows, names).predict(rows)
    assert isinstance(found, np.ndarray)
    np.testing.assert_array_equal(found, sf.LDA().fit(X, names).predict(X))


@everywhere
def test_blocks_of_rows_and_classes_do_not_matter(place, monkeypatch, kept):
    X, y = wine()
    monkeypatch.setattr("suffice.engines.arrays.space.Space.near_bytes", 8 * 13 * 30)
    for model in (sf.LDA(), sf.QDA(shrinkage=0.1), sf.GaussianNB()):
        here = clone(model).fit(place.put(X), place.put(y))
        check_answers(place, here, clone(model).fit(X, y), X)


@dataclass(frozen=True)
class OtherCovariance:
    """A covariance of a class that the device does not know."""

    same: Any

    def __getattr__(self, name):
        return getattr(self.same, name)


@everywhere
def test_covariances_of_a_new_class_or_of_several_are_measured(place):
    X, y = wine()
    rows = place.put(X)
    narrow, wide = (kind().fit(X, y)._fitted for kind in (sf.GaussianNB, sf.QDA))
    own = tuple(OtherCovariance(one) for one in wide.covariances)
    for covariances in (own, (narrow.covariances[0], own[1], wide.covariances[2])):
        here = replace(wide, covariances=covariances)
        found = ArrayModel.of(here, Space.of(rows)).joint(rows)
        np.testing.assert_allclose(place.fetch(found), here.joint(X), rtol=1e-10)


@everywhere
def test_naive_bayes_far_from_all_classes_keeps_its_digits(place):
    rng = np.random.default_rng(1)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 3)) + 1e4 * y[:, None]
    here, there = sf.GaussianNB().fit(place.put(X), place.put(y)), sf.GaussianNB().fit(X, y)
    assert there.squared_mahalanobis(X).max() > measures.DeviceIndependent.near
    got, want = place.fetch(here.squared_mahalanobis(place.put(X))), there.squared_mahalanobis(X)
    np.testing.assert_allclose(got, want, rtol=1e-12)


@everywhere
def test_where_squares_overflow_the_nearest_class_is_certain(place):
    X, y = wine()
    far = X[:5].copy()
    far[3] = 1e160
    for model in (sf.QDA(), sf.GaussianNB(), sf.LDA()):
        here, there = clone(model).fit(place.put(X), place.put(y)), clone(model).fit(X, y)
        for name in ("predict", "predict_proba", "predict_log_proba"):
            got, want = getattr(here, name)(place.put(far)), getattr(there, name)(far)
            np.testing.assert_allclose(place.fetch(got), want, rtol=1e-9)


@everywhere
def test_more_features_than_rows(place):
    rng = np.random.default_rng(2)
    y = np.arange(12) % 2
    X = rng.normal(size=(12, 600)) + y[:, None]
    for model in (sf.LDA(), sf.LDA(shrinkage=0.5), sf.QDA(shrinkage=0.2)):
        here, there = clone(model).fit(place.put(X), place.put(y)), clone(model).fit(X, y)
        check_answers(place, here, there, X)


@torches
def test_classes_with_too_few_rows_borrow_on_the_device_too(place, held):
    X, y = wine()
    few = np.concatenate(
        [np.flatnonzero(y < 1), np.flatnonzero(y == 1)[:5], np.flatnonzero(y == 2)[:4]]
    )
    here, there = sf.QDA().fit(place.put(X[few]), place.put(y[few])), sf.QDA().fit(X[few], y[few])
    assert isinstance(here._fitted, HeldModel)
    assert here._fitted.factors is not None
    check_answers(place, here, there, X)
    assert here.borrowed_classes_.tolist() == there.borrowed_classes_.tolist() == [1, 2]


@torches
def test_features_that_never_vary_are_ignored_on_the_device_too(place, held):
    X, y = wine()
    X = np.insert(X, 5, 7.25, axis=1)
    for model in (
        sf.LDA(),
        sf.QDA(),
        sf.QDA(shrinkage=0.2),
        sf.LDA(shrinkage="oas", target="diagonal"),
    ):
        here, there = clone(model).fit(place.put(X), place.put(y)), clone(model).fit(X, y)
        assert here._fitted.factors is not None
        check_answers(place, here, there, X)
        check_answers(place, pickle.loads(pickle.dumps(here)), there, X)


@torches
def test_dependent_features_are_left_to_the_host(place, held):
    X, y = wine()
    X = np.column_stack([X, X[:, 0] + X[:, 1]])
    for model in (sf.LDA(), sf.QDA()):
        here, there = clone(model).fit(place.put(X), place.put(y)), clone(model).fit(X, y)
        assert here._fitted.factors is None
        check_answers(place, here, there, X, rtol=1e-6)


@torches
def test_a_feature_that_separates_the_classes_exactly(place, held):
    X, y = wine()
    X[:, 2] = y
    for model in (sf.LDA(), sf.QDA()):
        here, there = clone(model).fit(place.put(X), place.put(y)), clone(model).fit(X, y)
        assert here._fitted.factors is not None
        check_answers(place, here, there, X, rtol=1e-7)


@torches
def test_held_models_serve_the_host(place, held, tmp_path):
    X, y = wine()
    for model in (sf.LDA(), sf.QDA(), sf.GaussianNB()):
        here, there = clone(model).fit(place.put(X), place.put(y)), clone(model).fit(X, y)
        np.testing.assert_allclose(
            here.predict_proba(X), there.predict_proba(X), rtol=1e-9, atol=1e-12
        )
        other, mine = here.with_priors("uniform"), there.with_priors("uniform")
        check_answers(place, other, mine, X)
        np.testing.assert_allclose(here.merge(there).means_, there.means_, rtol=1e-12)
        here.save(tmp_path / "model.suffice")
        again = sf.load(tmp_path / "model.suffice")
        np.testing.assert_allclose(again.predict_log_proba(X[:9]), here.predict_log_proba(X[:9]))


@torches
def test_many_matrices_are_factored_panel_by_panel(place):
    from suffice.engines.arrays.factors import cholesky

    rng = np.random.default_rng(3)
    d = 2 * 16 + 5
    rows = rng.normal(size=(3, 2 * d, d))
    matrices = rows.transpose(0, 2, 1) @ rows
    matrices[1] -= 1.01 * np.linalg.eigvalsh(matrices[1])[0] * np.eye(d)
    lower, failed = cholesky(place.put(matrices), panel=16)
    assert place.fetch(failed).tolist() == [False, True, False]
    for g in (0, 2):
        np.testing.assert_allclose(
            place.fetch(lower[g]), np.linalg.cholesky(matrices[g]), rtol=1e-9, atol=1e-9
        )


@torches
def test_products_in_strips_are_whole_products(place):
    Z = np.random.default_rng(4).normal(size=(3, 20, 37))
    out = place.put(np.full((3, 37, 37), np.nan))
    strips = fused_pass.strips(37, narrowest=4)
    assert len(strips) == 8
    fused_pass.add_products(place.put(Z), out, False, strips)
    fused_pass.add_products(place.put(Z), out, True, strips)
    fused_pass.mirror(out, strips)
    np.testing.assert_allclose(
        place.fetch(out), 2 * Z.transpose(0, 2, 1) @ Z, rtol=1e-12, atol=1e-12
    )


@some(TORCH)
def test_what_is_made_for_a_device_goes_with_its_model(place):
    from suffice.engines.arrays import model as models

    X, y = wine()
    before = len(models._moved)
    fitted = sf.LDA().fit(X, y)
    fitted.predict(place.put(X))
    assert len(models._moved) == before + 1
    del fitted
    assert len(models._moved) == before
