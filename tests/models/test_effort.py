"""Limited effort: what EM on rows with missing values gives up where it ends early."""

from __future__ import annotations

import numpy as np
import pytest

import suffice as sf
from suffice.errors import NotConverged
from suffice.models.em.completion import complete
from suffice.models.em.effort import limited_effort, of_other_rows, sharing_starts
from suffice.models.em.gap_em import GapEm
from suffice.models.settings import Settings

MODELS = {
    "shared": {"pooling": 1.0},
    "shrunk": {"pooling": 1.0, "shrinkage": 0.01, "target": "diagonal"},
    "pooled": {"pooling": 0.9, "shrinkage": 0.01, "target": "diagonal"},
}


def table(n=600, d=30, k=3, share=0.7):
    """Rows of correlated features; those of the second half are missing together."""
    rng = np.random.default_rng(0)
    y = rng.integers(k, size=n)
    mixing = np.eye(d) + 0.3 * rng.normal(size=(d, d))
    X = rng.normal(size=(n, d)) @ mixing + 0.1 * rng.normal(size=(k, d))[y]
    X[rng.random(n) < share, d // 2 :] = np.nan
    return X, y


@pytest.mark.parametrize("name", list(MODELS))
def test_estimates_nearly_converged_predict_as_converged_ones_do(name):
    X, y = table()
    statistics, settings = sf.summarize(X, y), Settings(**MODELS[name])
    with limited_effort(0):
        early = complete(statistics, settings).steps
        found = sf.GaussianDiscriminant(**MODELS[name]).fit(X, y).predict_proba(X)
    assert early <= complete(statistics, settings).steps / 2
    expected = sf.GaussianDiscriminant(**MODELS[name]).fit(X, y).predict_proba(X)
    differences = np.abs(found - expected).max(axis=1)
    assert 0 < differences.max() < 5e-3
    assert differences.mean() < 5e-4


@pytest.mark.parametrize("name", list(MODELS))
def test_narrow_tables_converge_under_limited_effort_too(name):
    X, y = table(d=8)
    model = sf.GaussianDiscriminant(**MODELS[name])
    expected = model.fit(X, y).predict_log_proba(X)
    with limited_effort():
        found = model.fit(X, y).predict_log_proba(X)
    np.testing.assert_array_equal(found, expected)


def test_slow_estimates_end_after_few_steps_and_say_so_where_they_are_kept(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 20)) @ rng.normal(size=(20, 20))
    X[rng.random(X.shape) < 0.5] = np.nan
    statistics = sf.summarize(X, rng.integers(0, 2, 60))
    settings = Settings(pooling=1.0, shrinkage=0.001, target="diagonal")
    monkeypatch.setattr(GapEm, "limited_steps", 20)
    with limited_effort(0):
        assert complete(statistics, settings).steps == 20
    with limited_effort(1.0), pytest.warns(NotConverged, match="EM stopped after 20 steps"):
        complete(statistics, settings)


def test_models_of_the_same_rows_start_where_the_one_before_has_ended():
    X, y = table()
    statistics = sf.summarize(X, y)
    first, second = Settings(**MODELS["shrunk"]), Settings(**MODELS["pooled"])
    with limited_effort(0):
        anew = complete(statistics, second)
        with sharing_starts():
            complete(statistics, first)
            shared = complete(statistics, second)
            with of_other_rows():
                assert complete(statistics, second).steps == anew.steps
    assert shared.steps < anew.steps
    scale = np.sqrt(np.einsum("kii->ki", anew.statistics.scatter))[:, None]
    difference = (shared.statistics.scatter - anew.statistics.scatter) / scale / scale.mT
    assert np.abs(difference).max() < 5e-3
