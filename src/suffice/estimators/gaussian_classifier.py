"""The Gaussian classifier: what the whole family shares."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from suffice.answers.between import boundary_of
from suffice.answers.boundary import Boundary
from suffice.answers.geometry import Ellipse, ellipse, whiten
from suffice.answers.nulls import EstimatedNulls, KnownNulls
from suffice.answers.outliers import Atypicality
from suffice.answers.pair import class_pair
from suffice.data.arrays import Array, Floats
from suffice.data.batches import batches
from suffice.data.features import all_numbers, as_features
from suffice.data.labels import class_position
from suffice.data.tables.encoding import Encoding
from suffice.data.tables.table_rows import TableReader
from suffice.errors import InvalidParameter
from suffice.estimators.anywhere import learns_afresh, on_rows
from suffice.estimators.choosing import choose_settings, combinations, cross_validated
from suffice.estimators.learned import Learned
from suffice.estimators.learning import Learner
from suffice.estimators.new_rows import Outline, RowsInMemory
from suffice.estimators.sklearn_parameters import check_all_at_once, with_estimated_scatter
from suffice.estimators.state import at_once
from suffice.models.em.completion import adapt_settings, complete
from suffice.models.gaussian import GaussianModel, LinearScores, class_matrices
from suffice.models.settings import Settings, coarsen_for
from suffice.selection.selection import Selection
from suffice.statistics.exact.form import ExactForm, check_same_grid
from suffice.statistics.exact.grid import check_grid, with_indicators
from suffice.statistics.statistics import Statistics
from suffice.statistics.summarize import summarize_batches, summarize_table
from suffice.statistics.table_statistics import TableStatistics
from suffice.text import shown


class GaussianClassifier(Learner[GaussianModel]):
    """Fit, update, forget and predict with a Gaussian model, which subclasses define."""

    columns: Any
    grid: Any = None

    _takes_device_rows = True  # whether it computes with rows on the device that holds them

    @learns_afresh
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Summarize the rows and build the model, after choosing parameters set to "cv"."""
        names = cross_validated(self)
        if not names:
            return self._fit_to(RowsInMemory(X, y, sample_weight), self._settings())
        return self._hold(self._choose(RowsInMemory(X, self._labels(y), sample_weight), names))

    def _choose(self, rows: RowsInMemory, names: list[str]) -> Learned:
        """What is learned from rows after cross-validating the named parameters on them."""
        tried = [clone(self).set_params(**values) for values in combinations(names)]
        settings_and_priors = [(one._settings(), one.priors) for one in tried]
        pupil: Self = clone(self)
        like = rows.outline(pupil, None)
        reader = TableReader.of(rows.X, self.columns) if like is None else like.reader
        powers = None if like is None else like.powers
        numbers, grid = rows.X, self.grid
        check_grid(grid)
        if reader is not None:
            encoding = Encoding.of(rows.X, reader)
            numbers = encoding.encode(rows.X)
            if grid is not None:
                grid = with_indicators(grid, encoding.names, len(reader.numeric_names))
        if powers is not None:
            numbers = powers.apply(all_numbers(numbers))
        selection, whole = choose_settings(
            numbers, rows.y, rows.sample_weight, settings_and_priors, grid
        )
        settings = settings_and_priors[selection.careful][0]
        statistics = (
            rows.statistics(pupil, settings, like)
            if whole is None or reader is not None
            else _with_names_of(whole, rows.X).coarsen(settings.detail)
        )
        selection = replace(selection, chosen=selection.careful)
        return pupil._next(statistics, settings, rows, selection=selection, powers=powers)

    def _fit_from_statistics(self, settings: Settings, X: Any, y: Any, whole: Statistics) -> Self:
        """Build the model of rows whose statistics have already been computed."""
        statistics = _with_names_of(whole, X).coarsen(settings.detail)
        return self._hold(clone(self)._next(statistics, settings, RowsInMemory(X, y)))

    def _chosen(self, name: str, value: Any) -> Any:
        """The value of a parameter, or what `fit` chose if it is "cv"."""
        if not isinstance(value, str) or value != "cv":
            return value
        selection = None if self._state is None else self._state.selection
        if selection is None:
            raise InvalidParameter(
                f"{name}='cv' needs rows to test on: call fit(X, y) first, or give a number."
            )
        return selection.candidates[selection.careful][name]

    @property
    def selection_(self) -> Selection:
        """How the parameters set to "cv" were chosen."""
        selection: Selection | None = self._learned.selection
        if selection is None:
            raise AttributeError(f"no parameter of this {type(self).__name__} was cross-validated.")
        return selection

    def _check_forgets(self) -> None:
        for name in cross_validated(self):
            value = getattr(self._built_with, name)
            raise InvalidParameter(
                f"{name}='cv' was chosen with these rows; without them another value may be "
                f"better: fit the remaining rows, or keep the chosen value with "
                f"model.set_params({name}={value!r}).forget(X, y)."
            )

    @property
    def pooling_(self) -> float:
        """Share of the pooled covariance in class covariances, as given or as chosen."""
        return self._built_with.pooling  # type: ignore[no-any-return]

    @property
    def shrinkage_(self) -> float | Floats:
        """The share of the target: as given, as chosen, or as estimated.

        One for each class, (k,), where each has a covariance of its own.
        """
        statistics = self._fitted_statistics
        settings = adapt_settings(self._built_with, statistics)
        if not isinstance(settings.shrinkage, str):
            return float(settings.shrinkage)
        completed = complete(coarsen_for(statistics, settings), settings)
        groups = completed.groups
        shares = np.array([groups.share(groups.group(g)) for g in range(groups.size)])
        return float(shares[0]) if groups.shared else shares

    @property
    def means_(self) -> Floats:
        """Mean of each class, (k, d)."""
        return self._fitted.means

    @property
    def covariance_(self) -> Floats:
        """(d, d) if all classes share it, else (k, d, d); computed on demand."""
        return self._fitted.matrices

    @property
    def covariances_(self) -> Floats:
        """Covariance of each class, (k, d, d); computed on demand."""
        return class_matrices(self._fitted)

    @property
    def borrowed_classes_(self) -> Array:
        """Classes that borrow the pooled covariance because their own is singular."""
        model = self._fitted
        return np.asarray(model.classes[list(model.borrowed)])

    @property
    def inflation_(self) -> float:
        """Factor by which the covariances were multiplied, as given or as chosen."""
        return self._built_with.inflation  # type: ignore[no-any-return]

    def _without_inflation(self) -> Self:
        """This model with the covariances of its rows, as a new classifier."""
        settings = self._learned.settings
        factor = getattr(settings, "inflation", 1.0)
        if factor == 1:
            return self
        other: Any = copy(self)
        other.inflation = 1.0
        learned = self._learned.under(self.priors, self._fitted.inflated(1 / factor))
        other._state = replace(learned, settings=replace(settings, inflation=1.0))
        return other  # type: ignore[no-any-return]

    @on_rows
    def squared_mahalanobis(self, X: Any) -> Floats:
        """Squared Mahalanobis distance to each class mean, one column per class."""
        return self._answer(X, _squared_distances)

    @at_once
    def boundary(self, a: Any = None, b: Any = None) -> Boundary:
        """Where two classes are equally probable: a quadric, or a hyperplane if S is shared."""
        self._check_gaussian("boundary")
        model = self._fitted
        return boundary_of(model, class_pair(model.classes, a, b), self._model_names())

    @on_rows
    def whiten(self, X: Any, label: Any = None) -> Floats:
        """Rows in the space where the distances of a class (or of all) are Euclidean."""
        self._check_gaussian("whiten")
        model, rows = self._fitted, self._rows(X)
        if label is None and not model.shared:
            raise InvalidParameter(
                "each class has its own covariance; name the class: whiten(X, label)."
            )
        c = 0 if label is None else class_position(model.classes, label)
        self._check_complete(rows)
        return whiten(model, rows, c)

    @at_once
    def ellipse(
        self,
        label: Any,
        features: tuple[int, int] = (0, 1),
        *,
        probability: float | None = None,
        deviations: float | None = None,
    ) -> Ellipse:
        """Where a class lies in two features."""
        self._check_gaussian("ellipse")
        model = self._fitted
        pair = isinstance(features, Sequence) and not isinstance(features, str | bytes)
        pair |= isinstance(features, np.ndarray) and features.ndim == 1
        names = self._model_names()
        at = [self._feature(feature, names) for feature in features] if pair else []
        if len(at) != 2 or at[0] == at[1]:
            raise InvalidParameter(
                f"features is {shown(features)}; an ellipse needs two different features, "
                "such as (0, 1)."
            )
        c = class_position(model.classes, label)
        return ellipse(model, c, (at[0], at[1]), probability, deviations)

    @property
    def discriminant_coef_(self) -> Floats:
        """Slopes w_k of the discriminant functions x'w_k + b_k, (k, d), where they are linear."""
        return self._linear.coefficients

    @property
    def discriminant_intercept_(self) -> Floats:
        """Constants b_k of the discriminant functions x'w_k + b_k, (k,), where they are linear."""
        return self._linear.intercepts

    @property
    def _linear(self) -> LinearScores:
        model = self._fitted
        if not model.shared:
            # An AttributeError, so that hasattr returns False.
            raise AttributeError(
                "the discriminant functions are quadratic, since each class has its own "
                "covariance; they are linear with pooling=1."
            )
        return model.linear

    def _check_gaussian(self, answer: str) -> None:
        """Raise if classes are not Gaussian in the form that the answer of this name needs."""

    def _is_statistics(self, statistics: Any) -> bool:
        return isinstance(statistics, (*Settings.summary, TableStatistics))

    def _summarize(
        self, X: Any, y: Any, sample_weight: Any, settings: Settings, like: Outline | None
    ) -> Any:
        form = self._form(settings, like)
        estimator = getattr(self, "covariance_estimator", None)
        reader = TableReader.of(X, self.columns) if like is None else like.reader
        powers = None if like is None else like.powers
        if estimator is not None:
            check_all_at_once(self.grid, reader, like is not None or sample_weight is not None)
            whole = summarize_batches(batches(X, y), "separate")
            return with_estimated_scatter(whole, estimator, X, y)
        if reader is not None:
            table = reader.read(X)
            if powers is not None:
                table = table.with_numbers(powers.apply(table.numbers))
            return summarize_table(table, y, sample_weight, form, reader)
        if powers is not None:
            rows = powers.apply(all_numbers(X))
            statistics = summarize_batches(batches(rows, y, sample_weight), form)
            return statistics.named(as_features(X).names)
        return summarize_batches(batches(X, y, sample_weight), form)

    def _form(self, settings: Settings, like: Outline | None) -> str | ExactForm:
        """The form in which rows are summarized: that of the rows before them, if any."""
        if like is None or not like.detail:
            shrinkage = getattr(settings, "shrinkage", None)
            return ExactForm.of(settings.detail, self.grid, shrinkage)
        form: str | ExactForm = like.detail
        check_same_grid(form, self.grid)
        return form

    def _new_atypicality(self) -> Atypicality:
        if self._learned.statistics is None:
            return Atypicality(self._fitted, KnownNulls(self._fitted))
        weight = self._fitted_statistics.known_weight.mean(axis=1)
        return Atypicality(self._fitted, EstimatedNulls(self._fitted, weight, self._built_with))


def _squared_distances(model: GaussianModel, rows: Array) -> Floats:
    return model.squared_distances(rows)


def _with_names_of(statistics: Statistics, X: Any) -> Statistics:
    return replace(statistics, feature_names=as_features(X).names)
