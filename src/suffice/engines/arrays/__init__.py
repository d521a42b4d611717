"""Arrays of other libraries and devices: results are computed where the rows are.

Statistics are float64 whatever the type of the rows. Rows with missing values, and methods that are
not listed here, need the host: an error says so, since nothing is copied implicitly.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np

from suffice.engines.arrays import learning
from suffice.engines.arrays.answering import AnsweringRows
from suffice.engines.arrays.coded import Coded, fetch_input
from suffice.engines.arrays.exact_summary import summarize_exactly
from suffice.engines.arrays.rows import DeviceRows, host
from suffice.engines.arrays.space import Space
from suffice.engines.arrays.summary import summarize_coded
from suffice.errors import InvalidInput, NotOnDevice
from suffice.statistics.exact.exact_statistics import ExactStatistics
from suffice.statistics.exact.grid import Grid
from suffice.statistics.statistics import Statistics

LEARNING: dict[str, Callable[..., Any]] = {
    "fit": learning.fit,
    "partial_fit": learning.partial_fit,
    "forget": learning.forget,
}
# Methods of the estimators whose own bodies take rows on a device.
ANSWERS = {
    "predict",
    "predict_proba",
    "predict_log_proba",
    "predict_joint_log_proba",
    "score_samples",
    "decision_function",
    "discriminants",
    "log_odds",
    "log_likelihood_ratio",
    "log_likelihood",
    "score",
    "squared_mahalanobis",
    "whiten",
    "transform",
    "decide",
}


def summarize(
    X: Any,
    y: Any,
    sample_weight: Any,
    detail: str,
    target: str | None,
    columns: Any = None,
    grid: Grid | None = None,
) -> Statistics | ExactStatistics:
    """Statistics of rows on a device; large tables stay there until they are needed."""
    if target is not None:
        raise InvalidInput("target names the label column of a data frame; pass y beside X.")
    if columns is not None:
        raise InvalidInput("columns describes a data frame; of an array, pass X[:, ...].")
    rows = DeviceRows.of(X)
    with np.errstate(all="ignore"):
        coded = Coded.of(y, sample_weight, rows.shape[0], rows.space)
        if grid is not None:
            return summarize_exactly(rows, coded, detail, grid)
        return summarize_coded(rows, coded, detail)


def call(estimator: Any, method: str, X: Any, *args: Any, **kwargs: Any) -> Any:
    """What a method of an estimator returns for rows on a device, computed there."""
    here = getattr(estimator, "_takes_device_rows", False)
    if not here or method not in (ANSWERS | LEARNING.keys()):
        space, name = Space.of(X), type(estimator).__name__
        raise NotOnDevice(
            f"{f'{name}.{method}' if here else name} is not computed on arrays of {space}; "
            f"move the rows to the host: pass {host(space)}."
        )
    # Some libraries compute with NumPy; infinities are checked for afterwards, as everywhere.
    with np.errstate(all="ignore"):
        if method in LEARNING:
            return LEARNING[method](estimator, X, *args, **kwargs)
        rows, answer = DeviceRows.of(X), getattr(estimator, method)
        given = signature(answer).bind(X, *args, **kwargs).arguments
        # Labels, weights and costs may be on the device, too.
        others = {name: fetch_input(given[name], name, rows.space) for name in list(given)[1:]}
        return answer(AnsweringRows(rows), **others)
