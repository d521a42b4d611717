"""Binary: the likelihood of zeros and ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Indices
from suffice.data.feature_rows import Features
from suffice.data.features import as_features, infinite
from suffice.data.parameters import as_float
from suffice.data.tables.levels import MISSING
from suffice.errors import InvalidFeatures, InvalidParameter
from suffice.models.categorical import Categorical
from suffice.models.discrete import DiscreteModel
from suffice.statistics.counts import Counts
from suffice.statistics.passes.count_pass import count_levels
from suffice.text import quote_names


@dataclass(frozen=True)
class Binary(Categorical):
    """Levels 0 and 1, in columns of numbers.

    binarize : values above count as 1; None if the columns hold 0 and 1 already
    """

    name = "binary"
    takes_levels = False
    least: Any = 2
    binarize: float | None = 0.0

    @property
    def reading(self) -> Any:
        """The threshold between zeros and ones."""
        return self.name, self.binarize

    def summarize(self, X: Any, y: Any, sample_weight: Any, detail: Any = None) -> Counts:
        """Counts of zeros and ones by class."""
        features = as_features(X)
        codes = self._codes(features)
        counts = count_levels(np.where(codes == MISSING, np.nan, codes), y, sample_weight)
        return replace(counts, feature_names=features.names)

    def check(self, statistics: Counts) -> None:
        """Raise unless all levels are 0 and 1."""
        super().check(statistics)
        for j, table in enumerate(statistics.tables):
            if not np.isin(table.levels, [0, 1]).all() or table.levels.dtype.kind not in "ib":
                raise InvalidParameter(
                    f"feature {j} of these counts has levels {quote_names(table.levels)}; a "
                    "BernoulliNB needs 0 and 1. Use a CategoricalNB."
                )

    def check_known(self, model: Any) -> None:
        """Raise ValueError unless the levels of a model are 0 and 1."""
        super().check_known(model)
        if not all(feature.levels.tolist() == [0, 1] for feature in model.features):
            raise ValueError("the levels are not 0 and 1")

    def check_table(self, X: Any) -> None:
        """Raise unless X is a table of numbers."""
        as_features(X)

    def read(self, X: Any, model: DiscreteModel) -> Indices:
        """Zeros and ones, (n, d); MISSING where a value is missing."""
        return self._codes(as_features(X))

    def write(self, rows: Array, model: DiscreteModel, like: Any = None) -> Array:
        """The zeros and ones themselves."""
        return rows

    def _codes(self, features: Features) -> Indices:
        values = features.read(0, features.shape[0])
        error = infinite(values, 0, features.names)
        if error is not None:
            raise error
        missing = np.isnan(values)
        if self.binarize is None:
            invalid = ~missing & (values != 0) & (values != 1)
            if invalid.any():
                i, j = (int(at[0]) for at in np.nonzero(invalid))
                name = j if features.names is None else repr(features.names[j])
                raise InvalidFeatures(
                    f"X holds {values[i, j]} in row {i}, column {name}; with binarize=None values "
                    "must be 0 or 1."
                )
            ones = values == 1
        else:
            ones = values > as_float(self.binarize)
        return np.where(missing, MISSING, ones.astype(np.int64))
