"""Pooled model: the joint density of several fitted models, each with its weight."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.tables.mixed import NUMERIC
from suffice.data.tables.shared_reading import shared_reading
from suffice.errors import InvalidParameter
from suffice.estimators.automatic.candidates import log_probabilities
from suffice.estimators.classifier import Classifier
from suffice.estimators.gaussian_classifier import GaussianClassifier
from suffice.estimators.naive_bayes import DiscreteClassifier
from suffice.models.model import ClassModel
from suffice.models.product import ProductModel
from suffice.models.scoring import log_sum
from suffice.selection.pool import Pool


@dataclass(frozen=True)
class PooledModel(ClassModel):
    """p(y | x) of a pool, and p(x) = sum of w_m p_m(x); rows are tables as users pass them.

    Other priors weight the posterior by new / old prior of each class, and apply to the members
    where p(x) is needed.
    """

    pool: Pool
    members: Mapping[str, Any]  # fitted estimators by name

    def scores(self, X: Any) -> Floats:
        """ln p(y | x) up to a constant of the row, (n, k)."""
        with shared_reading():
            parts = [log_probabilities(one, X) for one in self.members.values()]
        return self.combine(parts)

    def combine(self, parts: Sequence[Floats]) -> Floats:
        """ln p(y | x) up to a constant of the row, from that of each member, (n, k) each."""
        return self.pool.log_posterior(parts) + self._shift

    def joint(self, X: Any) -> Floats:
        """ln p(x, y) = ln p(x) + ln p(y | x), (n, k)."""
        with shared_reading():
            scores, density = self.scores(X), self.log_density(X)
        return np.asarray(scores + (density - log_sum(scores))[:, None])

    def log_density(self, X: Any) -> Floats:
        """ln p(x), (n,), from the members whose densities can be compared."""
        at = self._comparable
        members = list(self.generative.values())
        with shared_reading():
            densities = np.stack([members[i].score_samples(X) for i in at], axis=1)
        weights = self.pool.weights[at]
        return log_sum(densities + np.log(weights / weights.sum()))

    def member_shares(self, X: Any, codes: Indices | None = None) -> Floats:
        """How far each member answers for each row, (n, m): w_m p_m(x), normalised.

        Members with densities of different kinds count by their weights alone.

        codes : the class of each row, if it is known: w_m p_m(x, y) then
        """
        members = list(self.generative.values())
        out = np.tile(self.pool.weights / self.pool.weights.sum(), (np.shape(X)[0], 1))
        for at in self._kinds.values():
            if len(at) == 1:
                continue
            parts = [_log_density(members[i], X, codes) for i in at]
            scores = np.stack(parts, axis=1) + np.log(self.pool.weights[at])
            top = scores.max(axis=1, keepdims=True)
            possible = np.isfinite(top[:, 0])
            own = np.exp(scores[possible] - top[possible])
            total = out[np.ix_(possible, at)].sum(axis=1, keepdims=True)
            out[np.ix_(possible, at)] = total * own / own.sum(axis=1, keepdims=True)
        return np.asarray(out)

    @property
    def with_density(self) -> Mapping[str, Any]:
        """The members; raises if one has no density."""
        for name, member in self.members.items():
            if not isinstance(member, Classifier):
                raise InvalidParameter(
                    f"this answer needs a density, and member {name!r} has none; pool models of "
                    "suffice alone: PooledDiscriminant([suffice.LDA(), suffice.GaussianNB()])."
                )
        return self.members

    @cached_property
    def generative(self) -> Mapping[str, Any]:
        """The members under the priors of this model; raises if one has no density.

        Their covariances are those of the rows: inflation corrects posteriors, and rows of
        inflated classes would lie too far out.
        """
        members = {
            name: one._without_inflation() if isinstance(one, GaussianClassifier) else one
            for name, one in self.with_density.items()
        }
        if np.array_equal(self.priors, self.pool.shares):
            return members
        ratio = self.priors / self.pool.shares
        return {name: _under(member, ratio) for name, member in members.items()}

    @property
    def _shift(self) -> Floats:
        with np.errstate(divide="ignore"):
            return np.asarray(self.log_priors - np.log(self.pool.shares))

    @cached_property
    def _kinds(self) -> dict[Hashable, Indices]:
        """Members by what their densities are densities of."""
        kinds: dict[Hashable, list[int]] = defaultdict(list)
        for i, member in enumerate(self.generative.values()):
            kinds[_measure(member)].append(i)
        return {kind: np.array(at) for kind, at in kinds.items()}

    @property
    def _comparable(self) -> Indices:
        """The members whose densities make up p(x)."""
        kinds = {kind: at for kind, at in self._kinds.items() if not _of_indicators(kind)}
        kinds = kinds or self._kinds
        if len(kinds) > 1:
            names = [list(self.members)[at[0]] for at in kinds.values()]
            raise InvalidParameter(
                f"{names[0]} and {names[1]} take different columns as levels, so their densities "
                "have no mean; pool models that read the columns alike. Posteriors can be pooled: "
                "predict_proba, log_odds."
            )
        return next(iter(kinds.values()))


def discrete_positions(member: Any) -> tuple[int, ...]:
    """The positions of the features that a fitted member takes as levels."""
    if isinstance(member, DiscreteClassifier):
        return tuple(range(member.n_features_in_))
    model = getattr(member, "_fitted", None)
    if not isinstance(model, ProductModel):
        return ()
    parts = model.layout.parts
    return tuple(sorted(j for key, at in parts.items() if key != NUMERIC for j in at))


def _measure(member: Any) -> Hashable:
    """What a density is a density of: all columns as numbers, some as levels, or indicators."""
    encoding = member._learned.encoding
    return discrete_positions(member) if encoding is None else encoding.names


def _of_indicators(kind: Hashable) -> bool:
    return isinstance(kind, tuple) and any(isinstance(name, str) for name in kind)


def _log_density(member: Any, X: Any, codes: Indices | None) -> Array:
    if codes is None:
        return np.asarray(member.score_samples(X))
    joint = member.predict_joint_log_proba(X)
    return np.asarray(joint[np.arange(len(joint)), codes])


def _under(member: Any, ratio: Floats) -> Any:
    """A member whose priors are multiplied by a ratio for each class."""
    priors = member.priors_ * ratio
    return member.with_priors(priors / priors.sum())
