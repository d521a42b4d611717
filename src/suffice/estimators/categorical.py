"""Naive Bayes of categorical features."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from suffice.answers import discrete as _answers  # noqa: F401 - registers them
from suffice.data.arrays import Array, Floats, Indices
from suffice.data.labels import shown, string_array
from suffice.data.levels import UNSEEN, columns_of, levels_of
from suffice.data.parameters import flag
from suffice.errors import InvalidParameter
from suffice.estimators.discrete_classifier import DiscreteClassifier
from suffice.estimators.outline import Outline
from suffice.estimators.sklearn_parameters import smallest_alpha
from suffice.estimators.state import at_once
from suffice.models.discrete import MOST_LEVELS, DiscreteModel, Smoothing
from suffice.statistics.count_pass import column_ranges, count_levels, is_large_integers
from suffice.statistics.counts import Counts


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

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        min_categories: Any = None,
        levels: Any = None,
        priors: Any = None,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.min_categories = min_categories
        self.levels = levels
        self.priors = priors

    # As in scikit-learn, whose checks call a decision function with arbitrary numbers.
    # `discriminants` and `log_odds` give the same information.
    _decides = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.positive_only = True
        tags.input_tags.string = True
        return tags

    def _settings(self) -> Smoothing:
        flag("fit_prior", self.fit_prior)
        return Smoothing.checked(
            smallest_alpha(self.alpha, self.force_alpha),
            _levels(self.levels),
            _least(self.min_categories),
        )

    def _check_fitting(self, statistics: Counts, settings: Smoothing) -> None:
        super()._check_fitting(statistics, settings)
        d = statistics.n_features
        if settings.levels is not None and len(settings.levels) != d:
            raise InvalidParameter(f"levels has {len(settings.levels)} lists for {d} features.")
        if np.ndim(settings.least) == 1 and len(settings.least) != d:
            raise InvalidParameter(
                f"min_categories has {len(settings.least)} numbers for {d} features."
            )

    def _made(self, statistics: Counts, settings: Smoothing, priors: Any) -> DiscreteModel:
        self._check_fitting(statistics, settings)
        return super()._made(statistics, settings, priors)

    def _summarize(
        self, X: Any, y: Any, sample_weight: Any, settings: Smoothing, like: Outline | None
    ) -> Counts:
        return count_levels(X, y, sample_weight)

    def _check_table(self, X: Any) -> None:
        columns_of(X)

    def _rows(self, X: Any) -> Array:
        features = self._fitted.features
        plain = all(
            f.levels.dtype.kind == "i" and len(f.levels) and f.levels[-1] == len(f.levels) - 1
            for f in features
        )
        if plain and is_large_integers(X) and not hasattr(self, "feature_names_in_"):
            self._check_width(X.shape[1])
            if (column_ranges(X)[0] < 0).any():
                columns_of(X)  # raises an error that names the row and the column
            return np.asarray(X)
        columns, _ = columns_of(X)
        self._check_columns(X)
        return np.stack(
            [column.among(f.levels) for column, f in zip(columns, features, strict=True)], axis=1
        )

    def _parse_row(self, row: Array) -> Indices:
        columns, _ = columns_of(row)
        pairs = zip(columns, self._fitted.features, strict=True)
        codes = np.stack([column.among(f.levels) for column, f in pairs], axis=1)
        if (codes == UNSEEN).any():
            j = int(np.nonzero(codes == UNSEEN)[1][0])
            raise InvalidParameter(
                f"given: {shown(row[0, j])} is not a level of feature {self._feature_names()[j]!r}."
            )
        return codes

    def _restore(self, rows: Indices, like: Any = None) -> Array:
        given = None if like is None else columns_of(like)[0]
        columns = [
            levels_of(rows[:, j], f.levels, None if given is None else given[j])
            for j, f in enumerate(self._fitted.features)
        ]
        kinds = {column.dtype.kind for column in columns}
        return np.stack([c if len(kinds) == 1 else c.astype(object) for c in columns], axis=1)

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
