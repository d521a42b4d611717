"""Judging: how well a model does on rows it has not seen, and what it costs in parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from suffice.data.arrays import Array, Floats
from suffice.errors import InvalidParameter
from suffice.estimators.anywhere import anywhere
from suffice.estimators.state import at_once
from suffice.models.completion import adapted
from suffice.models.discrete import DiscreteModel
from suffice.models.gaussian import GaussianModel
from suffice.models.product import ProductModel
from suffice.models.settings import Settings
from suffice.selection import criteria
from suffice.selection.leave_one_out.counts import discrete_densities, product_densities
from suffice.selection.leave_one_out.densities import LeftOutDensities
from suffice.selection.leave_one_out.gaussian import gaussian_densities
from suffice.selection.leave_one_out.left_out import LeaveOneOut, left_out
from suffice.selection.leave_one_out.rows import LabelledRows
from suffice.statistics.incomplete import AnyStatistics
from suffice.statistics.mixed import MixedStatistics


class Judging:
    """Leave-one-out and information criteria, for models that statistics suffice for."""

    if TYPE_CHECKING:

        @property
        def statistics_(self) -> Any: ...  # noqa: D102
        @property
        def classes_(self) -> Array: ...  # noqa: D102
        @property
        def _built_with(self) -> Any: ...
        def _rows(self, X: Any) -> Any: ...
        def _labels(self, y: Any) -> Any: ...
        def _priors(self) -> Any: ...

    @anywhere
    def leave_one_out(self, X: Any, y: Any, sample_weight: Any = None) -> LeaveOneOut:
        """What the model trained on all other rows says of each row.

        In closed form from the statistics: about as fast as fit and predict. A model is built
        anew for each row where values are missing, and for rows whose removal changes more than
        numbers: the last of its class, or one without which a class has to borrow a covariance.

        What `fit` chose by cross-validation stays as it is.

        X, y, sample_weight : the rows that the model was trained on, all of them

        >>> from sklearn.datasets import load_iris
        >>> from suffice import QDA
        >>> X, y = load_iris(return_X_y=True)
        >>> QDA().fit(X, y).leave_one_out(X, y)
        <LeaveOneOut of 150 rows: accuracy 0.9733, log-loss 0.05798>
        """
        model = self._judged()
        rows, labels = self._rows(X), self._labels(y)
        classes, s, built = self.classes_, self.statistics_, self._built_with
        if isinstance(model, ProductModel):
            table = LabelledRows.of(rows.codes, labels, sample_weight, classes)
            found = _product(s, built, model, rows.numeric, table)
        else:
            table = LabelledRows.of(rows, labels, sample_weight, classes)
            if isinstance(model, DiscreteModel):
                found = discrete_densities(s, built, model, table)
            else:
                found = _gaussian(s, built, table)
        return left_out(found, self._priors(), classes, table)

    @at_once
    def log_likelihood(self, X: Any = None, y: Any = None) -> float:
        """Sum over the rows of ln p(x, y); without rows that of the training rows, by weight."""
        if X is not None:
            found: float = super().log_likelihood(X, y)  # type: ignore[misc]
            return found
        return criteria.log_likelihood(self._judged(), self.statistics_)

    @at_once
    def n_parameters(self) -> int:
        """How many numbers the model has to estimate, restrained or not.

        Those of priors count where they are class shares; pooling below 1 leaves each class a
        covariance of its own, and shrinkage below 1 all entries of it.
        """
        model, given = self._judged(), self._priors() is not None
        return criteria.n_parameters(model, self._built_with, self.statistics_, given)

    @at_once
    def aic(self) -> float:
        """-2 ln L + 2 p of the training rows: the smaller, the better."""
        return criteria.aic(self.log_likelihood(), self.n_parameters())

    @at_once
    def bic(self) -> float:
        """-2 ln L + p ln n of the training rows: the smaller, the better.

        >>> from sklearn.datasets import load_iris
        >>> from suffice import LDA, QDA
        >>> X, y = load_iris(return_X_y=True)
        >>> [round(model.fit(X, y).bic(), 1) for model in (LDA(), QDA())]
        [646.7, 597.2]
        """
        found = self.log_likelihood()
        return criteria.bic(found, self.n_parameters(), float(self.statistics_.weight.sum()))

    def _judged(self) -> Any:
        """The model, if it is one of those that are judged by statistics."""
        model: Any = self._fitted  # type: ignore[attr-defined]
        built = self._built_with
        if not isinstance(model, GaussianModel | DiscreteModel | ProductModel) or (
            isinstance(model, GaussianModel) and not isinstance(built, Settings)
        ):
            raise InvalidParameter(
                f"a {type(self).__name__} is not judged by its statistics alone; cross-validate it "
                "(select_model), or compare its log_evidence_."
            )
        return model


def _product(
    statistics: MixedStatistics,
    settings: Any,
    model: ProductModel,
    numeric: Floats,
    table: LabelledRows,
) -> LeftOutDensities:
    s, parts = statistics, []
    if s.numeric is not None:
        numbers = LabelledRows(numeric, table.codes, table.weights)
        parts.append(_gaussian(s.numeric, settings[0], numbers))
    if s.discrete is not None and model.discrete is not None:
        parts.append(discrete_densities(s.discrete, settings[1], model.discrete, table))
    return product_densities(parts)


def _gaussian(
    statistics: AnyStatistics, settings: Settings, rows: LabelledRows
) -> LeftOutDensities:
    rows.check(statistics)
    return gaussian_densities(statistics, adapted(settings, statistics), rows)
