"""The independent model: features that are independent given the class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.tables.mixed import missing
from suffice.errors import InvalidParameter
from suffice.models.model import ClassModel


@dataclass(frozen=True)
class IndependentModel(ClassModel, ABC):
    """p(x, y) = p(y) p(x_1 | y) ... p(x_d | y); a subclass defines the factors."""

    @abstractmethod
    def terms(self, rows: Array, c: int) -> Floats:
        """ln p(x_j | class c), (n, d); zero for missing values."""

    @abstractmethod
    def draw(self, codes: Indices, rng: np.random.Generator) -> Array:
        """One random row of each class in `codes`, (n, d)."""

    @abstractmethod
    def expect(self, shares: Floats) -> Array:
        """The values that fill gaps, (n, d): mean or most probable ones.

        shares : the weight of each class, (n, k)
        """

    @property
    @abstractmethod
    def n_free(self) -> int:
        """Number of free parameters of the class densities."""

    def total(self, statistics: Any) -> float:
        """Sum of w ln p(x | y) over the rows of the statistics."""
        raise InvalidParameter(
            f"the statistics of a {type(self).__name__} do not give the likelihood of its rows; "
            "pass them: model.log_likelihood(X, y)."
        )

    def log_likelihood(self, rows: Array) -> Floats:
        """ln p(x | class), (n, k); missing values are integrated out."""
        terms = [self.terms(rows, c).sum(axis=1) for c in range(len(self.classes))]
        return np.stack(terms, axis=1)

    def joint(self, rows: Array) -> Floats:
        """ln p(x, y), (n, k)."""
        joint = self.log_likelihood(rows)
        joint += self.log_priors
        return joint

    def scores(self, rows: Array) -> Floats:
        """The same, but the log-priors for rows that are impossible in every class, (n, k)."""
        joint = self.joint(rows)
        joint[impossible(joint)] = self.log_priors
        return joint

    def fill(self, rows: Array, shares: Floats) -> Array:
        """Rows with their gaps filled, classes weighted by `shares` (n, k)."""
        at = np.flatnonzero(missing(rows).any(axis=1))
        out = np.array(rows)
        out[at] = np.where(missing(rows[at]), self.expect(shares[at]), rows[at])
        return out


def impossible(joint: Floats) -> Array:
    """Rows of (n, k) that are impossible in every class, so that their features are ignored."""
    lost = np.isneginf(joint)
    return np.asarray(lost.all(axis=1) if lost.any() else np.zeros(len(joint), bool))


def random_columns(shares: Floats, rng: np.random.Generator) -> Indices:
    """A random column for each row, with probabilities `shares` (n, m)."""
    edges = np.cumsum(shares, axis=1)
    at = (rng.random(len(shares))[:, None] * edges[:, -1:] >= edges).sum(axis=1)
    return np.asarray(np.minimum(at, shares.shape[1] - 1))
