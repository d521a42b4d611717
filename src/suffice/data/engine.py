"""Engine: the module that works on rows on a cluster or on another device."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, Protocol, cast

import numpy as np

# Engines by the package of the type of the rows. Named, not imported: an engine builds on the
# layers that look it up here.
ENGINES = {
    "dask": "suffice.engines.dask",
    "pyspark": "suffice.engines.spark",
    "torch": "suffice.engines.arrays",
    "cupy": "suffice.engines.arrays",
    "jax": "suffice.engines.arrays",
    "jaxlib": "suffice.engines.arrays",
    "array_api_strict": "suffice.engines.arrays",
}


class Engine(Protocol):
    """A module with these functions."""

    def summarize(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        detail: str,
        target: str | None,
        columns: Any,
        grid: Any,
    ) -> Any:
        """What `suffice.summarize` returns for such rows.

        columns : the layout of their columns, if the user has described them
        grid : the grid to which values are rounded, if any
        """
        ...

    def call(self, estimator: Any, method: str, X: Any, *args: Any, **kwargs: Any) -> Any:
        """What a method of an estimator returns for such rows."""
        ...


def engine_of(X: Any) -> Engine | None:
    """The engine for rows of this type; None where they are in memory.

    >>> engine_of(np.zeros((2, 2))) is None
    True
    """
    if type(X) is np.ndarray:
        return None
    one = X[0] if type(X) is list and X else X  # a list of partitions lies where they lie
    return _engine(type(one).__module__.partition(".")[0])


@cache
def _engine(package: str) -> Engine | None:
    return cast(Engine, import_module(ENGINES[package])) if package in ENGINES else None
