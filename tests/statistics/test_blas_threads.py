"""BLAS is held to some threads: by the first who asks, and by whoever asks firmly."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from suffice.statistics.passes import threads
from suffice.statistics.passes.threads import blas_threads


class Blas:
    """A library with two threads, and what controls it."""

    def __init__(self):
        self.threads = 2
        self.lib_controllers = [self]

    def select(self, user_api):
        assert user_api == "blas"
        return self

    def set_num_threads(self, number):
        self.threads = number

    def get_num_threads(self):
        return self.threads

    @contextmanager
    def limit(self, limits, user_api):
        assert user_api == "blas"
        before, self.threads = self.threads, limits
        try:
            yield
        finally:
            self.threads = before


@pytest.fixture
def blas(monkeypatch):
    found = Blas()
    monkeypatch.setattr(threads, "_controller", lambda: found)
    yield found
    assert found.threads == 2


def test_the_first_has_its_way(blas):
    with blas_threads(1):
        assert blas.threads == 1
        with blas_threads(2):
            assert blas.threads == 1
    with blas_threads(2), blas_threads(1):
        assert blas.threads == 2


def test_what_blas_was_set_to_is_never_raised(blas):
    for firmly in (False, True):
        with blas_threads(8, firmly):
            assert blas.threads == 2
            with blas_threads(5, firmly=True):
                assert blas.threads == 2


def test_whoever_asks_firmly_has_it_until_they_leave(blas):
    with blas_threads(2):
        with blas_threads(1, firmly=True):
            assert blas.threads == 1
            with blas_threads(2, firmly=True):
                assert blas.threads == 1
            assert blas.threads == 1
        assert blas.threads == 2
    with blas_threads(1, firmly=True), blas_threads(2):
        assert blas.threads == 1


def test_the_firm_one_may_stay_longer_than_the_first(blas):
    first, firm = blas_threads(2), blas_threads(1, firmly=True)
    first.__enter__()
    firm.__enter__()
    first.__exit__(None, None, None)
    assert blas.threads == 1
    firm.__exit__(None, None, None)


def test_an_error_leaves_nothing_behind(blas):
    with pytest.raises(KeyError), blas_threads(1, firmly=True):
        raise KeyError
    with blas_threads(2):
        assert blas.threads == 2


def test_the_libraries_of_this_process_follow():
    with blas_threads(1, firmly=True):
        found = threads._controller().select(user_api="blas").info()
        assert {one["num_threads"] for one in found} <= {1}
