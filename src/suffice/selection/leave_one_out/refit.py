"""Refit: densities of a row under the model of all others, built anew for each row."""

from __future__ import annotations

import numpy as np

from suffice.data.arrays import Indices
from suffice.errors import TooFewRows
from suffice.models.gaussian import build
from suffice.models.settings import Settings
from suffice.selection.leave_one_out.densities import LeftOutDensities
from suffice.selection.leave_one_out.rows import LabelledRows
from suffice.statistics.summarize import summarize


def refit(
    rows: LabelledRows, at: Indices, detail: str, settings: Settings, out: LeftOutDensities
) -> None:
    """Write ln p(x | class) of some rows, each by a model of the others.

    Classes without a row left are given no density: their prior is zero.
    """
    for i in at.tolist():
        weights = None if rows.weights is None else np.delete(rows.weights, i)
        if len(rows) == 1 or (weights is not None and not weights.any()):
            raise TooFewRows(f"row {i} is the only one, so nothing is left to learn from.")
        try:
            rest = summarize(
                np.delete(rows.X, i, axis=0), np.delete(rows.codes, i), weights, detail
            )
            model = build(rest, settings, "uniform")
        except TooFewRows as error:
            raise TooFewRows(f"without row {i}: {error}") from None
        row = rows.X[i : i + 1]
        with np.errstate(all="ignore"):
            scores, joint = model.answer("scores", row)[0], model.answer("joint", row)[0]
        out.relative[i] = 0.0
        out.relative[i, model.classes] = scores + np.log(len(scores))
        out.base[i] = joint[0] - scores[0]
