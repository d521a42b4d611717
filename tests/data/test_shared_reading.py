"""Shared reading: tables that several models take are described and read once."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import suffice as sf
from suffice.data.columns.cell_reading import cells_of
from suffice.data.tables import table_layout
from suffice.data.tables.shared_reading import read_once, shared_reading

TABLE = pd.DataFrame(
    {
        "size": [1.0, 1.2, 3.1, 2.9, None, 3.3] * 5,
        "colour": ["red", "red", "blue", None, "green", "blue"] * 5,
    }
)
Y = np.array(["cherry", "cherry", "plum", "plum", "cherry", "plum"] * 5)


@pytest.fixture
def reads(monkeypatch):
    """The columns of which cells were read, one entry per reading."""
    seen = []

    def counted(column, *args, **options):
        seen.append(column)
        return cells_of(column, *args, **options)

    monkeypatch.setattr(table_layout, "cells_of", counted)
    return seen


def test_a_pool_reads_rows_once_for_all_of_its_members(reads):
    model = sf.PooledDiscriminant(
        [sf.LDA(), sf.QDA(shrinkage=0.5), sf.GaussianDiscriminant(pooling=0.5)]
    ).fit(TABLE, Y)
    assert len(model.members_) > 1
    reads.clear()
    proba = model.predict_proba(TABLE)
    assert len(reads) == len(TABLE.columns)
    members = [one.predict_log_proba(TABLE) for one in model.members_.values()]
    assert len(reads) == len(TABLE.columns) * (1 + len(members))
    np.testing.assert_array_equal(np.exp(model._fitted.combine(members)).argmax(1), proba.argmax(1))


def test_a_table_that_changes_between_calls_is_read_again():
    model = sf.PooledDiscriminant([sf.LDA(), sf.QDA(shrinkage=0.5)]).fit(TABLE, Y)
    table = TABLE.copy()
    before = model.predict_proba(table)
    table["size"] = 1.0
    table["colour"] = "red"
    after = model.predict_proba(table)
    assert not np.allclose(before, after)
    np.testing.assert_array_equal(after, np.tile(after[:1], (len(table), 1)))


def test_answers_are_kept_within_the_context_only():
    table, calls = [[1.0]], []

    def ask():
        return read_once(table, "question", lambda: calls.append(1) or len(calls))

    assert (ask(), ask()) == (1, 2)
    with shared_reading():
        assert (ask(), ask()) == (3, 3)
        with shared_reading():
            assert ask() == 3
        assert ask() == 3
    assert ask() == 4


def test_a_question_that_fails_is_asked_again():
    table = [[1.0]]
    with shared_reading():
        with pytest.raises(ZeroDivisionError):
            read_once(table, "question", lambda: 1 / 0)
        assert read_once(table, "question", lambda: 2) == 2


def test_equal_tables_are_different_tables():
    with shared_reading():
        assert read_once([["a"]], "question", lambda: 1) == 1
        assert read_once([["a"]], "question", lambda: 2) == 2
