"""Priors: how boundaries move when classes become more or less frequent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from suffice.data.arrays import Floats
from suffice.data.labels import class_position
from suffice.data.parameters import is_number
from suffice.errors import InvalidParameter
from suffice.plots.borders import Border, borders
from suffice.plots.constructors import on_plane
from suffice.plots.display import Display, name_axes
from suffice.plots.points import PlottedRows, draw_rows
from suffice.plots.style import as_text, ground, ink, line_style, mixed
from suffice.plots.view import View
from suffice.text import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(eq=False, repr=False)
class PriorsDisplay(Display):
    """The boundaries of one model under several priors.

    plane : the two features, and the values of the others
    borders : the lines between regions, by name of the priors
    points : rows drawn, or None

    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from suffice import LDA
    >>> X, y = load_iris(return_X_y=True)
    >>> X, y = X[50:, 2:], y[50:]
    >>> shown = PriorsDisplay.from_estimator(LDA().fit(X, y), X, y, ax=Figure().subplots())
    >>> list(shown.borders)
    ['p(2) = 0.02', 'p(2) = 0.1', 'p(2) = 0.5', 'p(2) = 0.9', 'p(2) = 0.98']
    """

    plane: View
    borders: Mapping[str, list[Border]]
    points: PlottedRows | None = None

    @classmethod
    @on_plane("priors", "label", "features", "at", "box", "resolution")
    def from_estimator(
        cls,
        view: View,
        *,
        priors: Sequence[Any] | Mapping[str, Any] = (0.02, 0.1, 0.5, 0.9, 0.98),
        label: Any = None,
    ) -> Self:
        """A fitted model with `with_priors`; options as for `plot`.

        priors : several, by name or in a list: a number is the prior of class `label`, and the
            other classes share the rest as they do now; or what `with_priors` takes
        label : the class that numbers are for; the last one if None
        X, y, features, at, box, resolution : as for `RegionsDisplay`
        """
        model = view.model
        if not hasattr(model, "with_priors"):
            raise InvalidParameter(f"a {type(model).__name__} has no priors to change.")
        several = {
            name: borders(replace(view, model=model.with_priors(one)))
            for name, one in _by_name(model, priors, label).items()
        }
        return cls(view, several, view.points)

    def _draw(self, ax: Axes, **options: Any) -> list[str]:
        notes = draw_rows(self.points, ax, **{"alpha": 0.6, **options})
        faintest = 0.4  # share of the background in the first line: its contrast stays above 3
        # Colours are for the classes; the lines differ in depth and in their dashes.
        shades = np.linspace(faintest, 0.0, len(self.borders))
        for i, (name, several) in enumerate(self.borders.items()):
            colour = mixed(ink(ax), ground(ax), shades[i])
            look = {"color": colour, "linestyle": line_style(i), "linewidth": 2.2}
            for border in several:
                border.draw(ax, zorder=4, **look)
            ax.plot([], [], label=name if several else f"{name}: only one class", **look)
        name_axes(ax, self.plane.labels, self.plane.box)
        return [self.plane.note, *notes]


def _by_name(model: Any, priors: Any, label: Any) -> dict[str, Any]:
    """What `with_priors` takes, by name."""
    if isinstance(priors, str) or not isinstance(priors, Sequence | Mapping | np.ndarray):
        raise InvalidParameter(f"priors is {shown(priors)}; give several, in a list or by name.")
    if not len(priors):
        raise InvalidParameter("priors is empty; give several, in a list or by name.")
    classes = np.asarray(model.classes_)
    c = len(classes) - 1 if label is None else class_position(classes, label)
    if isinstance(priors, Mapping):
        given = dict(priors)
    else:
        given = {_name(one, classes[c], classes): one for one in priors}
    return {name: _all_priors(model.priors_, c, one) for name, one in given.items()}


def _name(priors: Any, label: Any, classes: Any) -> str:
    if is_number(priors):
        return f"p({as_text(label)}) = {priors:g}"
    if priors is None or isinstance(priors, str):
        return "class shares" if priors is None else f"{priors} priors"
    values = priors.values() if isinstance(priors, Mapping) else priors
    names = priors if isinstance(priors, Mapping) else classes
    pairs = zip(names, values, strict=False)
    return ", ".join(f"p({as_text(name)}) = {value:g}" for name, value in pairs)


def _all_priors(own: Floats, c: int, priors: Any) -> Any:
    """Priors as they are; of a number p: p for class c, the rest for the others."""
    if not is_number(priors):
        return priors
    if not 0 < priors < 1:
        raise InvalidParameter(f"priors holds {shown(priors)}; a prior lies between 0 and 1.")
    rest = np.delete(own, c)
    rest = rest / rest.sum() if rest.sum() > 0 else np.full(len(rest), 1 / max(len(rest), 1))
    return np.insert((1 - priors) * rest, c, priors)
