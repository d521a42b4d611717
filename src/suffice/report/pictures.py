"""Pictures: which displays a report shows, and what each of them says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

import numpy as np

from suffice.errors import InvalidParameter
from suffice.report.choice_section import Choice, described
from suffice.report.markup import percent, plural, reason, short, short_labels
from suffice.report.material import Material
from suffice.report.picture import HIGH, Picture, drawn
from suffice.report.quality_section import Quality
from suffice.selection.diagnostics.diagnosis import Diagnosis

# Discriminant axes of more features take longer than a picture is worth.
MOST_FEATURES = 600

# What axes hold, said below the picture, where there is room.
BETWEEN = " of the variance between classes"

# From nothing to blue, so that cells go with any background; numbers are white from one half on.
SHADES = [(0.0, "#00588a00"), (0.5, "#00588a59"), (0.501, "#00588ad9"), (1.0, "#00588aff")]

# Rows of a legend that fit below a picture of the usual height.
USUAL_CLASSES = 6


@dataclass(frozen=True, eq=False, slots=True)
class Pictures:
    """The pictures by name, and why others are not there."""

    shown: Mapping[str, Picture] = field(default_factory=dict)
    skipped: Mapping[str, str] = field(default_factory=dict)


def pictures(
    data: Material,
    choice: Choice | None,
    quality: Quality | None,
    diagnosis: Diagnosis | None,
) -> Pictures:
    """All that make sense for the table and the model."""
    if find_spec("matplotlib") is None:
        return Pictures({}, {"all": "they take matplotlib, pip install 'suffice[plot]'."})
    makers: dict[str, Callable[[], Picture]] = {"rows": lambda: _rows(data, choice)}
    if data.shape[1] == data.numbers.shape[1] == 2 and choice is not None:
        makers["regions"] = lambda: _regions(data, choice)
    if choice is not None and not choice.given:
        makers["selection"] = lambda: _selection(choice)
    if quality is not None:
        makers["confusion"] = lambda: _confusion(quality)
        makers["reliability"] = lambda: _reliability(quality)
    if diagnosis is not None and "Distance quantiles" in diagnosis.diagnostics:
        makers["quantiles"] = lambda: _quantiles(diagnosis)
    shown, skipped = {}, {}
    for name, make in makers.items():
        try:
            shown[name] = make()
        except Exception as error:  # one picture less is no reason for no page
            skipped[name] = reason(error)
    return Pictures(shown, skipped)


def _tall(k: int) -> float:
    """Inches, with room for a legend of k classes."""
    return HIGH + 0.08 * max(0, k - USUAL_CLASSES)


def _named(classes: Any, most: int = 8) -> str:
    names = [short(label, 30) for label in classes[:most]]
    return ", ".join(names) + (f" and {len(classes) - most} more" if len(classes) > most else "")


def _caption(*parts: str) -> str:
    said = [part.strip().rstrip(".") for part in parts if part]
    return " ".join(f"{part[:1].upper()}{part[1:]}." for part in said)


def _rows(data: Material, choice: Choice | None) -> Picture:
    d = data.numbers.shape[1]
    if d == 0:
        raise InvalidParameter("every column holds levels, and rows are drawn by numbers.")
    if data.shape[1] == d == 2:
        return _classes(data, choice)
    if len(data.classes) < 2:
        raise InvalidParameter("one class alone has no discriminant axes.")
    if d > MOST_FEATURES:
        raise InvalidParameter(
            f"there are {d} numeric columns, too many for the discriminant axes of a picture."
        )
    return _projection(data)


def _classes(data: Material, choice: Choice | None) -> Picture:
    from suffice.plots.classes import ClassesDisplay

    def draw(ax: Any) -> Any:
        if choice is not None and hasattr(choice.model, "ellipse"):
            try:
                return ClassesDisplay.from_estimator(
                    choice.model, data.X, data.y, ax=ax, show_legend=False
                )
            except InvalidParameter:  # a model with densities that have no ellipses
                ax.clear()
        return ClassesDisplay.from_data(data.X, data.y, ax=ax, show_legend=False)

    found = drawn("rows", draw, high=_tall(len(data.classes)))
    display, (across, up) = found.pop("display"), data.names
    ellipses = "; ellipses hold one and two standard deviations of each class"
    return Picture(
        "rows",
        "The rows by class",
        f"Scatter plot of {plural(len(data.y), 'row')}: {short(up)} against {short(across)}, "
        f"by class: {_named(data.classes)}{ellipses if display.ellipses else ''}.",
        _caption(
            "Each point is a row; colour and marker tell its class",
            "Ellipses show where the model expects the class" if display.ellipses else "",
            display.caption_,
        ),
        **found,
    )


def _projection(data: Material) -> Picture:
    from suffice.estimators.linear import LDA
    from suffice.plots.projection import ProjectionDisplay

    X, d = data.numeric(), data.numbers.shape[1]
    model = LDA().fit(X, data.y)

    def draw(ax: Any) -> Any:
        shown = ProjectionDisplay.from_estimator(model, X, data.y, ax=ax, show_legend=False)
        for axis in (ax.xaxis, ax.yaxis):
            axis.label.set_text(axis.label.get_text().replace(BETWEEN, ""))
        return shown

    found = drawn("rows", draw, high=_tall(len(data.classes)))
    display = found.pop("display")
    shares = display.shares[list(display.axes)]
    columns = f"All {d} numeric columns at once" if d > 1 else "The numeric column"
    axes = "two discriminant axes" if len(display.axes) == 2 else "the one discriminant axis"
    left = f" {plural(len(data.layout.discrete), 'column')} of levels left out."
    return Picture(
        "rows",
        "The rows by class",
        f"Scatter plot of {plural(len(data.y), 'row')} along {axes} of an LDA, by class: "
        f"{_named(data.classes)}. The axes hold {percent(float(shares.sum()), 0)} of what "
        "separates the class means.",
        _caption(
            f"{columns}, along {axes} of an LDA, where the class means lie apart most",
            f"Percentages are shares{BETWEEN}" if len(data.classes) > 2 and d > 1 else "",
            "Circles show one and two standard deviations, lines what divides the classes"
            if len(display.axes) == 2
            else "Bars show one and two standard deviations",
            display.caption_,
            left if data.layout.discrete else "",
        ),
        **found,
    )


def _regions(data: Material, choice: Choice) -> Picture:
    from suffice.plots.regions import RegionsDisplay

    found = drawn(
        "regions",
        lambda ax: RegionsDisplay.from_estimator(
            choice.model, data.X, data.y, ax=ax, show_legend=False
        ),
        high=_tall(len(data.classes)) + 0.4,
        twice=True,
    )
    display = found.pop("display")
    won = np.unique(display.posterior.argmax(axis=2))
    exact = display.borders and all(border.exact for border in display.borders)
    return Picture(
        "regions",
        "What the model says where",
        f"Map of the plane of {short(data.names[0])} and {short(data.names[1])}: regions where "
        f"the model chooses {_named(display.plane.classes[won])}, and the rows on them.",
        _caption(
            "The deeper the colour, the surer the model is of the class",
            "Lines are the boundaries by their equations" if exact else "",
            display.caption_,
        ),
        **found,
    )


def _selection(choice: Choice) -> Picture:
    from suffice.plots.selection import SelectionDisplay

    found = drawn(
        "selection",
        lambda ax: SelectionDisplay.from_selection(choice.selection, ax=ax, show_legend=False),
        high=HIGH + 0.4,
    )
    display = found.pop("display")
    along = display.along.replace("_", " ")
    by = "" if display.by is None else f", a line for each {display.by.replace('_', ' ')}"
    metric = display.metric.replace("_", " ")
    return Picture(
        "selection",
        "How the choice looks from the side",
        f"Line plot of the cross-validated {metric} along {along}{by}.",
        _caption(
            f"Candidates like the best one, along {along}{by}",
            "The lower, the better" if metric != "accuracy" else "The higher, the better",
            display.caption_,
            f"Chosen: {described(choice.selection.candidates[choice.at])}",
        ),
        **found,
    )


def _confusion(quality: Quality) -> Picture:
    from matplotlib.colors import LinearSegmentedColormap

    from suffice.plots.confusion import ConfusionDisplay

    shades = LinearSegmentedColormap.from_list("shades", SHADES)
    k = len(quality.classes)
    found = drawn(
        "confusion",
        lambda ax: ConfusionDisplay(quality.confusion, quality.classes).plot(ax, cmap=shades),
        high=max(3.4, min(5.5, 0.3 * k + 2.4)),
    )
    found.pop("display")
    return Picture(
        "confusion",
        "Which classes are confused",
        f"Confusion matrix of {plural(k, 'class')}: {percent(quality.right)} of the rows on the "
        f"diagonal. {quality.worst_confusion}",
        _caption(
            "Rows that the model had not seen: their true class down, the label they got across",
            "Colour is the share of the true class",
            quality.worst_confusion,
        ),
        **found,
    )


def _reliability(quality: Quality) -> Picture:
    from suffice.plots.reliability import ReliabilityDisplay

    found = drawn(
        "reliability",
        lambda ax: ReliabilityDisplay.from_diagnostic(
            quality.calibration, ax=ax, show_legend=False
        ),
        high=HIGH + 0.6,
    )
    display = found.pop("display")
    of = next(iter(display.curves))
    return Picture(
        "reliability",
        "Whether probabilities come true",
        f"Reliability curve of {short(of)}: predicted probability across, how often it came true "
        f"up. {quality.calibration.sentence}",
        _caption(
            "Points on the diagonal came true as often as the model said",
            display.caption_,
        ),
        **found,
    )


def _quantiles(diagnosis: Diagnosis) -> Picture:
    from suffice.plots.quantiles import QuantilesDisplay

    one = diagnosis["Distance quantiles"]
    found = drawn(
        "quantiles",
        lambda ax: QuantilesDisplay.from_diagnostic(one, ax=ax, show_legend=False),
        high=_tall(len(diagnosis.classes)),
    )
    display = found.pop("display")
    return Picture(
        "quantiles",
        "How far rows lie from their class",
        "Squared distances of the rows from their class mean against those of Gaussian rows, by "
        f"class: {_named(diagnosis.classes)}. {short_labels(one.sentence)}",
        _caption("Rows above the line are further out than Gaussian rows", display.caption_),
        **found,
    )
