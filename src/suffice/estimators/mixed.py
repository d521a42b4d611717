"""Naive Bayes of numeric and discrete features together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from suffice.answers import product as _answers  # noqa: F401 - registers them
from suffice.answers.rarity import Rarity
from suffice.data.arrays import Array, Floats, Indices
from suffice.data.features import as_features, as_frame
from suffice.data.levels import columns_of, levels_of
from suffice.data.mixed import ColumnLayout, MixedRows, check_shape, columns_at
from suffice.data.parameters import not_negative
from suffice.errors import InvalidFeatures, NotFinite, NotNumbers
from suffice.estimators.learning import Learned, Learner
from suffice.estimators.outline import Outline
from suffice.estimators.state import at_once
from suffice.models.discrete import Smoothing, alphas, build_discrete, used_alphas
from suffice.models.gaussian import GaussianModel, build
from suffice.models.priors import class_priors
from suffice.models.product import ProductModel
from suffice.models.settings import Settings, check_detail
from suffice.models.structures import DIAGONAL
from suffice.statistics.count_pass import count_levels
from suffice.statistics.mixed import MixedStatistics
from suffice.statistics.summarize import summarize
from suffice.statistics.threads import in_parallel


class MixedNB(Learner[ProductModel]):
    """Numeric and discrete columns in one model, independent given the class.

    Parameters
    ----------
    categorical : names or positions of the discrete columns; None treats booleans, strings and
        categories as discrete and numbers as numeric
    structure : of the numeric columns: "diagonal" (independent), "full" (one covariance for all
        of them), or "spherical"
    pooling, shrinkage, target, ddof : of their covariances, see `GaussianDiscriminant`
    var_smoothing : share of each numeric feature's own variance added to it, see `GaussianNB`
    alpha : rows added to every level, see `CategoricalNB`
    priors : see `GaussianDiscriminant`

    Attributes
    ----------
    classes_, priors_, statistics_, n_features_in_, feature_names_in_; numeric_features_,
    categorical_features_ : positions of either kind; levels_ : of each discrete feature;
    means_, covariances_ : of the numeric features

    >>> import pandas as pd
    >>> from suffice import MixedNB
    >>> X = pd.DataFrame({"size": [1.0, 1.2, 3.1, 2.9], "colour": ["red", "red", "blue", None]})
    >>> model = MixedNB().fit(X, ["cherry", "cherry", "plum", "plum"])
    >>> model.predict(pd.DataFrame({"size": [None, 3.0], "colour": ["red", "red"]}))
    array(['cherry', 'plum'], dtype='<U6')
    """

    _takes = "the statistics_ of another MixedNB"

    def __init__(
        self,
        *,
        categorical: Any = None,
        structure: str = "diagonal",
        pooling: float = 0.0,
        shrinkage: float | str = 0.0,
        target: str = "identity",
        ddof: float = 0,
        var_smoothing: float = 1e-9,
        alpha: Any = 1.0,
        priors: Any = None,
    ) -> None:
        self.categorical = categorical
        self.structure = structure
        self.pooling = pooling
        self.shrinkage = shrinkage
        self.target = target
        self.ddof = ddof
        self.var_smoothing = var_smoothing
        self.alpha = alpha
        self.priors = priors

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = False
        tags.input_tags.string = True
        return tags

    def _settings(self) -> tuple[Settings, Smoothing]:
        gaussian = Settings.checked(
            structure=self.structure,
            pooling=self.pooling,
            shrinkage=self.shrinkage,
            target=self.target,
            ddof=self.ddof,
            smoothing=not_negative("var_smoothing", self.var_smoothing),
        )
        if gaussian.structure != DIAGONAL or gaussian.pooling == 1:
            gaussian = replace(gaussian, smoothing=0.0)
        return gaussian, Smoothing.checked(self.alpha)

    def _is_statistics(self, statistics: Any) -> bool:
        return isinstance(statistics, MixedStatistics)

    def _summarize(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        settings: tuple[Settings, Smoothing],
        like: Outline | None,
    ) -> MixedStatistics:
        seen_layout = None if like is None else like.layout
        layout = seen_layout or ColumnLayout.of(X, self.categorical)
        if not layout.discrete:
            with _hint_at_levels():
                as_features(X)
        numeric, discrete = layout.split(X)
        numbers = None if like is None else like.numeric
        detail = (None if numbers is None else numbers.detail) or settings[0].detail
        places = _places(X, layout)
        jobs: list[tuple[Callable[[], Any]]] = [
            (lambda: None if numeric is None else summarize(numeric, y, sample_weight, detail),),
            (lambda: None if discrete is None else count_levels(discrete, y, sample_weight),),
        ]

        def run(job: Callable[[], Any], at: tuple[int, ...] | None) -> Any:
            with _hint_at_levels(), columns_at(at):
                return job()

        moments, counts = in_parallel(
            run, [(*job, at) for job, at in zip(jobs, places, strict=True)]
        )
        return MixedStatistics(moments, counts, layout, _names(X))

    def _made(
        self, statistics: MixedStatistics, settings: tuple[Settings, Smoothing], priors: Any
    ) -> ProductModel:
        s = statistics
        return ProductModel(
            None if s.numeric is None else build(s.numeric, settings[0], priors),
            None if s.discrete is None else build_discrete(s.discrete, settings[1], priors),
            s.layout,
        )

    def _of_completed(self, classes: GaussianModel, learned: Learned) -> ProductModel:
        s, priors = learned.statistics, learned.priors
        probabilities = class_priors(priors, learned.classes, s.weight)
        settings = learned.settings[1]
        discrete = None if s.discrete is None else build_discrete(s.discrete, settings, priors)
        return ProductModel(classes.with_priors(probabilities), discrete, s.layout)

    def _check_fitting(
        self, statistics: MixedStatistics, settings: tuple[Settings, Smoothing]
    ) -> None:
        alphas(settings[1].alpha, len(statistics.layout.discrete))
        if statistics.numeric is not None:
            check_detail(statistics.numeric, settings[0])

    def _alike(
        self,
        mine: MixedStatistics,
        theirs: MixedStatistics,
        settings: tuple[Settings, Smoothing],
    ) -> tuple[MixedStatistics, MixedStatistics]:
        if mine.detail == theirs.detail:
            return mine, theirs
        return mine.coarsen(settings[0].detail), theirs.coarsen(settings[0].detail)

    def _check_table(self, X: Any) -> None:
        # What each column holds is checked when it is read.
        check_shape(X)

    def _rows(self, X: Any) -> MixedRows:
        if not self._fitted.layout.discrete:
            as_features(X)
        self._check_columns(X)
        return self._parse_row(X)

    def _parse_row(self, X: Any) -> MixedRows:
        model = self._fitted
        numeric, discrete = model.layout.split(X)
        values: Floats | None = None
        codes: Indices | None = None
        places = _places(X, model.layout)
        if numeric is not None:
            with columns_at(places[0]):
                features = as_features(numeric)
            values = features.read(0, features.shape[0]).astype(np.float64, copy=False)
        if discrete is not None:
            assert model.discrete is not None
            with columns_at(places[1]):
                columns, _ = columns_of(discrete)
                pairs = zip(columns, model.discrete.features, strict=True)
                codes = np.stack([column.among(f.levels) for column, f in pairs], axis=1)
        n = len(codes) if values is None and codes is not None else len(values)  # type: ignore[arg-type]
        return MixedRows(
            np.empty((n, 0)) if values is None else values,
            np.empty((n, 0), np.int64) if codes is None else codes,
        )

    def _check_finite(self, rows: Any) -> None:
        bad = np.isinf(rows.numeric)
        if bad.any():
            i, j = (int(at[0]) for at in np.nonzero(bad))
            column = self._feature_names()[self._fitted.layout.numeric[j]]
            raise NotFinite(
                f"Input X contains infinity: the first such entry is in row {i}, column "
                f"{column!r}. Drop such rows, or put NaN where a value is missing."
            )

    def _restore(self, rows: MixedRows, like: Any = None) -> Array:
        layout, model = self._fitted.layout, self._fitted
        if model.discrete is None:
            return rows.numeric
        out = np.empty((len(rows), self.n_features_in_), object)
        out[:, list(layout.numeric)] = rows.numeric
        given = None if like is None else columns_of(layout.split(like)[1])[0]
        for at, (j, feature) in enumerate(
            zip(layout.discrete, model.discrete.features, strict=True)
        ):
            own = None if given is None else given[at]
            out[:, j] = levels_of(rows.codes[:, at], feature.levels, own)
        return out

    def _new_atypicality(self) -> Any:
        return Rarity(self._fitted, lambda rows: rows.missing, lambda rows, p: rows.mask(p))

    @property
    def numeric_features_(self) -> tuple[int, ...]:
        """Positions of the numeric features."""
        return self._fitted.layout.numeric

    @property
    def categorical_features_(self) -> tuple[int, ...]:
        """Positions of the discrete features."""
        return self._fitted.layout.discrete

    @property
    def levels_(self) -> list[Array]:
        """The levels of each discrete feature."""
        discrete = self._fitted.discrete
        return [] if discrete is None else [feature.levels for feature in discrete.features]

    @property
    @at_once
    def alpha_(self) -> Floats:
        """Rows added to every level of each discrete feature: as given or estimated."""
        counts = self._fitted_statistics.discrete
        return np.zeros(0) if counts is None else used_alphas(counts, self._built_with[1])

    @property
    @at_once
    def means_(self) -> Floats:
        """Mean of each class in the numeric features, (k, numeric)."""
        gaussian = self._fitted.gaussian
        return np.empty((len(self.classes_), 0)) if gaussian is None else gaussian.means

    @property
    @at_once
    def covariances_(self) -> Floats:
        """Covariance of each class in the numeric features, (k, numeric, numeric)."""
        gaussian = self._fitted.gaussian
        if gaussian is None:
            raise InvalidFeatures("there are no numeric features.")
        matrices = gaussian.matrices
        return (
            matrices
            if matrices.ndim == 3
            else np.repeat(matrices[None], len(self.classes_), axis=0)
        )


@contextmanager
def _hint_at_levels() -> Iterator[None]:
    """Adds a hint to errors about columns without numbers: they may hold levels."""
    try:
        yield
    except NotNumbers as error:
        what = "If they hold levels (categories), name them: categorical=[...]."
        raise NotNumbers(f"{error} {what}") from None


def _places(X: Any, layout: ColumnLayout) -> tuple[tuple[int, ...] | None, tuple[int, ...] | None]:
    """Positions of the columns of either part in X; None if they have names."""
    return (None, None) if _names(X) is not None else (layout.numeric, layout.discrete)


def _names(X: Any) -> tuple[str, ...] | None:
    frame = None if isinstance(X, np.ndarray | list) else as_frame(X)
    if frame is None or not all(isinstance(name, str) for name in frame.columns):
        return None
    return tuple(frame.columns)
