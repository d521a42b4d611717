"""Pictures that can be read: numbers within the axes, labels on the paper, lines seen."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from sklearn.datasets import load_breast_cancer, load_wine

import suffice as sf
from suffice import plots
from suffice.plots.style import COLOURS, ground, theme

X, Y = load_wine(return_X_y=True, as_frame=True)


def brightness(colour):
    """Relative luminance, by which contrast is measured."""
    c = np.array(to_rgb(colour))
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(a, b):
    low, high = sorted((brightness(a), brightness(b)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("row", [0, 61, 100, 150])
def test_the_numbers_of_the_longest_bars_stay_within_the_axes(row):
    model = sf.LDA().fit(X, Y)
    shown = plots.ContributionsDisplay.from_estimator(model, X, row)
    shown.figure_.draw_without_rendering()
    frame = shown.ax_.get_window_extent()
    numbers = [text for text in shown.ax_.texts if text.get_text()[0] in "+-"]
    assert len(numbers) == 14
    for text in numbers:
        box = text.get_window_extent()
        assert frame.x0 <= box.x0
        assert box.x1 <= frame.x1


@pytest.mark.parametrize("background", ["light", "dark"])
def test_lines_of_priors_have_no_colour_of_a_class_and_show_on_the_background(background):
    data, y = load_breast_cancer(return_X_y=True)
    model = sf.QDA().fit(data[:, :2], y)
    with theme(background):
        shown = plots.PriorsDisplay.from_estimator(model, data[:, :2], y, resolution=40)
    lines = [line for line in shown.ax_.lines if line.get_label().startswith("p(")]
    assert len(lines) == 5
    for line in lines:
        colour = np.array(to_rgb(line.get_color()))
        assert np.ptp(colour) < 0.1 < min(np.ptp(to_rgb(own)) for own in COLOURS[:6])
        assert contrast(colour, ground(shown.ax_)) > 3
    assert len({line.get_color().tobytes() for line in lines}) == 5


@pytest.mark.parametrize("size", [(9, 4), (6.4, 4.8), (8, 3), (12, 4)])
def test_reliability_on_axes_side_by_side_stays_on_the_paper(size):
    figure = Figure(figsize=size, layout="constrained")
    for ax, model in zip(figure.subplots(1, 2), (sf.GaussianNB(), sf.LDA()), strict=True):
        model.fit(X.iloc[::2, :4], Y[::2])
        plots.ReliabilityDisplay.from_estimator(
            model, X.iloc[1::2, :4], Y[1::2], ax=ax, title="On other rows"
        )
    figure.draw_without_rendering()
    for ax in figure.axes:
        box = ax.get_tightbbox()
        assert min(box.x0, box.y0) >= 0
        assert box.x1 <= figure.bbox.x1
        assert box.y1 <= figure.bbox.y1
        for text in ax.get_legend().get_texts():
            assert ax.bbox.x0 <= text.get_window_extent().x0
            assert text.get_window_extent().x1 <= ax.bbox.x1
        assert ax.get_window_extent().width > 0.15 * figure.bbox.width


def test_reliability_of_many_classes_has_its_legend_beside_the_axes():
    p = np.eye(6)[np.arange(60) % 6] * 0.9 + 0.1 / 6
    shown = plots.ReliabilityDisplay.from_predictions(np.arange(60) % 6, p, curves="each")
    shown.figure_.draw_without_rendering()
    assert shown.ax_.get_legend().get_window_extent().x0 > shown.ax_.bbox.x1


def test_of_many_lines_of_a_selection_only_the_best_has_a_band():
    grid = {"shrinkage": [0.0, 0.1, 0.5], "pooling": [0.0, 0.3, 0.6, 1.0]}
    found = sf.select_model(X, Y, sf.GaussianDiscriminant(target="diagonal"), grid)
    many = plots.SelectionDisplay.from_selection(found)
    assert len(many.paths) == 4
    assert len(many.ax_.collections) == 1
    best = next(i for i, path in enumerate(many.paths) if found.best in path.at)
    band = many.ax_.collections[0].get_facecolor()[0][:3]
    np.testing.assert_allclose(band, to_rgb(many.ax_.lines[best].get_color()))
    assert "of the best line" in many.caption_
    few = sf.select_model(X, Y, sf.GaussianDiscriminant(), {**grid, "pooling": [0.0, 1.0]})
    assert len(plots.SelectionDisplay.from_selection(few).ax_.collections) == 2


@pytest.mark.parametrize("background", ["light", "dark"])
def test_contours_below_a_hill_show_on_its_floor(background):
    model = sf.QDA().fit(X[["alcohol", "color_intensity"]], Y)
    with theme(background):
        shown = plots.SurfaceDisplay.from_estimator(
            model, X[["alcohol", "color_intensity"]], resolution=20
        )
    for axis in (shown.ax_.xaxis, shown.ax_.yaxis, shown.ax_.zaxis):
        floor = axis.pane.get_facecolor()
        assert contrast(floor, COLOURS[0]) > 3
        assert contrast(floor, ground(shown.ax_)) < 1.5
