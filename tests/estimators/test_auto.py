"""AutoDiscriminant: the choice of `select_model` as an estimator, with the answers of its model."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.ensemble import StackingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import suffice as sf
from suffice.errors import InvalidParameter, TooFewRows
from suffice.estimators.classifier import Classifier

X, Y = load_iris(return_X_y=True, as_frame=True)
RNG = np.random.default_rng(2)
FRUIT = pd.DataFrame(
    {
        "size": X.iloc[:, 0].round(1),
        "colour": np.array(["red", "blue", "green"])[(Y + RNG.integers(0, 2, 150)) % 3],
    }
)


@pytest.fixture(scope="module")
def chosen():
    return sf.AutoDiscriminant(cv=3).fit(X, Y)


def because_rows_are_divided_into_folds(_):
    why = "a row that counts twice is in one fold, two equal rows may be in two"
    return {"check_sample_weight_equivalence_on_dense_data": why}


@parametrize_with_checks(
    [sf.AutoDiscriminant(cv=2, simple=True)],
    expected_failed_checks=because_rows_are_divided_into_folds,
)
def test_the_choice_passes_the_checks_of_sklearn(estimator, check):
    check(estimator)


def test_it_takes_the_model_that_select_model_takes(chosen):
    found = sf.select_model(X, Y, cv=3)
    assert repr(chosen.model_) == repr(found.model)
    assert chosen.selection_.candidates == found.candidates
    assert chosen.selection_.model is chosen.model_


def test_every_answer_is_that_of_the_chosen_model(chosen):
    model, rows = chosen.model_, X[::7]
    for name in ("predict", "predict_proba", "predict_log_proba", "predict_joint_log_proba"):
        assert np.array_equal(getattr(chosen, name)(rows), getattr(model, name)(rows))
    for name in ("score_samples", "decision_function", "outlier_pvalue", "discriminants"):
        assert np.array_equal(getattr(chosen, name)(rows), getattr(model, name)(rows))
    assert np.array_equal(chosen.log_odds(rows, 0, 2), model.log_odds(rows, 0, 2))
    assert chosen.explain(rows, 3) == model.explain(rows, 3)
    ours, theirs = (one.sample(5, random_state=0) for one in (chosen, model))
    assert ours[0].equals(theirs[0])
    assert chosen.score(X, Y) == model.score(X, Y)
    assert (chosen.target_name_, chosen.n_features_in_) == ("target", 4)
    assert list(chosen.feature_names_in_) == list(X.columns)
    holes = X.mask(RNG.random(X.shape) < 0.1)
    assert chosen.impute(holes).equals(model.impute(holes))


def test_it_has_the_methods_of_its_model_and_no_others(chosen):
    for name in ("boundary", "whiten", "ellipse", "transform", "leave_one_out", "bic"):
        assert hasattr(chosen, name) == hasattr(chosen.model_, name)
        assert not hasattr(sf.AutoDiscriminant(), name)
    assert not hasattr(chosen, "partial_fit")
    with pytest.raises(AttributeError, match=r"model_\.partial_fit\(X, y\)"):
        chosen.partial_fit  # noqa: B018


def test_delegated_methods_keep_their_signatures():
    answers = ("log_odds", "sample", "impute", "impute_draws", "decide", "outlier_pvalue")
    for name in answers:
        ours, theirs = getattr(sf.AutoDiscriminant, name), getattr(Classifier, name)
        assert inspect.signature(ours) == inspect.signature(theirs)
        assert ours.__doc__ == theirs.__doc__


def test_tools_of_sklearn_take_it():
    auto = sf.AutoDiscriminant(cv=2)
    assert cross_val_score(make_pipeline(StandardScaler(), auto), X, Y, cv=2).mean() > 0.93
    stack = StackingClassifier([("auto", auto), ("naive", sf.GaussianNB())], cv=2)
    assert stack.fit(X, Y).score(X, Y) > 0.93


def test_tables_with_text_and_labels_by_name():
    table = FRUIT.assign(kind=np.array(["plum", "fig", "pear"])[Y])
    auto = sf.AutoDiscriminant(cv=2).fit(table, "kind")
    assert auto.target_name_ == "kind"
    assert list(auto.columns_.used) == ["size", "colour"]
    assert auto.score(table, "kind") > 0.6
    assert np.array_equal(auto.predict(table), auto.model_.predict(FRUIT))


def test_copies_and_files_answer_the_same(chosen, tmp_path):
    again = pickle.loads(pickle.dumps(chosen))
    chosen.save(tmp_path / "auto")
    loaded = sf.load(tmp_path / "auto")
    for other in (again, loaded):
        assert np.array_equal(other.predict_log_proba(X), chosen.predict_log_proba(X))
        assert repr(other.selection_) == repr(chosen.selection_)
    assert repr(clone(chosen)) == "AutoDiscriminant(cv=3)"
    with pytest.raises(NotFittedError):
        clone(chosen).predict(X)


def test_priors_are_those_of_the_chosen_model(chosen):
    auto = sf.AutoDiscriminant(cv=3, priors={0: 0.5, 1: 0.25, 2: 0.25}).fit(X, Y)
    other = chosen.with_priors({0: 0.5, 1: 0.25, 2: 0.25})
    np.testing.assert_allclose(auto.predict_proba(X), other.predict_proba(X), rtol=1e-12)
    assert other.priors_.tolist() == [0.5, 0.25, 0.25]
    assert chosen.priors_ == pytest.approx([1 / 3] * 3)
    adapted = chosen.adapt_priors(X[:60])
    np.testing.assert_allclose(adapted.priors_, chosen.model_.adapt_priors(X[:60]).priors_)


def test_it_is_described_by_what_it_chose(chosen):
    card = sf.model_card(chosen)
    assert card.startswith("AutoDiscriminant, which chose:")
    assert type(chosen.model_).__name__ in card
    assert "which chose" in str(sf.summary(chosen))
    assert type(chosen.model_).__name__ in chosen._repr_html_()
    loss = sf.evaluate(chosen, X, Y).metrics["log_loss"]
    assert loss == sf.evaluate(chosen.model_, X, Y).metrics["log_loss"]
    assert sf.importance(chosen, X, Y).increase.shape == (4,)


def test_what_it_cannot_choose_from_is_said_in_a_sentence():
    with pytest.raises(InvalidParameter, match="metric is 'logloss'"):
        sf.AutoDiscriminant("logloss").fit(X, Y)
    with pytest.raises(TooFewRows, match="y has one class"):
        sf.AutoDiscriminant().fit(X, np.zeros(150))
    with pytest.raises(ValueError, match="requires y to be passed"):
        sf.AutoDiscriminant().fit(X, None)
