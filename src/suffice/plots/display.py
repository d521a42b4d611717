"""Display: what all pictures share, from axes to draw on to files."""

from __future__ import annotations

import io
import os
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from suffice.data.arrays import Array
from suffice.data.files import write_whole
from suffice.errors import InvalidParameter
from suffice.plots.style import as_text, ink
from suffice.text import visible_lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

# A legend has at most so many entries, and so many in a column.
MOST_ENTRIES, COLUMN = 36, 18


class Display:
    """A picture; `plot` draws it and sets the attributes.

    ax_ : the axes drawn on
    figure_ : the figure they belong to
    caption_ : what the picture says of itself above the axes; may be empty
    """

    ax_: Axes
    figure_: Any
    caption_: str = ""

    def save(self, path: Any, **options: Any) -> None:
        """Write the figure to a file, whole or not at all, its text as text.

        path : of a file, or a file that is open; options as for matplotlib's savefig
        """
        from matplotlib import rc_context, rcParams

        if not hasattr(self, "figure_"):
            raise InvalidParameter("nothing is drawn yet; call plot() first.")
        with rc_context({"svg.fonttype": "none", "pdf.fonttype": 42}):
            options = {"bbox_inches": "tight", **options}
            if hasattr(path, "write"):
                self.figure_.savefig(path, **options)
                return
            name, picture = os.fspath(path), io.BytesIO()
            if options.get("format") is None:
                # As matplotlib does: the ending says which format, or is added.
                stem, ending = os.path.splitext(name)
                options["format"] = ending[1:] or rcParams["savefig.format"]
                name = f"{stem}.{options['format']}"
            self.figure_.savefig(picture, **options)
        write_whole(name, picture.getvalue())

    def _drawn(self, ax: Axes, title: str | None, notes: Iterable[str] = ()) -> None:
        """Remember the axes; write a title and, in smaller letters below it, what to know."""
        self.ax_, self.figure_ = ax, ax.get_figure(root=True)
        self.caption_ = "; ".join(note.removesuffix(".") for note in notes if note)
        headline(ax, title, self.caption_)


def canvas(ax: Any, size: tuple[float, float] = (7.0, 4.8)) -> Axes:
    """The axes to draw on: those given, or those of a new figure."""
    if ax is None:
        made: Axes = pyplot().subplots(figsize=size, layout="constrained")[1]
        return made
    if not hasattr(ax, "plot") or not hasattr(ax, "get_figure"):
        raise InvalidParameter(f"ax is a {type(ax).__name__}; it must be axes of matplotlib.")
    given: Axes = ax
    return given


def canvases(
    ax: Any, shape: tuple[int, int], size: tuple[float, float], count: int | None = None
) -> Array:
    """Several axes, in one dimension: those given, or those of a new figure."""
    n = shape[0] * shape[1] if count is None else count
    if ax is None:
        made = pyplot().subplots(*shape, figsize=size, layout="constrained", squeeze=False)[1]
        for spare in made.ravel()[n:]:
            spare.remove()
        return np.asarray(made.ravel()[:n])
    axes = np.asarray(ax, object).ravel()
    if len(axes) != n:
        raise InvalidParameter(f"ax holds {len(axes)} axes; this picture takes {n}.")
    for one in axes:
        canvas(one)
    return axes


def pyplot() -> Any:
    """matplotlib.pyplot, or an error that says how to get it."""
    try:
        from matplotlib import pyplot as plt
    except ImportError:
        raise ImportError("plots take matplotlib: pip install 'suffice[plot]'.") from None
    return plt


def headline(ax: Axes, title: str | None, caption: str) -> None:
    """A title, flush left, and a caption between it and the axes."""
    from matplotlib.font_manager import FontProperties

    size = FontProperties(size="small").get_size_in_points()
    pad = 6.0
    if caption:
        lines = textwrap.wrap(caption, max(24, int(_points_wide(ax) / (0.5 * size))))
        ax.annotate(
            "\n".join(map(as_text, lines)),
            (0, 1),
            (0, 4),
            xycoords="axes fraction",
            textcoords="offset points",
            fontsize="small",
            color=ink(ax),
            alpha=0.8,
            va="bottom",
            ha="left",
            annotation_clip=False,
        )
        pad += 1.3 * size * len(lines)
    if title:
        ax.set_title(visible_lines(title), loc="left", pad=pad)


def _points_wide(ax: Axes) -> float:
    figure: Any = ax.get_figure(root=True)
    return float(ax.get_window_extent().width * 72 / figure.dpi)


def legend_inside(ax: Axes) -> None:
    """Within the axes, where least is drawn: beside square axes it would take half their width."""
    made = ax.legend(loc="best", frameon=False, labelcolor=ink(ax), fontsize="small")
    _enlarge(made)


def legend(ax: Axes, title: str | None = None) -> None:
    """Beside the axes, where it covers nothing; in several columns if it is long."""
    handles, labels = ax.get_legend_handles_labels()
    if not handles:
        return
    handles, labels = shortened(ax, handles, labels)
    made = ax.legend(
        handles,
        labels,
        title=title,
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        borderaxespad=0.0,
        ncols=-(-len(labels) // COLUMN),
        frameon=False,
        labelcolor=ink(ax),
        fontsize="small" if len(labels) > 12 else "medium",
    )
    _enlarge(made)
    if title:
        made.get_title().set_color(ink(ax))


def legend_below(figure: Figure, ax: Axes) -> None:
    """One legend for all axes of a figure: the entries of one of them."""
    handles, labels = ax.get_legend_handles_labels()
    if not handles:
        return
    handles, labels = shortened(ax, handles, labels)
    columns = min(len(labels), max(2, int(figure.get_figwidth() / 1.3)))
    # Without a layout engine nothing makes room for what lies outside.
    outside = figure.get_layout_engine() is not None
    made = figure.legend(
        handles,
        labels,
        loc="outside lower center" if outside else "lower center",
        ncols=columns,
        frameon=False,
        labelcolor=ink(ax),
    )
    _enlarge(made)


def _enlarge(made: Legend) -> None:
    """Markers of a size that shows, however small those of many rows are."""
    handles: list[Any] = made.legend_handles
    for handle in handles:
        if hasattr(handle, "set_sizes"):
            handle.set_sizes([36.0])
            handle.set_alpha(1.0)


def colour_bar(ax: Axes, shades: Any, label: str, ticks: Mapping[float, str]) -> None:
    """What shades mean, below the axes."""
    figure: Any = ax.get_figure(root=True)
    # Without a layout engine nothing makes room for the labels of the axes.
    pad = 0.02 if figure.get_layout_engine() is not None else 0.2
    look = {"location": "bottom", "shrink": 0.6, "aspect": 30, "pad": pad}
    bar = figure.colorbar(shades, ax=ax, label=label, **look)
    bar.set_ticks(list(ticks), labels=list(ticks.values()))
    bar.outline.set_visible(False)
    bar.ax.minorticks_off()
    for text in (bar.ax.xaxis.label, *bar.ax.get_xticklabels()):
        text.set_color(ink(ax))
        text.set_fontsize("small")


def shortened(ax: Axes, handles: Sequence[Any], labels: Sequence[str]) -> tuple[Any, list[str]]:
    """Entries of a legend, the last one standing for all that are too many."""
    if len(labels) <= MOST_ENTRIES:
        return handles, list(labels)
    from matplotlib.lines import Line2D

    rest = len(labels) - MOST_ENTRIES + 1
    kept = [*handles[: MOST_ENTRIES - 1], Line2D([], [], linestyle="none")]
    return kept, [*labels[: MOST_ENTRIES - 1], f"… and {rest} more"]


def logarithms(ax: Axes) -> None:
    """Draw heights by their logarithms, and write them as numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator

    ax.set_yscale("log")
    ax.yaxis.set_major_locator(LogLocator(10, subs=(1.0, 2.0, 5.0)))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.minorticks_off()


def counted(n: int, what: str) -> str:
    """A number of things, in words.

    >>> counted(1, "row"), counted(12000, "row")
    ('1 row', '12,000 rows')
    """
    return f"{n:,} {what}{'s' * (n != 1)}"
