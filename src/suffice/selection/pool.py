"""Pool: several models whose calibrated posteriors are averaged, by weights found on other rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.selection.recalibration import Recalibration, recalibrations
from suffice.statistics.storage.registry import storable

# Rows with a label drawn from the class shares that are believed to be among those to come: however
# well a model predicts n rows, they do not show that it is wrong less often than once in n.
IMAGINARY_ROWS = 0.3

# Rows that a pool is found by: MAX_CELLS rows x classes, or MIN_ROWS rows where classes are many.
MAX_CELLS, MIN_ROWS = 400_000, 1000

# Nats that such a label may cost: classes that lie far apart are not to be blurred for its sake.
MOST_SURPRISE = 200.0


@storable
@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """p(y | x) = sum of w_m r_m(p_m(y | x)) + w_0 share(y), over the members m.

    >>> shares = np.array([0.5, 0.5])
    >>> pool = Pool(np.array([0.6, 0.2]), 0.2, shares, [Recalibration.none(2)] * 2)
    >>> np.exp(pool.log_posterior(np.log([[[0.9, 0.1]], [[0.5, 0.5]]]))).round(2)
    array([[0.74, 0.26]])
    """

    weights: Array  # (m,): of the members
    share_weight: float  # of the class shares: a floor under the probabilities
    shares: Array  # (k,): of the classes in the training rows
    recalibrations: list[Recalibration]  # of each member

    @classmethod
    def of(
        cls,
        weights: Sequence[float] | Floats,
        share_weight: float,
        shares: Floats,
        own: Sequence[Recalibration],
    ) -> Self:
        """The pool with weights that add up to 1."""
        total = float(np.sum(weights)) + float(share_weight)
        return cls(np.array(weights, float) / total, share_weight / total, shares, list(own))

    def log_posterior(self, parts: Sequence[Floats] | Floats) -> Floats:
        """The pooled ln p(y | x), (n, k), from those of the members; exact however small."""
        with np.errstate(divide="ignore"):
            weights, floor = np.log(self.weights), np.log(self.share_weight * self.shares)
        out = np.tile(floor, (len(parts[0]), 1))
        for weight, own, part in zip(weights, self.recalibrations, parts, strict=True):
            np.logaddexp(out, weight + own.apply(part), out=out)
        return out

    def relabelled(self, before: Array, after: Array, shares: Floats) -> Self:
        """The same for other classes: offsets of those that are new are zero."""
        at = {label: i for i, label in enumerate(before.tolist())}
        places = [at.get(label) for label in after.tolist()]

        def moved(own: Recalibration) -> Recalibration:
            offsets = np.array([0.0 if i is None else own.offsets[i] for i in places])
            return replace(own, offsets=offsets - offsets.mean())

        same = places == list(range(len(before)))
        own = self.recalibrations if same else list(map(moved, self.recalibrations))
        return replace(self, shares=shares, recalibrations=own)

    def validated(self) -> Self:
        """This pool, if its weights are those of a mean; a ValueError otherwise."""
        total = self.weights.sum() + self.share_weight
        if self.weights.ndim != 1 or not len(self.weights) or abs(total - 1) > 1e-9:
            raise ValueError("the weights of a pool add up to 1")
        if self.weights.min() < 0 or self.share_weight < 0:
            raise ValueError("the weights of a pool are not negative")
        if len(self.recalibrations) != len(self.weights):
            raise ValueError("a pool has one recalibration per member")
        if self.shares.ndim != 1 or self.shares.min() <= 0 or abs(self.shares.sum() - 1) > 1e-9:
            raise ValueError("the class shares of a pool are positive and add up to 1")
        if any(len(own.offsets) != len(self.shares) for own in self.recalibrations):
            raise ValueError("a recalibration has one offset per class")
        return self


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """Rows that models were tested on but not trained on."""

    log_posteriors: Floats  # (m, n, k): of each model
    codes: Indices  # (n,): the class of each row
    weights: Floats  # (n,)
    fold: Indices  # (n,): in which the row was tested
    shares: Floats  # (folds, k): of the classes in the training rows
    repeats: int = 1  # how often each row was tested

    @property
    def independent(self) -> Floats:
        """Weights that add up to as many rows as the weights are worth, whatever their unit."""
        total = self.weights.sum()
        scale = total / (self.weights @ self.weights) / self.repeats
        return np.asarray(self.weights * scale)

    def surprise(self, log_posterior: Floats) -> float:
        """Mean of -ln p(y | x), (n, k), for labels y that are drawn from the class shares."""
        each = np.minimum(-log_posterior, MOST_SURPRISE) * self.shares[self.fold]
        return float(np.average(each.sum(axis=1), weights=self.weights))

    def enough_for_a_pool(self) -> HeldOut:
        """Some of the rows, chosen at random: a few numbers per model need no more."""
        n, k = self.log_posteriors.shape[1:]
        most = max(MIN_ROWS, MAX_CELLS // k)
        if n <= most:
            return self
        return self.at(np.sort(np.random.default_rng(0).choice(n, most, replace=False)))

    def at(self, at: Indices) -> HeldOut:
        """Some of the rows, by position."""
        return replace(
            self,
            log_posteriors=self.log_posteriors[:, at],
            codes=self.codes[at],
            weights=self.weights[at],
            fold=self.fold[at],
        )


@dataclass(frozen=True, slots=True, eq=False)
class PoolFit:
    """A pool, and how well it predicts held-out rows."""

    pool: Pool
    kept: Indices  # (m,): which models are members
    rows: HeldOut  # that were used
    log_posterior: Floats  # (n, k): of these rows, recalibrated by those of other folds


def fit_pool(
    rows: HeldOut,
    shares: Floats,
    calibrate: bool = True,
    *,
    deviation: float = 0.5,
    min_weight: float = 0.03,
    max_members: int = 6,
) -> PoolFit:
    """The pool that predicts held-out rows best, and the models that are members of it.

    Each model is recalibrated by the rows of the other folds when it is weighed, by all rows in
    the pool. Models of less weight than `min_weight` are left out, and those after the first
    `max_members`.

    shares : (k,) of the classes in all rows
    calibrate : False averages the posteriors as they are, without a floor
    deviation : of slopes and offsets from 1 and 0, see `recalibrations`
    """
    m, _, k = rows.log_posteriors.shape
    rows = rows.enough_for_a_pool()
    weights = rows.independent
    crossed, final = [], []
    for log_posterior in rows.log_posteriors:
        found = _calibrated(rows, log_posterior, weights, deviation) if calibrate else None
        crossed.append(log_posterior if found is None else found[0])
        final.append(Recalibration.none(k) if found is None else found[1])
    every = np.arange(len(rows.codes))
    own = np.exp(np.stack(crossed)[:, every, rows.codes].T)
    floor = rows.shares[rows.fold, rows.codes][:, None]

    imagined = _imagine(rows, np.stack(crossed), shares)
    each_row = np.vstack([np.hstack([own, floor]), imagined[0]])
    row_weights = np.concatenate([weights, imagined[1]])
    # The fewer rows, the more they would favour single models by chance.
    equal = 1 + 120 / weights.sum()

    def weigh(kept: Indices) -> Floats:
        if not calibrate:
            return pool_weights(own[:, kept], weights)
        # The floor has to earn its weight: sharp probabilities would suffer from a prior for it.
        prior = np.append(np.full(len(kept), equal / len(kept)), 0.0)
        return pool_weights(each_row[:, [*kept, m]], row_weights, prior)

    kept = np.arange(m)
    pooled = weigh(kept)
    leading = np.argsort(-pooled[:m], kind="stable")[:max_members]
    large = np.sort(leading[pooled[leading] >= min(min_weight, pooled[:m].max())])
    if len(large) < m:
        kept = large
        pooled = weigh(kept)
    share_weight = float(pooled[-1]) if calibrate else 0.0
    pool = Pool.of(pooled[: len(kept)], share_weight, shares, [final[i] for i in kept])
    plain = replace(pool, recalibrations=[Recalibration.none(k)] * len(kept))
    return PoolFit(pool, kept, rows, plain.log_posterior([crossed[i] for i in kept]))


def _imagine(
    rows: HeldOut, log_posteriors: Floats, shares: Floats, most: int = 1000
) -> tuple[Floats, Floats]:
    """What models and class shares give to labels drawn from the shares, (r, m + 1); weights (r,).

    log_posteriors : (m, n, k), of which every class of at most `most` rows is taken
    """
    step = -(-len(rows.codes) // most)
    given = np.exp(log_posteriors[:, ::step]).reshape(len(log_posteriors), -1).T
    of_rows = rows.weights[::step] / rows.weights[::step].sum()
    weights = IMAGINARY_ROWS * (of_rows[:, None] * shares).ravel()
    return np.column_stack([given, np.tile(shares, len(of_rows))]), weights


def _calibrated(
    rows: HeldOut, log_posterior: Floats, weights: Floats, deviation: float
) -> tuple[Floats, Recalibration]:
    """Log posteriors recalibrated by the rows of other folds, and the recalibration by all rows."""
    folds = np.arange(len(rows.shares))
    others = weights * (rows.fold != folds[:, None])
    given = log_posterior, rows.codes
    (by_all,) = recalibrations(*given, weights[None], deviation=deviation)
    by_fold = recalibrations(*given, others, start=by_all, deviation=deviation)
    out = np.empty_like(log_posterior)
    for fold, own in zip(folds, by_fold, strict=True):
        at = rows.fold == fold
        out[at] = own.apply(log_posterior[at])
    return out, by_all


def pool_weights(
    probabilities: Floats, weights: Floats, prior: Floats | None = None, *, max_steps: int = 200
) -> Floats:
    """The weights (m,) for which the pooled probabilities of the true classes are largest.

    Maximises sum of w ln(sum of pool_weight p) + sum of prior ln(pool_weight) by EM: weights of a
    mixture whose components are known. The function is concave.

    probabilities : (n, m) that each model gave to the true class of rows it was not trained on
    weights : (n,) of the rows
    prior : number of rows that count as those of each model, (m,); None for one row in all

    >>> pool_weights(np.array([[0.9, 0.1], [0.8, 0.3], [0.2, 0.3]]), np.ones(3)).round(2)
    array([0.76, 0.24])
    """
    m = probabilities.shape[1]
    given = np.full(m, 1.0 / m) if prior is None else prior
    largest = probabilities.max(axis=1, keepdims=True)
    relative = probabilities / np.where(largest > 0, largest, 1.0)
    shares = np.full(m, 1.0 / m)
    for _ in range(max_steps):
        mixed = relative @ shares
        moved = shares * ((weights / np.where(mixed > 0, mixed, 1.0)) @ relative) + given
        moved /= moved.sum()
        done = np.abs(moved - shares).max() < 1e-6
        shares = moved
        if done:
            break
    return shares
