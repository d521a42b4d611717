"""The discrete model: independent features, a probability for each level in each class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.labels import shown
from suffice.data.levels import MISSING, comparable
from suffice.data.parameters import as_floats
from suffice.errors import InvalidParameter, TooFewRows
from suffice.models.priors import class_priors
from suffice.models.scoring import BLOCK_BYTES
from suffice.models.smoothing import likeliest_alpha
from suffice.statistics.counts import Counts, LevelTable
from suffice.statistics.threads import in_parallel, n_threads, shares

# Largest number of levels that integers from 0 stand for.
MOST_LEVELS = 1 << 20

# Number of additions from which the compiled loop saves more time than loading it takes.
COMPILED_FROM = 1 << 22


@dataclass(frozen=True, slots=True)
class Smoothing:
    """How level probabilities are estimated.

    alpha : rows added to every level of every class: one number, one per feature, or "auto"
    levels : levels given in advance, one list per feature, or None
    least : smallest number of levels of integer features: one number, or one per feature
    """

    alpha: Any = 1.0
    levels: tuple[Array | None, ...] | None = None
    least: Any = 0

    @classmethod
    def checked(
        cls, alpha: Any, levels: tuple[Array | None, ...] | None = None, least: Any = 0
    ) -> Smoothing:
        """The smoothing with the user's parameters, after checking them."""
        if isinstance(alpha, str) and alpha == "auto":
            return cls(alpha, levels, least)
        try:
            values = as_floats(alpha)
        except (TypeError, ValueError, OverflowError):
            raise InvalidParameter(
                f"alpha is {shown(alpha)}; it must be a number, one number per feature, or 'auto'."
            ) from None
        if not np.isfinite(values).all() or (values < 0).any():
            raise InvalidParameter(f"alpha is {shown(alpha)}; it must be finite and not negative.")
        return cls(values if values.ndim else float(values), levels, least)


@dataclass(frozen=True)
class LevelModel:
    """One feature: ln P(level | class)."""

    levels: Array  # (m,)
    log_probabilities: Floats  # (k, m)
    log_unseen: Floats  # (k,): of a level that no row had; zero if it is ignored


@dataclass(frozen=True)
class DiscreteModel:
    """p(x, y) of rows of codes (n, d): positions of levels, MISSING, or anything else if unseen."""

    classes: Array
    priors: Floats  # (k,)
    features: tuple[LevelModel, ...]

    @cached_property
    def log_priors(self) -> Floats:
        """Log prior of each class; minus infinity for a prior of zero."""
        with np.errstate(divide="ignore"):
            return np.log(self.priors)

    def with_priors(self, priors: Floats) -> DiscreteModel:
        """The same class densities under other priors."""
        return replace(self, priors=priors)

    @cached_property
    def sizes(self) -> Indices:
        """Levels of each feature, (d,)."""
        return np.array([len(feature.levels) for feature in self.features], np.int64)

    @cached_property
    def offsets(self) -> Indices:
        """Where each feature starts in `table`, (d,)."""
        return np.concatenate([[0], np.cumsum(self.sizes + 2)[:-1]])

    @cached_property
    def table(self) -> Floats:
        """ln P of each level, then of an unseen and of a missing value, by feature, (s, k)."""
        k = len(self.classes)
        parts = [
            np.concatenate([f.log_probabilities.T, f.log_unseen[None], np.zeros((1, k))])
            for f in self.features
        ]
        return np.ascontiguousarray(np.concatenate(parts))

    def log_likelihood(self, codes: Array) -> Floats:
        """ln P(x | class), (n, k); missing values are ignored."""
        n, d = codes.shape
        k = len(self.classes)
        out = np.zeros((n, k))
        if n * d * k >= COMPILED_FROM:
            from suffice.models.compiled import add_levels

            def work(start: int, stop: int) -> None:
                add_levels(codes[start:stop], self.offsets, self.sizes, self.table, out[start:stop])

            in_parallel(work, shares(n, n_threads()))
            return out
        step = max(1, BLOCK_BYTES // (8 * d * k))
        for low in range(0, n, step):
            out[low : low + step] = self.table[self.slots(codes[low : low + step])].sum(axis=1)
        return out

    def slots(self, codes: Array) -> Indices:
        """Rows of `table` for each entry of codes, (n, d)."""
        codes = codes.astype(np.int64, copy=False)
        at = np.where((codes < 0) | (codes >= self.sizes), self.sizes, codes)
        return np.asarray(np.where(codes == MISSING, self.sizes + 1, at) + self.offsets)

    def joint(self, rows: Array) -> Floats:
        """ln P(x, y), (n, k)."""
        joint = self.log_likelihood(rows)
        joint += self.log_priors
        return joint

    def scores(self, rows: Array) -> Floats:
        """The same, but the log-priors for rows that are impossible in every class, (n, k)."""
        joint = self.joint(rows)
        joint[impossible(joint)] = self.log_priors
        return joint


def impossible(joint: Floats) -> Array:
    """Rows of (n, k) that are impossible in every class, so that their levels are ignored."""
    return np.asarray(np.isneginf(joint.max(axis=1)))


def build_discrete(counts: Counts, smoothing: Smoothing, priors: Any) -> DiscreteModel:
    """The model of counts: P(level) = (rows of the level + alpha) / (rows + alpha levels)."""
    if not len(counts.classes):
        raise TooFewRows("there are no rows to build a model from.")
    probabilities = class_priors(priors, counts.classes, counts.weight)
    alpha, tables = used_alphas(counts, smoothing), _tables(counts, smoothing)
    features = tuple(_level_model(*own) for own in zip(tables, alpha.tolist(), strict=True))
    return DiscreteModel(counts.classes, probabilities, features)


def used_alphas(counts: Counts, smoothing: Smoothing) -> Floats:
    """Smoothing of each feature, (d,): as given, or by maximum marginal likelihood."""
    given = alphas(smoothing.alpha, counts.n_features)
    if not np.isnan(given).any():
        return given
    return np.array([likeliest_alpha(table.weight) for table in _tables(counts, smoothing)])


def _tables(counts: Counts, smoothing: Smoothing) -> list[LevelTable]:
    least = np.broadcast_to(smoothing.least, (counts.n_features,))
    return [
        with_levels(table, _declared(smoothing, j), int(least[j]), _name(counts, j))
        for j, table in enumerate(counts.tables)
    ]


def alphas(alpha: Any, d: int) -> Floats:
    """Smoothing of each feature, (d,); NaN if it is to be estimated from the counts."""
    if isinstance(alpha, str) and alpha == "auto":
        return np.full(d, np.nan)
    values = np.asarray(alpha, np.float64)
    if values.ndim > 1 or (values.ndim == 1 and len(values) != d):
        raise InvalidParameter(f"alpha has shape {values.shape}; there are {d} features.")
    return np.broadcast_to(values, (d,))


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
    elif levels.dtype.kind == "i" and (len(levels) or least):
        most = max(int(levels[-1]) + 1 if len(levels) else 0, least)
        # Larger numbers are identifiers, not positions.
        levels = np.arange(most) if most <= MOST_LEVELS else levels
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


def _declared(smoothing: Smoothing, j: int) -> Array | None:
    return None if smoothing.levels is None else smoothing.levels[j]


def _name(counts: Counts, j: int) -> str:
    return str(j) if counts.feature_names is None else repr(counts.feature_names[j])
