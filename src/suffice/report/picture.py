"""Picture: a display as SVG that stands within a page and takes its colours from it."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from suffice.report.markup import Html, element, short, short_labels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Colours that stand for the page's own; nothing else is drawn in them.
INK, PAPER, LINES = "#010203", "#fdfefc", "#d1d2d0"
OWN = {INK: "var(--ink)", PAPER: "var(--paper)", LINES: "var(--line)"}

# Inches; text of ten points is still read at the width of a phone.
WIDE, HIGH = 4.3, 3.7

# Names on a picture longer than this are cut.
LONGEST = 28

FONT = re.compile(r"font: (?:[a-z]+ |\d+ )*([\d.]+px) [^;\"]*")
REFERENCE = re.compile(r"(?:url\(|href=\")#([^)\"]+)")
IDENTITY = re.compile(r" id=\"([^\"]*)\"")

Draw = Callable[[Any], Any]


@dataclass(frozen=True, eq=False, slots=True)
class Picture:
    """One figure of the page.

    name : by which the report knows it
    title : its heading
    alt : what is seen, for those who do not see it
    caption : what it shows and how to read it
    day, night : SVG; night is empty where the one takes the page's colours in the dark as well
    """

    name: str
    title: str
    alt: str
    caption: str
    day: str
    night: str = ""

    @property
    def html(self) -> Html:
        """The figure with its heading and caption."""
        pictures = [self._svg(self.day, "by-day" if self.night else None)]
        if self.night:
            pictures.append(self._svg(self.night, "at-night"))
        return element(
            "figure",
            element("h3", self.title),
            *pictures,
            element("figcaption", short_labels(self.caption)),
            id=f"picture-{self.name}",
        )

    def _svg(self, svg: str, kind: str | None) -> Html:
        told = element("svg", role="img", aria_label=self.alt, class_=kind).removesuffix("></svg>")
        return Html(svg.replace("<svg", told, 1))


def drawn(name: str, draw: Draw, *, high: float = HIGH, twice: bool = False) -> dict[str, Any]:
    """A display drawn for the page: its SVG, and its caption.

    draw : takes axes, returns a display
    twice : for pictures with shades mixed from the background: one a theme
    """
    if not twice:
        own = {"figure": PAPER, "text": INK, "lines": LINES}
        svg, display = _svg(f"{name}", draw, high, own)
        return {"day": svg, "night": "", "display": display}
    day, display = _svg(f"{name}-day", draw, high, None, "light")
    night, _ = _svg(f"{name}-night", draw, high, None, "dark")
    return {"day": day, "night": night, "display": display}


def _svg(
    name: str, draw: Draw, high: float, own: dict[str, str] | None, background: str = "light"
) -> tuple[str, Any]:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    from suffice.plots.decoration import legend_below
    from suffice.plots.style import theme

    # A column may be named "$x$", which is no formula.
    settings: Any = {"text.parse_math": False, "svg.hashsalt": name, **_colours(own)}
    with warnings.catch_warnings(), theme(background), mpl.rc_context(settings):
        # Letters that a font lacks are drawn by the browser, and long names are cut.
        warnings.simplefilter("ignore", UserWarning)
        figure = Figure(figsize=(WIDE, high), layout="constrained")
        display = draw(figure.subplots())
        _without_caption(display)
        if display.ax_.get_legend() is None:
            legend_below(figure, display.ax_)
        _cut(figure)
        file = io.StringIO()
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(file, format="svg", metadata=nothing, bbox_inches="tight", pad_inches=0.05)
    return tidy(file.getvalue(), name), display


def _colours(own: dict[str, str] | None) -> dict[str, Any]:
    if own is None:
        return {}
    paper = ("figure.facecolor", "axes.facecolor", "savefig.facecolor", "legend.facecolor")
    text = ("text.color", "axes.labelcolor", "axes.titlecolor", "xtick.color", "ytick.color")
    return {
        **dict.fromkeys(paper, own["figure"]),
        **dict.fromkeys((*text, "axes.edgecolor"), own["text"]),
        **dict.fromkeys(("grid.color", "legend.edgecolor"), own["lines"]),
    }


def _without_caption(display: Any) -> None:
    """The caption stands below the picture, not in it."""
    for text in list(display.ax_.texts):
        if display.caption_ and text.get_text().replace("\n", " ") == display.caption_:
            text.remove()


def _cut(figure: Figure) -> None:
    """Shorten names that would leave no room for anything else."""
    from matplotlib.text import Text

    figure.draw_without_rendering()  # ticks have their names only then
    for text in figure.findobj(Text):
        said = text.get_text()
        if "\n" not in said and len(said) > LONGEST and not _sentence(said):
            text.set_text(short(said, LONGEST))
    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis):
            names = [label.get_text() for label in axis.get_ticklabels()]
            if any(len(one) > LONGEST for one in names):
                axis.set_ticks(axis.get_ticklocs(), [short(one, LONGEST) for one in names])


def _sentence(said: str) -> bool:
    """Whether a text is one of the pictures' own, which are long but fit."""
    own = ("squared distance", "squared Mahalanobis", "probability of")
    return said.startswith(own)


def tidy(svg: str, name: str) -> str:
    """SVG for the inside of a page: colours of the page, and names that are there but once.

    >>> tidy('<?xml?><svg><g id="axes_1"><path style="fill: #010203"/></g></svg>', "a")
    '<svg><g><path style="fill: var(--ink)"/></g></svg>'
    """
    svg = svg[svg.index("<svg") :]
    # A style within a picture would hold for the whole page.
    svg = re.sub(r"<(metadata|style)\b.*?</\1>|<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<defs>\s*</defs>", "", svg)
    svg = re.sub(r"(<svg[^>]*?) width=\"[^\"]*\"", r"\1", svg, count=1)
    svg = re.sub(r"(<svg[^>]*?) height=\"[^\"]*\"", r"\1", svg, count=1)
    svg = re.sub(r" xmlns(?::xlink)?=\"[^\"]*\"", "", svg)
    used = set(REFERENCE.findall(svg))
    # Names of the data, which stand between the tags, stay as they are.
    svg = re.sub(r"<[^>]*>", lambda tag: _own(tag[0], name, used), svg)
    return re.sub(r"\s*\n\s*", "\n", svg).strip()


def _own(tag: str, name: str, used: set[str]) -> str:
    """A tag with colours, fonts and names of the page."""
    tag = IDENTITY.sub(lambda m: f' id="{name}-{m[1]}"' if m[1] in used else "", tag)
    tag = REFERENCE.sub(lambda m: m[0].replace(f"#{m[1]}", f"#{name}-{m[1]}"), tag)
    tag = FONT.sub(r"font-size: \1", tag)
    for colour, variable in OWN.items():
        tag = tag.replace(colour, variable)
    return tag
