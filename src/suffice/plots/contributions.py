"""Contributions: how much each feature of a row supports one class against another."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from suffice.answers.contributions import Contributions
from suffice.data.arrays import Floats
from suffice.data.features import as_frame
from suffice.errors import InvalidParameter
from suffice.plots.columns import as_value, feature_names, plain, used_table
from suffice.plots.constructors import drawn
from suffice.plots.decoration import beside
from suffice.plots.display import Display, canvas
from suffice.plots.style import Style, as_text, ink
from suffice.text import plural, shorten, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(eq=False, repr=False)
class ContributionsDisplay(Display):
    """The log-odds of two classes for one row, as a sum of bars.

    names : of the features, with their values
    values : (d,) what each adds to the log-odds
    base : the log-odds before any feature
    pair : the two classes; positive bars support the first
    codes : their positions among the classes, which give the colours
    row : number of the row

    >>> from matplotlib.figure import Figure
    >>> from sklearn.datasets import load_iris
    >>> from suffice import LDA
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LDA().fit(X, y)
    >>> shown = ContributionsDisplay.from_estimator(model, X, row=70, ax=Figure().subplots())
    >>> round(float(shown.values.sum() + shown.base), 3), shown.pair
    (1.104, (2, 1))
    """

    names: list[str]
    values: Floats
    base: float
    pair: tuple[Any, Any]
    codes: tuple[int, int] = (0, 1)
    row: int = 0

    @classmethod
    @drawn
    def from_estimator(
        cls, model: Any, X: Any, row: int = 0, *, a: Any = None, b: Any = None
    ) -> Self:
        """One row of X; options as for `plot`.

        a, b : the classes; by default the row's most probable one against the next
        """
        if not hasattr(model, "contributions"):
            raise InvalidParameter(
                f"the log-odds of a {type(model).__name__} are not a sum over features; fit a "
                "Gaussian or naive Bayes model, such as LDA()."
            )
        X = used_table(model, X)
        one, values, at = _row(X, row)
        classes = list(np.asarray(model.classes_).tolist())
        if a is None and b is None and len(classes) > 1:
            order = np.argsort(-model.discriminants(one)[0], kind="stable")
            a, b = classes[order[0]], classes[order[1]]
        parts: Contributions = model.contributions(one, a, b)
        names = [
            f"{name} = {as_value(value, '?')}"
            for name, value in zip(feature_names(model, X), values, strict=True)
        ]
        codes = (classes.index(parts.classes[0]), classes.index(parts.classes[1]))
        base = float(parts.base[0])
        return cls(names, parts.values[0], base, parts.classes, codes, at)

    def _canvas(self, ax: Any, *, most: int = 12, **options: Any) -> Axes:
        return canvas(ax, (7.5, 0.36 * len(self._bars(most)[0]) + 1.6))

    def _draw(self, ax: Axes, *, most: int = 12, **bars: Any) -> list[str]:
        """Draw on `ax`, or on a new figure; more options go to the bars.

        most : features with their own bar; the others share one
        """
        names, values = self._bars(most)
        y = np.arange(len(names))[::-1]
        for side, (label, code) in enumerate(zip(self.pair, self.codes, strict=True)):
            mine = values >= 0 if side == 0 else values < 0
            # Hatching distinguishes the sides if colours do not.
            look = {"color": Style.of(code).colour, "edgecolor": ink(ax), "linewidth": 0.6}
            look |= {"hatch": "//" if side else None, "label": f"for {as_text(label)}", **bars}
            ax.barh(y[mine], values[mine], **look)
        ax.axvline(0, color=ink(ax), linewidth=1)
        for at, value in zip(y.tolist(), values.tolist(), strict=True):
            beside(ax, (value, at), f"{value:+.2f}", 4 if value >= 0 else -4)
        longest_name = 40
        ax.set_yticks(y, [as_text(shorten(name, longest_name)) for name in names])
        _make_room(ax, values)
        ax.set_ylim(-0.7, len(names) - 0.3)
        label = "log-odds of {} against {}".format(*map(as_text, self.pair))
        ax.set_xlabel(textwrap.fill(label, 60))
        total = float(self.values.sum() + self.base)
        p = 1 / (1 + np.exp(-np.clip(total, -700, 700)))
        return [f"row {self.row}: log-odds {total:+.2f}, probability {p:.1%} of the two"]

    def _bars(self, most: int) -> tuple[list[str], Floats]:
        """Names and values: the largest first, the smallest as one sum, the base last."""
        order = np.argsort(-np.abs(self.values), kind="stable")
        visible = int((np.abs(self.values) >= 0.005).sum())  # others would be written as 0.00
        most = max(1, min(most, visible))
        # One that is left over is shown by itself.
        most += len(order) == most + 1
        kept, rest = order[:most], order[most:]
        names = [self.names[j] for j in kept]
        values = self.values[kept].tolist()
        if len(rest):
            names.append(plural(len(rest), "other feature"))
            values.append(float(self.values[rest].sum()))
        return [*names, "before any feature"], np.array([*values, self.base])


def _make_room(ax: Any, values: Floats, share: float = 0.24) -> None:
    """Set limits that leave a share of the bars' range for the numbers at their ends."""
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
    room = share * ((high - low) or 1.0)
    ax.set_xlim(low - room * (low < 0), high + room * (high > 0))


def _row(X: Any, row: int) -> tuple[Any, list[Any], int]:
    """One row of a table in its own form, its values, and its number."""
    frame = as_frame(X)
    table: Any = plain(X) if frame is None else frame
    n = len(table)
    whole = isinstance(row, int | np.integer) and not isinstance(row, bool)
    if not whole or not -n <= row < n:
        raise InvalidParameter(f"there is no row {shown(row)}; X has {plural(n, 'row')}.")
    at = int(row) % n
    one = table[at : at + 1]
    if frame is None:
        return one, list(one[0]), at
    return one.to_native(), list(one.row(0)), at
