"""Pictures that can be read: numbers within the axes, labels on the paper, lines seen."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest
from drawings import legend_of
from matplotlib import pyplot
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from sklearn.datasets import load_breast_cancer, load_wine

import suffice as sf
from suffice import plots
from suffice.errors import InvalidInput
from suffice.plots.decoration import legend_below
from suffice.plots.display import Display
from suffice.plots.regions import innermost
from suffice.plots.style import COLOURS, Style, ground, theme
from suffice.selection.selection import Selection

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


def blobs(k, n, seed=0):
    """Rows of k classes on a grid."""
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % k
    centres = np.array([[4.0 * (c % 6), 4.0 * (c // 6)] for c in range(k)])
    return centres[codes] + rng.normal(size=(n, 2)), codes


def test_among_many_rows_no_class_lies_on_top_of_another():
    rows, codes = blobs(3, 12_000)
    shown = plots.ClassesDisplay.from_data(rows, codes)
    cloud = shown.ax_.collections[0]
    first, second = np.array_split(cloud.get_facecolor()[:, :3], 2)
    for c in range(3):
        shares = [
            np.isclose(part, Style.of(c).colour).all(axis=1).mean() for part in (first, second)
        ]
        np.testing.assert_allclose(shares, 1 / 3, atol=0.03)
    assert cloud.get_alpha() < 0.7
    few = plots.ClassesDisplay.from_data(rows[:300], codes[:300])
    assert few.ax_.collections[0].get_alpha() == 0.9


@pytest.mark.parametrize("k", [3, 8])
def test_regions_are_named_where_their_tints_would_look_alike(k):
    rows, codes = blobs(k, 40 * k)
    labels = np.array([f"class {c}" for c in range(k)])[codes]
    model = sf.LDA().fit(rows, labels)
    shown = plots.RegionsDisplay.from_estimator(model, rows, labels, resolution=60)
    names = {text.get_text(): text.xy for text in shown.ax_.texts}
    assert sorted(names) == (sorted(set(labels)) if k > 4 else [])
    for name, place in names.items():
        assert model.predict([place]) == [name]


def test_a_region_too_small_for_a_name_gets_none():
    region = np.zeros((100, 100), bool)
    region[50:52, :] = True
    assert innermost(region) is None
    region[40:60, 70:90] = True
    across, up = innermost(region)
    assert region[up, across]
    assert 70 <= across < 90


@pytest.mark.parametrize("k", [8, 26])
def test_means_of_many_classes_are_named(k):
    rows, codes = blobs(k, 20 * k)
    shown = plots.ClassesDisplay.from_estimator(sf.LDA().fit(rows, codes), rows, codes)
    named = [text.get_text() for text in shown.ax_.texts if text.get_text()]
    assert named == ([str(c) for c in range(k)] if k > len(COLOURS) else [])
    shown.figure_.draw_without_rendering()
    assert shown.ax_.get_legend().get_window_extent().x0 > shown.ax_.bbox.x1


@pytest.mark.parametrize("background", ["light", "dark"])
def test_ellipses_stand_out_from_rows_of_their_own_colour(background):
    rows, codes = blobs(2, 200)
    model = sf.QDA().fit(rows, codes)
    with theme(background):
        shown = plots.ClassesDisplay.from_estimator(model, rows, codes)
    curves = [line for line in shown.ax_.lines if len(line.get_xdata()) > 2]
    assert len(curves) == 4
    for line in curves:
        (rim,) = line.get_path_effects()
        assert rim._gc["linewidth"] > line.get_linewidth()
        np.testing.assert_allclose(to_rgb(rim._gc["foreground"]), ground(shown.ax_))


def test_long_names_do_not_shrink_the_cells_of_a_confusion_matrix():
    codes = np.arange(60) % 6
    names = [f"a rather long class name with the number {c}" for c in range(6)]
    widths = []
    for labels in (np.array(list("abcdef")), np.array(names)):
        shown = plots.ConfusionDisplay.from_predictions(labels[codes], labels[codes])
        shown.figure_.draw_without_rendering()
        widths.append(shown.ax_.get_window_extent().width / shown.figure_.dpi)
    assert widths[1] > 0.9 * widths[0]
    written = [text.get_text() for text in shown.ax_.get_yticklabels()]
    assert len(set(written)) == 6
    assert max(len(line) for name in written for line in name.split("\n")) <= 18
    below = [text.get_text() for text in shown.ax_.get_xticklabels()]
    assert len(set(below)) == 6
    assert not any("\n" in name for name in below)


@pytest.mark.parametrize("display", [plots.ClassesDisplay, plots.RegionsDisplay])
def test_long_names_of_classes_leave_most_of_the_width_to_the_picture(display):
    names = np.array([f"a rather long name, of more than one line, of class {c}" for c in range(3)])
    rows, labels = X[["alcohol", "hue"]], names[Y]
    shown = display.from_estimator(sf.QDA().fit(rows, labels), rows, labels)
    shown.figure_.draw_without_rendering()
    assert shown.ax_.get_window_extent().width > 0.5 * shown.figure_.bbox.width
    assert legend_of(shown.ax_)[:3] == names.tolist()


def test_a_legend_below_is_no_wider_than_its_figure():
    figure = Figure(figsize=(4.0, 4.0), layout="constrained")
    ax = figure.subplots()
    for c in range(4):
        ax.plot([0, 1], label=f"a name that takes some width, number {c}")
    legend_below(figure, ax)
    assert figure.legends[0].get_window_extent().width <= figure.bbox.width


def test_features_that_add_nothing_share_one_bar():
    rows = X[:1].copy()
    rows.iloc[:, 3:] = np.nan
    shown = plots.ContributionsDisplay.from_estimator(sf.GaussianNB().fit(X, Y), rows)
    names = [label.get_text() for label in shown.ax_.get_yticklabels()]
    assert names[3:] == ["10 other features", "before any feature"]


def test_names_that_differ_only_in_the_middle_are_written_out():
    labels = [f"{'a' * 20} {c} {'b' * 20}" for c in range(3)]
    shown = plots.ConfusionDisplay.from_predictions(labels, labels)
    assert [text.get_text() for text in shown.ax_.get_yticklabels()] == labels


def test_a_density_shows_rows_if_they_have_labels():
    rows, codes = blobs(2, 60)
    model = sf.LDA().fit(rows, codes)
    drawn = {
        (labels is not None, show): len(
            [
                one
                for one in plots.DensityDisplay.from_estimator(
                    model, rows, labels, show_points=show, resolution=20
                ).ax_.collections
                if len(one.get_offsets()) > 1
            ]
        )
        for labels in (codes, None)
        for show in (None, True, False)
    }
    assert drawn == {
        (True, None): 2,
        (True, True): 2,
        (True, False): 0,
        (False, None): 0,
        (False, True): 1,
        (False, False): 0,
    }


@pytest.mark.parametrize("metric", ["log_loss", "accuracy"])
def test_learning_curves_have_error_bars_of_a_standard_error(metric):
    found = sf.compare(X, Y, {"LDA": sf.LDA(), "NB": sf.GaussianNB()})
    shown = plots.LearningDisplay.from_comparison(found, metric=metric)
    means, errors = getattr(found.curve, metric), getattr(found.curve, f"{metric}_se")
    assert (errors[:, 0] > 0).all()
    bars = shown.ax_.collections
    assert len(bars) == 2
    for i, bar in enumerate(bars):
        tops = [segment[1, 1] for segment in bar.get_segments()]
        np.testing.assert_allclose(tops, means[i] + errors[i])
    np.testing.assert_allclose(means[:, -1], found.selection.scores[metric].mean(axis=1), rtol=0.2)


def test_regions_with_ellipses_have_points_means_and_boundaries_in_one_chart():
    rows, codes = blobs(2, 80)
    model = sf.QDA().fit(rows, codes)
    shown = plots.RegionsDisplay.from_estimator(model, rows, codes, ellipses=True, resolution=40)
    plain = plots.RegionsDisplay.from_estimator(model, rows, codes, resolution=40)
    assert not plain.ellipses
    drawn = [line.get_xydata() for line in shown.ax_.lines]
    for label in (0, 1):
        for ellipse in shown.ellipses[label]:
            assert any(
                line.shape == (n := ellipse.points()).shape and (line == n).all() for line in drawn
            )
            assert (ellipse.points() >= np.array(shown.plane.box)[:, 0]).all()
    assert [text.get_text() for text in shown.ax_.get_legend().get_texts()] == [
        "0",
        "1",
        "1 std. dev.",
        "2 std. dev.",
    ]
    with pytest.raises(InvalidInput, match="ellipses is 2"):
        plots.RegionsDisplay.from_estimator(model, rows, codes, ellipses=2)


def test_rows_are_drawn_within_a_box_that_is_given():
    rows, codes = blobs(2, 40)
    shown = plots.ClassesDisplay.from_data(rows, codes, box=((-9, 9), (-5, 5)))
    assert shown.ax_.get_xlim() == (-9, 9)
    assert shown.ax_.get_ylim() == (-5, 5)


def test_a_display_is_its_picture_in_a_notebook_and_short_in_text(monkeypatch):
    rows, codes = blobs(2, 40)
    shown = plots.ClassesDisplay.from_data(rows, codes)
    assert repr(shown) == "<ClassesDisplay>"
    assert shown._repr_png_().startswith(b"\x89PNG")
    assert pyplot.get_fignums()
    monkeypatch.setattr(
        "matplotlib.get_backend", lambda: "module://matplotlib_inline.backend_inline"
    )
    assert shown._repr_png_().startswith(b"\x89PNG")
    assert not pyplot.get_fignums()


def test_every_display_has_a_short_repr():
    for name in plots.__all__:
        kind = getattr(plots, name)
        if isinstance(kind, type):
            assert kind.__repr__ is Display.__repr__


def test_a_path_is_drawn_along_what_was_varied_near_the_best():
    tried = [{"model": "A", "pooling": p, "shrinkage": 0.0} for p in (0.0, 0.5, 1.0)]
    tried += [{"model": "A", "pooling": p, "shrinkage": 0.5, "ddof": 1} for p in (0.1, 0.2)]
    tried.append({"model": "B"})
    losses = np.array([0.3, 0.1, 0.2, 0.5, 0.6, 0.05])
    scores = {"log_loss": losses[:, None] + np.array([0.0, 0.01])}
    found = Selection(tuple(tried), scores, np.ones(6), averaged=True, chosen=5)
    shown = plots.SelectionDisplay.from_selection(found)
    assert (shown.along, shown.by) == ("pooling", None)
    np.testing.assert_equal(shown.paths[0].values, [0.0, 0.5, 1.0])
    chosen = next(line for line in shown.ax_.lines if line.get_label() == "chosen")
    # The other model has no pooling, so it is a line across, not a point.
    np.testing.assert_allclose(chosen.get_ydata(), [0.055, 0.055])


def test_a_line_of_candidates_that_leave_out_a_parameter_is_named_by_its_default():
    tried = [{"model": "A", "structure": "diagonal", "shrinkage": 0.0}]
    tried += [{"model": "A", "shrinkage": s, "target": "identity"} for s in (0.5, 1.0)]
    scores = {"log_loss": np.array([[0.1, 0.2], [0.3, 0.4], [0.2, 0.3]])}
    shown = plots.SelectionDisplay.from_selection(Selection(tuple(tried), scores, np.ones(3)))
    assert [path.name for path in shown.paths] == ["structure diagonal", "structure full"]


def test_the_chosen_candidate_is_marked_even_if_no_line_holds_it():
    cancer = load_breast_cancer(return_X_y=True)
    found = sf.select_model(*cancer, simple=True)
    assert found.averaged
    shown = plots.SelectionDisplay.from_selection(found)
    drawn = {line.get_label(): line for line in shown.ax_.lines}
    score = found.table["log_loss"][found.chosen]
    np.testing.assert_allclose(drawn["chosen"].get_ydata(), score)
    np.testing.assert_allclose(drawn["best"].get_ydata(), found.table["log_loss"][found.best])
    value = found.candidates[found.chosen][shown.along]
    np.testing.assert_allclose(drawn["chosen"].get_xdata(), value)


def test_captions_stay_within_the_picture_beside_long_names():
    shown = plots.ImportanceDisplay.from_estimator(sf.LDA(), X, Y, cv=2, title="Vineyards")
    shown.figure_.draw_without_rendering()
    [caption] = [one for one in shown.ax_.texts if "whiskers" in one.get_text()]
    assert caption.get_window_extent().x1 <= shown.figure_.bbox.x1


@pytest.mark.parametrize("values", [(0.0, 0.01, 0.1, 1.0), (0.03, 0.1, 0.3, 0.6)])
def test_ticks_of_a_parameter_are_numbers_that_can_be_tried(values):
    tried = tuple({"model": "LDA", "shrinkage": value} for value in values)
    scores = np.arange(8.0).reshape(4, 2) + 1
    with mpl.rc_context({"text.parse_math": False}):
        found = Selection(tried, {"log_loss": scores}, np.ones(4))
        shown = plots.SelectionDisplay.from_selection(found)
        shown.figure_.draw_without_rendering()
    texts = [text.get_text() for text in shown.ax_.get_xticklabels(which="both")]
    assert len(texts) > 1
    assert all(min(values) <= float(text) <= max(values) for text in texts)


def test_candidates_without_a_score_are_not_a_path():
    tried = tuple({"model": "mixture", "pooling": p, "n_components": 2} for p in (0.0, 0.5))
    tried += ({"model": "mixture", "pooling": 0.0, "n_components": 3},)
    scores = {"log_loss": np.array([[0.2, 0.3], [np.nan, np.nan], [0.1, 0.1]])}
    shown = plots.SelectionDisplay.from_selection(Selection(tried, scores, np.ones(3)))
    assert (shown.along, shown.paths[0].values.tolist()) == ("n_components", [2.0, 3.0])


def test_small_scores_are_written_without_an_exponent():
    tried = tuple({"model": "LDA", "shrinkage": value} for value in (0.0, 0.5, 1.0))
    scores = {"log_loss": np.array([[2e-5, 2e-5], [4e-4, 4e-4], [3e-2, 3e-2]])}
    shown = plots.SelectionDisplay.from_selection(Selection(tried, scores, np.ones(3)))
    shown.figure_.draw_without_rendering()
    texts = [text.get_text() for text in shown.ax_.get_yticklabels()]
    assert "0.00002" in texts
    assert not any("e" in text for text in texts)


def test_names_of_rows_stay_within_the_axes():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 2))
    rows[:150] *= 0.02  # a tight cluster whose rows lie above the line, near the axis
    shown = plots.QuantilesDisplay.from_data(rows, np.zeros(300, int), named_rows=6)
    shown.figure_.draw_without_rendering()
    frame = shown.ax_.get_window_extent()
    named = [text for text in shown.ax_.texts if text.get_text().startswith("row")]
    assert named
    for text in named:
        box = text.get_window_extent()
        assert frame.x0 <= box.x0
        assert box.x1 <= frame.x1


@pytest.mark.parametrize("values", [(0.0, 0.01, 0.1, 1.0), (0.03, 0.1, 0.3, 0.6)])
def test_the_tried_values_of_a_parameter_fill_its_axis(values):
    tried = tuple({"model": "LDA", "shrinkage": value} for value in values)
    scores = {"log_loss": np.arange(8.0).reshape(4, 2) + 1}
    shown = plots.SelectionDisplay.from_selection(Selection(tried, scores, np.ones(4)))
    ends = shown.ax_.transAxes.inverted().transform(
        shown.ax_.transData.transform([(min(values), 1.5), (max(values), 1.5)])
    )
    assert 0.02 < ends[0, 0] < 0.15
    assert 0.85 < ends[1, 0] < 0.98
