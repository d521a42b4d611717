"""Comparison: models of several kinds side by side, in numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.selection.selection import Selection, aligned
from suffice.selection.tally import METRICS


@dataclass(frozen=True, slots=True)
class Curve:
    """Mean log-loss and accuracy of each model by number of training rows."""

    rows: tuple[int, ...]
    log_loss: Floats  # (models, sizes)
    accuracy: Floats  # (models, sizes)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Models side by side; made by `suffice.compare`.

    Attributes
    ----------
    names : of the models
    selection : their cross-validated scores, see `Selection`
    training_log_loss : of the rows they were fitted to: what logistic regression minimises
    log_likelihood : joint, of the same rows: what the Gaussian family maximises; NaN for a model
        without a density
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
    curve: Curve
    models: tuple[Any, ...] = field(default=(), compare=False, repr=False)

    @property
    def table(self) -> dict[str, Array]:
        """A column a quantity and a row a model; `pandas.DataFrame` makes a frame of it."""
        scores = {
            name: values
            for name, values in self.selection.table.items()
            if name.removesuffix("_se") in METRICS
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

    def __str__(self) -> str:
        table, few = self.table, self.curve.rows[0]
        head = ["", "accuracy", "log-loss", "Brier", "calib.", "outliers", f"{few} rows"]
        head += ["training", "ln p(x, y)", "params", "BIC", "fit ms"]
        lines = [head]
        for i in np.argsort(table["log_loss"], kind="stable").tolist():
            loss = f"{table['log_loss'][i]:.4f} ± {table['log_loss_se'][i]:.4f}"
            lines.append(
                [
                    self.names[i],
                    f"{table['accuracy'][i]:.4f}",
                    loss,
                    f"{table['brier'][i]:.4f}",
                    f"{table['calibration_error'][i]:.4f}",
                    f"{table['log_loss_with_outliers'][i]:.4f}",
                    f"{self.curve.log_loss[i, 0]:.4f}",
                    f"{self.training_log_loss[i]:.4f}",
                    _number(self.log_likelihood[i], ".1f"),
                    _number(self.parameters[i], "g"),
                    _number(self.bic[i], ".1f"),
                    f"{1e3 * self.fit_seconds[i]:.1f}",
                ]
            )
        return "\n".join([*aligned(lines), *self.selection.notes])


def _number(value: float, kind: str) -> str:
    return "-" if np.isnan(value) else format(value, kind)
