"""Axes to draw on, and what is read from them."""

from __future__ import annotations

from matplotlib.figure import Figure


def axes():
    """The axes of a new figure that pyplot does not know."""
    return Figure(layout="constrained").subplots()


def legend_of(ax):
    """The texts of a legend, each on one line."""
    return [text.get_text().replace("\n", " ") for text in ax.get_legend().get_texts()]
