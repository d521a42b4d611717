"""Metrics: their definitions, scikit-learn's, and their standard errors."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    balanced_accuracy_score,
    brier_score_loss,
    f1_score,
    log_loss,
    recall_score,
    roc_auc_score,
)
from sklearn.model_selection import StratifiedKFold, cross_val_score

import suffice as sf
from suffice.errors import InvalidParameter
from suffice.selection.evaluation import evaluate_predictions
from suffice.selection.metric_sums import BINS, MetricSums, RowScores
from suffice.selection.metrics import METRICS, metrics_of

CASES = [(k, ties, weighted) for k in (2, 3, 5) for ties in (False, True) for weighted in (0, 1)]


def predictions(k, ties, weighted, n=200, seed=0):
    """Probabilities (n, k), classes of rows, and weights; with ties few values are different."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, k, n)
    scores = rng.normal(size=(n, k)) + 1.5 * np.eye(k)[codes]
    p = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    if ties:
        p = (rng.multinomial(32 - k, p) + 1) / 32
    return p, codes, rng.integers(1, 4, n) * 0.7 if weighted else np.ones(n)


def theirs(p, codes, w):
    k, label = p.shape[1], p.argmax(axis=1)
    each = np.eye(k)[codes]
    two = k == 2
    return {
        "log_loss": log_loss(codes, p, sample_weight=w),
        "accuracy": accuracy_score(codes, label, sample_weight=w),
        "balanced_accuracy": balanced_accuracy_score(codes, label, sample_weight=w),
        "f1_macro": f1_score(codes, label, average="macro", sample_weight=w),
        "roc_auc": roc_auc_score(codes, p[:, 1], sample_weight=w)
        if two
        else roc_auc_score(codes, p, multi_class="ovr", sample_weight=w),
        "average_precision": average_precision_score(
            each[:, 1] if two else each, p[:, 1] if two else p, sample_weight=w
        ),
        "brier": brier_score_loss(codes, p[:, 1] if two else p, sample_weight=w),
        **{
            f"recall_{c}": recall
            for c, recall in enumerate(recall_score(codes, label, average=None, sample_weight=w))
        },
    }


@pytest.mark.parametrize(("k", "ties", "weighted"), CASES)
def test_metrics_equal_those_of_scikit_learn(k, ties, weighted):
    p, codes, w = predictions(k, ties, weighted)
    ours = evaluate_predictions(np.log(p), np.arange(k), codes, w).metrics
    expected = theirs(p, codes, w)
    assert {*expected, "calibration_error"} == set(ours)
    for name, value in expected.items():
        assert ours[name] == pytest.approx(value, rel=1e-12), name


@pytest.mark.parametrize(
    "metric", ["roc_auc", "average_precision", "balanced_accuracy", "f1_macro"]
)
@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_cross_validated_metrics_equal_those_of_scikit_learn(metric, load):
    X, y = load(return_X_y=True)
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    name = {"roc_auc": "roc_auc_ovr"}.get(metric, metric) if y.max() > 1 else metric
    if metric == "average_precision" and y.max() > 1:
        X, y, name = X[y < 2], y[y < 2], metric
    models = [sf.LDA(), sf.GaussianNB(var_smoothing=0.1)]
    found = sf.select_model(X, y, models, metric=metric, cv=cv)
    for i, model in enumerate(models):
        scores = cross_val_score(model, X, y, cv=cv, scoring=name)
        np.testing.assert_allclose(found.scores[metric][i], scores, rtol=1e-10)


def test_a_class_that_no_row_is_of_counts_in_no_mean():
    p, codes, _ = predictions(3, False, 0)
    some = codes > 0
    found = evaluate_predictions(np.log(p[some]), np.arange(3), codes[some]).metrics
    recalls = [found[f"recall_{c}"] for c in (1, 2)]
    assert np.isnan(found["recall_0"])
    assert found["balanced_accuracy"] == pytest.approx(np.mean(recalls))
    areas = [roc_auc_score(codes[some] == c, p[some][:, c]) for c in (1, 2)]
    assert found["roc_auc"] == pytest.approx(np.mean(areas))


def test_rows_of_one_class_have_no_area():
    found = evaluate_predictions(np.log([[0.2, 0.8], [0.4, 0.6]]), np.arange(2), [1, 1])
    assert np.isnan(found.metrics["roc_auc"])
    assert found.metrics["accuracy"] == 1


def test_folds_that_do_not_test_a_class_do_not_hide_its_recall():
    X, y = load_wine(return_X_y=True)
    rare = np.flatnonzero(y == 2)[3:]
    X, y = np.delete(X, rare, axis=0), np.delete(y, rare)
    found = sf.select_model(X, y, [sf.LDA(shrinkage=0.3), sf.GaussianNB()], metric="roc_auc")
    scores = found.scores["recall_2"]
    tested = ~np.isnan(scores[0])
    assert 0 < tested.sum() < scores.shape[1]
    np.testing.assert_allclose(found.table["recall_2"], scores[:, tested].mean(axis=1))


# Standard errors


@pytest.mark.parametrize(("k", "ties", "weighted"), CASES)
def test_gradients_are_derivatives_by_the_weights_of_rows(k, ties, weighted):
    p, codes, w = predictions(k, ties, weighted, n=40)

    def values(weights):
        sums = MetricSums.of(np.log(p).T[None].copy(), codes, weights, ranked=True)
        return {name: one.values(sums)[0] for name, one in metrics_of(np.arange(k)).items()}

    rows = RowScores.of(np.log(p).T[None].copy(), codes, w, ranked=True)
    gradients = {n: m.gradient(rows, rows.sums()) for n, m in metrics_of(np.arange(k)).items()}
    step = 1e-6
    for r in range(0, 40, 7):
        shift = step * (np.arange(40) == r)
        above, below = values(w + shift), values(w - shift)
        for name, gradient in gradients.items():
            slope = (above[name] - below[name]) / (2 * step)
            assert gradient[r] == pytest.approx(slope, rel=1e-5, abs=1e-8), name


@pytest.mark.parametrize("k", [2, 3])
def test_standard_errors_are_the_spread_over_samples(k):
    found = [
        evaluate_predictions(np.log(p), np.arange(k), codes)
        for p, codes, _ in (predictions(k, False, 0, n=400, seed=seed) for seed in range(400))
    ]
    for name in metrics_of(np.arange(k)):
        if name == "calibration_error":  # bounded by 0, where its distribution is not normal
            continue
        spread = np.std([one.metrics[name] for one in found], ddof=1)
        errors = [one.errors[name] for one in found]
        # The spread over 400 samples is itself known to 1 / sqrt(800), 3.5%.
        assert np.mean(errors) == pytest.approx(spread, rel=0.12), name


def test_the_standard_error_of_a_mean_is_the_usual_one():
    p, codes, _ = predictions(3, False, 0)
    found = evaluate_predictions(np.log(p), np.arange(3), codes)
    own = -np.log(p[np.arange(200), codes])
    assert found.errors["log_loss"] == pytest.approx(own.std() / np.sqrt(200), rel=1e-12)
    share = found.metrics["accuracy"]
    assert found.errors["accuracy"] == pytest.approx(np.sqrt(share * (1 - share) / 200), rel=1e-12)


# The baseline


def test_the_baseline_is_the_class_shares():
    p, codes, _ = predictions(3, False, 0)
    found = evaluate_predictions(np.log(p), np.arange(3), codes).baseline
    shares = np.bincount(codes) / 200
    expected = {
        "accuracy": shares.max(),
        "log_loss": -(shares * np.log(shares)).sum(),
        "balanced_accuracy": 1 / 3,
        "roc_auc": 0.5,
        "average_precision": 1 / 3,
        "brier": 1 - (shares**2).sum(),
        "calibration_error": 0.0,
    }
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, abs=1e-12), name
    assert found[f"recall_{shares.argmax()}"] == 1


def test_a_model_that_knows_nothing_scores_like_the_baseline():
    rng = np.random.default_rng(0)
    X, y = np.ones((60, 2)), rng.permutation(np.repeat(["a", "b"], [40, 20]))
    found = sf.select_model(X, y, [sf.GaussianNB()])
    for name in METRICS:
        assert found.table[name][0] == pytest.approx(found.baseline[name], abs=1e-12), name


# Where they appear


@pytest.mark.parametrize("metric", list(METRICS))
def test_the_best_candidate_is_best_by_the_metric_that_decides(metric):
    X, y = load_wine(return_X_y=True)
    grid = {"shrinkage": [0.0, 0.3, 0.9], "priors": [None, {0: 0.98, 1: 0.01, 2: 0.01}]}
    found = sf.select_model(X, y, sf.QDA(), grid, metric=metric, rule="best")
    mean = found.table[metric]
    best = mean.max() if METRICS[metric].higher_is_better else mean.min()
    assert mean[found.best] == best
    assert f"by {metric}" in repr(found)
    assert "class shares alone" in repr(found)


def test_of_many_candidates_the_leading_ones_are_ranked():
    X, y = load_wine(return_X_y=True)
    grid = {"shrinkage": np.linspace(0, 1, 60)}
    few = sf.select_model(X, y, sf.LDA(), {"shrinkage": [0.0, 1.0]})
    many = sf.select_model(X, y, sf.LDA(), grid)
    asked = sf.select_model(X, y, sf.LDA(), grid, metric="roc_auc")
    assert np.isfinite(few.table["roc_auc"]).all()
    assert np.isfinite(asked.table["roc_auc"]).all()
    ranked = np.flatnonzero(np.isfinite(many.table["roc_auc"]))
    leading = {many.best, many.careful, many.one_standard_error, many.chosen}
    assert set(ranked.tolist()) == leading
    np.testing.assert_array_equal(many.scores["roc_auc"][ranked], asked.scores["roc_auc"][ranked])


def test_the_chosen_model_of_the_whole_family_is_ranked():
    X, y = load_breast_cancer(return_X_y=True)
    found = sf.select_model(X[::4, :5], y[::4], cv=3)
    assert found.table["roc_auc"][found.chosen] > 0.9
    assert found.table["average_precision"][found.chosen] > 0.9


def test_comparisons_are_ordered_by_the_metric():
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :6]
    models = {"LDA": sf.LDA(), "QDA": sf.QDA(), "NB": sf.GaussianNB()}
    found = sf.compare(X, y, models, metric="balanced_accuracy")
    values = found.table["balanced_accuracy"][found.order]
    assert (np.diff(values) <= 0).all()
    assert {"recall_0", "recall_1_se", "roc_auc", "f1_macro_se"} <= set(found.table)
    assert str(found).splitlines()[-1].startswith("class shares alone")
    with pytest.raises(InvalidParameter, match="metric is 'auc'; it must be one of log_loss"):
        sf.compare(X, y, models, metric="auc")


def test_the_recall_of_a_class_can_decide():
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[:, :6], np.where(y == 0, "ill", "well")
    models = {"LDA": sf.LDA(), "QDA": sf.QDA(), "NB": sf.GaussianNB()}
    table = sf.compare(X, y, models).table
    by_ill = sf.compare(X, y, models, metric="recall_ill")
    assert by_ill.names[by_ill.order[0]] == table["name"][np.argmax(table["recall_ill"])]
    assert str(by_ill).splitlines()[0].split()[0] == "recall"
    chosen = sf.select_model(X, y, list(models.values()), metric="recall_ill", rule="best")
    assert chosen.table["recall_ill"][chosen.chosen] == table["recall_ill"].max()
    assert "by recall_ill" in repr(chosen)
    auto = sf.AutoDiscriminant(metric="recall_ill", cv=3).fit(X, y).selection_
    assert auto.metric == "recall_ill"
    assert np.nanmax(auto.table["recall_ill"]) == auto.table["recall_ill"][auto.best]
    assert auto.table["recall_well"][auto.best] > 0.5


def test_the_recall_of_an_unknown_class_is_refused():
    X, y = load_breast_cancer(return_X_y=True)
    message = "must be one of log_loss.*calibration_error, recall_0, recall_1"
    for choose in (sf.select_model, sf.compare):
        with pytest.raises(InvalidParameter, match=message):
            choose(X[:, :3], y, [sf.LDA()], metric="recall_ill")
    with pytest.raises(InvalidParameter, match="calibration_error, recall_<class>"):
        sf.select_model(X, y, metric="recall")


def test_evaluate_is_the_evaluation_of_the_predictions_of_a_model():
    X, y = load_wine(return_X_y=True)
    w = np.arange(len(y)) % 3
    model = sf.LDA().fit(X[::2], y[::2])
    found = sf.evaluate(model, X[1::2], y[1::2], w[1::2])
    p = model.predict_proba(X[1::2])
    for name, value in theirs(p, y[1::2], w[1::2]).items():
        assert found.metrics[name] == pytest.approx(value, rel=1e-9), name
    np.testing.assert_allclose(found.recall, [found.metrics[f"recall_{c}"] for c in range(3)])
    assert found.table["metric"].tolist() == list(found.metrics)
    assert "ROC AUC" in repr(found)
    assert "</td>" in found._repr_html_()


def test_what_cannot_be_evaluated_is_an_error():
    X, y = load_wine(return_X_y=True)
    model = sf.LDA().fit(X, y)
    with pytest.raises(InvalidParameter, match="fitted classifier with predict_proba"):
        sf.evaluate("model", X, y)
    with pytest.raises(ValueError, match="X has 178 rows but y has 177 labels"):
        sf.evaluate(model, X, y[1:])
    with pytest.raises(ValueError, match="sample_weight is zero in every row"):
        sf.evaluate(model, X, y, np.zeros(len(y)))


# The sums


def test_metrics_agree_with_their_definitions():
    rng = np.random.default_rng(0)
    scores, codes, w = rng.normal(size=(2, 3, 200)), rng.integers(0, 3, 200), rng.random(200)
    p = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    sums = MetricSums.of(scores.copy(), codes, w)
    found = {name: one.values(sums) for name, one in METRICS.items() if not one.ranks}
    for m in range(2):
        top, label = p[m].max(axis=0), p[m].argmax(axis=0)
        error = 0.0
        for low in range(BINS):
            at = (top >= low / BINS) & (top < (low + 1) / BINS)
            if at.any():
                gap = np.average(top[at], weights=w[at]) - np.average(
                    (label == codes)[at], weights=w[at]
                )
                error += abs(gap) * w[at].sum() / w.sum()
        assert found["calibration_error"][m] == pytest.approx(error)
        brier = brier_score_loss(codes, p[m].T, sample_weight=w)
        assert found["brier"][m] == pytest.approx(brier)
        assert found["accuracy"][m] == pytest.approx(np.average(label == codes, weights=w))


def test_the_brier_score_of_two_classes_is_that_of_scikit_learn():
    p = np.array([0.2, 0.7, 0.9])
    tally = MetricSums.of(np.log([[1 - p, p]]), np.array([0, 1, 0]), None)
    assert METRICS["brier"].values(tally)[0] == pytest.approx(brier_score_loss([0, 1, 0], p))


def test_tallies_of_parts_add_up_to_that_of_the_whole():
    rng = np.random.default_rng(0)
    scores, codes, rows = rng.normal(size=(2, 3, 50)), rng.integers(0, 3, 50), np.arange(50)
    parts = [MetricSums.of(scores[:, :, at].copy(), codes[at], None) for at in np.split(rows, 5)]
    whole, total = MetricSums.of(scores, codes, None), parts[0]
    for part in parts[1:]:
        total = total + part
    np.testing.assert_allclose(total.losses, whole.losses)
    np.testing.assert_allclose(total.correct, whole.correct)
    np.testing.assert_allclose(total.predicted, whole.predicted)
    np.testing.assert_allclose(total.bins, whole.bins)


def test_of_equal_scores_the_first_class_is_the_label():
    tally = MetricSums.of(np.zeros((1, 2, 2)), np.array([0, 1]), None)
    assert METRICS["accuracy"].values(tally)[0] == 0.5
