"""Scoring in blocks, by threads and compiled, and priors as users pass them."""

import numpy as np
import pandas as pd
import pytest

import suffice as sf
from suffice.data import jit
from suffice.errors import InvalidParameter
from suffice.models import scoring
from suffice.statistics.passes.threads import n_threads

rng = np.random.default_rng(0)
Y = rng.integers(0, 4, 20_000)
X = rng.normal(size=(20_000, 24)) * rng.uniform(0.5, 2, (4, 24))[Y] + rng.normal(size=(4, 24))[Y]
MODELS = [sf.LDA(), sf.QDA(), sf.GaussianNB(), sf.DiagonalLDA()]


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_many_rows_score_as_they_do_alone(model, dtype, monkeypatch):
    rows = X.astype(dtype)
    m = model.fit(rows, Y)
    alone = np.concatenate([m.predict_log_proba(rows[i : i + 7]) for i in range(0, 700, 7)])
    monkeypatch.setattr(scoring.IndependentClasses, "compiled_from", 0)
    together = m.predict_log_proba(rows)
    np.testing.assert_allclose(together[:700], alone, rtol=1e-10, atol=1e-10)
    assert np.array_equal(m.predict(rows), m.classes_[together.argmax(axis=1)])


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e8])
def test_linear_scores_keep_their_digits_at_any_offset(offset):
    near, far = sf.LDA().fit(X, Y), sf.LDA().fit(X + offset, Y)
    tolerance = 1e-9 + 1e-15 * offset * 100
    np.testing.assert_allclose(
        far.predict_log_proba(X + offset), near.predict_log_proba(X), atol=tolerance, rtol=1e-6
    )


def test_priors_of_a_series_go_by_its_index():
    priors = pd.Series({3: 0.7, 0: 0.1, 2: 0.1, 1: 0.1})
    assert sf.LDA(priors=priors).fit(X, Y).priors_.tolist() == [0.1, 0.1, 0.1, 0.7]
    in_order = pd.Series([0.1, 0.2, 0.3, 0.4])
    assert sf.LDA(priors=in_order).fit(X, "c" + Y.astype("U1").astype(object)).priors_[3] == 0.4


def test_loops_compile_where_no_cache_can_be_written(monkeypatch):
    real = jit.njit

    def without_cache(*args, cache=False, **options):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return real(*args, **options)

    monkeypatch.setattr(jit, "njit", without_cache)

    @jit.jit()
    def doubled(x):
        return 2 * x

    assert doubled(21) == 42


@pytest.mark.parametrize("asked", ["abc", "-1", "0", "2.0", "²", "1e9", "1000000000", "9" * 5000])
def test_a_number_of_threads_that_is_none_is_refused(asked, monkeypatch):
    model = sf.LDA().fit(X, Y)
    monkeypatch.setenv("SUFFICE_NUM_THREADS", asked)
    with pytest.raises(InvalidParameter, match=r"SUFFICE_NUM_THREADS is .*from 1 to 4096") as told:
        n_threads()
    assert len(str(told.value)) < 200
    with pytest.raises(InvalidParameter, match="SUFFICE_NUM_THREADS"):
        model.sample(10)
    monkeypatch.setenv("SUFFICE_NUM_THREADS", "3")
    assert n_threads() == 3


@pytest.mark.filterwarnings("ignore::suffice.errors.RepairedModel")
def test_a_zero_variance_in_a_class_is_borrowed_by_naive_bayes():
    rows = X[:200].copy()
    y = Y[:200]
    rows[y == 1, 5] = 0.25
    m = sf.GaussianNB().fit(rows, y)
    assert m.borrowed_classes_.tolist() == [1]
    pooled = sf.DiagonalLDA().fit(rows, y).covariance_[5, 5]
    assert m.var_[1, 5] == pytest.approx(pooled, rel=1e-6)
