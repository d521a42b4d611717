"""Naive Bayes of categorical features."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.labels import string_array
from suffice.data.parameters import flag
from suffice.data.tables.levels import UNSEEN
from suffice.errors import InvalidParameter
from suffice.estimators.naive_bayes import DiscreteClassifier
from suffice.estimators.sklearn_parameters import smallest_alpha
from suffice.estimators.state import at_once
from suffice.models.categorical import MOST_LEVELS, Categorical
from suffice.models.known_classes import KnownClasses
from suffice.models.known_levels import known_levels, read_tables
from suffice.statistics.mixed import level_counts
from suffice.statistics.table_statistics import TableStatistics
from suffice.text import shown


@dataclass(eq=False, repr=False, kw_only=True)
class CategoricalNB(DiscreteClassifier):
    """Naive Bayes of categorical features: integers from 0, booleans, strings or categories.

    P(level | class) = (rows of it + alpha) / (rows + alpha levels). None, NaN or null is a missing
    value, which is ignored. A level (category) never seen in training counts as one without rows.
    Levels that the type of a column declares (a pandas Categorical, a polars Enum, an Arrow
    dictionary) count even if no row has them.

    Parameters
    ----------
    alpha : rows added to every level: one number, one per feature, or "auto", for each feature the
        value under which its counts are most probable
    force_alpha : False raises an alpha below 1e-10 to that, with a warning
    priors : see `GaussianDiscriminant`; or, as in scikit-learn, fit_prior and class_prior
    min_categories : smallest number of levels of integer features, one number or one per feature
    levels : the levels of each feature, if there are more than in the rows

    Attributes
    ----------
    classes_, priors_, statistics_, n_features_in_, feature_names_in_; levels_ : of each feature;
    feature_log_prob_, category_count_, n_categories_, class_log_prior_, class_count_ :
        scikit-learn's

    >>> from suffice import CategoricalNB
    >>> X = [["red", "small"], ["blue", "small"], ["red", "large"], ["blue", "large"]]
    >>> model = CategoricalNB().fit(X, ["cherry", "plum", "apple", "plum"])
    >>> model.predict([["red", "small"], ["green", None]])
    array(['cherry', 'plum'], dtype='<U6')
    """

    alpha: Any = 1.0
    force_alpha: bool = True
    fit_prior: bool = True
    class_prior: Any = None
    min_categories: Any = None
    levels: Any = None
    priors: Any = None

    # As in scikit-learn, whose checks call a decision function with arbitrary numbers.
    # `discriminants` and `log_odds` give the same information.
    _decides = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.positive_only = True
        tags.input_tags.string = True
        return tags

    def fit_statistics(self, statistics: Any) -> Self:
        """Build the model from counts, or from statistics of a table whose columns are levels."""
        if isinstance(statistics, TableStatistics):
            numeric = statistics.reader.numeric_names
            if numeric:
                raise InvalidParameter(
                    f"CategoricalNB takes levels, but {numeric[0]!r} is numeric; use MixedNB."
                )
            statistics = level_counts(statistics)
        return super().fit_statistics(statistics)

    @classmethod
    def from_parameters(
        cls,
        probabilities: Any,
        priors: Any = None,
        classes: Any = None,
        feature_names: Any = None,
        levels: Any = None,
    ) -> Self:
        """The classifier with these probabilities, without rows; other levels are ignored.

        probabilities : P(level | class): one table per feature, (k, m), one row per class
        priors, classes, feature_names : see `GaussianDiscriminant.from_parameters`
        levels : the levels of each feature, in the order of the columns; 0, 1, ... if None

        >>> from suffice import CategoricalNB
        >>> colours, sizes = [[0.5, 0.5], [0.1, 0.9]], [[0.3, 0.7], [0.6, 0.4]]
        >>> levels = [["red", "blue"], ["small", "large"]]
        >>> model = CategoricalNB.from_parameters(
        ...     [colours, sizes], classes=["cherry", "plum"], levels=levels
        ... )
        >>> model.predict_proba([["red", "large"]]).round(4)
        array([[0.8974, 0.1026]])
        """
        tables = read_tables(probabilities)
        known = KnownClasses.read(classes, len(tables[0]))
        widths = [table.shape[1] for table in tables]
        by_feature = [np.arange(m) for m in widths] if levels is None else _ordered(levels, widths)
        model = known_levels(by_feature, tables, known, priors)
        estimator = cls(priors=known.in_order(priors), levels=levels)
        return estimator._hold_known(model, feature_names)

    def _settings(self) -> Categorical:
        flag("fit_prior", self.fit_prior)
        return Categorical.checked(
            smallest_alpha(self.alpha, self.force_alpha),
            levels=_levels(self.levels),
            least=_least(self.min_categories),
        )

    def _parse_row(self, row: Array) -> Indices:
        codes: Indices = super()._parse_row(row)
        if (codes == UNSEEN).any():
            j = int(np.nonzero(codes == UNSEEN)[1][0])
            raise InvalidParameter(
                f"given: {shown(row[0, j])} is not a level of feature {self._feature_names()[j]!r}."
            )
        return codes

    @property
    def levels_(self) -> list[Array]:
        """The levels of each feature."""
        return [feature.levels for feature in self._fitted.features]

    @property
    def n_categories_(self) -> Indices:
        """Number of levels of each feature (scikit-learn's name)."""
        return self._fitted.sizes

    @property
    def feature_log_prob_(self) -> list[Floats]:
        """ln P(level | class) of each feature, (k, m) each (scikit-learn's name)."""
        return [feature.log_probabilities for feature in self._fitted.features]

    @property
    @at_once
    def category_count_(self) -> list[Floats]:
        """Weight of each level by class, (k, m) each (scikit-learn's name)."""
        pairs = zip(self._fitted_statistics.tables, self.levels_, strict=True)
        return [
            table.spread(slice(None), len(table.rows), levels).weight for table, levels in pairs
        ]


def _levels(levels: Any) -> tuple[Array | None, ...] | None:
    if levels is None:
        return None
    if isinstance(levels, str | Mapping) or not isinstance(levels, Iterable):
        raise InvalidParameter(
            f"levels is {shown(levels)}; it must be a list of levels for each feature, in "
            "their order."
        )
    return tuple(None if own is None else _level_list(j, own) for j, own in enumerate(levels))


def _ordered(levels: Any, widths: list[int]) -> list[Array]:
    """The levels of each feature in the order given, as many as there are probabilities."""
    lists = _levels(levels) or ()
    if len(lists) != len(widths):
        raise InvalidParameter(f"levels has {len(lists)} lists for {len(widths)} features.")
    for j, (own, width) in enumerate(zip(lists, widths, strict=True)):
        if own is None or len(own) != width or len(levels[j]) != width:
            n = 0 if own is None else len(own)
            raise InvalidParameter(
                f"levels of feature {j} are {n} different values, but it has {width} "
                "probabilities per class."
            )
    return [np.array(list(given), own.dtype) for given, own in zip(levels, lists, strict=True)]  # type: ignore[union-attr]


def _level_list(j: int, own: Any) -> Array:
    values = list(own) if isinstance(own, Iterable) and not isinstance(own, str) else []
    values = [value.item() if isinstance(value, np.generic) else value for value in values]
    kinds = {type(value) for value in values}
    numbers = bool(kinds) and kinds <= {int, float} and bool(np.isfinite(values).all())
    if not numbers and kinds not in ({str}, {bool}):
        raise InvalidParameter(
            f"levels of feature {j} are {shown(own)}; they must be a list of strings, of numbers "
            "or of booleans."
        )
    if kinds == {str}:
        return np.unique(string_array(values, f"levels of feature {j}", InvalidParameter))
    return np.unique(np.array(values))


def _least(min_categories: Any) -> Any:
    if min_categories is None:
        return 0
    try:
        values = np.array(min_categories)
    except ValueError:
        values = np.empty((0, 0))
    if values.dtype.kind not in "iu" or values.ndim > 1 or (values < 0).any():
        raise InvalidParameter(
            f"min_categories is {shown(min_categories)}; it must be an integer, or one "
            "integer per feature."
        )
    if (values > MOST_LEVELS).any():
        raise InvalidParameter(
            f"min_categories is {shown(min_categories)}; an integer feature has at most "
            f"{MOST_LEVELS:,} levels. List the levels of rare large numbers with `levels`."
        )
    return values
