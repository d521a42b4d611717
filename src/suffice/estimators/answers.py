"""The answers that every classifier gives, as methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from suffice.answers.adaptation import adapted_priors
from suffice.answers.between import boundary_between, linear_boundary
from suffice.answers.boundary import Boundary
from suffice.answers.contributions import Contributions, contributions, explanation
from suffice.answers.decision import decide
from suffice.answers.ellipse import Ellipse, ellipse
from suffice.answers.odds import log_likelihood_ratio, log_odds
from suffice.answers.pair import class_pair, class_position
from suffice.answers.sampling import draw, generator, random_codes
from suffice.answers.whitening import whiten
from suffice.data.arrays import Array, Floats
from suffice.errors import InvalidParameter
from suffice.models.gaussian import GaussianModel
from suffice.statistics.statistics import listed


class Answers:
    """What a generative model says beyond a label."""

    if TYPE_CHECKING:
        classes_: Array
        n_features_in_: int

        @property
        def _fitted(self) -> GaussianModel: ...
        def _rows(self, X: Any) -> Array: ...
        def _finite(self, found: Floats, rows: Array) -> Floats: ...
        def predict_proba(self, X: Any) -> Floats: ...  # noqa: D102
        def predict_log_proba(self, X: Any) -> Floats: ...  # noqa: D102
        def predict_joint_log_proba(self, X: Any) -> Floats: ...  # noqa: D102
        def with_priors(self, priors: Any) -> Self: ...  # noqa: D102

    def log_odds(self, X: Any, a: Any = None, b: Any = None) -> Floats:
        """ln p(a | x) - ln p(b | x); of two classes the second against the first."""
        model, rows = self._fitted, self._rows(X)
        return self._finite(log_odds(model, rows, *class_pair(model.classes, a, b)), rows)

    def log_likelihood_ratio(self, X: Any, a: Any = None, b: Any = None) -> Floats:
        """ln p(x | a) - ln p(x | b): the log-odds without the priors."""
        model, rows = self._fitted, self._rows(X)
        pair = class_pair(model.classes, a, b)
        return self._finite(log_likelihood_ratio(model, rows, *pair), rows)

    def log_likelihood(self, X: Any, y: Any) -> float:
        """Sum over the rows of ln p(x, y)."""
        joint = self.predict_joint_log_proba(X)
        at = [class_position(self.classes_, label) for label in np.asarray(y).tolist()]
        if len(at) != len(joint):
            raise InvalidParameter(f"X has {len(joint)} rows but y has {len(at)} labels.")
        return float(joint[np.arange(len(at)), at].sum())

    def decide(self, X: Any, costs: Any = None, reject: float | None = None) -> Array:
        """The class of least expected cost, or None where that is above `reject`.

        costs : (k, k), a row for each true class and a column for each answer, in the order of
            `classes_`; 0 and 1 if None
        reject : what it costs not to answer
        """
        return decide(self.predict_proba(X), self.classes_, costs, reject)

    def adapt_priors(self, X: Any) -> Self:
        """The same class densities under the priors that make unlabelled rows most likely."""
        return self.with_priors(adapted_priors(self.predict_log_proba(X), self._fitted.priors))

    def boundary(self, a: Any = None, b: Any = None) -> Boundary:
        """Where two classes are equally probable: a quadric, or a hyperplane if they share S."""
        model = self._fitted
        pair = list(class_pair(model.classes, a, b))
        labels = (model.classes[pair[0]].item(), model.classes[pair[1]].item())
        names = getattr(self, "feature_names_in_", None)
        names = None if names is None else tuple(map(str, names))
        means, chances = model.means[pair], model.log_priors[pair]
        if model.shared:
            slope = model.covariances[0].solve(means[:1] - means[1:])[0]
            return linear_boundary(labels, means, slope, chances, feature_names=names)
        covariances = [model.covariances[c] for c in pair]
        identity = np.eye(means.shape[1])
        return boundary_between(
            labels,
            means,
            [covariance.solve(identity) for covariance in covariances],
            [c.log_determinant + c.rank * np.log(2 * np.pi) for c in covariances],
            chances,
            names,
        )

    def contributions(self, X: Any, a: Any = None, b: Any = None) -> Contributions:
        """How much each feature speaks for a against b; adds up exactly to the log-odds."""
        model, rows = self._fitted, self._rows(X)
        found = contributions(model, rows, *class_pair(model.classes, a, b))
        self._finite(found.values, rows)
        return found

    def explain(self, X: Any, row: int = 0, a: Any = None, b: Any = None) -> str:
        """One row in words; by default its most probable class against the next."""
        model, rows = self._fitted, self._rows(X)
        if not -len(rows) <= row < len(rows):
            raise InvalidParameter(f"there is no row {row}; X has {len(rows)} rows.")
        one = rows[row][None]
        if a is None and b is None and len(model.classes) > 1:
            order = np.argsort(-model.scores(one)[0], kind="stable")
            a, b = model.classes[order[0]], model.classes[order[1]]
        found = contributions(model, one, *class_pair(model.classes, a, b))
        self._finite(found.values, one)
        return explanation(found, 0, self._feature_names())

    def whiten(self, X: Any, label: Any = None) -> Floats:
        """Rows in the space where the distances of a class (or of all) are Euclidean."""
        model, rows = self._fitted, self._rows(X)
        if label is None and not model.shared:
            raise InvalidParameter(
                "each class has its own covariance; name the class to whiten by."
            )
        c = 0 if label is None else class_position(model.classes, label)
        return self._finite(whiten(model, rows, c), rows)

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
        at = [self._feature(feature) for feature in features]
        if len(at) != 2 or at[0] == at[1]:
            raise InvalidParameter("an ellipse takes two different features.")
        c = class_position(model.classes, label)
        return ellipse(model, c, (at[0], at[1]), probability, deviations)

    def sample(
        self, n_samples: int = 1, y: Any = None, random_state: Any = None
    ) -> tuple[Floats, Array]:
        """Rows and labels drawn from the model.

        y : draw rows of this class, or of these classes (one a row)
        """
        model = self._fitted
        if (
            isinstance(n_samples, bool)
            or not isinstance(n_samples, int | np.integer)
            or n_samples < 1
        ):
            raise InvalidParameter(f"n_samples is {n_samples!r}; it must be a positive integer.")
        rng = generator(random_state)
        if y is None:
            codes = random_codes(model.priors, int(n_samples), rng)
        else:
            labels = np.asarray(y)
            labels = np.broadcast_to(labels, (n_samples,)) if labels.ndim == 0 else labels
            if labels.shape != (n_samples,):
                raise InvalidParameter(f"y has {len(labels)} labels for {n_samples} samples.")
            codes = np.array([class_position(model.classes, label) for label in labels.tolist()])
        seeds = np.random.SeedSequence(rng.integers(0, 2**63, 4).tolist())
        return draw(model, codes, seeds), np.asarray(model.classes[codes])

    def _feature_names(self) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        return [f"x{j + 1}" for j in range(self.n_features_in_)] if names is None else list(names)

    def _feature(self, feature: Any) -> int:
        names = self._feature_names()
        if isinstance(feature, str) and feature in names:
            return names.index(feature)
        if not isinstance(feature, int | np.integer) or not 0 <= feature < len(names):
            raise InvalidParameter(f"there is no feature {feature!r}; they are {listed(names)}.")
        return int(feature)
