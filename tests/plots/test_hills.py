"""Densities as curves and surfaces, and words that do not lie on each other."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.stats import multivariate_normal, norm
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

import suffice as sf
from suffice import plots
from suffice.errors import InvalidParameter

FRAME, CODES = load_iris(return_X_y=True, as_frame=True)
LABELS = load_iris().target_names[CODES]
SEPALS = FRAME.iloc[:, :2]


def test_curves_are_the_priors_times_the_marginal_normal_densities():
    model = sf.QDA().fit(FRAME, LABELS)
    shown = plots.CurvesDisplay.from_estimator(model, FRAME, LABELS, feature="petal width (cm)")
    rows = FRAME["petal width (cm)"].to_numpy()
    for c, label in enumerate(model.classes_):
        own = rows[label == LABELS]
        expected = norm.pdf(shown.values, own.mean(), own.std()) / 3
        np.testing.assert_allclose(shown.joint[:, c], expected, rtol=1e-9)
    lines = [line.get_ydata() for line in shown.ax_.lines if len(line.get_ydata()) > 2]
    np.testing.assert_allclose(sum(lines[:3]), lines[3])
    assert shown.ax_.get_xlabel() == "petal width (cm)"


def test_curves_of_a_mixture_without_labels_add_up_to_its_density():
    model = sf.GaussianMixture(2, random_state=0).fit(SEPALS.to_numpy()[:, :1])
    shown = plots.CurvesDisplay.from_estimator(model, limits=(0, 12))
    total = np.exp(model.score_samples(shown.values[:, None]))
    np.testing.assert_allclose(shown.joint.sum(axis=1), total, rtol=1e-12)
    np.testing.assert_allclose(np.trapezoid(total, shown.values), 1, atol=1e-3)


def test_curves_without_rows_reach_beyond_the_means():
    model = sf.LDA().fit(SEPALS, LABELS)
    shown = plots.CurvesDisplay.from_estimator(model, feature=0)
    np.testing.assert_allclose(np.trapezoid(shown.joint.sum(axis=1), shown.values), 1, atol=1e-3)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "there are 2 features"),
        ({"feature": "petal"}, "there is no feature"),
        ({"feature": 0, "limits": (3, 1)}, "first must be below"),
        ({"feature": 0, "resolution": 0}, "resolution is 0"),
    ],
)
def test_curves_say_what_they_take(options, said):
    with pytest.raises(InvalidParameter, match=said):
        plots.CurvesDisplay.from_estimator(sf.LDA().fit(SEPALS, LABELS), **options)


def test_curves_take_a_fitted_model_of_densities():
    with pytest.raises(InvalidParameter, match="not fitted"):
        plots.CurvesDisplay.from_estimator(sf.LDA(), SEPALS, LABELS, feature=0)
    lengths = SEPALS.iloc[:, :1]
    with pytest.raises(InvalidParameter, match="has no score_samples"):
        plots.CurvesDisplay.from_estimator(LogisticRegression().fit(lengths, LABELS), lengths)


def test_rows_are_ticks_in_the_colour_of_their_class():
    model = sf.LDA().fit(SEPALS, LABELS)
    shown = plots.CurvesDisplay.from_estimator(model, SEPALS, LABELS, feature=0)
    ticks = [c for c in shown.ax_.collections if hasattr(c, "get_segments") and c.get_segments()]
    assert sorted(len(one.get_segments()) for one in ticks) == [50, 50, 50]
    assert len({tuple(one.get_colors()[0]) for one in ticks}) == 3


def test_a_surface_has_the_height_of_the_density():
    model = sf.QDA().fit(SEPALS, LABELS)
    shown = plots.SurfaceDisplay.from_estimator(model, SEPALS, resolution=30)
    points = shown.plane.grid
    parts = []
    for label in model.classes_:
        own = SEPALS.to_numpy()[label == LABELS]
        parts.append(multivariate_normal.pdf(points, own.mean(axis=0), np.cov(own.T, ddof=0)) / 3)
    np.testing.assert_allclose(shown.density.ravel(), sum(parts), rtol=1e-9)
    assert shown.ax_.get_zlim()[1] == shown.density.max()


def test_a_surface_takes_axes_of_three_dimensions():
    with pytest.raises(InvalidParameter, match="three dimensions"):
        plots.SurfaceDisplay.from_estimator(sf.QDA().fit(SEPALS, LABELS), ax=Figure().subplots())


def test_names_of_rows_do_not_lie_on_each_other():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 2))
    X[0], X[1:3] = [9.0, 9.0], [[6.0, -6.0], [-6.0, 6.0]]  # two of about one distance
    y = np.repeat(["a", "b"], 1000)
    shown = plots.QuantilesDisplay.from_data(X, y, named_rows=3)
    shown.figure_.canvas.draw()
    words = [text for text in shown.ax_.texts if text.get_text().startswith("row")]
    boxes = [text.get_window_extent() for text in words]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    named = {n for text in words for n in text.get_text().split(" ", 1)[1].split(", ")}
    assert named == {"0", "1", "2"}
