"""Selection: cross-validated scores along a parameter, one line per value of another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from suffice.data.arrays import Floats
from suffice.data.parameters import choice, is_number
from suffice.errors import InvalidParameter
from suffice.plots.constructors import drawn
from suffice.plots.decoration import scale_heights
from suffice.plots.display import Display, canvas, name_axes
from suffice.plots.style import Style, ink
from suffice.selection.metrics import metric_named
from suffice.selection.selection import Selection

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Values of parameters that a candidate does not name.
DEFAULTS: dict[str, Any] = {
    "structure": "full",
    "target": "identity",
    "shrinkage": 0.0,
    "pooling": 0.0,
    "inflation": 1.0,
    "var_smoothing": 1e-9,
    "n_components": 2,
}


@dataclass(frozen=True, eq=False, slots=True)
class ScorePath:
    """Candidates along a line: their positions, and the values of the parameter."""

    name: str
    values: Floats
    at: list[int]


@dataclass(eq=False, repr=False)
class SelectionDisplay(Display):
    """Mean scores over the folds, plus and minus a standard error, along a parameter.

    Candidates that differ from the best one in parameters other than the two are left out.

    selection : the result of cross-validation
    along, by : names of the parameters
    paths : one `ScorePath` per value of `by`
    metric : what is drawn

    >>> from matplotlib.figure import Figure
    >>> import suffice as sf
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> grid = {"shrinkage": [0.0, 0.1, 0.5], "pooling": [0.0, 1.0]}
    >>> found = sf.select_model(X, y, sf.GaussianDiscriminant(target="diagonal"), grid)
    >>> shown = SelectionDisplay.from_selection(found, ax=Figure().subplots())
    >>> [path.name for path in shown.paths], shown.paths[0].values
    (['pooling 0', 'pooling 1'], array([0. , 0.1, 0.5]))
    """

    # Lines with bands; of more only the best has one: bands would hide the lines.
    _most_bands: ClassVar[int] = 3

    selection: Selection
    along: str
    by: str | None
    paths: list[ScorePath]
    metric: str

    @classmethod
    def from_estimator(cls, model: Any, *, ax: Any = None, **options: Any) -> Self:
        """A classifier with parameters chosen by "cv"; options as for `from_selection`."""
        if not hasattr(model, "selection_"):
            raise InvalidParameter(
                f"this {type(model).__name__} chose nothing; fit it with a parameter that is 'cv', "
                "or draw the result of select_model with from_selection."
            )
        display: Self = cls.from_selection(model.selection_, ax=ax, **options)
        return display

    @classmethod
    @drawn
    def from_selection(
        cls,
        selection: Selection,
        *,
        along: str | None = None,
        by: str | None = None,
        metric: str | None = None,
    ) -> Self:
        """The result of `select_model`; options as for `plot`.

        along : the parameter across; None takes shrinkage if several were tried, or else another
        by : the parameter that has one line per value; None takes pooling if several were tried
        metric : what to draw; None takes the metric of the selection
        """
        if not isinstance(selection, Selection):
            raise InvalidParameter("pass the result of select_model(X, y).")
        shown = selection.metric if metric is None else metric
        choice("metric", shown, tuple(selection.scores))
        along, by = _parameters(selection, along, by)
        return cls(selection, along, by, _paths(selection, along, by), shown)

    def _canvas(self, ax: Any, **options: Any) -> Axes:
        return canvas(ax, (8.0, 4.8))

    def _draw(self, ax: Axes, **options: Any) -> list[str]:
        table = self.selection.table
        mean, error = table[self.metric], table[f"{self.metric}_se"]
        for i, path in enumerate(self.paths):
            style, y, e = Style.of(i), mean[path.at], error[path.at]
            ok = np.isfinite(y)
            x, y, e = path.values[ok], y[ok], e[ok]
            look = {"marker": style.marker, "markersize": 5, **style.line_options(1.6), **options}
            ax.plot(x, y, label=path.name, **look)
            if self.selection.best not in path.at and len(self.paths) > self._most_bands:
                continue
            low = np.maximum(y - e, 0.2 * y)  # a logarithmic scale has no zero
            ax.fill_between(x, low, y + e, color=style.colour, alpha=0.15, linewidth=0)
        self._mark(ax, mean)
        self._scales(ax, mean)
        name_axes(ax, (self.along.replace("_", " "), metric_named(self.metric).title))
        return [self._note()]

    def _mark(self, ax: Axes, mean: Floats) -> None:
        """Mark the best candidate, and the one that was chosen, which may lie beside the lines."""
        selection = self.selection
        label, taken = "chosen", selection.chosen
        if taken is None:
            label, taken = "simplest, not\nclearly worse", selection.careful
        kind = selection.candidates[selection.best].get("model")
        for text, i, size, marker in (("best", selection.best, 15, "o"), (label, taken, 12, "s")):
            candidate = selection.candidates[i]
            x = _value(candidate, self.along) if candidate.get("model") == kind else None
            if x is not None and is_number(x):
                ring: Any = {"markersize": size, "markeredgewidth": 1.5, "zorder": 5}
                ring |= {"markerfacecolor": "none", "markeredgecolor": ink(ax)}
                ax.plot(float(x), mean[i], marker, label=text, **ring)
            elif np.isfinite(mean[i]):
                ax.axhline(mean[i], color=ink(ax), linewidth=1.2, linestyle=":", label=text)

    def _scales(self, ax: Axes, mean: Floats, most_ticks: int = 6) -> None:
        values = np.concatenate([path.values for path in self.paths])
        positive = values[values > 0]
        wide_decades = 0.8  # powers of ten; wider ranges get a logarithmic scale
        if len(positive) and np.log10(positive.max() / positive.min()) > wide_decades:
            least, most = positive.min(), values.max()
            if (values <= 0).any():
                ax.set_xscale("symlog", linthresh=least, linscale=0.5)
                ax.set_xlim(-0.3 * least, 1.2 * most)
            else:
                ax.set_xscale("log")
                ax.set_xlim(least / 1.2, 1.2 * most)
            ticks = [x for x in ax.get_xticks() if values.min() <= x <= values.max()]
            ax.set_xticks(ticks if len(ticks) > 1 else np.unique(values))
            ax.xaxis.set_major_formatter("{x:g}")
            ax.minorticks_off()  # their labels would be formulas
        elif len(tried := np.unique(values)) <= most_ticks:
            ax.set_xticks(tried)
        scale_heights(ax, mean[[i for path in self.paths for i in path.at]], wide_decades)

    def _note(self) -> str:
        folds = self.selection.scores[self.metric].shape[1]
        n, drawn = self.selection.tried, sum(len(path.at) for path in self.paths)
        rest = f"; {drawn} of {n} candidates, the others differ in more" if drawn < n else ""
        whose = " of the best line" if len(self.paths) > self._most_bands else ""
        return f"mean over {folds} folds ± standard error{whose}{rest}"


def _value(candidate: Any, name: str) -> Any:
    own = candidate.get(name)
    return DEFAULTS.get(name) if own is None else own


def _parameters(selection: Selection, along: str | None, by: str | None) -> tuple[str, str | None]:
    """Two parameters that were varied together, all others as in the best candidate.

    along, by : as the user gave them; None for a choice
    """
    best = selection.candidates[selection.best]
    same = [one for one in selection.candidates if one.get("model") == best.get("model")]
    names = list(dict.fromkeys(name for one in same for name in one if name != "model"))
    for name in (along, by):
        if name is not None and name not in names:
            raise InvalidParameter(
                f"no candidate has a parameter {name!r}; those tried are {', '.join(names)}."
            )
    for first in ["shrinkage", *names] if along is None else [along]:
        for second in ["pooling", *names, None] if by is None else [by]:
            paths = [] if first == second else _paths(selection, first, second)
            if any(np.ptp(path.values) for path in paths) and (second is None or len(paths) > 1):
                return first, second
    if along is None:
        raise InvalidParameter(
            "no parameter was tried at several numbers, so there is no path to draw; give "
            "select_model a grid, such as {'shrinkage': [0.0, 0.1, 0.5]}."
        )
    return along, by


def _paths(selection: Selection, along: str, by: str | None) -> list[ScorePath]:
    """Lines through the candidates that have a score and are else like the best one."""
    best = selection.candidates[selection.best]
    scored = np.isfinite(selection.table[selection.metric])
    groups: dict[Any, list[int]] = {}
    for i, one in enumerate(selection.candidates[: selection.tried]):
        others = {*one, *best} - {along, by}
        if scored[i] and all(_value(one, name) == _value(best, name) for name in others):
            groups.setdefault(None if by is None else _value(one, by), []).append(i)
    paths = []
    for value in sorted(groups, key=lambda v: (not is_number(v), v if is_number(v) else 0)):
        at = [i for i in groups[value] if is_number(_value(selection.candidates[i], along))]
        at.sort(key=lambda i: float(_value(selection.candidates[i], along)))
        values = np.array([float(_value(selection.candidates[i], along)) for i in at])
        if at:
            paths.append(ScorePath(_name(by, value, best), values, at))
    return paths


def _name(by: str | None, value: Any, best: Any) -> str:
    if by is None:
        return str(best.get("model", "score"))
    return f"{by} {value:g}" if is_number(value) else f"{by} {value}"
