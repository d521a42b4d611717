"""Selection: cross-validated scores along a parameter, a line for each value of another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from suffice.data.arrays import Floats
from suffice.data.parameters import choice
from suffice.errors import InvalidParameter
from suffice.plots.display import Display, canvas, legend, logarithms
from suffice.plots.style import Style, ink
from suffice.selection.metrics import METRICS
from suffice.selection.selection import Selection

# What a candidate that does not name a parameter has.
USUAL = {"shrinkage": 0.0, "pooling": 0.0, "inflation": 1.0, "var_smoothing": 1e-9}

# Values that differ more than this, in powers of ten, are drawn by their logarithms.
WIDE = 0.8

# Of more lines than this only the best has a band: several bands over each other hide the lines.
FEW = 3


@dataclass(frozen=True, eq=False, slots=True)
class Path:
    """Candidates along a line: positions of them, and the values of the parameter."""

    name: str
    values: Floats
    at: list[int]


@dataclass(eq=False)
class SelectionDisplay(Display):
    """Mean scores over the folds, plus and minus a standard error, along a parameter.

    Candidates that differ from the best one in other parameters than the two are left out.

    selection : what cross-validation found
    along, by : names of the parameters
    paths : a `Path` for each value of `by`
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

    selection: Selection
    along: str
    by: str | None
    paths: list[Path]
    metric: str

    @classmethod
    def from_estimator(cls, model: Any, *, ax: Any = None, **options: Any) -> Self:
        """A classifier with parameters chosen by "cv"; options as for `from_selection`."""
        if not hasattr(model, "selection_"):
            raise InvalidParameter(
                f"this {type(model).__name__} chose nothing; fit it with a parameter that is 'cv', "
                "or draw what select_model finds with from_selection."
            )
        return cls.from_selection(model.selection_, ax=ax, **options)

    @classmethod
    def from_selection(
        cls,
        selection: Selection,
        *,
        along: str | None = None,
        by: str | None = None,
        metric: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """What `select_model` found; options as for `plot`.

        along : the parameter across; None takes shrinkage if several were tried, or else another
        by : the parameter that tells lines apart; None takes pooling if several were tried
        metric : what to draw; None takes what decided
        """
        if not isinstance(selection, Selection):
            raise InvalidParameter("this takes what select_model(X, y) finds.")
        shown = selection.metric if metric is None else metric
        choice("metric", shown, METRICS)
        along, by = _parameters(selection, along, by)
        made = cls(selection, along, by, _paths(selection, along, by), shown)
        return made.plot(ax, **options)

    def plot(
        self,
        ax: Any = None,
        *,
        title: str | None = None,
        show_legend: bool = True,
        **lines: Any,
    ) -> Self:
        """Draw on `ax`, or on a new figure; more options go to the lines."""
        ax = canvas(ax, (8.0, 4.8))
        table = self.selection.table
        mean, error = table[self.metric], table[f"{self.metric}_se"]
        for i, path in enumerate(self.paths):
            style, y, e = Style.of(i), mean[path.at], error[path.at]
            ok = np.isfinite(y)
            shown = {"color": style.colour, "linestyle": style.line, "linewidth": 1.6, **lines}
            x, y, e = path.values[ok], y[ok], e[ok]
            ax.plot(x, y, marker=style.marker, markersize=5, label=path.name, **shown)
            if self.selection.best not in path.at and len(self.paths) > FEW:
                continue
            low = np.maximum(y - e, 0.2 * y)  # zero has no place among logarithms
            ax.fill_between(x, low, y + e, color=style.colour, alpha=0.15, linewidth=0)
        self._mark(ax, mean)
        self._scales(ax, mean)
        ax.set_xlabel(self.along.replace("_", " "))
        ax.set_ylabel(self.metric.replace("_", "-" if self.metric == "log_loss" else " "))
        if show_legend:
            legend(ax)
        self._drawn(ax, title, [self._told()])
        return self

    def _mark(self, ax: Any, mean: Floats) -> None:
        """The best candidate, and the simplest that is not clearly worse."""
        simple = "simplest, not\nclearly worse"
        rings = (
            ("best", self.selection.best, 15, "o"),
            (simple, self.selection.careful, 12, "s"),
        )
        for label, i, size, marker in rings:
            for path in self.paths:
                if i in path.at:
                    x = path.values[path.at.index(i)]
                    ring = {"markerfacecolor": "none", "markeredgecolor": ink(ax), "zorder": 5}
                    ax.plot(
                        x,
                        mean[i],
                        marker,
                        markersize=size,
                        markeredgewidth=1.5,
                        label=label,
                        **ring,
                    )

    def _scales(self, ax: Any, mean: Floats) -> None:
        values = np.concatenate([path.values for path in self.paths])
        positive = values[values > 0]
        if len(positive) and np.log10(positive.max() / positive.min()) > WIDE:
            if (values <= 0).any():
                ax.set_xscale("symlog", linthresh=positive.min(), linscale=0.5)
            else:
                ax.set_xscale("log")
            ax.xaxis.set_major_formatter("{x:g}")
        seen = mean[[i for path in self.paths for i in path.at]]
        seen = seen[np.isfinite(seen)]
        if len(seen) and seen.min() > 0 and np.log10(seen.max() / seen.min()) > WIDE:
            logarithms(ax)

    def _told(self) -> str:
        folds = self.selection.scores[self.metric].shape[1]
        n, drawn = self.selection.tried, sum(len(path.at) for path in self.paths)
        rest = f"; {drawn} of {n} candidates, the others differ in more" if drawn < n else ""
        whose = " of the best line" if len(self.paths) > FEW else ""
        return f"mean over {folds} folds ± standard error{whose}{rest}"


def _value(candidate: Any, name: str) -> Any:
    found = candidate.get(name)
    return USUAL.get(name) if found is None else found


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def _parameters(selection: Selection, along: str | None, by: str | None) -> tuple[str, str | None]:
    best = selection.candidates[selection.best]
    kind, among = best.get("model"), selection.candidates[: selection.tried]
    same = [one for one in among if one.get("model") == kind]
    names = dict.fromkeys(name for one in same for name in one if name != "model")
    tried = {
        name: {_value(one, name) for one in same if _is_number(_value(one, name))} for name in names
    }
    varied = [name for name in ("shrinkage", *names) if len(tried.get(name, ())) > 1]
    for name in (along, by):
        if name is not None and name not in list(names):
            raise InvalidParameter(
                f"no candidate has a parameter {name!r}; those tried are {', '.join(names)}."
            )
    if along is None:
        left = [name for name in varied if name != by]
        if not left:
            raise InvalidParameter(
                "no parameter was tried at several numbers, so there is no path to draw; give "
                "select_model a grid, such as {'shrinkage': [0.0, 0.1, 0.5]}."
            )
        along = left[0]
    if by is None:
        left = [name for name in ("pooling", *varied) if name in varied and name != along]
        by = left[0] if left else None
    return along, by


def _paths(selection: Selection, along: str, by: str | None) -> list[Path]:
    best = selection.candidates[selection.best]
    groups: dict[Any, list[int]] = {}
    for i, one in enumerate(selection.candidates[: selection.tried]):
        others = {*one, *best} - {along, by}
        if all(_value(one, name) == _value(best, name) for name in others):
            groups.setdefault(None if by is None else _value(one, by), []).append(i)
    paths = []
    for value in sorted(groups, key=lambda v: (not _is_number(v), v if _is_number(v) else 0)):
        at = [i for i in groups[value] if _is_number(_value(selection.candidates[i], along))]
        at.sort(key=lambda i: float(_value(selection.candidates[i], along)))
        values = np.array([float(_value(selection.candidates[i], along)) for i in at])
        if at:
            paths.append(Path(_named(by, value, best), values, at))
    return paths


def _named(by: str | None, value: Any, best: Any) -> str:
    if by is None:
        return str(best.get("model", "score"))
    return f"{by} {value:g}" if _is_number(value) else f"{by} {value}"
