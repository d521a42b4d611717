"""Columns: what an estimator knows of its features, where only statistics tell."""

from __future__ import annotations

from typing import Any

import numpy as np


def take_columns(estimator: Any, statistics: Any) -> None:
    """Set `n_features_in_` and `feature_names_in_` as statistics have them."""
    estimator.n_features_in_ = statistics.n_features
    if statistics.feature_names is not None:
        estimator.feature_names_in_ = np.array(statistics.feature_names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_
