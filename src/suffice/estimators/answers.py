"""The answers that every classifier gives, as methods."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

import numpy as np

from suffice.answers.adaptation import adapt_priors
from suffice.answers.contributions import Contributions, contributions, explanation, log_odds
from suffice.answers.decision import decide
from suffice.answers.imputation import draws, impute
from suffice.answers.level_atypicality import LevelAtypicality, level_atypicality
from suffice.answers.outliers import Atypicality
from suffice.answers.pair import class_codes, class_pair
from suffice.answers.sampling import draw, generator, random_codes
from suffice.data.arrays import Array, Floats
from suffice.data.features import as_features
from suffice.data.frame_output import frame_kind
from suffice.data.labels import shown
from suffice.data.levels import UNSEEN
from suffice.data.parameters import check_room, count, flag, is_number
from suffice.errors import InvalidFeatures, InvalidParameter
from suffice.estimators.anywhere import anywhere
from suffice.estimators.state import at_once
from suffice.models.model import Model
from suffice.models.scoring import Hook, log_sum, posterior, scores
from suffice.statistics.statistics import listed

AnyModel = TypeVar("AnyModel", bound=Model)


class Answers(Generic[AnyModel]):
    """What a generative model can answer beyond a label."""

    if TYPE_CHECKING:

        @property
        def classes_(self) -> Array: ...  # noqa: D102
        @property
        def n_features_in_(self) -> int: ...  # noqa: D102
        @property
        def _learned(self) -> Any: ...
        @property
        def _fitted(self) -> AnyModel: ...
        def _rows(self, X: Any) -> Any: ...
        def _answer(self, X: Any, ask: Hook[Any], model: AnyModel | None = None) -> Floats: ...
        def _answer_rows(self, rows: Any, ask: Hook[Any]) -> Floats: ...
        def _check_finite(self, rows: Any) -> None: ...
        def _restore(self, rows: Any, like: Any = None) -> Any: ...
        def _new_atypicality(self) -> Atypicality: ...
        def _class_weight(self) -> Floats: ...
        def predict_proba(self, X: Any) -> Floats: ...  # noqa: D102
        def predict_log_proba(self, X: Any) -> Floats: ...  # noqa: D102
        def predict_joint_log_proba(self, X: Any) -> Floats: ...  # noqa: D102
        def with_priors(self, priors: Any) -> Self: ...  # noqa: D102

    @anywhere
    def log_odds(self, X: Any, a: Any = None, b: Any = None) -> Floats:
        """ln p(a | x) - ln p(b | x); with two classes, the second against the first by default."""
        pair = class_pair(self._fitted.classes, a, b)
        return log_odds(self._answer(X, scores), *pair)

    @anywhere
    def log_likelihood_ratio(self, X: Any, a: Any = None, b: Any = None) -> Floats:
        """ln p(x | a) - ln p(x | b): the log-odds without the priors."""
        model, k = self._fitted, len(self._fitted.classes)
        pair = class_pair(model.classes, a, b)
        equal = model.with_priors(np.full(k, 1 / k))
        return log_odds(self._answer(X, scores, equal), *pair)

    @anywhere
    def log_likelihood(self, X: Any, y: Any) -> float:
        """Sum over the rows of ln p(x, y)."""
        joint = self.predict_joint_log_proba(X)
        at = class_codes(self.classes_, y, len(joint))
        return float(joint[np.arange(len(at)), at].sum())

    @anywhere
    def decide(
        self, X: Any, costs: Any = None, reject: float | None = None, *, threshold: Any = None
    ) -> Array:
        """The class with the smallest expected cost, or None if that is above `reject`.

        costs : {(true, predicted): cost} or {true: {predicted: cost}}, where pairs that are not
            named cost 1 and correct answers 0; or an array (k, k), one row per true class and one
            column per answer, in the order of `classes_`; 0 and 1 if None
        reject : the cost of not answering
        threshold : instead of costs, the probability from which on a class is the answer: a
            number for the second of two classes, or {class: number}; below it, the most probable
            of the others. `suffice.thresholds` finds one by cost or by recall
        """
        return decide(np.asarray(self.predict_proba(X)), self.classes_, costs, reject, threshold)

    @anywhere
    def adapt_priors(self, X: Any) -> Self:
        """The same class densities under the priors that make unlabelled rows most likely."""
        return self.with_priors(adapt_priors(self.predict_log_proba(X), self._fitted.priors))

    @anywhere
    def contributions(self, X: Any, a: Any = None, b: Any = None) -> Contributions:
        """Contribution of each feature to the log-odds of a against b; they add up exactly."""
        model, rows = self._fitted, self._rows(X)
        self._check_finite(rows)
        found = self._by_column(contributions(model, rows, *class_pair(model.classes, a, b)))
        return replace(found, feature_names=tuple(self._feature_names()))

    @anywhere
    def explain(self, X: Any, row: int = 0, a: Any = None, b: Any = None) -> str:
        """One row explained in words; by default its most probable class against the next."""
        model, rows = self._fitted, self._rows(X)
        if not isinstance(row, int | np.integer) or not is_number(row):
            raise InvalidParameter(f"row is {shown(row)}; it must be the number of a row, from 0.")
        if not -len(rows) <= row < len(rows):
            raise InvalidParameter(f"there is no row {row}; X has {len(rows)} rows.")
        one = rows[row % len(rows) : row % len(rows) + 1]
        self._check_finite(one)
        if a is None and b is None and len(model.classes) > 1:
            order = np.argsort(-self._answer_rows(one, scores)[0], kind="stable")
            a, b = model.classes[order[0]], model.classes[order[1]]
        shares = self._by_column(contributions(model, one, *class_pair(model.classes, a, b)))
        reader = self._learned.reader
        at = row % len(rows)
        names = self._feature_names() if reader is None else reader.row_names(X, at)
        return explanation(shares, 0, names)

    def _by_column(self, found: Contributions) -> Contributions:
        """Contributions of the columns of a table: those of all features of one add up."""
        reader, encoding = self._learned.reader, self._learned.encoding
        if reader is None:
            return found
        owner = reader.owners if encoding is None else encoding.owner
        return replace(found, values=reader.by_column(found.values, owner))

    @at_once
    def sample(
        self, n_samples: int = 1, y: Any = None, random_state: Any = None, *, given: Any = None
    ) -> tuple[Floats, Array]:
        """Rows and labels drawn from the model.

        y : draw rows of this class, or of these classes (one per row)
        given : fixed values of every row: a mapping by feature name or position, or a row with
            NaN for values to be drawn; classes are then drawn from their posterior
        """
        model, n = self._fitted, count("n_samples", n_samples, sys.maxsize)
        check_room("n_samples", n, 8 * n * (self.n_features_in_ + 1), "Draw fewer rows at a time.")
        rng = generator(random_state)
        row = None if given is None else self._given(given)
        if y is not None:
            codes = class_codes(model.classes, y, n)
        elif row is None:
            codes = random_codes(model.priors, n, rng)
        else:
            codes = random_codes(self._answer_rows(row, posterior)[0], n, rng)
        if row is not None:
            rows = row[np.zeros(n, np.int64)]
            return self._restore(draws(model, rows, 1, codes, rng)[0]), model.classes[codes]
        seeds = np.random.SeedSequence(rng.integers(0, 2**63, 4).tolist())
        return self._restore(draw(model, codes, seeds)), np.asarray(model.classes[codes])

    @anywhere
    def impute(self, X: Any, y: Any = None) -> Any:
        """X with each missing value at its mean given the observed values of its row.

        y : the class of each row; without it, classes are weighted by their posterior
        """
        model, rows = self._fitted, self._rows(X)
        self._check_finite(rows)
        codes = None if y is None else class_codes(model.classes, y, len(rows))
        return self._restore(impute(model, rows, codes), X)

    @anywhere
    def impute_draws(
        self, X: Any, n_draws: int = 1, y: Any = None, random_state: Any = None
    ) -> Any:
        """X with missing values drawn given the observed values of each row, (n_draws, n, d).

        A list of data frames if X is one.

        y : the class of each row; without it, each draw takes a class from its posterior
        """
        model, rows = self._fitted, self._rows(X)
        self._check_finite(rows)
        codes = None if y is None else class_codes(model.classes, y, len(rows))
        n = count("n_draws", n_draws, sys.maxsize)
        size = 8 * n * len(rows) * self.n_features_in_
        check_room("n_draws", n, size, "Draw less often, or for fewer rows at a time.")
        drawn = draws(model, rows, n, codes, generator(random_state))
        tables = [self._restore(one, X) for one in drawn]
        return tables if frame_kind(X) else np.stack(tables)

    @anywhere
    def outlier_pvalue(self, X: Any, *, by_class: bool = False) -> Floats:
        """Probability under the model of a row at least as atypical as this one, (n,).

        Small for rows unlike any class. Takes into account that means and covariances are
        estimates; missing values are left out of the comparison. In a table, levels count by
        their probabilities in each class, and numbers by their density given the levels.

        by_class : instead, the probability that a row of each class is as far from its mean, (n, k)
        """
        each, rows = flag("by_class", by_class), self._rows(X)
        self._check_finite(rows)
        atypicality = self._atypicality
        return atypicality.of_classes(rows) if each else atypicality.of_model(rows)

    @at_once
    def outlier_threshold(self, quantile: float = 0.01) -> float:
        """The value of `score_samples` below which this share of rows of the model lies."""
        if not is_number(quantile) or not 0 < quantile < 1:
            raise InvalidParameter(f"quantile is {shown(quantile)}; it must be between 0 and 1.")
        return self._atypicality.threshold(float(quantile))

    @property
    def _atypicality(self) -> Atypicality:
        """Created once per model, because simulations are cached."""
        atypicality: Atypicality = self._learned.once("atypicality", self._made_atypicality)
        return atypicality

    def _mixed_log_density(self, X: Any) -> Floats:
        """ln p(x), in which levels have their probabilities in place of Gaussian densities."""
        atypicality = self._atypicality
        if isinstance(atypicality, LevelAtypicality):
            return atypicality.log_density(self._rows(X))
        return log_sum(self.predict_joint_log_proba(X))

    def _made_atypicality(self) -> Any:
        base, encoding = self._new_atypicality(), self._learned.encoding
        if encoding is None:
            return base
        sizes = [groups.size for groups in encoding.groups]
        return level_atypicality(base, self._fitted, sizes, self._class_weight())

    @anywhere
    def discriminants(self, X: Any) -> Floats:
        """The discriminant functions delta_k: ln p(x, y) up to a constant of the row, (n, k)."""
        return self._answer(X, scores)

    def _given(self, given: Any) -> Any:
        """The given values as a single row in the model's form; all others are missing."""
        row = np.full((1, self.n_features_in_), None, object)
        if isinstance(given, Mapping):
            for feature, value in given.items():
                if _shape(value) != ():
                    raise InvalidParameter(
                        f"given has {shown(value)} for {shown(feature)}; give one value."
                    )
                row[0, self._feature(feature)] = value
        elif isinstance(given, str | bytes) or _shape(given) != row.shape[1:]:
            raise InvalidParameter(
                f"given is {shown(given)}; it must be a row of {row.shape[1]} values with NaN for "
                "those to draw, or a mapping from features to values."
            )
        else:
            row[0] = list(given)
        try:
            parsed = self._parse_row(row)
        except InvalidFeatures as error:
            raise InvalidParameter(f"given: {error}") from None
        self._check_finite(parsed)
        return parsed

    def _parse_row(self, row: Array) -> Any:
        """A row of objects, None where a value is missing, in the model's form."""
        encoding = self._learned.encoding
        if encoding is None:
            return as_features(row).read(0, 1)
        features = encoding.features(encoding.reader.prepare_row(row[0]).rows)
        for own, codes in zip(encoding.groups, features.codes, strict=True):
            if codes[0] == UNSEEN:
                raise InvalidFeatures(
                    f"column {own.name!r} never held such a level; its levels are "
                    f"{listed(own.levels.tolist())}."
                )
        return features.read(0, 1)

    def _model_names(self) -> tuple[str, ...] | None:
        """Names of the features that the model takes, if it was fitted to rows with names."""
        reader, encoding = self._learned.reader, self._learned.encoding
        if reader is not None:
            found: tuple[str, ...] = reader.feature_names if encoding is None else encoding.names
            return found
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else tuple(map(str, names))

    def _feature_names(self) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        return [f"x{j + 1}" for j in range(self.n_features_in_)] if names is None else list(names)

    def _feature(self, feature: Any, names: Sequence[str] | None = None) -> int:
        names = self._feature_names() if names is None else names
        if isinstance(feature, str) and feature in names:
            return names.index(feature)
        whole = isinstance(feature, int | np.integer) and not isinstance(feature, bool)
        if not whole or not 0 <= feature < len(names):
            raise InvalidParameter(
                f"there is no feature {shown(feature)}; the features are {listed(names)}."
            )
        return int(feature)


def _shape(value: Any) -> tuple[int, ...] | None:
    """The shape of a value; None if nested lists have different lengths."""
    try:
        return tuple(np.shape(value))
    except ValueError:
        return None
