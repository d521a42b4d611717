"""Decoration: titles, legends, colour bars and other text around what is drawn."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from suffice.data.arrays import Floats
from suffice.plots.style import as_text, halo, ink
from suffice.text import format_number, shorten, visible_lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend


def headline(ax: Axes, title: str | None, caption: str) -> None:
    """A title, flush left, and a caption between it and the axes."""
    from matplotlib.font_manager import FontProperties

    size = FontProperties(size="small").get_size_in_points()
    pad = 6.0
    if caption:
        figure: Any = ax.get_figure(root=True)
        # Long labels of the y axis will take their room from the axes.
        labels = ax.yaxis.get_tightbbox()
        room = figure.bbox.width - (0.0 if labels is None else labels.width)
        points_wide = float(min(ax.get_window_extent().width, room) * 72 / figure.dpi)
        character = 0.56 * size  # the mean width, in points
        lines = textwrap.wrap(caption, max(24, int(points_wide / character)))
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


def beside(ax: Axes, at: Any, text: str, offset: float, up: float = 0.0) -> None:
    """Small text to the right of a position by `offset` points, or to its left if negative."""
    ax.annotate(
        text,
        at,
        (offset, up),
        textcoords="offset points",
        ha="left" if offset > 0 else "right",
        va="center",
        fontsize="small",
        color=ink(ax),
    )


def name_class(ax: Axes, at: Any, label: Any, offset: float = 0.0) -> None:
    """The name of a class at a position, or above it by `offset` points."""
    longest_name = 18  # characters of the name of a class within the axes
    ax.annotate(
        as_text(shorten(str(label), longest_name)),
        at,
        (0, offset),
        textcoords="offset points",
        ha="center",
        va="bottom" if offset else "center",
        fontsize="medium",
        fontweight="bold",
        color=ink(ax),
        path_effects=halo(ax),
        annotation_clip=True,
        zorder=6,
    )


def legend_inside(ax: Axes) -> None:
    """A legend within the axes: beside square axes it would take half their width."""
    box = ax.legend(loc="best", frameon=False, labelcolor=ink(ax), fontsize="small")
    _enlarge(box)


def legend(ax: Axes) -> None:
    """A legend beside the axes, where it covers nothing; in several columns if it is long."""
    handles, labels = _entries(ax)
    if not handles:
        return
    legend_rows = 18  # entries in one column of a legend
    box = ax.legend(
        handles,
        labels,
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        borderaxespad=0.0,
        ncols=-(-len(labels) // legend_rows),
        frameon=False,
        labelcolor=ink(ax),
        fontsize="small" if len(labels) > 12 else "medium",
    )
    _enlarge(box)


def legend_below(figure: Figure, ax: Axes) -> None:
    """One legend for all axes of a figure: the entries of one of them."""
    handles, labels = _entries(ax)
    if not handles:
        return
    # Without a layout engine nothing makes room for what lies outside.
    outside = figure.get_layout_engine() is not None
    most_columns = min(len(labels), max(2, int(figure.get_figwidth() / 1.3)))
    for columns in range(most_columns, 0, -1):
        box = figure.legend(
            handles,
            labels,
            loc="outside lower center" if outside else "lower center",
            ncols=columns,
            frameon=False,
            labelcolor=ink(ax),
        )
        if columns == 1 or box.get_window_extent().width <= figure.bbox.width:
            _enlarge(box)
            return
        box.remove()


def _entries(ax: Axes) -> tuple[Sequence[Any], list[str]]:
    """Handles and labels of a legend; if there are too many, the last counts the rest."""
    handles, names = ax.get_legend_handles_labels()
    labels = list(map(narrow, names))
    legend_entries = 36  # at most; the last entry counts the rest
    if len(labels) <= legend_entries:
        return handles, labels
    from matplotlib.lines import Line2D

    kept = legend_entries - 1
    rest = f"… and {len(labels) - kept} more"
    return [*handles[:kept], Line2D([], [], linestyle="none")], [*labels[:kept], rest]


def narrow(name: str, line: int = 24, longest: int = 72) -> str:
    """A name on lines of limited length, so that it leaves room for the picture.

    longest : characters of all lines; a longer name loses its middle
    """
    return textwrap.fill(shorten(name, longest), line) if len(name) > line else name


def _enlarge(made: Legend) -> None:
    """Markers of a visible size, however small those of many rows are."""
    handles: list[Any] = made.legend_handles
    for handle in handles:
        if hasattr(handle, "set_sizes"):
            handle.set_sizes([36.0])
            handle.set_alpha(1.0)


def colour_bar(ax: Axes, shades: Any, label: str, ticks: Mapping[float, str]) -> None:
    """The meaning of shades, below the axes."""
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


def scale_heights(ax: Axes, heights: Floats, decades: float) -> None:
    """Use a logarithmic scale if positive heights differ by more powers of ten than `decades`."""
    from matplotlib.ticker import FuncFormatter, LogLocator

    finite = heights[np.isfinite(heights)]
    if not len(finite) or finite.min() <= 0 or np.log10(finite.max() / finite.min()) <= decades:
        return
    ax.set_yscale("log")
    ax.yaxis.set_major_locator(LogLocator(10, subs=(1.0, 2.0, 5.0)))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: format_number(value)))
    ax.minorticks_off()
