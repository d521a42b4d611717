"""Arrays of other libraries and devices: results are computed where the rows lie.

Statistics are taken in float64 whatever comes in. Rows with missing values, and the answers that
are not listed here, are left to the host; an error says so, and nothing is copied unasked.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.engines.arrays import answering, learning
from suffice.engines.arrays.coded import Coded
from suffice.engines.arrays.rows import DeviceRows, host
from suffice.engines.arrays.space import Space
from suffice.engines.arrays.summary import summed
from suffice.errors import InvalidInput, NotOnDevice
from suffice.estimators.gaussian_classifier import GaussianClassifier
from suffice.statistics.statistics import Statistics

METHODS = {
    function.__name__: function
    for function in (
        learning.fit,
        learning.partial_fit,
        learning.forget,
        answering.predict,
        answering.predict_proba,
        answering.predict_log_proba,
        answering.predict_joint_log_proba,
        answering.score_samples,
        answering.discriminants,
        answering.decision_function,
        answering.log_odds,
        answering.log_likelihood_ratio,
        answering.log_likelihood,
        answering.score,
        answering.squared_mahalanobis,
        answering.whiten,
        answering.transform,
        answering.decide,
    )
}


def summarize(X: Any, y: Any, sample_weight: Any, detail: str, target: str | None) -> Statistics:
    """Statistics of rows on a device; large tables of them stay there until they are asked for."""
    if target is not None:
        raise InvalidInput("target names the label column of a data frame; pass y beside X.")
    rows = DeviceRows.of(X)
    with np.errstate(all="ignore"):
        return summed(rows, Coded.of(y, sample_weight, rows.shape[0], rows.space), detail)


def call(estimator: Any, method: str, X: Any, *args: Any, **kwargs: Any) -> Any:
    """What a method of an estimator returns for rows on a device, computed there."""
    kind, plain = type(estimator), GaussianClassifier
    gaussian = getattr(kind, "_made", None) is plain._made and kind._seen is plain._seen
    if not gaussian or method not in METHODS:
        space, name = Space.of(X), type(estimator).__name__
        raise NotOnDevice(
            f"{f'{name}.{method}' if gaussian else name} is not computed on arrays of {space}; "
            f"move the rows to the host: pass {host(space)}."
        )
    # Some libraries compute with NumPy: infinities are looked for afterwards, as everywhere.
    with np.errstate(all="ignore"):
        return METHODS[method](estimator, X, *args, **kwargs)
