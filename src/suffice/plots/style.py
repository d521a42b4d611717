"""Style: colours, markers and line styles that every reader can distinguish."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from suffice.data.arrays import Floats
from suffice.data.parameters import choice
from suffice.text import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import LinearSegmentedColormap

# Okabe and Ito (2008): distinct with every kind of colour vision. Their yellow, hardly visible on
# white, is darker here; their black is reserved for text.
COLOURS = (
    "#0072B2",  # blue
    "#E69F00",  # orange
    "#009E73",  # green
    "#CC79A7",  # purple
    "#56B4E9",  # sky
    "#D55E00",  # vermilion
    "#999999",  # grey
    "#BFB000",  # yellow
)


# Share of a class's colour where its posterior is 1: points drawn on it stay visible.
DEEPEST = 0.42


@dataclass(frozen=True, slots=True)
class Style:
    """Colour, marker and line style of one class or model."""

    colour: Any
    marker: str
    line: Any

    @classmethod
    def of(cls, i: int) -> Style:
        """The style of the i-th class or model.

        >>> Style.of(1)
        Style(colour=(0.901..., 0.623..., 0.0), marker='s', line='--')
        """
        # Classes 9 to 16 and 17 to 24 use the colours mixed with this share of black or white.
        shades = ((0.0, "#000000"), (0.4, "#000000"), (0.45, "#FFFFFF"))
        share, toward = shades[i // len(COLOURS) % len(shades)]
        colour = mixed(COLOURS[i % len(COLOURS)], toward, share)
        # Eleven: with eight colours, 88 classes look different.
        markers = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*", "h")
        return cls(tuple(colour.tolist()), markers[i % len(markers)], line_style(i))

    def line_options(self, width: float = 1.8) -> dict[str, Any]:
        """What matplotlib's plot takes to draw a line in this style."""
        return {"color": self.colour, "linestyle": self.line, "linewidth": width}


def line_style(i: int) -> Any:
    """The i-th line style; after the last they start again."""
    lines: tuple[Any, ...] = (
        "-",
        "--",
        ":",
        "-.",
        (0, (5, 1, 1, 1, 1, 1)),
        (0, (1, 3)),
        (0, (8, 3)),
    )
    return lines[i % len(lines)]


def mixed(colour: Any, other: Any, share: float) -> Floats:
    """A colour blended with a share of another, as red, green and blue."""
    from matplotlib.colors import to_rgb

    return (1 - share) * np.array(to_rgb(colour)) + share * np.array(to_rgb(other))


def ground(ax: Axes) -> Any:
    """The colour of the background."""
    from matplotlib.colors import to_rgba

    own = to_rgba(ax.get_facecolor())
    figure: Any = ax.get_figure(root=True)
    return own[:3] if own[3] > 0 else to_rgba(figure.get_facecolor())[:3]


def as_text(value: Any) -> str:
    r"""A label or feature name as text of a picture: neither formulas nor control characters.

    Legends leave out what starts with an underscore, so that is quoted.

    >>> as_text("cost ($)\n"), as_text("_rest")
    ('cost (\\$)\\n', "'_rest'")
    """
    from matplotlib import rcParams

    text = visible(str(value))
    if text.startswith("_"):
        text = f"'{text}'"
    return text.replace("$", r"\$") if rcParams["text.parse_math"] else text


def ink(ax: Axes) -> Any:
    """The colour of text."""
    return ax.xaxis.label.get_color()


def halo(ax: Axes, width: float = 2.5) -> list[Any]:
    """Path effects: a rim in the colour of the background, so that what is drawn stands out."""
    from matplotlib.patheffects import withStroke

    return [withStroke(linewidth=width, foreground=ground(ax))]


def depth(ax: Axes, colour: Any) -> LinearSegmentedColormap:
    """A colour map from the background to a colour."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("depth", [ground(ax), colour])


def colour_settings(paper: str, text: str, lines: str) -> dict[str, str]:
    """Settings of matplotlib for figures in three colours."""
    papers = ("figure.facecolor", "axes.facecolor", "savefig.facecolor", "legend.facecolor")
    texts = ("text.color", "axes.labelcolor", "axes.titlecolor", "xtick.color", "ytick.color")
    return {
        **dict.fromkeys(papers, paper),
        **dict.fromkeys((*texts, "axes.edgecolor"), text),
        **dict.fromkeys(("grid.color", "legend.edgecolor"), lines),
    }


@contextmanager
def theme(background: str = "light", **settings: Any) -> Iterator[None]:
    """Make figures created inside light or dark, and keep their text as text in files.

    settings : further settings of matplotlib, with "_" for "."

    >>> from matplotlib.figure import Figure
    >>> with theme("dark"):
    ...     Figure().get_facecolor()[0] < 0.1
    True
    """
    from matplotlib import rc_context

    # Colours of the background, the text and the lines.
    grounds = {
        "light": ("#FFFFFF", "#222222", "#DDDDDD"),
        "dark": ("#15181C", "#E6E6E6", "#3A3F45"),
    }
    choice("background", background, tuple(grounds))
    chosen: Any = {
        **colour_settings(*grounds[background]),
        "axes.spines.top": False,
        "axes.spines.right": False,
        "svg.fonttype": "none",
        "pdf.fonttype": 42,
        **{name.replace("_", "."): value for name, value in settings.items()},
    }
    with rc_context(chosen):
        yield
