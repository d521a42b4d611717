"""Naive Bayes of discrete features: binary ones, and any levels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np

from suffice.answers import discrete as _answers  # noqa: F401 - registers them
from suffice.answers.rarity import Rarity
from suffice.data.arrays import Array, Floats, Indices
from suffice.data.features import Features, as_features, infinite
from suffice.data.levels import MISSING, UNSEEN, columns_of, levels_of
from suffice.errors import InvalidFeatures, InvalidParameter
from suffice.estimators.learning import Learner
from suffice.models.discrete import DiscreteModel, Smoothing, alphas, build_discrete, used_alphas
from suffice.statistics.count_pass import column_ranges, count_levels, is_large_integers
from suffice.statistics.counts import Counts
from suffice.statistics.statistics import listed


class DiscreteClassifier(Learner[DiscreteModel]):
    """Fit, update, forget and predict with counts; subclasses say what the columns hold."""

    alpha: Any
    fit_prior: bool
    class_prior: Any
    statistics_: Counts
    _built_with: Smoothing
    _takes = "what suffice.count_levels returns"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Measurements are not what it is for.
        tags.classifier_tags.poor_score = True
        return tags

    def _priors(self) -> Any:
        if self.priors is not None:
            return self.priors
        if self.class_prior is not None:
            return self.class_prior
        return None if self.fit_prior else "uniform"

    def with_priors(self, priors: Any) -> Self:
        """The same class densities under other priors, as a new classifier."""
        other = super().with_priors(priors)
        # What the parameters say of priors is now said by `priors` alone.
        other.fit_prior, other.class_prior = True, None
        return other

    def _is_statistics(self, statistics: Any) -> bool:
        return isinstance(statistics, Counts)

    def _made(self, statistics: Counts, settings: Smoothing) -> DiscreteModel:
        return build_discrete(statistics, settings, self._priors())

    def _check_fitting(self, statistics: Counts, settings: Smoothing) -> None:
        alphas(settings.alpha, statistics.n_features)

    def _check_finite(self, rows: Any) -> None:
        """Codes are always finite."""

    def _new_atypicality(self) -> Any:
        return Rarity(self._fitted, lambda rows: rows == MISSING, _masked)

    @property
    def alpha_(self) -> Floats:
        """Rows added to every level of each feature, (d,): as given or found."""
        return used_alphas(self._fitted_statistics, self._built_with)

    @property
    def class_log_prior_(self) -> Floats:
        """Log prior of each class (scikit-learn's name)."""
        return self._fitted.log_priors

    @property
    def class_count_(self) -> Floats:
        """Weight of each class (scikit-learn's name)."""
        return np.asarray(self._fitted_statistics.weight)


class CategoricalNB(DiscreteClassifier):
    """Naive Bayes of features with levels: integers from 0, booleans, strings or categories.

    P(level | class) = (rows of it + alpha) / (rows + alpha levels). None, NaN or null is a missing
    value, which says nothing. A level never seen in training counts as one without a row.

    Parameters
    ----------
    alpha : rows added to every level, one number or one a feature; or "auto", for each feature the
        one under which its counts are most probable
    priors : see `GaussianDiscriminant`; or, as in scikit-learn, fit_prior and class_prior
    min_categories : the fewest levels of a feature of integers, one number or one a feature
    levels : the levels of each feature, if more than the rows show

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
        fit_prior: bool = True,
        class_prior: Any = None,
        min_categories: Any = None,
        levels: Any = None,
        priors: Any = None,
    ) -> None:
        self.alpha = alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.min_categories = min_categories
        self.levels = levels
        self.priors = priors

    # As in scikit-learn: its checks ask a decision function for rows of any numbers.
    # `discriminants` and `log_odds` say the same.
    _decides = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.positive_only = True
        tags.input_tags.string = True
        return tags

    def _settings(self) -> Smoothing:
        return Smoothing(self.alpha, _levels(self.levels), _least(self.min_categories))

    def _check_fitting(self, statistics: Counts, settings: Smoothing) -> None:
        super()._check_fitting(statistics, settings)
        d = statistics.n_features
        if settings.levels is not None and len(settings.levels) != d:
            raise InvalidParameter(f"levels has {len(settings.levels)} lists for {d} features.")
        if np.ndim(settings.least) == 1 and len(settings.least) != d:
            raise InvalidParameter(
                f"min_categories has {len(settings.least)} numbers for {d} features."
            )

    def _made(self, statistics: Counts, settings: Smoothing) -> DiscreteModel:
        self._check_fitting(statistics, settings)
        return super()._made(statistics, settings)

    def _summarize(
        self, X: Any, y: Any, sample_weight: Any, settings: Smoothing, like: Counts | None
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
                columns_of(X)  # names the row and the column
            return np.asarray(X)
        columns, _ = columns_of(X)
        self._check_columns(X)
        return np.stack(
            [column.among(f.levels) for column, f in zip(columns, features, strict=True)], axis=1
        )

    def _known_row(self, row: Array) -> Indices:
        columns, _ = columns_of(row)
        pairs = zip(columns, self._fitted.features, strict=True)
        codes = np.stack([column.among(f.levels) for column, f in pairs], axis=1)
        if (codes == UNSEEN).any():
            j = int(np.nonzero(codes == UNSEEN)[1][0])
            raise InvalidParameter(
                f"given: {row[0, j]!r} is no level of feature {self._feature_names()[j]!r}."
            )
        return codes

    def _restored(self, rows: Indices, like: Any = None) -> Array:
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
        """How many levels each feature has (scikit-learn's name)."""
        return self._fitted.sizes

    @property
    def feature_log_prob_(self) -> list[Floats]:
        """ln P(level | class) of each feature, (k, m) each (scikit-learn's name)."""
        return [feature.log_chances for feature in self._fitted.features]

    @property
    def category_count_(self) -> list[Floats]:
        """Weight of each level by class, (k, m) each (scikit-learn's name)."""
        pairs = zip(self._fitted_statistics.tables, self.levels_, strict=True)
        return [
            table.spread(slice(None), len(table.rows), levels).weight for table, levels in pairs
        ]


class BernoulliNB(DiscreteClassifier):
    """Naive Bayes of binary features.

    Parameters
    ----------
    alpha : rows added to either value, one number or one a feature, or "auto" (see `CategoricalNB`)
    binarize : values above count as 1; None if X holds 0 and 1 already
    priors : see `GaussianDiscriminant`; or, as in scikit-learn, fit_prior and class_prior

    Attributes
    ----------
    classes_, priors_, statistics_, n_features_in_, feature_names_in_; feature_log_prob_,
    feature_count_, class_log_prior_, class_count_ : scikit-learn's

    >>> from suffice import BernoulliNB
    >>> BernoulliNB().fit([[0, 1], [1, 1], [1, 0]], ["a", "a", "b"]).predict([[0, 1], [1, None]])
    array(['a', 'a'], dtype='<U1')
    """

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: Any = None,
        priors: Any = None,
    ) -> None:
        self.alpha = alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.priors = priors

    def _settings(self) -> Smoothing:
        return Smoothing(self.alpha, None, 2)

    def _summarize(
        self, X: Any, y: Any, sample_weight: Any, settings: Smoothing, like: Counts | None
    ) -> Counts:
        features = as_features(X)
        codes = self._binary(features)
        counts = count_levels(np.where(codes == MISSING, np.nan, codes), y, sample_weight)
        return replace(counts, feature_names=features.names)

    def _rows(self, X: Any) -> Indices:
        features = as_features(X)
        self._check_columns(X)
        return self._binary(features)

    def _binary(self, features: Features) -> Indices:
        values = features.read(0, features.shape[0])
        error = infinite(values, 0, features.names)
        if error is not None:
            raise error
        missing = np.isnan(values)
        if self.binarize is None:
            strange = ~missing & (values != 0) & (values != 1)
            if strange.any():
                i, j = (int(at[0]) for at in np.nonzero(strange))
                name = j if features.names is None else repr(features.names[j])
                raise InvalidFeatures(
                    f"X holds {values[i, j]} in row {i}, column {name}; with binarize=None values "
                    "must be 0 or 1."
                )
            ones = values == 1
        elif (
            not isinstance(self.binarize, int | float | np.number)
            or isinstance(self.binarize, bool)
            or np.isnan(self.binarize)
        ):
            raise InvalidParameter(f"binarize is {self.binarize!r}; it must be a number or None.")
        else:
            ones = values > self.binarize
        return np.where(missing, MISSING, ones.astype(np.int64))

    def _known_row(self, row: Array) -> Indices:
        return self._binary(as_features(row))

    def _restored(self, rows: Indices, like: Any = None) -> Indices:
        return rows

    def _check_fitting(self, statistics: Counts, settings: Smoothing) -> None:
        super()._check_fitting(statistics, settings)
        for j, table in enumerate(statistics.tables):
            if not np.isin(table.levels, [0, 1]).all() or table.levels.dtype.kind not in "ib":
                raise InvalidParameter(
                    f"feature {j} of these counts has levels {listed(table.levels)}; a BernoulliNB "
                    "takes 0 and 1. Use a CategoricalNB."
                )

    def _made(self, statistics: Counts, settings: Smoothing) -> DiscreteModel:
        self._check_fitting(statistics, settings)
        return super()._made(statistics, settings)

    @property
    def feature_log_prob_(self) -> Floats:
        """ln P(1 | class), (k, d) (scikit-learn's name)."""
        return np.stack([f.log_chances[:, 1] for f in self._fitted.features], axis=1)

    @property
    def feature_count_(self) -> Floats:
        """Weight of the ones by class and feature, (k, d) (scikit-learn's name)."""
        tables = self._fitted_statistics.tables
        spread = [t.spread(slice(None), len(t.rows), np.arange(2)).weight[:, 1] for t in tables]
        return np.stack(spread, axis=1)


def _masked(rows: Indices, pattern: Array) -> Indices:
    return np.where(pattern, MISSING, rows)


def _levels(levels: Any) -> tuple[Array | None, ...] | None:
    if levels is None:
        return None
    if isinstance(levels, str | Mapping) or not isinstance(levels, Iterable):
        raise InvalidParameter(
            f"levels is {levels!r}; it must be a list of levels a feature, in their order."
        )
    return tuple(None if own is None else _level_list(j, own) for j, own in enumerate(levels))


def _level_list(j: int, own: Any) -> Array:
    values = list(own) if isinstance(own, Iterable) and not isinstance(own, str) else []
    values = [value.item() if isinstance(value, np.generic) else value for value in values]
    kinds = {type(value) for value in values}
    numbers = bool(kinds) and kinds <= {int, float} and bool(np.isfinite(values).all())
    if not numbers and kinds not in ({str}, {bool}):
        raise InvalidParameter(
            f"levels of feature {j} are {own!r}; they must be a list of strings, of numbers or of "
            "booleans."
        )
    return np.unique(np.array(values))


def _least(min_categories: Any) -> Any:
    if min_categories is None:
        return 0
    try:
        values = np.asarray(min_categories)
    except ValueError:
        values = np.empty((0, 0))
    if values.dtype.kind not in "iu" or values.ndim > 1 or (values < 0).any():
        raise InvalidParameter(
            f"min_categories is {min_categories!r}; it must be an integer or one a feature."
        )
    return values
