"""Categorical: the likelihood of levels, by counting them in each class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.data.parameters import as_floats
from suffice.data.tables.levels import columns_of, comparable, levels_of
from suffice.data.tables.mixed import check_shape
from suffice.errors import InvalidParameter, TooFewRows
from suffice.models.conjugate_priors.gammas import log_ratio, log_ratio_slope
from suffice.models.conjugate_priors.strengths import best_strengths
from suffice.models.discrete import DiscreteModel, LevelModel
from suffice.models.likelihood import Likelihood
from suffice.models.priors import class_priors
from suffice.statistics.counts import Counts
from suffice.statistics.level_table import LevelTable
from suffice.statistics.passes.count_pass import column_ranges, count_levels, is_large_integers
from suffice.text import shown

# Largest number of levels that integers from 0 stand for.
MOST_LEVELS = 1 << 20


@dataclass(frozen=True)
class Categorical(Likelihood):
    """P(level | class) = (rows of the level + alpha) / (rows + alpha levels), by feature.

    alpha : rows added to every level of every class: one number, one per feature, or "auto"
    levels : levels given in advance, one list per feature, or None
    least : smallest number of levels of integer features: one number, or one per feature
    """

    name = "categorical"
    summary = Counts
    takes_levels = True
    alpha: Any = 1.0
    levels: tuple[Array | None, ...] | None = None
    least: Any = 0

    @classmethod
    def checked(cls, alpha: Any, **others: Any) -> Self:
        """The likelihood with the user's alpha, after checking it."""
        if isinstance(alpha, str) and alpha == "auto":
            return cls(alpha=alpha, **others)
        try:
            values = as_floats(alpha)
        except (TypeError, ValueError, OverflowError):
            raise InvalidParameter(
                f"alpha is {shown(alpha)}; it must be a number, one number per feature, or 'auto'."
            ) from None
        if not np.isfinite(values).all() or (values < 0).any():
            raise InvalidParameter(f"alpha is {shown(alpha)}; it must be finite and not negative.")
        return cls(alpha=values if values.ndim else float(values), **others)

    def summarize(self, X: Any, y: Any, sample_weight: Any, detail: Any = None) -> Counts:
        """Counts of the levels by class."""
        return count_levels(X, y, sample_weight)

    def check(self, statistics: Counts) -> None:
        """Raise unless there are as many settings as features."""
        d = statistics.n_features
        self.given_alphas(d)
        if self.levels is not None and len(self.levels) != d:
            raise InvalidParameter(f"levels has {len(self.levels)} lists for {d} features.")
        if np.ndim(self.least) == 1 and len(self.least) != d:
            raise InvalidParameter(
                f"min_categories has {len(self.least)} numbers for {d} features."
            )

    def build(self, statistics: Counts, priors: Any, completed: Any = None) -> DiscreteModel:
        """The model of counts."""
        self.check(statistics)
        if not len(statistics.classes):
            raise TooFewRows("there are no rows to build a model from.")
        probabilities = class_priors(priors, statistics.classes, statistics.weight)
        pairs = zip(self._tables(statistics), self.alphas(statistics).tolist(), strict=True)
        features = tuple(_level_model(table, alpha) for table, alpha in pairs)
        return DiscreteModel(statistics.classes, probabilities, features)

    def footprint(self, statistics: Counts) -> int:
        """Bytes of probabilities of levels that have no rows, as well as of the others."""
        least = np.broadcast_to(self.least, (statistics.n_features,)).tolist()
        declared = self.levels or (None,) * statistics.n_features
        widths = [
            n_levels(table.levels, own, few)
            for table, own, few in zip(statistics.tables, declared, least, strict=True)
        ]
        return 8 * len(statistics.classes) * sum(widths)

    def check_known(self, model: Any) -> None:
        """Raise ValueError unless a model has levels that this likelihood reads."""
        if not isinstance(model, DiscreteModel):
            raise ValueError("its parameters are those of another kind of model")

    def alphas(self, statistics: Counts) -> Floats:
        """Smoothing of each feature, (d,): as given, or by maximum marginal likelihood."""
        given = self.given_alphas(statistics.n_features)
        if not np.isnan(given).any():
            return given
        return np.array([likeliest_alpha(table.weight) for table in self._tables(statistics)])

    def given_alphas(self, d: int) -> Floats:
        """Smoothing of each feature, (d,); NaN if it is to be estimated from the counts."""
        if isinstance(self.alpha, str) and self.alpha == "auto":
            return np.full(d, np.nan)
        values = np.asarray(self.alpha, np.float64)
        if values.ndim > 1 or (values.ndim == 1 and len(values) != d):
            raise InvalidParameter(f"alpha has shape {values.shape}; there are {d} features.")
        return np.broadcast_to(values, (d,))

    def check_table(self, X: Any) -> None:
        """Raise unless X is a table; what its columns hold is checked when they are read."""
        check_shape(X)

    def read(self, X: Any, model: DiscreteModel) -> Array:
        """The code of each level, (n, d)."""
        if is_large_integers(X) and all(f.is_range for f in model.features):
            if (column_ranges(X)[0] < 0).any():
                columns_of(X)  # raises an error that names the row and the column
            return np.asarray(X)
        pairs = zip(columns_of(X)[0], model.features, strict=True)
        return np.stack([column.among(feature.levels) for column, feature in pairs], axis=1)

    def write(self, rows: Array, model: DiscreteModel, like: Any = None) -> Array:
        """The levels of codes, (n, d); objects if columns hold different kinds of levels."""
        given = None if like is None else columns_of(like)[0]
        columns = [
            levels_of(rows[:, j], feature.levels, None if given is None else given[j])
            for j, feature in enumerate(model.features)
        ]
        kinds = {column.dtype.kind for column in columns}
        return np.stack([c if len(kinds) == 1 else c.astype(object) for c in columns], axis=1)

    def _tables(self, counts: Counts) -> list[LevelTable]:
        least = np.broadcast_to(self.least, (counts.n_features,))
        declared = self.levels or (None,) * counts.n_features
        return [
            with_levels(table, declared[j], int(least[j]), _name(counts, j))
            for j, table in enumerate(counts.tables)
        ]


def n_levels(levels: Array, declared: Array | None, least: int) -> int:
    """Number of levels of a feature, including those without rows."""
    if declared is not None:
        return len(declared)
    if levels.dtype.kind != "i":
        return len(levels)
    most = max(int(levels[-1]) + 1 if len(levels) else 0, least)
    # Larger numbers are identifiers, not positions.
    return most if most <= MOST_LEVELS else len(levels)


def with_levels(table: LevelTable, declared: Array | None, least: int, name: str) -> LevelTable:
    """A table with all levels of a feature, including those without rows."""
    levels = table.levels
    if declared is not None:
        if not comparable(declared, levels):
            raise InvalidParameter(
                f"the levels given for feature {name} do not have the type of the data "
                f"({shown(declared[0])} and {shown(levels[0])})."
            )
        unlisted = np.setdiff1d(levels[table.rows.any(axis=0)], declared)
        if len(unlisted):
            raise InvalidParameter(
                f"feature {name} has level {shown(unlisted[0])}, which is not in the list given."
            )
        levels = declared
    elif levels.dtype.kind == "i":
        most = n_levels(levels, None, least)
        levels = np.arange(most) if most > len(levels) else levels
    elif levels.dtype.kind == "b":
        levels = np.array([False, True])
    return table.spread(slice(None), len(table.rows), levels)


def _level_model(table: LevelTable, alpha: float) -> LevelModel:
    m, k = len(table.levels), len(table.rows)
    if m == 0:
        return LevelModel(table.levels, np.zeros((k, 0)), np.zeros(k))
    total = table.weight.sum(axis=1, keepdims=True) + alpha * m
    has_rows = total[:, 0] > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        log_probabilities = np.log(table.weight + alpha) - np.log(total)
        unseen = np.log(alpha) - np.log(total[:, 0])
    # The feature is never observed in this class: all levels are equally likely.
    log_probabilities[~has_rows] = -np.log(m)
    unseen = np.where(has_rows, unseen, -np.log(m)) if alpha > 0 else np.zeros(len(has_rows))
    return LevelModel(table.levels, log_probabilities, unseen)


def _name(counts: Counts, j: int) -> str:
    return str(j) if counts.feature_names is None else repr(counts.feature_names[j])


def likeliest_alpha(weight: Floats) -> float:
    """The alpha under which counts of levels by class (k, m) are most probable.

    Each class draws its level probabilities from a Dirichlet distribution (alpha, ..., alpha);
    with them integrated out, ln p = sum over classes of ln Γ(m alpha) - ln Γ(m alpha + n)
    + sum over levels of ln Γ(alpha + n_l) - ln Γ(alpha).

    >>> round(likeliest_alpha(np.array([[9.0, 0.0], [0.0, 8.0], [7.0, 1.0]])), 3)
    0.157
    """
    m, total = weight.shape[1], weight.sum(axis=1)
    if m < 2 or not total.any():
        return 1.0

    def evidence(alpha: float, _: float) -> tuple[float, Floats]:
        # The remaining logarithms of alpha add up to the constant n ln m.
        value = log_ratio(alpha, weight).sum() - log_ratio(m * alpha, total).sum()
        slope = log_ratio_slope(alpha, weight).sum() - log_ratio_slope(m * alpha, total).sum()
        return float(value), np.array([float(slope), 0.0])

    high = max(float(total.sum()), 1.0)
    # Smallest number of rows added to a level; the largest is the number of all rows.
    least_alpha = 1e-3
    return float(best_strengths(evidence, np.array([least_alpha, 1.0]), np.array([high, 1.0]))[0])
