"""Thresholds: costs, recall and precision by the probability from which a class is predicted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import precision_score, recall_score

import suffice as sf
from lawful import law
from suffice.answers.decision import cost_table, decide
from suffice.errors import InvalidParameter
from suffice.selection.thresholds import tabulate_thresholds


def predictions(seed, k, n=60):
    rng = np.random.default_rng(seed)
    p = (rng.multinomial(20, np.full(k, 1 / k), n) + 0.5) / (20 + 0.5 * k)
    return p, rng.integers(0, k, n), rng.uniform(0.5, 2, n), rng.uniform(0, 5, (k, k))


@law(30)
@given(seed=st.integers(0, 1000), k=st.integers(2, 4))
def test_each_threshold_costs_what_its_decisions_cost(seed, k):
    p, codes, w, costs = predictions(seed, k)
    classes, c = np.arange(k), seed % k
    found = tabulate_thresholds(p, classes, codes, w, c, costs)
    for i, threshold in enumerate(found.threshold):
        labels = decide(p, classes, threshold={c: threshold})
        cost = np.average(costs[codes, labels], weights=w)
        assert found.cost[i] == pytest.approx(cost, rel=1e-12)
        recall = recall_score(codes == c, labels == c, sample_weight=w)
        assert found.recall[i] == pytest.approx(recall, rel=1e-12)
        if (labels == c).any():
            precision = precision_score(codes == c, labels == c, sample_weight=w)
            assert found.precision[i] == pytest.approx(precision, rel=1e-12)
        assert found.predicted[i] == pytest.approx(np.average(labels == c, weights=w), abs=1e-12)


def test_the_threshold_for_a_recall_reaches_it_and_no_higher_one_does():
    p, codes, w, _ = predictions(0, 2)
    found = tabulate_thresholds(p, np.arange(2), codes, w)
    for wanted in (0.0, 0.3, 0.9, 1.0):
        (threshold,) = found.for_recall(wanted).values()
        at = np.flatnonzero(found.threshold == threshold)[0]
        assert found.recall[at] >= wanted - 1e-12
        assert (found.recall[at + 1 :] < wanted).all()


def test_the_threshold_for_the_cost_has_the_least_cost():
    p, codes, w, costs = predictions(1, 2)
    found = tabulate_thresholds(p, np.arange(2), codes, w, 0, costs)
    (threshold,) = found.for_cost().values()
    assert found.cost[found.threshold == threshold] == found.cost.min()
    assert list(found.for_cost()) == [0]
    assert f"{threshold:.4g}" in repr(found)
    assert "</td>" in found._repr_html_()


def test_of_thresholds_of_equal_cost_the_middle_one_is_taken():
    p = np.array([0.1, 0.3, 0.5, 0.7])
    table = np.column_stack([1 - p, p])
    found = tabulate_thresholds(table, np.arange(2), [0, 1, 0, 1], costs={(0, 1): 1, (1, 0): 1})
    assert np.flatnonzero(found.cost == found.cost.min()).tolist() == [1, 3]
    assert found.for_cost() == {1: 0.7}
    found = tabulate_thresholds(table, np.arange(2), [1, 1, 1, 1], costs={(1, 0): 0})
    assert found.for_cost() == {1: 0.5}


def test_with_right_probabilities_the_expected_threshold_is_the_best():
    rng = np.random.default_rng(0)
    p = rng.beta(1, 3, 200_000)
    codes = (rng.random(len(p)) < p).astype(int)
    costs = {(1, 0): 4.0}
    found = tabulate_thresholds(np.column_stack([1 - p, p]), np.arange(2), codes, costs=costs)
    assert found.expected == pytest.approx(0.2)
    (best,) = found.for_cost().values()
    at = np.searchsorted(found.threshold, found.expected)
    assert found.cost[at] == pytest.approx(found.cost.min(), rel=0.01)
    assert best == pytest.approx(0.2, abs=0.03)


def test_costs_that_are_not_named_are_one():
    assert np.array_equal(cost_table({}, np.arange(3)), 1 - np.eye(3))
    assert cost_table({0: {0: -1}}, np.arange(3))[0, 0] == -1


def test_what_has_no_threshold_is_an_error():
    p, codes, _, _ = predictions(0, 3)
    with pytest.raises(InvalidParameter, match="3 classes; name the one to find: positive=2"):
        tabulate_thresholds(p, np.arange(3), codes)
    with pytest.raises(InvalidParameter, match="no row is of class 1"):
        tabulate_thresholds(p, np.arange(3), np.zeros(60, int), positive=1)
    with pytest.raises(InvalidParameter, match="recall is 2"):
        tabulate_thresholds(p, np.arange(3), codes, positive=1).for_recall(2)
    with pytest.raises(InvalidParameter, match="fitted classifier"):
        sf.thresholds(None, p, codes)


@pytest.mark.parametrize("judge", [sf.evaluate, sf.thresholds])
def test_a_model_without_classes_is_refused_in_a_sentence(judge):
    X = np.random.default_rng(0).normal(size=(30, 2))
    mixture = sf.GaussianMixture(2, random_state=0).fit(X)
    with pytest.raises(InvalidParameter, match=r"a GaussianMixture has no classes.*Mixture"):
        judge(mixture, X, np.arange(30) % 2)


def test_thresholds_are_shown_as_a_reader_writes_them():
    p = np.array([[1 - 2e-5, 2e-5], [0.6, 0.4], [0.3, 0.7]])
    shown = repr(tabulate_thresholds(p, np.array(["no", "yes"]), ["no", "yes", "yes"]))
    assert "0.00002" in shown
    assert "nan" not in shown
    assert "e-05" not in shown
