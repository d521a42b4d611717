"""Comparison: the scores of several kinds of models side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.html import html_table
from suffice.selection.metrics import metric_named
from suffice.selection.selection import BASELINE, SHOWN, Selection, format_score
from suffice.text import align_columns


@dataclass(frozen=True, slots=True)
class LearningCurve:
    """Mean log-loss and accuracy of each model by number of training rows, over the folds.

    log_loss_se, accuracy_se : their standard errors
    """

    rows: tuple[int, ...]
    log_loss: Floats  # (models, sizes)
    accuracy: Floats  # (models, sizes)
    log_loss_se: Floats
    accuracy_se: Floats


@dataclass(frozen=True, slots=True, repr=False)
class Comparison:
    """Models side by side, the result of `suffice.compare`.

    Attributes
    ----------
    names : of the models
    selection : their cross-validated scores, see `Selection`
    training_log_loss : of the training rows: what logistic regression minimises
    log_likelihood : joint, of the training rows: what the Gaussian family maximises; NaN for a
        model without a density
    parameters, bic, fit_seconds : of the fit to all rows
    spoilt : cross-validated scores when some training rows are outliers
    curve : scores by number of training rows
    models : the models, fitted to all rows

    >>> import suffice as sf
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> found = sf.compare(X, y, {"LDA": sf.LDA(), "QDA": sf.QDA()})
    >>> found.names, found.table["accuracy"].round(2)
    (('LDA', 'QDA'), array([0.98, 0.97]))
    """

    names: tuple[str, ...]
    selection: Selection
    training_log_loss: Floats
    log_likelihood: Floats
    parameters: Floats
    bic: Floats
    fit_seconds: Floats
    spoilt: Mapping[str, Floats]
    curve: LearningCurve
    models: tuple[Any, ...] = field(default=(), compare=False, repr=False)

    @property
    def table(self) -> dict[str, Array]:
        """One column per quantity and one row per model; `pandas.DataFrame` takes it."""
        scores = {
            name: values
            for name, values in self.selection.table.items()
            if name.removesuffix("_se") in self.selection.scores
        }
        return {
            "name": np.array(self.names),
            **scores,
            **{f"{name}_with_outliers": values for name, values in self.spoilt.items()},
            f"log_loss_of_{self.curve.rows[0]}_rows": self.curve.log_loss[:, 0],
            "training_log_loss": self.training_log_loss,
            "log_likelihood": self.log_likelihood,
            "parameters": self.parameters,
            "bic": self.bic,
            "fit_seconds": self.fit_seconds,
        }

    @property
    def order(self) -> list[int]:
        """Positions of the models, the best by the metric of the selection first."""
        metric = self.selection.metric
        loss = metric_named(metric).loss(self.selection.table[metric])
        return [int(i) for i in np.argsort(loss, kind="stable")]

    def __str__(self) -> str:
        return "\n".join([*align_columns(self._lines()), *self.selection.notes])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head, *rows = self._lines()
        return html_table(head, rows, notes=self.selection.notes)

    def _lines(self) -> list[list[str]]:
        table, deciding = self.table, self.selection.metric
        shown = dict.fromkeys([deciding, *SHOWN])
        scores = {metric_named(name).heading: (table[name], ".4f") for name in shown}
        columns = {
            **scores,
            "outliers": (table["log_loss_with_outliers"], ".4f"),
            f"{self.curve.rows[0]} rows": (self.curve.log_loss[:, 0], ".4f"),
            "training": (self.training_log_loss, ".4f"),
            "ln p(x, y)": (self.log_likelihood, ".1f"),
            "params": (self.parameters, "g"),
            "BIC": (self.bic, ".1f"),
            "fit ms": (1e3 * self.fit_seconds, ".1f"),
        }
        lines = [["", *columns]]
        for i in self.order:
            cells = {name: _cell(values[i], kind) for name, (values, kind) in columns.items()}
            cells[metric_named(deciding).heading] += f" ± {table[f'{deciding}_se'][i]:.4f}"
            lines.append([self.names[i], *cells.values()])
        without = [format_score(self.selection.baseline[name]) for name in shown]
        lines.append([BASELINE, *without, *[""] * (len(columns) - len(without))])
        return lines


def _cell(value: float, kind: str) -> str:
    return "-" if np.isnan(value) else format(value, kind)
