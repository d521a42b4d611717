"""Naive Bayes of numeric and discrete features together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.data.features import infinite
from suffice.data.parameters import not_negative
from suffice.data.tables.mixed import DISCRETE, NUMERIC, ColumnLayout, MixedRows, columns_at
from suffice.data.tables.table_rows import TableReader
from suffice.errors import InvalidFeatures, InvalidParameter, NotNumbers
from suffice.estimators.naive_bayes import NaiveBayes
from suffice.estimators.new_rows import Outline
from suffice.estimators.state import at_once
from suffice.models.categorical import Categorical
from suffice.models.gaussian import class_matrices
from suffice.models.likelihood import Likelihood
from suffice.models.product import Product, ProductModel, ProductPart
from suffice.models.settings import Settings
from suffice.statistics.exact.form import ExactForm, check_same_grid
from suffice.statistics.exact.grid import check_grid
from suffice.statistics.mixed import MixedStatistics, as_mixed
from suffice.statistics.table_statistics import TableStatistics
from suffice.text import shown


@dataclass(eq=False, repr=False, kw_only=True)
class MixedNB(NaiveBayes[ProductModel]):
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
    parts : columns with another likelihood: a mapping from objects such as
        `suffice.models.binary.Binary()`, or a `Likelihood` of your own, to names or positions of
        columns (None for all of its type), or a list of such pairs; other columns are as above
    columns : how to read the columns of a table, see `GaussianDiscriminant`; not with
        `categorical` or `parts`
    grid : a `Grid` for the numeric columns, see `GaussianDiscriminant`; levels are counted anyway

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

    _takes = "the statistics_ of another MixedNB, or what suffice.summarize returns of a table"

    categorical: Any = None
    structure: str = "diagonal"
    pooling: float = 0.0
    shrinkage: float | str = 0.0
    target: str = "identity"
    ddof: float = 0
    var_smoothing: float = 1e-9
    alpha: Any = 1.0
    priors: Any = None
    parts: Any = None
    columns: Any = None
    grid: Any = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = False
        tags.input_tags.string = True
        return tags

    def _settings(self) -> Product:
        gaussian = Settings.checked(
            structure=self.structure,
            pooling=self.pooling,
            shrinkage=self.shrinkage,
            target=self.target,
            ddof=self.ddof,
            smoothing=not_negative("var_smoothing", self.var_smoothing),
        )
        if not gaussian.structure.borrows_single_variances or gaussian.pooling == 1:
            gaussian = replace(gaussian, smoothing=0.0)
        discrete = ProductPart(
            Categorical.checked(self.alpha), deepcopy(self.categorical), "categorical"
        )
        return Product(
            {NUMERIC: ProductPart(gaussian), DISCRETE: discrete, **_other_parts(self.parts)}
        )

    def fit_statistics(self, statistics: Any) -> Self:
        """Build the model from statistics, also from those of a table, without reading rows."""
        own = as_mixed(statistics) if isinstance(statistics, TableStatistics) else statistics
        return super().fit_statistics(own)

    def _is_statistics(self, statistics: Any) -> bool:
        return isinstance(statistics, MixedStatistics)

    def _summarize(
        self, X: Any, y: Any, sample_weight: Any, settings: Product, like: Outline | None
    ) -> Any:
        reader = None if like is None else like.reader
        if like is None and self.categorical is None and self.parts is None:
            reader = TableReader.of(X, self.columns)
        elif like is None and self.columns is not None:
            raise InvalidParameter(
                "give either columns, or categorical and parts: columns says which are categories."
            )
        with _hint_at_levels():
            table = X if reader is None else reader.read(X)
            form = self._form(table, settings, like)
            statistics = settings.summarize(table, y, sample_weight, form)
        return statistics if reader is None else replace(statistics, reader=reader)

    def _form(self, table: Any, settings: Product, like: Outline | None) -> Any:
        """The layout and the form of each part: as of the rows seen so far, if there are any."""
        form = None if like is None else like.detail
        check_grid(self.grid)
        if form and NUMERIC in form[1]:
            check_same_grid(form[1][NUMERIC], self.grid)
        if self.grid is None or self._state is not None:
            return form
        layout, details = form or (ColumnLayout.by_claims(table, settings.claims), {})
        numeric = settings.parts[NUMERIC].likelihood
        own = ExactForm.of(numeric.detail, self.grid, self.shrinkage)
        return layout, details | {NUMERIC: own}

    def _rounded(self, rows: MixedRows) -> MixedRows:
        parts = []
        for key, own in zip(self._fitted.layout.parts, rows.parts, strict=True):
            grid = getattr(self.statistics_.parts[key], "grid", None)
            parts.append(own if grid is None else grid.round(own))
        return replace(rows, parts=tuple(parts))

    def _check_finite(self, rows: MixedRows) -> None:
        names = self._model_names()
        for own, at in zip(rows.parts, self._fitted.layout.parts.values(), strict=True):
            with columns_at(at if names is None else None):
                error = infinite(own, 0, None if names is None else tuple(names[j] for j in at))
                if error is not None:
                    raise error

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
        discrete: Any = self._fitted.parts.get(DISCRETE)
        return [] if discrete is None else [feature.levels for feature in discrete.features]

    @property
    @at_once
    def alpha_(self) -> Floats:
        """Rows added to every level of each discrete feature: as given or estimated."""
        counts = self._fitted_statistics.discrete
        likelihood = self._built_with.parts[DISCRETE].likelihood
        return np.zeros(0) if counts is None else likelihood.alphas(counts)

    @property
    @at_once
    def means_(self) -> Floats:
        """Mean of each class in the numeric features, (k, numeric)."""
        gaussian: Any = self._fitted.parts.get(NUMERIC)
        return np.empty((len(self.classes_), 0)) if gaussian is None else gaussian.means

    @property
    @at_once
    def covariances_(self) -> Floats:
        """Covariance of each class in the numeric features, (k, numeric, numeric)."""
        gaussian: Any = self._fitted.parts.get(NUMERIC)
        if gaussian is None:
            raise InvalidFeatures("there are no numeric features.")
        return class_matrices(gaussian)


def _other_parts(given: Any) -> dict[str, ProductPart]:
    """The parts that a user gives, by the name of their likelihood."""
    pairs = list(given.items()) if isinstance(given, Mapping) else [] if given is None else given
    if not isinstance(pairs, list | tuple) or not all(map(_is_part, pairs)):
        raise InvalidParameter(
            f"parts is {shown(given)}; it must map likelihoods to columns, such as "
            "{suffice.models.binary.Binary(): ['smokes']}."
        )
    parts: dict[str, ProductPart] = {}
    for likelihood, columns in pairs:
        taken = [NUMERIC, DISCRETE, *parts]
        again = sum(key.split(" (")[0] == likelihood.name for key in taken)
        key = f"{likelihood.name} ({again + 1})" if again else likelihood.name
        parts[key] = ProductPart(likelihood.validated(), deepcopy(columns))
    return parts


def _is_part(pair: Any) -> bool:
    is_pair = isinstance(pair, list | tuple) and len(pair) == 2
    return is_pair and isinstance(pair[0], Likelihood)


@contextmanager
def _hint_at_levels() -> Iterator[None]:
    """Adds a hint to errors about columns without numbers: they may hold levels."""
    try:
        yield
    except NotNumbers as error:
        what = "If they hold levels (categories), name them: categorical=[...]."
        raise NotNumbers(f"{error} {what}") from None
