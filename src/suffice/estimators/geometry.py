"""The answers of Gaussian classes: boundaries, whitening, ellipses, linear forms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from suffice.answers.between import boundary_between, linear_boundary
from suffice.answers.boundary import Boundary
from suffice.answers.geometry import Ellipse, ellipse, whiten
from suffice.answers.pair import class_pair, class_position
from suffice.data.arrays import Array, Floats
from suffice.data.labels import shown
from suffice.errors import InvalidParameter
from suffice.estimators.anywhere import anywhere
from suffice.estimators.state import at_once
from suffice.models.gaussian import GaussianModel, LinearScores
from suffice.models.scoring import Hook


def _squared_distances(model: GaussianModel, rows: Array) -> Floats:
    return model.squared_distances(rows)


class Geometry:
    """Positions of classes and the boundaries between them."""

    if TYPE_CHECKING:

        @property
        def _fitted(self) -> GaussianModel: ...
        def _rows(self, X: Any) -> Array: ...
        def _answer(self, X: Any, ask: Hook[Any], model: GaussianModel | None = None) -> Floats: ...
        def _check_complete(self, rows: Array) -> None: ...
        def _feature(self, feature: Any, names: Sequence[str] | None = None) -> int: ...
        def _model_names(self) -> tuple[str, ...] | None: ...

    @anywhere
    def squared_mahalanobis(self, X: Any) -> Floats:
        """Squared Mahalanobis distance to each class mean, one column per class."""
        return self._answer(X, _squared_distances)

    @at_once
    def boundary(self, a: Any = None, b: Any = None) -> Boundary:
        """Where two classes are equally probable: a quadric, or a hyperplane if S is shared."""
        model = self._fitted
        pair = list(class_pair(model.classes, a, b))
        labels = (model.classes[pair[0]].item(), model.classes[pair[1]].item())
        names = self._model_names()
        means, log_priors = model.means[pair], model.log_priors[pair]
        low = None if model.means_low is None else model.means_low[pair]
        if model.shared:
            steps = model.means_about(means[1])[pair]
            slope = model.covariances[0].solve(steps[:1] - steps[1:])[0]
            return linear_boundary(labels, means, slope, log_priors, _spread(model), names, low)
        covariances = [model.covariances[c] for c in pair]
        identity = np.eye(means.shape[1])
        return boundary_between(
            labels,
            means,
            [covariance.solve(identity) for covariance in covariances],
            [c.log_determinant + c.rank * np.log(2 * np.pi) for c in covariances],
            log_priors,
            names,
            low,
        )

    @anywhere
    def whiten(self, X: Any, label: Any = None) -> Floats:
        """Rows in the space where the distances of a class (or of all) are Euclidean."""
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


def _spread(model: GaussianModel) -> Floats | None:
    """Standard deviation of each feature, 1 if constant; None if too expensive."""
    # Number of features above which no matrix is formed.
    most_features = 1024
    if model.means.shape[1] > most_features:
        return None
    variances = model.covariances[0].matrix.diagonal()
    return np.sqrt(np.where(variances > 0, variances, 1.0))
