"""Priors: how boundaries move when classes become more or less frequent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from suffice.answers.pair import class_position
from suffice.data.arrays import Floats
from suffice.data.labels import shown
from suffice.errors import InvalidParameter
from suffice.plots.borders import Border, borders, frame
from suffice.plots.display import Display, canvas, legend
from suffice.plots.plane import Plane
from suffice.plots.points import Points
from suffice.plots.regions import RESOLUTION
from suffice.plots.style import LINES, as_text, ground, ink, mixed

SHARES = (0.02, 0.1, 0.5, 0.9, 0.98)

# The first line has this much of the background: still three times as bright, or as dark, as it.
FAINTEST = 0.4


@dataclass(eq=False)
class PriorsDisplay(Display):
    """The boundaries of one model under several priors.

    plane : the two features, and where the others are held
    borders : for each name of priors the lines between regions
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

    plane: Plane
    borders: Mapping[str, list[Border]]
    points: Points | None = None

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any = None,
        y: Any = None,
        *,
        priors: Sequence[Any] | Mapping[str, Any] = SHARES,
        label: Any = None,
        features: Any = None,
        at: Any = None,
        box: Any = None,
        resolution: int = RESOLUTION,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """A fitted model with `with_priors`; options as for `plot`.

        priors : several, by name or in a list: numbers are priors of class `label`, the others
            sharing the rest as they do now; else what `with_priors` takes
        label : the class that numbers are for; the last one if None
        X, y, features, at, box, resolution : as for `RegionsDisplay`
        """
        if not hasattr(model, "with_priors"):
            raise InvalidParameter(f"a {type(model).__name__} has no priors to change.")
        plane = Plane.of(model, X, features, at, box)
        found = {}
        for name, chances in _named(model, priors, label).items():
            other = Plane(
                model.with_priors(chances),
                plane.features,
                plane.names,
                plane.held,
                plane.box,
                frame=plane.frame,
            )
            scores = other.scores(other.grid(resolution)[2])
            found[name] = borders(other, scores, resolution)
        return cls(plane, found, plane.points(X, y)).plot(ax, **options)

    def plot(
        self,
        ax: Any = None,
        *,
        title: str | None = None,
        show_legend: bool = True,
        **scatter: Any,
    ) -> Self:
        """Draw on `ax`, or on a new figure; more options go to matplotlib's scatter."""
        ax = canvas(ax)
        if self.points is not None:
            self.points.draw(ax, **{"alpha": 0.6, **scatter})
        # Colours are the classes'; the lines differ in depth and in their dashes.
        shades = np.linspace(FAINTEST, 0.0, len(self.borders))
        for i, (name, several) in enumerate(self.borders.items()):
            colour = mixed(ink(ax), ground(ax), shades[i])
            look = {"color": colour, "linestyle": LINES[i % len(LINES)], "linewidth": 2.2}
            for border in several:
                border.draw(ax, zorder=4, **look)
            ax.plot([], [], label=name if several else f"{name}: one class alone", **look)
        frame(ax, self.plane.box)
        ax.set_xlabel(as_text(self.plane.labels[0]))
        ax.set_ylabel(as_text(self.plane.labels[1]))
        if show_legend:
            legend(ax)
        notes = [] if self.points is None else self.points.notes
        self._drawn(ax, title, [self.plane.told, *notes])
        return self


def _named(model: Any, priors: Any, label: Any) -> dict[str, Any]:
    """Priors by name."""
    if isinstance(priors, str) or not isinstance(priors, Sequence | Mapping | np.ndarray):
        raise InvalidParameter(f"priors is {shown(priors)}; give several, in a list or by name.")
    if not len(priors):
        raise InvalidParameter("priors is empty; give several, in a list or by name.")
    classes = np.asarray(model.classes_)
    c = len(classes) - 1 if label is None else class_position(classes, label)
    if isinstance(priors, Mapping):
        given = dict(priors)
    else:
        given = {_told(one, classes[c], classes): one for one in priors}
    return {name: _chances(model.priors_, c, one) for name, one in given.items()}


def _told(chances: Any, label: Any, classes: Any) -> str:
    if _is_number(chances):
        return f"p({as_text(label)}) = {chances:g}"
    if chances is None or isinstance(chances, str):
        return "class shares" if chances is None else f"{chances} priors"
    values = chances.values() if isinstance(chances, Mapping) else chances
    names = chances if isinstance(chances, Mapping) else classes
    pairs = zip(names, values, strict=False)
    return ", ".join(f"p({as_text(name)}) = {value:g}" for name, value in pairs)


def _chances(own: Floats, c: int, chances: Any) -> Any:
    """What `with_priors` takes; of a number p: p for class c, the rest for the others."""
    if not _is_number(chances):
        return chances
    if not 0 < chances < 1:
        raise InvalidParameter(f"priors holds {shown(chances)}; a prior lies between 0 and 1.")
    rest = np.delete(own, c)
    rest = rest / rest.sum() if rest.sum() > 0 else np.full(len(rest), 1 / max(len(rest), 1))
    return np.insert((1 - chances) * rest, c, chances)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)
