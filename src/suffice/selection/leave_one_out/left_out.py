"""Leave-one-out: the predictions for each row of the model trained on all other rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.tables.labelled_table import LabelledTable
from suffice.html import html_table
from suffice.selection.leave_one_out.densities import LeftOutDensities, LeftOutPriors
from suffice.selection.leave_one_out.removal import blocks
from suffice.selection.metric_sums import MetricSums
from suffice.selection.metrics import METRICS
from suffice.text import plural


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """Predictions for each row of the model trained on all other rows.

    Scores weigh rows by their sample weight.

    Attributes
    ----------
    log_proba : (n, k) ln p(class | row)
    joint_log_proba : (n, k) ln p(row, class)
    codes : (n,) position of each row's own class in `classes`
    weights : (n,)
    classes : (k,)
    refitted : (m,) rows without a closed form, for each of which a model was built

    >>> import suffice as sf
    >>> X, y = [[0.0], [1.0], [2.0], [4.0], [5.0], [1.5]], [0, 0, 0, 1, 1, 1]
    >>> found = sf.LDA().fit(X, y).leave_one_out(X, y)
    >>> found.wrong, round(found.accuracy, 3), round(found.log_loss, 3)
    (array([2, 5]), 0.667, 1.74)
    """

    log_proba: Floats
    joint_log_proba: Floats
    codes: Indices
    weights: Floats
    classes: Array
    refitted: Indices

    @property
    def labels(self) -> Array:
        """The most probable class of each row, (n,)."""
        return np.asarray(self.classes[self.log_proba.argmax(axis=1)])

    @property
    def wrong(self) -> Indices:
        """Rows whose most probable class is not their own."""
        return np.flatnonzero(self.log_proba.argmax(axis=1) != self.codes)

    @property
    def impossible(self) -> Indices:
        """Rows whose own class has probability zero, usually the only ones of their class.

        Each makes the log-loss infinite.
        """
        return np.flatnonzero(np.isneginf(self.own_log_proba) & (self.weights > 0))

    @property
    def own_log_proba(self) -> Floats:
        """ln p(own class | row), (n,)."""
        return np.asarray(self.log_proba[np.arange(len(self.codes)), self.codes])

    @property
    def accuracy(self) -> float:
        """Share of the rows whose most probable class is their own."""
        return self._metric("accuracy")

    @property
    def log_loss(self) -> float:
        """Mean of -ln p(own class | row); infinite if any row is `impossible`."""
        return self._metric("log_loss")

    @property
    def brier(self) -> float:
        """Mean squared distance of the probabilities from 0 and 1; halved for two classes."""
        return self._metric("brier")

    @property
    def log_likelihood(self) -> float:
        """Sum of ln p(row, own class); unlike that of training rows, it needs no penalty."""
        own = self.joint_log_proba[np.arange(len(self.codes)), self.codes]
        counted = self.weights > 0
        return float(own[counted] @ self.weights[counted])

    def __repr__(self) -> str:
        return (
            f"<LeaveOneOut of {len(self.codes)} rows: accuracy {self.accuracy:.4g}, "
            f"log-loss {self.log_loss:.4g}>"
        )

    def _repr_html_(self) -> str:
        wrong = ", ".join(map(str, self.wrong[:20].tolist()))
        more = f" and {len(self.wrong) - 20} more" if len(self.wrong) > 20 else ""
        rows = [
            ["accuracy", f"{self.accuracy:.4f}"],
            ["log-loss", f"{self.log_loss:.4f}"],
            ["Brier score", f"{self.brier:.4f}"],
            ["wrong rows", f"{len(self.wrong):,}"],
        ]
        notes = [f"Wrong: {wrong}{more}."] if wrong else []
        caption = f"{plural(len(self.codes), 'row')}, each predicted from all others"
        return html_table([], rows, caption=caption, notes=notes)

    def _metric(self, name: str) -> float:
        sums = reduce(add, map(self._sums, blocks(*self.log_proba.shape)))
        return float(METRICS[name].values(sums)[0])

    def _sums(self, rows: slice) -> MetricSums:
        at = self.weights[rows] > 0  # zero times infinity is not a number
        scores = np.array(self.log_proba[rows][at].T[None])
        return MetricSums.of(scores, self.codes[rows][at], self.weights[rows][at])


def predictions(densities: LeftOutDensities, priors: Any, table: LabelledTable) -> LeaveOneOut:
    """The predictions from densities, which are overwritten, and priors."""
    joint = np.empty_like(densities.relative)
    log_proba = densities.posterior(LeftOutPriors.of(priors, table), joint)
    refitted = np.flatnonzero(densities.doubtful)
    return LeaveOneOut(log_proba, joint, table.codes, table.weight, table.classes, refitted)
