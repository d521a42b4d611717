"""Display: what all pictures share, from the axes to draw on to the file."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from suffice.data.arrays import Array
from suffice.data.sources.files import write_whole
from suffice.errors import InvalidParameter
from suffice.plots.decoration import headline, legend, legend_below
from suffice.plots.style import as_text
from suffice.text import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from suffice.plots.box import Box

SIZE = (7.0, 4.8)  # inches of a new figure


class Display:
    """A picture; `plot` draws it and sets the attributes.

    ax_ : the axes drawn on
    figure_ : the figure of these axes
    caption_ : the text between title and axes; may be empty
    """

    ax_: Axes
    figure_: Any
    caption_: str = ""

    def __init_subclass__(cls, **options: Any) -> None:
        """Let `help` show of `plot` what the `_draw` of the display takes and says."""
        super().__init_subclass__(**options)
        if "_draw" in vars(cls):
            cls.plot = _plot_with_options_of(cls._draw)  # type: ignore[method-assign]

    def plot(
        self, ax: Any = None, *, title: str | None = None, show_legend: bool = True, **options: Any
    ) -> Self:
        """Draw on `ax`, or on a new figure.

        options : go to the matplotlib function that draws the rows, or else the lines
        """
        ax = self._canvas(ax, **options)
        notes = self._draw(ax, **options)
        if show_legend:
            self._add_legend(ax)
        self.ax_, self.figure_ = ax, ax.get_figure(root=True)
        self.caption_ = "; ".join(note.removesuffix(".") for note in notes if note)
        headline(ax, None if title is None else str(title), self.caption_)
        return self

    def _canvas(self, ax: Any, **options: Any) -> Axes:
        """The axes to draw on: those given, or those of a new figure of a suitable size."""
        return canvas(ax)

    def _draw(self, ax: Axes, **options: Any) -> Iterable[str]:
        # All but title and legend; returns the notes for the caption.
        raise NotImplementedError

    def _add_legend(self, ax: Axes) -> None:
        legend(ax)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def _repr_png_(self) -> bytes | None:
        """The picture, which notebooks show in place of the text."""
        if not hasattr(self, "figure_"):
            return None
        from matplotlib import get_backend

        picture = io.BytesIO()
        self.figure_.savefig(picture, format="png", bbox_inches="tight")
        if "inline" in get_backend():
            # It would be shown once more at the end of the cell.
            pyplot().close(self.figure_)
        return picture.getvalue()

    def save(self, path: Any, **options: Any) -> None:
        """Write the figure to a file, whole or not at all, its text as text.

        path : name of a file, or an open file; options as for matplotlib's savefig
        """
        from matplotlib import rc_context, rcParams

        if not hasattr(self, "figure_"):
            raise InvalidParameter("nothing is drawn yet; call plot() first.")
        with rc_context({"svg.fonttype": "none", "pdf.fonttype": 42}):
            options = {"bbox_inches": "tight", **options}
            if hasattr(path, "write"):
                self.figure_.savefig(path, **options)
                return
            if not isinstance(path, str | os.PathLike):
                raise InvalidParameter(
                    f"path is {shown(path)}; it must be the name of a file, such as 'picture.png'."
                )
            name, picture = os.fspath(path), io.BytesIO()
            if options.get("format") is None:
                # As in matplotlib: the ending gives the format, or is added.
                stem, ending = os.path.splitext(name)
                options["format"] = ending[1:] or rcParams["savefig.format"]
                name = f"{stem}.{options['format']}"
            if options["format"].lower() not in (
                known := self.figure_.canvas.get_supported_filetypes()
            ):
                raise InvalidParameter(
                    f"{name} has the ending {options['format']!r}; pictures can be written as "
                    f"{', '.join(sorted(known))}."
                )
            self.figure_.savefig(picture, **options)
        write_whole(name, picture.getvalue())


class SeveralDisplays(Display):
    """Several displays on one figure, with one legend; `axes_` holds their axes."""

    axes_: Array | None

    def _finish_all(self, axes: Array, displays: Iterable[Display], show_legend: bool) -> Self:
        self.axes_, self.ax_ = axes, axes[0]
        self.figure_ = axes[0].get_figure(root=True)
        captions = (display.caption_ for display in displays)
        self.caption_ = "; ".join(dict.fromkeys(caption for caption in captions if caption))
        if show_legend:
            legend_below(self.figure_, axes[0])
        return self


def _plot_with_options_of(draw: Callable[..., Any]) -> Callable[..., Any]:
    """`plot` with the keywords and the docstring of a `_draw`."""

    def plot(self: Display, ax: Any = None, **options: Any) -> Display:
        return Display.plot(self, ax, **options)

    plot.__doc__ = draw.__doc__ or Display.plot.__doc__
    shared = list(signature(Display.plot).parameters.values())[:-1]
    own = list(signature(draw).parameters.values())[2:]  # without self and ax
    set_parameters(plot, [*shared, *own])
    return plot


def set_parameters(function: Any, parameters: Iterable[Parameter]) -> None:
    """What `help` and editors show of a function, in place of what it passes on."""
    function.__signature__ = signature(function).replace(parameters=list(parameters))


def canvas(ax: Any, size: tuple[float, float] = SIZE) -> Axes:
    """The axes to draw on: those given, or those of a new figure."""
    if ax is None:
        axes: Axes = pyplot().subplots(figsize=size, layout="constrained")[1]
        return axes
    if not hasattr(ax, "plot") or not hasattr(ax, "get_figure"):
        raise InvalidParameter(f"ax is a {type(ax).__name__}; it must be axes of matplotlib.")
    given: Axes = ax
    return given


def hidden_axes(size: tuple[float, float] = SIZE) -> Axes:
    """Axes of a new figure that only a file will show."""
    pyplot()  # an error says how to install it
    from matplotlib.figure import Figure

    return Figure(figsize=size, layout="constrained").subplots()


def canvases(ax: Any, shape: tuple[int, int], size: tuple[float, float], count: int) -> Array:
    """`count` axes, in one dimension: those given, or those of a new figure."""
    if ax is None:
        grid = pyplot().subplots(*shape, figsize=size, layout="constrained", squeeze=False)[1]
        for spare in grid.ravel()[count:]:
            spare.remove()
        return np.asarray(grid.ravel()[:count])
    axes = np.asarray(ax, object).ravel()
    if len(axes) != count:
        raise InvalidParameter(f"ax holds {len(axes)} axes; this picture takes {count}.")
    for one in axes:
        canvas(one)
    return axes


def pyplot() -> Any:
    """matplotlib.pyplot, or an error that says how to install it."""
    try:
        from matplotlib import pyplot as plt
    except ImportError:
        raise ImportError("plots need matplotlib: pip install 'suffice[plot]'.") from None
    return plt


def name_axes(ax: Axes, labels: tuple[str, ...], box: Box | None = None) -> None:
    """Label both axes, and show only what is in the box."""
    ax.set_xlabel(as_text(labels[0]))
    ax.set_ylabel(as_text(labels[1]))
    if box is not None:
        ax.set_xlim(*box[0])
        ax.set_ylim(*box[1])
