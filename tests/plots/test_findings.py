"""Pictures of findings: axes, distances, calibration, confusion, selection, reasons, learning."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from drawings import axes, legend_of
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.linear_model import LogisticRegression

import suffice as sf
from suffice import plots
from suffice.errors import InvalidInput, InvalidLabels, InvalidParameter, NotNumbers
from suffice.selection.diagnostics.calibration import calibration
from suffice.selection.diagnostics.distances import distance_quantiles
from suffice.selection.selection import Selection

X, Y = load_wine(return_X_y=True, as_frame=True)
ROWS = X.to_numpy()


def test_a_projection_draws_rows_where_transform_puts_them():
    model = sf.LDA().fit(X, Y)
    shown = plots.ProjectionDisplay.from_estimator(model, X, Y, ax=axes())
    found = model.transform(X)
    for c, one in enumerate(shown.ax_.collections):
        np.testing.assert_array_equal(one.get_offsets(), found[c == Y])
    assert shown.ax_.get_aspect() == 1.0
    assert legend_of(shown.ax_) == ["0", "1", "2", "1 std. dev.", "2 std. dev."]


def test_a_projection_of_three_classes_has_the_borders_of_the_model():
    model = sf.LDA(priors=[0.6, 0.3, 0.1]).fit(ROWS, Y)
    shown = plots.ProjectionDisplay.from_estimator(model, ROWS, Y, ax=axes())
    back = np.linalg.pinv(model.scalings_)
    assert len(shown.borders) == 3
    for border in shown.borders:
        for line in border.lines:
            rows = model.xbar_ + line @ back
            assert np.abs(model.log_odds(rows, *border.classes)).max() < 1e-6
            p = model.predict_proba(rows)
            np.testing.assert_allclose(p[:, border.classes[0]], p.max(axis=1), rtol=1e-6)
    assert shown.caption_ == ""


def test_a_projection_of_one_feature_has_a_threshold_between_neighbours():
    rows = ROWS[:, [9]]
    model = sf.LDA().fit(rows, Y)
    shown = plots.ProjectionDisplay.from_estimator(model, rows, Y, ax=axes())
    assert sorted(border.classes for border in shown.borders) == [(0, 1), (0, 2)]
    for border in shown.borders:
        x = border.lines[0][0, 0] / model.scalings_[0, 0] + model.xbar_[0]
        assert abs(model.log_odds([[x]], *border.classes)[0]) < 1e-9


def test_a_projection_of_two_classes_has_one_axis_and_a_threshold():
    rows, labels = load_breast_cancer(return_X_y=True)
    model = sf.LDA().fit(rows, labels)
    shown = plots.ProjectionDisplay.from_estimator(model, rows, labels, ax=axes())
    drawn = np.concatenate([one.get_offsets()[:, 0] for one in shown.ax_.collections])
    found = model.transform(rows)[:, 0]
    np.testing.assert_array_equal(np.sort(drawn), np.sort(found))
    threshold = shown.borders[0].lines[0][0, 0]
    sides = [np.unique(model.predict(rows[found < threshold])).tolist()]
    sides.append(np.unique(model.predict(rows[found > threshold])).tolist())
    assert sorted(sides) == [[0], [1]]
    assert [text.get_text() for text in shown.ax_.get_yticklabels()] == ["0", "1"]


def test_projections_of_gaps_and_more_axes():
    gaps = X.copy()
    gaps.iloc[::5, 3] = np.nan
    model = sf.LDA().fit(gaps, Y)
    shown = plots.ProjectionDisplay.from_estimator(model, gaps, Y, axes=(1, 0), ax=axes())
    np.testing.assert_array_equal(shown.points.rows, model.transform(gaps)[:, ::-1])
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(200, 6)), np.arange(200) % 5
    four = sf.LDA().fit(rows + labels[:, None] * rng.normal(size=6), labels)
    shown = plots.ProjectionDisplay.from_estimator(four, rows, labels, axes=(0, 2), ax=axes())
    assert shown.caption_ == "boundaries by these two axes alone"
    assert shown.ax_.get_ylabel().startswith("discriminant axis 3 (")
    with pytest.raises(InvalidParameter, match="from 0 to 3"):
        plots.ProjectionDisplay.from_estimator(four, rows, axes=(0, 4))
    with pytest.raises(InvalidParameter, match="no discriminant axes; fit an LDA"):
        plots.ProjectionDisplay.from_estimator(sf.QDA().fit(X, Y), X)


def test_distances_are_those_of_the_diagnostic():
    found = distance_quantiles(X, Y)
    shown = plots.QuantilesDisplay.from_diagnostic(found, ax=axes())
    for label, one in zip((0, 1, 2), shown.ax_.collections, strict=True):
        wanted = found.details["quantiles"][label]
        points = np.column_stack([wanted.expected, wanted.observed])
        np.testing.assert_array_equal(one.get_offsets(), points)
    assert legend_of(shown.ax_) == ["0", "1", "2", "Gaussian rows"]
    named = [text.get_text() for text in shown.ax_.texts if text.get_text().startswith("row ")]
    assert len(named) == 3
    assert "row 121" in named
    assert "Class 1 is not Gaussian" in shown.caption_
    diagnosed = sf.diagnose(X, Y)["Distance quantiles"]
    assert plots.QuantilesDisplay.from_diagnostic(diagnosed, ax=axes()).sentence
    with pytest.raises(InvalidParameter, match="from_data"):
        plots.QuantilesDisplay.from_diagnostic(sf.diagnose(X, Y)["Mardia"], ax=axes())


def test_reliability_is_that_of_the_diagnostic():
    rows, labels = load_breast_cancer(return_X_y=True)
    model = sf.GaussianNB().fit(rows[::2], labels[::2])
    p = model.predict_proba(rows[1::2])
    found = calibration(labels[1::2], p, n_bins=7)
    shown = plots.ReliabilityDisplay.from_estimator(
        model, rows[1::2], labels[1::2], n_bins=7, ax=axes()
    )
    wanted = found.details["curves"][1]
    assert list(shown.curves) == ["1"]
    line = shown.ax_.lines[1].get_xydata()
    np.testing.assert_allclose(line, np.column_stack([wanted.probability, wanted.frequency]))
    assert legend_of(shown.ax_) == ["as predicted", "1"]
    each = plots.ReliabilityDisplay.from_diagnostic(found, curves="each", ax=axes())
    assert list(each.curves) == ["0", "1"]
    top = plots.ReliabilityDisplay.from_diagnostic(found, curves="top", ax=axes())
    assert top.curves["most probable class"] is found.details["top"]
    with pytest.raises(InvalidParameter, match="curves"):
        plots.ReliabilityDisplay.from_diagnostic(found, curves="all", ax=axes())


def test_confusion_counts_rows_by_true_and_predicted_class():
    y, predicted = ["b", "a", "b", "c", "c"], ["b", "b", "b", "a", "c"]
    shown = plots.ConfusionDisplay.from_predictions(y, predicted, ax=axes())
    np.testing.assert_array_equal(shown.counts, [[0, 1, 0], [0, 2, 0], [1, 0, 1]])
    assert [text.get_text() for text in shown.ax_.texts[:9]] == list("010020101")
    np.testing.assert_allclose(shown.ax_.images[0].get_array()[2], [0.5, 0, 0.5])
    assert shown.caption_ == "60.0% on the diagonal"
    heavy = plots.ConfusionDisplay.from_predictions(
        y, predicted, classes=["c", "b", "a"], sample_weight=[1, 2, 3, 4, 5], ax=axes()
    )
    np.testing.assert_array_equal(heavy.counts, [[5, 0, 4], [0, 4, 0], [0, 2, 0]])
    model = sf.GaussianNB().fit(X, Y)
    mine = plots.ConfusionDisplay.from_estimator(model, X, Y, ax=axes())
    assert mine.counts.sum() == len(Y)
    assert np.trace(mine.counts) == (model.predict(X) == Y).sum()
    loo = model.leave_one_out(X, Y)
    assert plots.ConfusionDisplay.from_predictions(Y, loo.labels, ax=axes()).counts.sum() == 178


def test_confusion_that_cannot_be_counted_is_reported():
    with pytest.raises(InvalidInput, match="y has 2 labels, but 1"):
        plots.ConfusionDisplay.from_predictions([1, 2], [1])
    with pytest.raises(InvalidLabels, match="row 1 is missing"):
        plots.ConfusionDisplay.from_predictions(["a", None, "b"], ["a", "b", "b"])
    with pytest.raises(InvalidParameter, match="no class 'b'"):
        plots.ConfusionDisplay.from_predictions(["a", "b"], ["a", "a"], classes=["a"])


def test_selection_draws_means_and_marks_the_choice():
    pairs = [(share, pooling) for pooling in (1.0, 0.5) for share in (0.5, None, 0.1, "oas")]
    candidates = tuple(
        {"model": "GaussianDiscriminant", "shrinkage": share, "pooling": pooling}
        for share, pooling in pairs
    )
    means = np.array([0.9, 0.8, 0.5, 0.6, 0.7, 0.8, 0.3, 0.4])
    scores = means[:, None] + [-0.1, 0.0, 0.1]
    found = Selection(candidates, {"log_loss": scores}, np.arange(8.0))
    shown = plots.SelectionDisplay.from_selection(found, ax=axes())
    table = found.table
    assert [path.name for path in shown.paths] == ["pooling 0.5", "pooling 1"]
    for path, line in zip(shown.paths, shown.ax_.lines, strict=False):
        np.testing.assert_array_equal(path.values, [0.0, 0.1, 0.5])
        np.testing.assert_array_equal(line.get_xdata(), path.values)
        np.testing.assert_array_equal(line.get_ydata(), table["log_loss"][path.at])
        for value, i in zip(path.values, path.at, strict=True):
            assert (found.candidates[i].get("shrinkage") or 0.0) == value
    best = shown.ax_.lines[2]
    assert best.get_label() == "best"
    assert (best.get_xdata()[0], best.get_ydata()[0].round(12)) == (0.1, 0.3)
    assert "6 of 8 candidates" in shown.caption_


def test_selection_takes_other_parameters_and_metrics():
    model = sf.GaussianDiscriminant(pooling="cv", shrinkage="cv").fit(ROWS, Y)
    shown = plots.SelectionDisplay.from_estimator(
        model, along="pooling", by="shrinkage", metric="accuracy", ax=axes()
    )
    assert shown.ax_.get_xlabel() == "pooling"
    assert shown.ax_.get_ylabel() == "accuracy"
    assert len(shown.paths) == 15
    found = sf.select_model(ROWS, Y, sf.LDA(), {"shrinkage": [0.0, 0.5]})
    alone = plots.SelectionDisplay.from_selection(found, ax=axes())
    assert [path.name for path in alone.paths] == ["LinearDiscriminantAnalysis"]
    with pytest.raises(InvalidParameter, match="no candidate has a parameter 'alpha'"):
        plots.SelectionDisplay.from_selection(found, along="alpha")
    with pytest.raises(InvalidParameter, match="no path to draw"):
        plots.SelectionDisplay.from_selection(sf.select_model(ROWS, Y, [sf.LDA(), sf.QDA()]))
    with pytest.raises(InvalidParameter, match="chose nothing"):
        plots.SelectionDisplay.from_estimator(sf.LDA().fit(ROWS, Y))
    with pytest.raises(InvalidParameter, match="metric"):
        plots.SelectionDisplay.from_selection(found, metric="auc")
    with pytest.raises(InvalidParameter, match="select_model"):
        plots.SelectionDisplay.from_selection(None)


def test_bars_add_up_to_the_log_odds():
    model = sf.QDA().fit(X, Y)
    shown = plots.ContributionsDisplay.from_estimator(model, X, 60, a=1, b=2, most=5, ax=axes())
    widths = [bar.get_width() for bar in shown.ax_.patches]
    assert len(widths) == 7
    np.testing.assert_allclose(sum(widths), model.log_odds(X[60:61], 1, 2)[0], rtol=1e-12)
    names = [text.get_text() for text in shown.ax_.get_yticklabels()]
    assert names[5:] == ["8 other features", "before any feature"]
    top = np.abs(model.contributions(X[60:61], 1, 2).values[0]).argmax()
    assert names[0] == f"{X.columns[top]} = {X.iloc[60, top]:.4g}"
    assert legend_of(shown.ax_) == ["for 1", "for 2"]


def test_bars_are_for_the_two_most_probable_classes():
    model = sf.LDA().fit(ROWS, Y)
    shown = plots.ContributionsDisplay.from_estimator(model, ROWS, -1, ax=axes())
    order = np.argsort(-model.predict_log_proba(ROWS[-1:])[0])
    assert shown.pair == tuple(order[:2].tolist())
    assert shown.caption_.startswith("row 177: log-odds +")
    gap = X.copy()
    gap.iloc[3, 0] = np.nan
    shown = plots.ContributionsDisplay.from_estimator(sf.LDA().fit(X, Y), gap, 3, ax=axes())
    assert shown.names[0] == "alcohol = ?"
    mixed = pd.DataFrame({"size": [1.0, 1.2, 3.1, 2.9], "colour": ["red", "red", "blue", None]})
    fruit = sf.MixedNB().fit(mixed, ["cherry", "cherry", "plum", "plum"])
    shown = plots.ContributionsDisplay.from_estimator(fruit, mixed, 0, ax=axes())
    assert shown.names == ["size = 1", "colour = red"]
    with pytest.raises(InvalidParameter, match="no row 500; X has 178 rows"):
        plots.ContributionsDisplay.from_estimator(model, ROWS, 500)
    mixture = sf.MixtureDiscriminant(1, random_state=0).fit(ROWS[:, :2], Y)
    drawn = plots.ContributionsDisplay.from_estimator(mixture, ROWS[:, :2], ax=axes())
    assert len(drawn.names) == 2
    other = LogisticRegression().fit(ROWS[:, :2], Y)
    with pytest.raises(InvalidParameter, match="not a sum over features"):
        plots.ContributionsDisplay.from_estimator(other, ROWS[:, :2])


def test_learning_curves_are_those_of_the_comparison():
    rows, labels = load_iris(return_X_y=True)
    found = sf.compare(rows, labels, {"LDA": sf.LDA(), "QDA": sf.QDA()}, cv=3)
    for metric in ("log_loss", "accuracy"):
        shown = plots.LearningDisplay.from_comparison(found, metric=metric, ax=axes())
        wanted = getattr(found.curve, metric)
        for line, values in zip(shown.ax_.lines, wanted, strict=True):
            ok = np.isfinite(values)
            np.testing.assert_array_equal(line.get_ydata(), values[ok])
            np.testing.assert_array_equal(line.get_xdata(), np.array(found.curve.rows)[ok])
        assert legend_of(shown.ax_) == ["LDA", "QDA"]
        assert shown.caption_ == "mean over 3 folds ± standard error"
    with pytest.raises(InvalidParameter, match="metric"):
        plots.LearningDisplay.from_comparison(found, metric="brier")
    with pytest.raises(InvalidParameter, match="compare"):
        plots.LearningDisplay.from_comparison(None)


@pytest.mark.parametrize("background", ["light", "dark"])
def test_text_stands_out_from_the_background(background, tmp_path):
    with plots.theme(background):
        model = sf.LDA().fit(X, Y)
        several = [
            plots.ProjectionDisplay.from_estimator(model, X, Y, title="axes"),
            plots.ConfusionDisplay.from_estimator(model, X, Y, title="confusion"),
            plots.ContributionsDisplay.from_estimator(model, X, 0, title="reasons"),
            plots.ReliabilityDisplay.from_estimator(model, X, Y, title="reliability"),
        ]
    for shown in several:
        paper = np.mean(shown.ax_.get_facecolor()[:3])
        for text in (shown.ax_.xaxis.label, *shown.ax_.get_xticklabels()):
            assert abs(np.mean(mpl.colors.to_rgb(text.get_color())) - paper) > 0.6
        file = tmp_path / "picture.svg"
        shown.save(file)
        assert f">{shown.ax_.get_title(loc='left')}<" in file.read_text()


def test_thresholds_are_drawn_with_their_least_cost():
    X, y = load_breast_cancer(return_X_y=True)
    model = sf.LDA().fit(X[::2], y[::2])
    found = sf.thresholds(model, X[1::2], y[1::2], positive=0, costs={(0, 1): 10})
    ax = axes()
    shown = plots.ThresholdsDisplay.from_thresholds(found, recall=0.95, ax=ax)
    lines = {line.get_label(): line for line in ax.lines}
    (best,) = found.for_cost().values()
    assert lines["least cost"].get_xydata().tolist() == [[best, found.cost.min()]]
    (reached,) = found.for_recall(0.95).values()
    assert lines["recall 95%"].get_xdata().tolist() == [reached]
    assert lines["best if probabilities are right"].get_xdata()[0] == pytest.approx(1 / 11)
    assert "least cost" in shown.caption_
    with pytest.raises(InvalidParameter, match="result of thresholds"):
        plots.ThresholdsDisplay.from_thresholds(model)


def test_importance_is_drawn_with_the_most_important_feature_on_top():
    X, y = load_wine(return_X_y=True, as_frame=True)
    ax = axes()
    shown = plots.ImportanceDisplay.from_estimator(sf.LDA().fit(X, y), X, y, most=5, ax=ax)
    found = shown.importance
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert names == [found.names[j] for j in found.order[:5]]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]
    widths = [bar.get_width() for bar in ax.patches]
    np.testing.assert_allclose(widths, found.increase[found.order[:5]])
    assert "8 features more" in shown.caption_
    with pytest.raises(InvalidParameter, match="result of importance"):
        plots.ImportanceDisplay.from_importance(found.table)


def test_every_display_takes_the_name_of_the_column_of_labels_and_any_index():
    table = X.assign(kind=np.where(ROWS[:, 0] > 13, "strong", "light"), wine=Y)
    table = table[::2]  # labels of rows that are not 0, 1, 2, ...
    model, two = sf.LDA().fit(table, "wine"), ("ash", "hue")
    shown = [
        plots.ProjectionDisplay.from_estimator(model, table, "wine", ax=axes()),
        plots.CurvesDisplay.from_estimator(model, table, "wine", feature="hue", ax=axes()),
        plots.RegionsDisplay.from_estimator(model, table, "wine", features=two, ax=axes()),
        plots.ContributionsDisplay.from_estimator(model, table, 3, ax=axes()),
        plots.ClassesDisplay.from_data(table, "wine", features=two, ax=axes()),
        plots.QuantilesDisplay.from_data(table.drop(columns="kind"), "wine", ax=axes()),
    ]
    assert all(display.caption_ is not None for display in shown)
    numbers = table.drop(columns="kind")
    plain = sf.LDA().fit(numbers, "wine")
    drawn = plots.ContributionsDisplay.from_estimator(plain, numbers, 3, ax=axes())
    assert len(drawn.names) == 13
    with pytest.raises(NotNumbers, match="Only numbers can be drawn; those are 'alcohol'"):
        plots.ClassesDisplay.from_data(table, "wine", features=("kind", "hue"), ax=axes())
