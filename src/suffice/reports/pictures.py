"""Pictures: which displays a report shows, and how each is described."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from typing import Any

import numpy as np

from suffice.errors import InvalidParameter
from suffice.reports.choice_section import Choice
from suffice.reports.choice_section import describe as describe_candidate
from suffice.reports.markup import percent, reason, short, short_labels
from suffice.reports.material import Material
from suffice.reports.picture import HEIGHT, Picture, draw_picture
from suffice.reports.quality_section import Quality
from suffice.selection.diagnostics.diagnosis import Diagnosis
from suffice.selection.diagnostics.diagnostic import Diagnostic
from suffice.selection.importance import Importance
from suffice.selection.metrics import metric_named
from suffice.text import plural


@dataclass(frozen=True, eq=False, slots=True)
class Pictures:
    """The pictures by name, and why others are missing."""

    shown: Mapping[str, Picture] = field(default_factory=dict)
    skipped: Mapping[str, str] = field(default_factory=dict)


def pictures(
    data: Material,
    choice: Choice | None,
    quality: Quality | None,
    diagnosis: Diagnosis | None,
) -> Pictures:
    """All pictures that make sense for the table and the model."""
    if find_spec("matplotlib") is None:
        return Pictures({}, {"all": "they need matplotlib, pip install 'suffice[plot]'."})
    makers: dict[str, Callable[[], Picture]] = {"rows": lambda: _rows(data, choice)}
    if data.shape[1] == data.numbers.shape[1] == 2 and choice is not None:
        makers["regions"] = lambda: _regions(data, choice)
    if choice is not None and not choice.given:
        makers["selection"] = lambda: _selection(choice)
    if quality is not None:
        makers["confusion"] = lambda: _confusion(quality)
        makers["reliability"] = lambda: _reliability(quality)
        if (columns := quality.importance) is not None:
            makers["importance"] = lambda: _importance(columns)
    if diagnosis is not None and "Distance quantiles" in diagnosis.diagnostics:
        makers["quantiles"] = lambda: _quantiles(diagnosis)
    shown, skipped = {}, {}
    for name, make in makers.items():
        try:
            shown[name] = make()
        except Exception as error:  # a picture that fails must not cost the page
            skipped[name] = reason(error)
    return Pictures(shown, skipped)


def _height(k: int) -> float:
    """Inches, with room for a legend of k classes; that of six fits the usual height."""
    return HEIGHT + 0.08 * max(0, k - 6)


def _list(classes: Any, most: int = 8) -> str:
    names = [short(label, 30) for label in classes[:most]]
    return ", ".join(names) + (f" and {len(classes) - most} more" if len(classes) > most else "")


def _rows(data: Material, choice: Choice | None) -> Picture:
    d = data.numbers.shape[1]
    if d == 0:
        raise InvalidParameter("every column holds categories, and a picture needs numbers.")
    if data.shape[1] == d == 2:
        return _classes(data, choice)
    if len(data.classes) < 2:
        raise InvalidParameter("a single class has no discriminant axes.")
    most_features = 600  # of discriminant axes; more take longer than a picture is worth
    if d > most_features:
        raise InvalidParameter(
            f"there are {d} numeric columns, too many for the discriminant axes of a picture."
        )
    return _projection(data)


def _classes(data: Material, choice: Choice | None) -> Picture:
    from suffice.plots.classes import ClassesDisplay

    def draw(ax: Any) -> Any:
        options = {"ax": ax, "show_legend": False}
        if choice is not None and hasattr(choice.model, "ellipse"):
            try:
                return ClassesDisplay.from_estimator(choice.model, data.X, data.y, **options)
            except InvalidParameter:  # a model whose densities have no ellipses
                ax.clear()
        return ClassesDisplay.from_data(data.X, data.y, **options)

    def describe(display: Any) -> tuple[str, list[str]]:
        x, y = (short(name) for name in data.names)
        alt = f"Scatter plot of {plural(len(data.y), 'row')}: {y} against {x}, by class: "
        ellipses = "; ellipses hold one and two standard deviations of each class"
        return f"{alt}{_list(data.classes)}{ellipses if display.ellipses else ''}.", [
            "Each point is a row; colour and marker show its class",
            "Ellipses show where the model expects the class" if display.ellipses else "",
            display.caption_,
        ]

    height = _height(len(data.classes))
    return draw_picture("rows", "The rows by class", draw, describe, height=height)


def _projection(data: Material) -> Picture:
    from suffice.estimators.linear import LDA
    from suffice.plots.projection import ProjectionDisplay

    X, d = data.numeric(), data.numbers.shape[1]
    model = LDA().fit(X, data.y)

    # A part of axis labels that is said below the picture, where there is room.
    between = " of the variance between classes"

    def draw(ax: Any) -> Any:
        display = ProjectionDisplay.from_estimator(model, X, data.y, ax=ax, show_legend=False)
        for axis in (ax.xaxis, ax.yaxis):
            axis.label.set_text(axis.label.get_text().replace(between, ""))
        return display

    def describe(display: Any) -> tuple[str, list[str]]:
        plane = len(display.axes) == 2
        share = percent(float(display.shares[list(display.axes)].sum()), 0)
        columns = f"{'Both' if d == 2 else f'All {d}'} numeric columns at once"
        columns = columns if d > 1 else "The numeric column"
        axes = "two discriminant axes" if plane else "the one discriminant axis"
        left = plural(len(data.layout.discrete), "column")
        alt = (
            f"Scatter plot of {plural(len(data.y), 'row')} along {axes} of an LDA, by class: "
            f"{_list(data.classes)}. The axes hold {share} of what separates the class means."
        )
        return alt, [
            f"{columns}, along {axes} of an LDA, where the class means are furthest apart",
            f"Percentages are shares{between}" if len(data.classes) > 2 and d > 1 else "",
            "Circles show one and two standard deviations, lines the boundaries of the classes"
            if plane
            else "Bars show one and two standard deviations",
            display.caption_,
            f"{left} of categories left out." if data.layout.discrete else "",
        ]

    height = _height(len(data.classes))
    return draw_picture("rows", "The rows by class", draw, describe, height=height)


def _regions(data: Material, choice: Choice) -> Picture:
    from suffice.plots.regions import RegionsDisplay

    def draw(ax: Any) -> Any:
        return RegionsDisplay.from_estimator(choice.model, data.X, data.y, ax=ax, show_legend=False)

    def describe(display: Any) -> tuple[str, list[str]]:
        x, y = (short(name) for name in data.names)
        won = display.plane.classes[np.unique(display.posterior.argmax(axis=2))]
        exact = display.borders and all(border.exact for border in display.borders)
        alt = f"Map of the plane of {x} and {y}: regions where the model chooses {_list(won)}, "
        return f"{alt}and the rows on them.", [
            "The deeper the colour, the more certain the model is of the class",
            "Lines are the boundaries by their equations" if exact else "",
            display.caption_,
        ]

    height = _height(len(data.classes)) + 0.4
    title = "Which class the model predicts where"
    return draw_picture("regions", title, draw, describe, height=height, by_theme=True)


def _selection(choice: Choice) -> Picture:
    from suffice.plots.selection import SelectionDisplay

    def draw(ax: Any) -> Any:
        return SelectionDisplay.from_selection(choice.selection, ax=ax, show_legend=False)

    def describe(display: Any) -> tuple[str, list[str]]:
        along, metric = display.along.replace("_", " "), display.metric.replace("_", " ")
        by = "" if display.by is None else f", one line per {display.by.replace('_', ' ')}"
        higher = metric_named(display.metric).higher_is_better
        return f"Line plot of the cross-validated {metric} along {along}{by}.", [
            f"Candidates like the best one, along {along}{by}",
            f"{'Higher' if higher else 'Lower'} is better",
            display.caption_,
            f"Chosen: {describe_candidate(choice.selection.candidates[choice.at])}",
        ]

    title = "The candidates side by side"
    return draw_picture("selection", title, draw, describe, height=HEIGHT + 0.4)


def _confusion(quality: Quality) -> Picture:
    from matplotlib.colors import LinearSegmentedColormap

    from suffice.plots.confusion import ConfusionDisplay

    k = len(quality.classes)

    def draw(ax: Any) -> Any:
        # From nothing to blue, for any background; numbers are white from one half on.
        colours = [(0.0, "#00588a00"), (0.5, "#00588a59"), (0.501, "#00588ad9"), (1.0, "#00588aff")]
        shades = LinearSegmentedColormap.from_list("shades", colours)
        return ConfusionDisplay(quality.confusion, quality.classes).plot(ax, cmap=shades)

    def describe(_: Any) -> tuple[str, list[str]]:
        alt = f"Confusion matrix of {plural(k, 'class')}: {percent(quality.right)} of the rows on "
        return f"{alt}the diagonal. {quality.worst_confusion}", [
            "Rows that the model had not seen: true class down, predicted class across",
            "Colour is the share of the true class",
        ]

    height = max(3.4, min(5.5, 0.3 * k + 2.4))
    return draw_picture("confusion", "Which classes are confused", draw, describe, height=height)


def _reliability(quality: Quality) -> Picture:
    from suffice.plots.reliability import ReliabilityDisplay

    diagnostic = quality.calibration

    def draw(ax: Any) -> Any:
        return ReliabilityDisplay.from_diagnostic(_wordless(diagnostic), ax=ax, show_legend=False)

    def describe(display: Any) -> tuple[str, list[str]]:
        alt = (
            f"Reliability curve of {short(next(iter(display.curves)))}: predicted probability "
            f"across, observed frequency up. {diagnostic.sentence}"
        )
        on_diagonal = "Points on the diagonal occurred as often as predicted"
        return alt, [on_diagonal, display.caption_]

    title = "Whether probabilities match frequencies"
    return draw_picture("reliability", title, draw, describe, height=HEIGHT + 0.6)


def _importance(found: Importance) -> Picture:
    from suffice.plots.importance import ImportanceDisplay

    most_bars = 12  # columns in the picture of their importance
    bars = min(most_bars, len(found.names))

    def draw(ax: Any) -> Any:
        return ImportanceDisplay.from_importance(found, most=bars, ax=ax)

    def describe(display: Any) -> tuple[str, list[str]]:
        first = short(found.names[found.order[0]])
        alt = f"Bars of how much worse predictions are without a column; the longest: {first}."
        return alt, ["What a column adds to all others", display.caption_]

    return draw_picture(
        "importance", "Which columns matter", draw, describe, height=0.26 * bars + 1.3
    )


def _wordless(found: Diagnostic) -> Diagnostic:
    """A finding without its sentence, which its own section says."""
    return replace(found, sentence="")


def _quantiles(diagnosis: Diagnosis) -> Picture:
    from suffice.plots.quantiles import QuantilesDisplay

    diagnostic = diagnosis["Distance quantiles"]

    def draw(ax: Any) -> Any:
        return QuantilesDisplay.from_diagnostic(_wordless(diagnostic), ax=ax, show_legend=False)

    def describe(display: Any) -> tuple[str, list[str]]:
        alt = (
            "Squared distances of the rows from their class mean against those of Gaussian rows, "
            f"by class: {_list(diagnosis.classes)}. {short_labels(diagnostic.sentence)}"
        )
        above = "Rows above the line are further out than Gaussian rows"
        return alt, [above, display.caption_]

    title, height = "How far rows lie from their class", _height(len(diagnosis.classes))
    return draw_picture("quantiles", title, draw, describe, height=height)
