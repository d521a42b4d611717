"""Candidates that fail, and interrupts: what was found until then is kept."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

import suffice as sf

X, Y = load_iris(return_X_y=True)


class Failing(LogisticRegression):
    def fit(self, X, y, sample_weight=None):
        raise np.linalg.LinAlgError("SVD did not converge")


class Interrupted(LogisticRegression):
    def fit(self, X, y, sample_weight=None):
        raise KeyboardInterrupt


class InterruptedBySmallTables(LogisticRegression):
    def fit(self, X, y, sample_weight=None):
        if len(X) < 100:
            raise KeyboardInterrupt
        return super().fit(X, y, sample_weight)


class Later(LogisticRegression):
    pass


def test_a_candidate_of_another_library_that_fails_is_left_out_with_a_note():
    found = sf.select_model(X, Y, [Failing(), sf.LDA()])
    assert isinstance(found.model, sf.LDA)
    assert found.notes == ("Failing is left out: SVD did not converge",)
    compared = sf.compare(X, Y, {"bad": Failing(), "LDA": sf.LDA()})
    assert compared.names == ("LDA",)
    assert compared.selection.notes == found.notes
    assert "SVD did not converge" in str(compared)


def test_where_every_candidate_fails_the_first_error_is_raised():
    with pytest.raises(np.linalg.LinAlgError, match="SVD did not converge"):
        sf.select_model(X, Y, [Failing()])


def test_an_interrupted_choice_is_among_the_candidates_tried_until_then():
    found = sf.select_model(X, Y, [sf.LDA(), Interrupted(), Later()])
    assert isinstance(found.model, sf.LDA)
    assert found.notes == ("Interrupted before these were tried: Interrupted, Later.",)
    with pytest.raises(KeyboardInterrupt):
        sf.select_model(X, Y, [Interrupted(), Later()])


def test_an_interrupted_pool_leaves_a_single_model(monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("suffice.estimators.automatic.automatic_choice.fit_pool", interrupt)
    found = sf.select_model(X, Y, cv=3)
    assert not isinstance(found.model, sf.PooledDiscriminant)
    assert repr(found.model) == repr(sf.select_model(X, Y, cv=3, simple=True).model)
    assert "interrupted while models were pooled: a single model is taken." in found.notes


def test_an_interrupted_comparison_keeps_the_scores_found_until_then():
    whole = sf.compare(X, Y, {"LDA": sf.LDA()})
    found = sf.compare(X, Y, {"LDA": sf.LDA(), "bad": Interrupted(), "later": Later()})
    assert found.names == ("LDA",)
    assert found.table["log_loss"] == pytest.approx(whole.table["log_loss"])
    models = {"LDA": sf.LDA(), "slow": InterruptedBySmallTables(max_iter=1000)}
    part = sf.compare(X, Y, models)
    assert part.names == ("LDA", "slow")
    assert not np.isnan(part.table["log_loss_with_outliers"]).any()
    assert np.isnan(part.curve.log_loss[:, :-1]).all()
    # The scores with all training rows were found before.
    np.testing.assert_array_equal(part.curve.log_loss[:, -1], part.table["log_loss"])
    assert part.selection.notes == ("Interrupted before all scores with outliers or fewer rows.",)
    assert "Interrupted" in str(part)


def test_an_interrupted_report_is_written_with_the_parts_that_are_done(tmp_path, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("suffice.reports.page.atypical", stop)
    page = sf.report(X, Y, tmp_path / "iris.html", model=sf.LDA())
    assert page.quality is not None
    assert set(page.failures) == {"atypical", "usage", "diagnosis", "gaps", "pictures"}
    assert "This part could not be made: interrupted." in page.path.read_text()
