"""Contributions: how much each feature of a row speaks for one class against another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from suffice.answers.contributions import Contributions
from suffice.data.arrays import Floats
from suffice.data.features import as_frame
from suffice.data.labels import shown
from suffice.data.missing import is_missing
from suffice.errors import InvalidParameter
from suffice.plots.columns import plain
from suffice.plots.display import Display, canvas, counted, legend
from suffice.plots.plane import feature_names
from suffice.plots.style import Style, as_text, ink

# Beyond the longest bars there is this share of the bars' span, for the numbers written there.
ROOM = 0.24


@dataclass(eq=False)
class ContributionsDisplay(Display):
    """The log-odds of two classes for one row, as a sum of bars.

    names : of the features, with their values
    values : (d,) what each adds to the log-odds
    base : what is there before any feature
    pair : the two classes; positive bars speak for the first
    codes : their positions among the classes, by which they are coloured

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
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        row: int = 0,
        *,
        a: Any = None,
        b: Any = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """One row of X; options as for `plot`.

        a, b : the classes; by default the row's most probable one against the next
        """
        if not hasattr(model, "contributions"):
            raise InvalidParameter(
                f"the log-odds of a {type(model).__name__} are no sum over features; they are for "
                "Gaussian and naive Bayes models."
            )
        one, values, at = _row(X, row)
        classes = list(np.asarray(model.classes_).tolist())
        if a is None and b is None and len(classes) > 1:
            order = np.argsort(-model.discriminants(one)[0], kind="stable")
            a, b = classes[order[0]], classes[order[1]]
        found: Contributions = model.contributions(one, a, b)
        names = [
            f"{name} = {_brief(value)}"
            for name, value in zip(feature_names(model, X), values, strict=True)
        ]
        codes = (classes.index(found.classes[0]), classes.index(found.classes[1]))
        base = float(found.base[0])
        return cls(names, found.values[0], base, found.classes, codes, at).plot(ax, **options)

    def plot(
        self, ax: Any = None, *, title: str | None = None, most: int = 12, **bars: Any
    ) -> Self:
        """Draw on `ax`, or on a new figure; more options go to the bars.

        most : features with a bar of their own; the others share one
        """
        names, values = self._shortened(most)
        ax = canvas(ax, (7.5, 0.36 * len(names) + 1.6))
        y = np.arange(len(names))[::-1]
        for side, (label, code) in enumerate(zip(self.pair, self.codes, strict=True)):
            mine = values >= 0 if side == 0 else values < 0
            # Hatching tells the sides apart where colours do not.
            look = {"color": Style.of(code).colour, "edgecolor": ink(ax), "linewidth": 0.6}
            look |= {"hatch": "//" if side else None, "label": f"for {as_text(label)}", **bars}
            ax.barh(y[mine], values[mine], **look)
        ax.axvline(0, color=ink(ax), linewidth=1)
        self._write(ax, y, values)
        ax.set_yticks(y, list(map(as_text, names)))
        _make_room(ax, values)
        ax.set_ylim(-0.7, len(names) - 0.3)
        ax.set_xlabel("log-odds of {} against {}".format(*map(as_text, self.pair)))
        legend(ax)
        total = float(self.values.sum() + self.base)
        sure = 1 / (1 + np.exp(-np.clip(total, -700, 700)))
        told = f"row {self.row}: log-odds {total:+.2f}, probability {sure:.1%} of the two"
        self._drawn(ax, title, [told])
        return self

    def _shortened(self, most: int) -> tuple[list[str], Floats]:
        """Bars from the largest on, those of little weight together, the base last."""
        order = np.argsort(-np.abs(self.values), kind="stable")
        kept, rest = (order, order[:0]) if len(order) <= most else (order[:most], order[most:])
        names = [self.names[j] for j in kept]
        values = self.values[kept].tolist()
        if len(rest):
            names.append(f"{counted(len(rest), 'other feature')}")
            values.append(float(self.values[rest].sum()))
        return [*names, "before any feature"], np.array([*values, self.base])

    def _write(self, ax: Any, y: Any, values: Floats) -> None:
        for at, value in zip(y.tolist(), values.tolist(), strict=True):
            ax.annotate(
                f"{value:+.2f}",
                (value, at),
                (4 if value >= 0 else -4, 0),
                textcoords="offset points",
                ha="left" if value >= 0 else "right",
                va="center",
                fontsize="small",
                color=ink(ax),
            )


def _make_room(ax: Any, values: Floats) -> None:
    """Limits that leave room for the numbers at the ends of the bars."""
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
    room = ROOM * ((high - low) or 1.0)
    ax.set_xlim(low - room * (low < 0), high + room * (high > 0))


def _row(X: Any, row: int) -> tuple[Any, list[Any], int]:
    """One row of a table in its own form, its values, and its number."""
    frame = None if isinstance(X, np.ndarray) else as_frame(X)
    table: Any = plain(X) if frame is None else frame
    n = len(table)
    whole = isinstance(row, int | np.integer) and not isinstance(row, bool)
    if not whole or not -n <= row < n:
        raise InvalidParameter(f"there is no row {shown(row)}; X has {counted(n, 'row')}.")
    at = int(row) % n
    one = table[at : at + 1]
    if frame is None:
        return one, list(one[0]), at
    return one.to_native(), list(one.row(0)), at


def _brief(value: Any) -> str:
    if is_missing(value):
        return "?"
    return f"{value:.4g}" if isinstance(value, float | np.floating) else str(value)
