"""Pictures in the plane of two features: what they draw is what the model says."""

from __future__ import annotations

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from drawings import axes, legend_of
from matplotlib.figure import Figure
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

import suffice as sf
from suffice import plots
from suffice.errors import (
    HasGaps,
    InvalidFeatures,
    InvalidInput,
    InvalidParameter,
    NotFinite,
    NotNumbers,
)
from suffice.plots.points import MOST_ROWS, MOST_SHAPES
from suffice.plots.style import Style

FRAME, CODES = load_iris(return_X_y=True, as_frame=True)
NAMES = load_iris().target_names
LABELS = NAMES[CODES]
PETALS = FRAME[["petal length (cm)", "petal width (cm)"]]
ROWS = PETALS.to_numpy()


def drawn_borders(ax):
    """Vertices of lines in the colour of text: those between regions."""
    return [line.get_xydata() for line in ax.lines if len(line.get_xydata())]


@pytest.mark.parametrize("model", [sf.LDA(), sf.QDA(), sf.GaussianNB(), sf.DiagonalLDA()])
def test_borders_are_where_two_classes_are_equally_probable_and_no_other_is_more(model):
    model.fit(ROWS, LABELS)
    shown = plots.RegionsDisplay.from_estimator(model, ROWS, LABELS, ax=axes())
    lines = drawn_borders(shown.ax_)
    assert len(lines) == sum(len(border.lines) for border in shown.borders) > 1
    for border in shown.borders:
        assert border.exact
        points = np.concatenate(border.lines)
        assert np.abs(model.log_odds(points, *border.classes)).max() < 1e-6
        best = model.predict_proba(points).max(axis=1)
        own = model.predict_proba(points)[:, list(NAMES).index(border.classes[0])]
        np.testing.assert_allclose(own, best, rtol=1e-6)
    np.testing.assert_array_equal(lines[0], shown.borders[0].lines[0])


def test_borders_of_two_classes_end_at_the_edges_of_the_picture():
    model = sf.LDA().fit(ROWS[50:], LABELS[50:])
    shown = plots.RegionsDisplay.from_estimator(model, ROWS[50:], LABELS[50:], ax=axes())
    (line,) = shown.borders[0].lines
    low, high = np.array(shown.plane.box).T
    on_edge = np.isclose(line, low, atol=1e-12) | np.isclose(line, high, atol=1e-12)
    assert on_edge.any(axis=1).all()
    assert shown.ax_.get_xlim() == shown.plane.box[0]


def test_every_cell_of_the_regions_shows_the_posterior():
    model = sf.QDA().fit(ROWS, LABELS)
    shown = plots.RegionsDisplay.from_estimator(model, ROWS, LABELS, resolution=20, ax=axes())
    x, y = (np.linspace(*limits, 20) for limits in shown.plane.box)
    (image,) = shown.ax_.images
    assert image.get_array().shape == (20, 20, 3)
    for i, j in ((0, 0), (7, 13), (19, 4)):
        p = model.predict_proba([[x[j], y[i]]])[0]
        np.testing.assert_allclose(shown.posterior[i, j], p, atol=1e-12)
        share = 0.42 * (3 * p.max() - 1) / 2
        colour = share * np.array(Style.of(int(p.argmax())).colour) + (1 - share)
        np.testing.assert_allclose(image.get_array()[i, j], colour, atol=1e-12)
    left, right, bottom, top = image.get_extent()
    assert np.isclose((left + (right - left) / 40), x[0])
    assert np.isclose(top - (top - bottom) / 40, y[-1])


def test_posteriors_with_a_class_that_is_impossible_draw_no_border_of_it():
    model = sf.LDA().fit(ROWS, LABELS).with_priors([0.0, 0.5, 0.5])
    shown = plots.RegionsDisplay.from_estimator(model, ROWS, LABELS, ax=axes())
    assert [border.classes for border in shown.borders] == [("versicolor", "virginica")]


def test_features_that_are_not_drawn_are_held_at_their_means():
    model = sf.QDA().fit(FRAME, LABELS)
    shown = plots.RegionsDisplay.from_estimator(model, FRAME, LABELS, features=(3, 0), ax=axes())
    assert shown.ax_.get_xlabel() == "petal width (cm)"
    assert shown.caption_ == "other features at their means"
    border = shown.borders[0]
    rows = np.repeat((model.priors_ @ model.means_)[None], len(border.lines[0]), axis=0)
    rows[:, [3, 0]] = border.lines[0]
    odds = model.log_odds(pd.DataFrame(rows, columns=FRAME.columns), *border.classes)
    assert np.abs(odds).max() < 1e-6


def test_features_that_are_not_drawn_can_be_given_or_unknown():
    model = sf.LDA().fit(FRAME, LABELS)
    two = {"features": ("petal length (cm)", "petal width (cm)"), "resolution": 30}
    at = {"sepal length (cm)": 7.5, "sepal width (cm)": None}
    given = plots.RegionsDisplay.from_estimator(model, FRAME, at=at, **two, ax=axes())
    assert given.caption_ == "sepal length (cm) = 7.5, sepal width (cm) = unknown"
    row = pd.DataFrame([[7.5, np.nan, *(low for low, _ in given.plane.box)]], columns=FRAME.columns)
    np.testing.assert_allclose(given.posterior[0, 0], model.predict_proba(row)[0], atol=1e-12)
    unknown = plots.RegionsDisplay.from_estimator(model, FRAME, at="unknown", **two, ax=axes())
    alone = sf.LDA().fit(PETALS, LABELS)
    other = plots.RegionsDisplay.from_estimator(alone, PETALS, resolution=30, ax=axes())
    np.testing.assert_allclose(unknown.posterior, other.posterior, atol=1e-9)
    assert not unknown.borders[0].exact
    assert other.borders[0].exact


def test_classifiers_of_others_have_regions_too():
    model = LogisticRegression(C=10.0).fit(PETALS, LABELS)
    shown = plots.RegionsDisplay.from_estimator(model, PETALS, LABELS, resolution=150, ax=axes())
    for border in shown.borders:
        at = [list(NAMES).index(label) for label in border.classes]
        points = pd.DataFrame(np.concatenate(border.lines), columns=PETALS.columns)
        p = model.predict_proba(points)[:, at]
        assert np.abs(np.log(p[:, 0] / p[:, 1])).max() < 1e-6  # linear, so interpolated exactly
    assert len(shown.borders) == 2


@pytest.mark.parametrize(
    "model", [sf.MixtureDiscriminant(2, random_state=0), sf.BayesianDiscriminant()]
)
def test_models_without_an_equation_have_borders_of_a_grid(model):
    model.fit(ROWS, LABELS)
    shown = plots.RegionsDisplay.from_estimator(model, ROWS, LABELS, ax=axes())
    for border in shown.borders:
        assert not border.exact
        assert np.abs(model.log_odds(np.concatenate(border.lines), *border.classes)).max() < 0.2


def test_levels_beside_numbers_can_be_held():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 2)), columns=["size", "weight"])
    X["colour"] = rng.choice(["red", "blue"], 80)
    y = np.where(X["size"] + (X["colour"] == "red") > 0.5, "plum", "cherry")
    model = sf.MixedNB().fit(X, y)
    pair = {"features": ("size", "weight"), "resolution": 12}
    shown = plots.RegionsDisplay.from_estimator(
        model, X, y, at={"colour": "red"}, **pair, ax=axes()
    )
    (x, _), (z, _) = shown.plane.box
    row = pd.DataFrame({"size": [x], "weight": [z], "colour": ["red"]})
    np.testing.assert_allclose(shown.posterior[0, 0], model.predict_proba(row)[0], atol=1e-12)
    assert shown.caption_ == "colour = red"
    with pytest.raises(NotNumbers, match="numbers can be drawn"):
        plots.RegionsDisplay.from_estimator(model, X, y, features=("size", "colour"), ax=axes())


@pytest.mark.parametrize("kind", ["pandas", "polars", "array"])
def test_rows_by_class_come_from_tables_of_any_kind(kind):
    X = PETALS
    if kind == "polars":
        import polars

        X = polars.from_pandas(PETALS)
    if kind == "array":
        X = ROWS
    shown = plots.ClassesDisplay.from_data(X, LABELS, ax=axes())
    assert [len(one.get_offsets()) for one in shown.ax_.collections] == [50, 50, 50]
    for c, one in enumerate(shown.ax_.collections):
        np.testing.assert_array_equal(one.get_offsets(), ROWS[c == CODES])
    assert legend_of(shown.ax_) == list(NAMES)
    assert shown.ax_.get_xlabel() == ("x1" if kind == "array" else "petal length (cm)")
    model = sf.QDA().fit(X, LABELS)
    shown = plots.RegionsDisplay.from_estimator(model, X, LABELS, resolution=10, ax=axes())
    assert len(shown.borders) == 3


def test_ellipses_are_those_of_the_model():
    model = sf.QDA().fit(FRAME, LABELS)
    shown = plots.ClassesDisplay.from_estimator(
        model, FRAME, LABELS, features=(2, 0), deviations=(1, 2.5), ax=axes()
    )
    curves = [line.get_xydata() for line in shown.ax_.lines if len(line.get_xydata()) > 1]
    wanted = [
        model.ellipse(label, (2, 0), deviations=r).points() for label in NAMES for r in (1, 2.5)
    ]
    np.testing.assert_allclose(curves, wanted, rtol=1e-12)
    assert legend_of(shown.ax_) == [*NAMES, "1 std. dev.", "2.5 std. dev."]
    low, high = np.array([shown.ax_.get_xlim(), shown.ax_.get_ylim()]).T
    assert all((low < curve).all() and (curve < high).all() for curve in curves)


def test_a_model_of_statistics_alone_is_drawn_without_rows():
    model = sf.QDA().fit_statistics(sf.summarize(PETALS, LABELS))
    shown = plots.ClassesDisplay.from_estimator(model, ax=axes())
    assert legend_of(shown.ax_)[:3] == list(NAMES)
    assert not shown.ax_.collections
    regions = plots.RegionsDisplay.from_estimator(model, resolution=20, ax=axes())
    assert legend_of(regions.ax_) == list(NAMES)
    assert plots.PanelsDisplay.from_estimator(model, resolution=20).figure_ is not None


def test_the_density_is_that_of_the_model():
    model = sf.QDA().fit(FRAME, LABELS)
    shown = plots.DensityDisplay.from_estimator(
        model, FRAME, features=(2, 3), resolution=25, ax=axes()
    )
    x, y = (np.linspace(*limits, 25) for limits in shown.plane.box)
    rows = pd.DataFrame([[np.nan, np.nan, x[3], y[20]]], columns=FRAME.columns)
    np.testing.assert_allclose(shown.log_density[20, 3], model.score_samples(rows)[0], rtol=1e-12)
    filled, _ = shown.ax_.collections
    np.testing.assert_allclose(filled.levels, np.arange(-10, 1))
    free = plots.DensityDisplay.from_estimator(
        sf.GaussianMixture(2, random_state=0).fit(ROWS), ROWS, show_points=True, ax=axes()
    )
    assert legend_of(free.ax_) == ["rows"]


def test_panels_show_the_same_plane_three_times():
    model = sf.QDA().fit(PETALS, LABELS)
    shown = plots.PanelsDisplay.from_estimator(model, PETALS, LABELS, resolution=20)
    limits = {(ax.get_xlim(), ax.get_ylim()) for ax in shown.axes_}
    assert len(shown.axes_) == 3
    assert len(limits) == 1
    (legend,) = shown.figure_.legends
    assert [text.get_text() for text in legend.get_texts()][:3] == list(NAMES)
    mixture = sf.MixtureDiscriminant(2, random_state=0).fit(ROWS, LABELS)
    assert not plots.PanelsDisplay.from_estimator(
        mixture, ROWS, LABELS, resolution=9
    ).classes.ellipses


def test_models_stand_side_by_side():
    shown = plots.ModelsDisplay.from_data(FRAME, LABELS, features=(2, 3), resolution=20)
    titles = [ax.get_title(loc="left") for ax in shown.axes_]
    assert titles == ["LDA", "QDA", "naive Bayes", "logistic regression"]
    qda = sf.QDA().fit(PETALS, LABELS)
    other = plots.RegionsDisplay.from_estimator(qda, PETALS, resolution=20, ax=axes())
    np.testing.assert_array_equal(shown.regions["QDA"].posterior, other.posterior)
    three = {str(i): qda for i in range(3)}
    assert len(plots.ModelsDisplay.from_estimators(three, PETALS, LABELS, resolution=9).axes_) == 3
    with pytest.raises(InvalidParameter, match="models must map"):
        plots.ModelsDisplay.from_estimators({}, PETALS)


def test_borders_move_with_the_priors():
    model = sf.LDA().fit(ROWS, LABELS)
    shown = plots.PriorsDisplay.from_estimator(
        model, ROWS, LABELS, priors=[0.2, "uniform", [0.1, 0.2, 0.7]], label="setosa", ax=axes()
    )
    names = ["p(setosa) = 0.2", "uniform priors"]
    names.append("p(setosa) = 0.1, p(versicolor) = 0.2, p(virginica) = 0.7")
    assert list(shown.borders) == names
    assert legend_of(shown.ax_) == [*NAMES, *names]
    for name, priors in zip(names, ([0.2, 0.4, 0.4], "uniform", [0.1, 0.2, 0.7]), strict=True):
        other = model.with_priors(priors)
        for border in shown.borders[name]:
            points = np.concatenate(border.lines)
            assert np.abs(other.log_odds(points, *border.classes)).max() < 1e-6
    with pytest.raises(InvalidParameter, match="between 0 and 1"):
        plots.PriorsDisplay.from_estimator(model, ROWS, priors=[1.0], ax=axes())


def test_whitened_classes_are_circles_and_borders_stand_across():
    model = sf.LDA().fit(PETALS, LABELS).with_priors("uniform")
    shown = plots.WhitenedDisplay.from_estimator(model, PETALS, LABELS, ax=axes())
    for mean, (first, second) in zip(shown.means, shown.curves, strict=True):
        np.testing.assert_allclose(np.linalg.norm(first - mean, axis=1), 1, rtol=1e-9)
        np.testing.assert_allclose(np.linalg.norm(second - mean, axis=1), 2, rtol=1e-9)
    assert len(shown.borders) == 3
    for border in shown.borders:
        a, b = shown.means[[list(NAMES).index(label) for label in border.classes]]
        for line in border.lines:  # equally far from both means
            far = [np.linalg.norm(line - mean, axis=1) for mean in (a, b)]
            np.testing.assert_allclose(*far, rtol=1e-6)
    assert shown.ax_.get_aspect() == 1.0
    shown.figure_.canvas.draw()
    assert np.ptp(shown.ax_.get_xlim()) < 30
    white = model.whiten(PETALS)
    np.testing.assert_allclose(shown.ax_.collections[0].get_offsets(), white[:50], rtol=1e-12)


def test_gaps_in_drawn_features_are_left_out_and_counted():
    X = FRAME.copy()
    X.iloc[:7, 2] = np.nan
    X.iloc[:90, 1] = np.nan  # not drawn
    shown = plots.ClassesDisplay.from_data(X, LABELS, features=(2, 3), ax=axes())
    assert shown.points.left_out == 7
    assert shown.caption_ == "7 rows with gaps left out"
    assert sum(len(one.get_offsets()) for one in shown.ax_.collections) == 143
    X.iloc[:, 2] = np.nan
    with pytest.raises(HasGaps, match="each of the 150 rows has a missing value"):
        plots.ClassesDisplay.from_data(X, LABELS, features=(2, 3), ax=axes())


def test_rows_without_a_label_are_drawn_in_grey():
    y = [None if i % 5 == 0 else label for i, label in enumerate(LABELS)]
    shown = plots.ClassesDisplay.from_data(ROWS, y, ax=axes())
    assert legend_of(shown.ax_) == ["no label", *NAMES]
    codes = np.where(np.arange(150) % 5 == 0, -1, CODES)
    model = sf.MixtureDiscriminant(1, random_state=0).fit(ROWS, codes)
    shown = plots.RegionsDisplay.from_estimator(model, ROWS, codes, resolution=9, ax=axes())
    assert legend_of(shown.ax_) == ["no label", "0", "1", "2"]


def test_very_many_rows_are_thinned_out_and_drawn_as_pixels():
    rng = np.random.default_rng(1)
    y = rng.choice(["a", "b", "rare"], 50_000, p=[0.5, 0.499, 0.001])
    X = rng.normal(size=(50_000, 2))
    shown = plots.ClassesDisplay.from_data(X, y, ax=axes())
    cloud = shown.ax_.collections[0]
    assert len(cloud.get_offsets()) <= MOST_ROWS + 50
    colours = cloud.get_facecolor()[:, :3]
    rare = np.isclose(colours, Style.of(2).colour).all(axis=1)
    assert rare.sum() == min(50, (y == "rare").sum())
    assert shown.caption_.endswith("of 50,000 rows drawn")
    assert cloud.get_rasterized()
    assert legend_of(shown.ax_) == ["a", "b", "rare"]
    few = plots.ClassesDisplay.from_data(X[:MOST_SHAPES], y[:MOST_SHAPES], ax=axes())
    assert not any(one.get_rasterized() for one in few.ax_.collections)


def test_many_classes_look_different_and_fit_the_legend():
    styles = [Style.of(i) for i in range(60)]
    assert len({(style.colour, style.marker) for style in styles}) == 60
    assert len({(style.colour, style.line) for style in styles}) == 60
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(60), 5)
    shown = plots.ClassesDisplay.from_data(rng.normal(size=(300, 2)), y, ax=axes())
    assert len(shown.ax_.collections) == 60
    assert len(legend_of(shown.ax_)) == 36
    assert legend_of(shown.ax_)[-1] == "… and 25 more"


def test_legends_cover_no_data():
    shown = plots.ClassesDisplay.from_data(PETALS, LABELS)
    shown.figure_.canvas.draw()
    box = shown.ax_.get_legend().get_window_extent()
    assert box.x0 >= shown.ax_.get_window_extent().x1
    assert box.x1 <= shown.figure_.bbox.x1


@pytest.mark.parametrize("background", ["light", "dark"])
def test_pictures_follow_the_settings_of_matplotlib(background):
    with plots.theme(background):
        model = sf.QDA().fit(PETALS, LABELS)
        shown = plots.RegionsDisplay.from_estimator(model, PETALS, LABELS, resolution=20)
    text = mpl.colors.to_rgb(shown.ax_.lines[0].get_color())
    paper = shown.ax_.get_facecolor()[:3]
    assert abs(np.mean(text) - np.mean(paper)) > 0.6
    assert (np.mean(paper) < 0.2) == (background == "dark")
    corner = shown.ax_.images[0].get_array()[0, 0]
    assert (np.mean(corner) < 0.5) == (background == "dark")
    legend = shown.ax_.get_legend().get_texts()[0].get_color()
    assert mpl.colors.to_rgb(legend) == text
    with pytest.raises(InvalidParameter, match="background"), plots.theme("red"):
        pass


def test_files_keep_text_as_text(tmp_path):
    shown = plots.ClassesDisplay.from_data(PETALS, LABELS, title="Iris")
    shown.save(tmp_path / "iris.svg")
    text = (tmp_path / "iris.svg").read_text()
    assert "<text" in text
    assert ">Iris<" in text
    assert "petal length (cm)" in text
    assert "<image" not in text
    shown.save(tmp_path / "iris.pdf")
    assert (tmp_path / "iris.pdf").read_bytes().startswith(b"%PDF")
    with pytest.raises(InvalidParameter, match="plot"):
        plots.SelectionDisplay(None, "a", None, [], "log_loss").save(tmp_path / "x.svg")


def test_nothing_is_drawn_by_pyplot_on_axes_of_the_user():
    from matplotlib import pyplot as plt

    ax = axes()
    shown = plots.ClassesDisplay.from_data(PETALS, LABELS, ax=ax, s=5.0)
    assert shown.ax_ is ax
    assert shown.figure_ is ax.get_figure()
    assert ax.collections[0].get_sizes() == [5.0]
    assert plt.get_fignums() == []
    again = shown.plot()
    assert again.ax_ is not ax
    assert plt.get_fignums() == [1]


def test_importing_loads_no_matplotlib():
    program = (
        "import sys, suffice, suffice.plots; "
        "print('matplotlib' in sys.modules, len(dir(suffice.plots)))"
    )
    run = [sys.executable, "-c", program]
    found = subprocess.run(run, capture_output=True, text=True, check=True).stdout.split()
    assert found == ["False", str(len(plots.__all__))]
    assert all(getattr(plots, name) is not None for name in plots.__all__)
    with pytest.raises(AttributeError, match="no attribute 'PieDisplay'"):
        plots.PieDisplay  # noqa: B018


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        ({"features": None}, InvalidParameter, "there are 4 features; name the two.*Projection"),
        ({"features": (0, 9)}, InvalidParameter, "no feature 9"),
        ({"features": ("petal", 1)}, InvalidParameter, "no feature 'petal'"),
        ({"features": (1, 1)}, InvalidParameter, "both are"),
        ({"features": (0, 1, 2)}, InvalidParameter, "name two"),
        ({"at": "mean"}, InvalidParameter, "at is 'mean'"),
        ({"at": [1.0]}, InvalidParameter, "row of 4 values"),
        ({"at": {"size": 1.0}}, InvalidParameter, "no feature 'size'"),
        ({"box": ((1, 0), (0, 1))}, InvalidParameter, "min below max"),
        ({"box": "all"}, InvalidParameter, "box is 'all'"),
        ({"resolution": 1}, InvalidParameter, "resolution is 1"),
        ({"y": LABELS[:9]}, InvalidInput, "150 rows but y has 9"),
        ({"y": np.repeat("rose", 150)}, InvalidParameter, "no class 'rose'"),
        ({"ax": "here"}, InvalidParameter, "ax is a str"),
    ],
)
def test_what_cannot_be_drawn_is_said(wrong, error, words):
    model = sf.LDA().fit(FRAME, LABELS)
    given = {"X": FRAME, "y": LABELS, "features": (0, 1), "resolution": 5, **wrong}
    with pytest.raises(error, match=words):
        plots.RegionsDisplay.from_estimator(model, **{"ax": axes(), **given})


def test_other_things_that_cannot_be_drawn_are_reported():
    lda = sf.LDA().fit(FRAME, LABELS)
    with pytest.raises(InvalidParameter, match=r"fit it to two.*ProjectionDisplay"):
        plots.WhitenedDisplay.from_estimator(lda, FRAME, LABELS, ax=axes())
    with pytest.raises(InvalidParameter, match="name the class: whiten"):
        plots.WhitenedDisplay.from_estimator(sf.QDA().fit(ROWS, LABELS), ROWS, ax=axes())
    one = sf.LDA().fit(ROWS[:, :1], LABELS)
    with pytest.raises(InvalidParameter, match="there is one, 'x1'"):
        plots.RegionsDisplay.from_estimator(one, ROWS[:, :1], ax=axes())
    mixture = sf.MixtureDiscriminant(1, random_state=0).fit(ROWS, LABELS)
    with pytest.raises(InvalidParameter, match="no ellipses"):
        plots.ClassesDisplay.from_estimator(mixture, ROWS, LABELS, ax=axes())
    with pytest.raises(InvalidParameter, match="pass X or box"):
        plots.RegionsDisplay.from_estimator(mixture, ax=axes())
    with pytest.raises(InvalidParameter, match="not fitted"):
        plots.RegionsDisplay.from_estimator(sf.LDA(), ax=axes())
    logistic = LogisticRegression(max_iter=1000).fit(FRAME, LABELS)
    with pytest.raises(InvalidParameter, match="cannot be evaluated"):
        plots.RegionsDisplay.from_estimator(
            logistic, FRAME, features=(0, 1), at="unknown", resolution=9
        )
    with pytest.raises(InvalidParameter, match="no score_samples"):
        plots.DensityDisplay.from_estimator(LogisticRegression().fit(ROWS, LABELS), ROWS)
    with pytest.raises(InvalidFeatures, match="rows and columns"):
        plots.ClassesDisplay.from_data([1.0, 2.0])
    with pytest.raises(NotFinite, match="row 0, column 'x2'"):
        plots.ClassesDisplay.from_data([[1.0, np.inf]])
    wrong = {"features": (0, 1), "resolution": 9, "ax": Figure().subplots(1, 2)}
    with pytest.raises(InvalidParameter, match="holds 2 axes; this picture takes 3"):
        plots.PanelsDisplay.from_estimator(lda, **wrong)


def test_two_columns_of_numbers_are_suggested_where_a_table_has_more():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    makers = rng.choice(["a", "b"], 60)
    table = pd.DataFrame({"maker": makers, "power": rng.normal(y), "price": rng.normal(y)})
    model = sf.LDA().fit(table, y)
    for draw in (
        lambda: plots.RegionsDisplay.from_estimator(model, table, y),
        lambda: plots.DensityDisplay.from_estimator(model, table, y),
        lambda: plots.ClassesDisplay.from_data(table, y),
    ):
        with pytest.raises(InvalidParameter, match=r"such as features=\('power', 'price'\), or"):
            draw()
