"""BLAS is held to some threads: by the first who asks, and by whoever asks firmly."""

from __future__ import annotations

import pytest

from suffice.statistics import threads
from suffice.statistics.threads import blas_threads


@pytest.fixture(autouse=True)
def two_at_first():
    with threads._controller().limit(limits=2, user_api="blas"):
        if now() != {2}:
            pytest.skip("this BLAS has no threads")
        yield
        assert now() == {2}


def now():
    """How many threads the libraries use that were there when it was first asked for."""
    return {one["num_threads"] for one in threads._controller().select(user_api="blas").info()}


def test_the_first_has_its_way():
    with blas_threads(1):
        assert now() == {1}
        with blas_threads(2):
            assert now() == {1}
    with blas_threads(2), blas_threads(1):
        assert now() == {2}


def test_whoever_asks_firmly_has_it_until_they_leave():
    with blas_threads(2):
        with blas_threads(1, firmly=True):
            assert now() == {1}
            with blas_threads(2, firmly=True):
                assert now() == {1}
            assert now() == {1}
        assert now() == {2}
    with blas_threads(1, firmly=True), blas_threads(2):
        assert now() == {1}


def test_the_firm_one_may_stay_longer_than_the_first():
    first, firm = blas_threads(2), blas_threads(1, firmly=True)
    first.__enter__()
    firm.__enter__()
    first.__exit__(None, None, None)
    assert now() == {1}
    firm.__exit__(None, None, None)


def test_an_error_leaves_nothing_behind():
    with pytest.raises(KeyError), blas_threads(1, firmly=True):
        raise KeyError
    with blas_threads(2):
        assert now() == {2}
