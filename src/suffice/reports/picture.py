"""Picture: a display as SVG within a page, in the colours of the page."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from suffice.html import Html, element
from suffice.plots.decoration import legend_below
from suffice.plots.style import colour_settings, theme
from suffice.reports.markup import heading, short, short_labels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Colours that stand for those of the page; nothing else is drawn in them.
PAGE_COLOURS = {"#fdfefc": "var(--paper)", "#010203": "var(--ink)", "#d1d2d0": "var(--line)"}

HEIGHT = 3.7  # inches

REFERENCE = re.compile(r"(?:url\(|href=\")#([^)\"]+)")


@dataclass(frozen=True, eq=False, slots=True)
class Picture:
    """One figure of the page.

    name : its key in the report
    title : its heading
    alt : a description for readers who cannot see it
    caption : what it shows and how to read it
    day, night : SVG; night is empty if the first follows the page's colours in the dark as well
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
            heading(self.title),
            *pictures,
            element("figcaption", short_labels(self.caption)),
            id=f"picture-{self.name}",
        )

    def _svg(self, svg: str, kind: str | None) -> Html:
        tag = element("svg", role="img", aria_label=self.alt, class_=kind).removesuffix("></svg>")
        return Html(svg.replace("<svg", tag, 1))


def draw_picture(
    name: str,
    title: str,
    draw: Callable[[Any], Any],
    describe: Callable[[Any], tuple[str, list[str]]],
    *,
    height: float = HEIGHT,
    by_theme: bool = False,
) -> Picture:
    """A display drawn for the page.

    draw : takes axes, returns a display
    describe : takes the display, returns its alternative text and the sentences of its caption
    by_theme : whether to draw it once per theme, because it mixes shades with the background
    """
    night = ""
    if by_theme:
        day, display = _svg(f"{name}-day", draw, height, {}, "light")
        night, _ = _svg(f"{name}-night", draw, height, {}, "dark")
    else:
        day, display = _svg(name, draw, height, colour_settings(*PAGE_COLOURS), "light")
    alt, sentences = describe(display)
    parts = [part.strip().rstrip(".") for part in sentences if part]
    caption = " ".join(f"{part[:1].upper()}{part[1:]}." for part in parts)
    return Picture(name, title, alt, caption, day, night)


def _svg(
    name: str,
    draw: Callable[[Any], Any],
    height: float,
    colours: dict[str, str],
    background: str,
) -> tuple[str, Any]:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    # A column may be named "$x$", which is not a formula.
    settings: Any = {"text.parse_math": False, "svg.hashsalt": name, **colours}
    width = 4.3  # inches: text of ten points can still be read at the width of a phone
    with warnings.catch_warnings(), theme(background), mpl.rc_context(settings):
        # The browser draws letters that the font lacks, and long names are shortened below.
        warnings.simplefilter("ignore", UserWarning)
        figure = Figure(figsize=(width, height), layout="constrained")
        display = draw(figure.subplots())
        _remove_caption(display)
        if display.ax_.get_legend() is None:
            legend_below(figure, display.ax_)
        _shorten_names(figure)
        file = io.StringIO()
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(file, format="svg", metadata=nothing, bbox_inches="tight", pad_inches=0.05)
    return tidy(file.getvalue(), name), display


def _remove_caption(display: Any) -> None:
    """Remove the caption, which the page shows below the picture."""
    for text in list(display.ax_.texts):
        if display.caption_ and text.get_text().replace("\n", " ") == display.caption_:
            text.remove()


def _shorten_names(figure: Figure) -> None:
    """Shorten names that would leave no room for anything else."""
    from matplotlib.text import Text

    figure.draw_without_rendering()  # before it, ticks have no names
    longest = 28  # characters of a name on a picture; longer ones lose their middle
    for text in figure.findobj(Text):
        words = text.get_text()
        # Labels of the pictures themselves are long but fit.
        own = words.startswith(("squared distance", "squared Mahalanobis", "probability of"))
        if "\n" not in words and len(words) > longest and not own:
            text.set_text(short(words, longest))
    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis):
            names = [label.get_text() for label in axis.get_ticklabels()]
            wide = [max(map(len, one.split("\n"))) > longest for one in names]
            if any(wide):
                fitting = [short(n, longest) if w else n for n, w in zip(names, wide, strict=True)]
                axis.set_ticks(axis.get_ticklocs(), fitting)


def tidy(svg: str, name: str) -> str:
    """SVG for the inside of a page: in the page's colours, with unique ids.

    >>> tidy('<?xml?><svg><g id="axes_1"><path style="fill: #010203"/></g></svg>', "a")
    '<svg><g><path style="fill: var(--ink)"/></g></svg>'
    """
    svg = svg[svg.index("<svg") :]
    # A style within a picture would apply to the whole page.
    svg = re.sub(r"<(metadata|style)\b.*?</\1>|<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<defs>\s*</defs>", "", svg)
    svg = re.sub(r"(<svg[^>]*?) width=\"[^\"]*\"", r"\1", svg, count=1)
    svg = re.sub(r"(<svg[^>]*?) height=\"[^\"]*\"", r"\1", svg, count=1)
    svg = re.sub(r" xmlns(?::xlink)?=\"[^\"]*\"", "", svg)
    used = set(REFERENCE.findall(svg))
    # Names in the data, which are between the tags, stay as they are.
    svg = re.sub(r"<[^>]*>", lambda tag: _for_page(tag[0], name, used), svg)
    return re.sub(r"\s*\n\s*", "\n", svg).strip()


def _for_page(tag: str, name: str, used: set[str]) -> str:
    """A tag with colours, fonts and ids for the page."""
    identity = re.compile(r" id=\"([^\"]*)\"")
    tag = identity.sub(lambda m: f' id="{name}-{m[1]}"' if m[1] in used else "", tag)
    tag = REFERENCE.sub(lambda m: m[0].replace(f"#{m[1]}", f"#{name}-{m[1]}"), tag)
    font = re.compile(r"font: (?:[a-z]+ |\d+ )*([\d.]+px) [^;\"]*")
    tag = font.sub(r"font-size: \1", tag)
    for colour, variable in PAGE_COLOURS.items():
        tag = tag.replace(colour, variable)
    return tag
