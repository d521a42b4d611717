"""Output: probabilities as data frames, for those who ask for them by `set_output`."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Self, TypeVar, cast

import numpy as np

from suffice.data.parameters import choice
from suffice.data.tables.frame_output import label_frame

Method = TypeVar("Method", bound=Callable[..., Any])
Anyone = TypeVar("Anyone")

OUTPUTS = ("default", "pandas", "polars", "pyarrow", "input")


class FrameOutput:
    """An estimator whose probabilities may come as data frames."""

    def set_output(self, *, transform: str | None = None, predict_proba: str | None = None) -> Self:
        """Choose the kind of table that `predict_proba` returns.

        predict_proba : "pandas", "polars" or "pyarrow", for a data frame with one column per
            class (and the index of X, in pandas); "input", for the kind of data frame that X is;
            "default", for an array; None, for no change
        transform : the same as in scikit-learn; for a model without `transform`, another name of
            predict_proba

        >>> import pandas as pd
        >>> import suffice as sf
        >>> X = pd.DataFrame({"size": [1.0, 1.3, 2.8, 3.3]}, index=list("abcd"))
        >>> model = sf.GaussianNB().set_output(predict_proba="pandas")
        >>> model.fit(X, ["cherry", "cherry", "plum", "plum"]).predict_proba(X).round(2)
           cherry  plum
        a     1.0   0.0
        b     1.0   0.0
        c     0.0   1.0
        d     0.0   1.0
        """
        if transform is not None and predict_proba is None:
            predict_proba = transform
        return keep_output(self, predict_proba)


def keep_output(estimator: Anyone, kind: str | None) -> Anyone:
    """The estimator, whose probabilities are of this kind from now on."""
    if kind is not None:
        choice("predict_proba", kind, OUTPUTS)
        # Where scikit-learn keeps that of `transform`, so that clones have it, too.
        config = getattr(estimator, "_sklearn_output_config", {})
        own = {**config, "predict_proba": kind}
        estimator._sklearn_output_config = own  # type: ignore[attr-defined]
    return estimator


def framed(method: Method) -> Method:
    """A method that returns one column per class, as a data frame if one was asked for."""

    @wraps(method)
    def answer(self: Any, X: Any) -> Any:
        values = method(self, X)
        kind = getattr(self, "_sklearn_output_config", {}).get("predict_proba", "default")
        if kind == "default" or not isinstance(values, np.ndarray):
            return values
        return label_frame(values, self.classes_, X, None if kind == "input" else kind)

    return cast(Method, answer)
