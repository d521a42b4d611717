"""Rows that lie elsewhere are passed on to their engine, whatever is asked of them."""

import inspect
import sys
from types import ModuleType

import numpy as np
import pytest

import suffice as sf
from suffice.data import engine

ESTIMATORS = [
    sf.BayesianDiscriminant,
    sf.BernoulliNB,
    sf.CategoricalNB,
    sf.DiagonalLDA,
    sf.GaussianDiscriminant,
    sf.GaussianMixture,
    sf.GaussianNB,
    sf.LDA,
    sf.MixedNB,
    sf.MixtureDiscriminant,
    sf.QDA,
]


class Remote:
    """Rows of a library that this process does not hold."""


@pytest.fixture
def calls(monkeypatch):
    seen = []
    home = ModuleType("remote_engine")
    home.call = lambda estimator, method, X, *args, **kwargs: seen.append((method, args, kwargs))
    home.summarize = lambda *given: given
    monkeypatch.setitem(sys.modules, "remote_engine", home)
    monkeypatch.setitem(engine.ENGINES, "far_away", "remote_engine")
    monkeypatch.setattr(Remote, "__module__", "far_away.frames")
    engine._engine.cache_clear()
    yield seen
    engine._engine.cache_clear()


def methods_of_rows(kind):
    for name, method in inspect.getmembers(kind, inspect.isfunction):
        if name.startswith("_") or not method.__module__.startswith("suffice"):
            continue
        parameters = list(inspect.signature(method).parameters.values())[1:]
        if parameters and parameters[0].name == "X":
            yield (
                name,
                [p for p in parameters[1:] if p.default is p.empty and p.kind != p.VAR_KEYWORD],
            )


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_every_method_of_rows_asks_their_engine(kind, calls):
    fitted = kind()
    asked = list(methods_of_rows(kind))
    assert len(asked) >= 9
    for name, needed in asked:
        if name == "log_likelihood" or not hasattr(fitted, name):
            continue  # the former asks once it has rows, see below
        getattr(fitted, name)(Remote(), *["given"] * len(needed))
        assert calls[-1][0] == name
        assert calls[-1][1] == ("given",) * len(needed)


def test_log_likelihood_of_rows_asks_their_engine(calls):
    sf.LDA().log_likelihood(Remote(), "y")
    assert calls == [("log_likelihood", ("y",), {})]


def test_summarize_asks_the_engine(calls):
    rows, grid = Remote(), sf.Grid(0, 1)
    for own in (None, grid):
        given = sf.summarize(rows, detail="shared", target="label", grid=own)
        assert given == (rows, None, None, "shared", "label", None, own)


def test_rows_in_memory_have_no_engine():
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    for rows in ([[1.0]], np.zeros((1, 1)), pd.DataFrame({"a": [1.0]}), pl.DataFrame({"a": [1.0]})):
        assert engine.engine_of(rows) is None
