"""Factored scatter: a scatter matrix kept as a factor, for more features than rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.errors import LostPrecision, NeverIncluded
from suffice.statistics.alignment import Alignment
from suffice.statistics.numbers import DoubleDouble
from suffice.statistics.storage.registry import storable

# A direction left by a removal with less than this share of the largest is rounding.
NOISE = 1e-13


@storable
@dataclass(frozen=True, slots=True)
class FactoredScatter:
    """Rows whose outer products add up to the scatter of their group: S_g = F_g' F_g.

    200 rows of 20,000 features take 32 MB in this form; as a matrix, 3.2 GB.
    """

    factor: Floats  # (rows, d), ordered by owner
    owner: Indices  # (rows,): the group of each row
    groups: int  # number of classes, or 1 if pooled
    per_class: bool

    def validated(self) -> Self:
        """This factor, if each row belongs to a group; a ValueError otherwise."""
        factor, owner = self.factor, self.owner
        if factor.ndim != 2 or owner.shape != (len(factor),):
            raise ValueError("the factor does not have one owner per row")
        if ((owner < 0) | (owner >= self.groups)).any() or (np.diff(owner) < 0).any():
            raise ValueError("the factor has rows that belong to no class")
        return self

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.factor.shape[1])

    @property
    def is_worthwhile(self) -> bool:
        """Whether the factor takes no more memory than the matrices."""
        rows, d = self.factor.shape
        return bool(rows <= self.groups * d)

    def merged(self, other: FactoredScatter, alignment: Alignment, jump: Floats) -> FactoredScatter:
        """Factor of both: their rows, and one for each pair of class means that differ."""
        apart = jump.any(axis=1)
        owners = [self._owner(alignment.left, alignment), other._owner(alignment.right, alignment)]
        if self.per_class:
            owners.append(np.arange(alignment.size)[alignment.both][apart])
        else:
            owners.append(np.zeros(int(apart.sum()), np.int64))
        return _sort_by_owner(
            np.concatenate([self.factor, other.factor, jump[apart]]),
            np.concatenate(owners),
            alignment.size if self.per_class else 1,
            self.per_class,
        )

    def reduced(
        self, removed: FactoredScatter, alignment: Alignment, jump: Floats, slack: Floats
    ) -> FactoredScatter:
        """Factor of what remains, computed in the space that the rows span."""
        apart = jump.any(axis=1)
        shared = np.arange(self.groups)[alignment.both] if self.per_class else np.zeros(1, int)
        jump_owner = shared[apart] if self.per_class else np.zeros(int(apart.sum()), np.int64)
        removed_rows = np.concatenate([removed.factor, jump[apart]])
        removed_owner = np.concatenate([removed._owner(alignment.right, alignment), jump_owner])
        parts, owners = [], []
        for group in range(self.groups):
            left = self.factor[self.owner == group]
            part = _difference(left, removed_rows[removed_owner == group], slack[group])
            parts.append(part)
            owners.append(np.full(len(part), group))
        return FactoredScatter(
            np.concatenate(parts), np.concatenate(owners), self.groups, self.per_class
        )

    def _owner(self, at: slice | Indices, alignment: Alignment) -> Indices:
        return np.arange(alignment.size)[at][self.owner] if self.per_class else self.owner

    def grams(self) -> DoubleDouble | None:
        """The scatter matrices (groups, d, d), or None when all are zero."""
        if not len(self.factor):
            return None
        d = self.factor.shape[1]
        out = np.zeros((self.groups, d, d))
        for group, rows in self.by_group():
            np.matmul(rows.T, rows, out=out[group])
        return DoubleDouble(out)

    def by_group(self) -> list[tuple[int, Floats]]:
        """The factor of each group that has one."""
        starts = np.searchsorted(self.owner, np.arange(self.groups + 1))
        return [
            (group, self.factor[starts[group] : starts[group + 1]])
            for group in range(self.groups)
            if starts[group + 1] > starts[group]
        ]

    def diagonal(self) -> Floats:
        """Sums of squares, one row per group."""
        out = np.zeros((self.groups, self.factor.shape[1]))
        for group, rows in self.by_group():
            out[group] = np.einsum("ij,ij->j", rows, rows)
        return out

    def times(self, vectors: Floats, groups: slice | Indices) -> Floats:
        """Scatter matrix times vector, for one vector per group."""
        if not self.per_class:
            return (vectors @ self.factor.T) @ self.factor
        out = np.zeros_like(vectors)
        place = {int(group): i for i, group in enumerate(np.arange(self.groups)[groups])}
        for group, rows in self.by_group():
            if group in place:
                out[place[group]] = rows.T @ (rows @ vectors[place[group]])
        return out

    def select(self, features: Indices) -> FactoredScatter:
        """The factor of some features."""
        return FactoredScatter(self.factor[:, features], self.owner, self.groups, self.per_class)

    def keep(self, classes: Indices) -> FactoredScatter:
        """The factor of some classes, in the order given."""
        place = np.full(self.groups, -1)
        place[classes] = np.arange(len(classes))
        owner = place[self.owner]
        kept = owner >= 0
        return _sort_by_owner(self.factor[kept], owner[kept], len(classes), self.per_class)

    def cleared(self, empty: np.ndarray) -> FactoredScatter:
        """The same with the marked (group, feature) entries set to zero."""
        factor = np.where(empty[self.owner], 0.0, self.factor)
        return FactoredScatter(factor, self.owner, self.groups, self.per_class)

    def canonical(self) -> FactoredScatter:
        """The same scatter as a factor that it determines uniquely: its principal axes.

        Features are measured in units of their own size. In these units the rows of a factor are
        orthogonal, from the longest down, and the first large entry of each is positive.
        """
        parts, owners = [], []
        for group, rows in self.by_group():
            part = _principal(rows)
            parts.append(part)
            owners.append(np.full(len(part), group))
        if not parts:
            return self
        return FactoredScatter(
            np.concatenate(parts), np.concatenate(owners), self.groups, self.per_class
        )

    def pooled(self) -> FactoredScatter:
        """One factor for all classes."""
        return FactoredScatter(self.factor, np.zeros_like(self.owner), 1, per_class=False)


def from_rows(rows: Floats, owner: Indices, groups: int, per_class: bool) -> FactoredScatter:
    """A factor made of centred rows; rows of zeros add nothing and are left out."""
    kept = rows.any(axis=1)
    return _sort_by_owner(rows[kept], owner[kept], groups, per_class)


def from_matrices(
    matrices: Floats, rank: Indices, sizes: Floats, per_class: bool
) -> FactoredScatter:
    """The factor of scatter matrices (groups, d, d) that have at most these ranks.

    sizes : (groups, d) the sums of squares that determine the rounding in the matrices
    """
    parts, owners = [], []
    for group, matrix in enumerate(matrices):
        # Features that do not vary stay exactly constant.
        varies = np.flatnonzero(matrix.diagonal() > 0)
        scale = np.sqrt(sizes[group, varies])
        values, vectors = np.linalg.eigh(matrix[np.ix_(varies, varies)] / scale / scale[:, None])
        kept = np.flatnonzero(values > NOISE)[::-1][: rank[group]]
        part = np.zeros((len(kept), len(matrix)))
        part[:, varies] = (np.sqrt(values[kept]) * vectors[:, kept]).T * scale
        parts.append(part)
        owners.append(np.full(len(kept), group))
    return FactoredScatter(np.concatenate(parts), np.concatenate(owners), len(matrices), per_class)


def _sort_by_owner(rows: Floats, owner: Indices, groups: int, per_class: bool) -> FactoredScatter:
    order = np.argsort(owner, kind="stable")
    return FactoredScatter(rows[order], owner[order], groups, per_class)


def _principal(rows: Floats) -> Floats:
    """Rows with the same sums of products, along the principal axes."""
    scale = np.sqrt(np.einsum("ij,ij->j", rows, rows))
    scale[scale == 0] = 1.0
    units = rows / scale
    products = units @ units.T
    if _is_diagonal(products):
        return rows * _signs(units)  # already along the axes: keep every bit
    _, vectors = np.linalg.eigh(products)
    axes = vectors[:, ::-1].T @ units
    length = np.sqrt(np.einsum("ij,ij->i", axes, axes))
    axes = axes[length > NOISE * length.max()]
    return np.asarray(axes * scale * _signs(axes))


def _signs(rows: Floats) -> Floats:
    """Signs that make the first large entry of each row positive, (rows, 1)."""
    # Not the largest entry: entries may be equally large (with two rows all are), so that
    # rounding would decide.
    sizes = np.abs(rows)
    first = (sizes > 0.5 * sizes.max(axis=1, keepdims=True)).argmax(axis=1)
    return np.asarray(np.sign(rows[np.arange(len(rows)), first])[:, None])


def _is_diagonal(products: Floats) -> bool:
    """Whether a symmetric matrix is diagonal up to rounding, with entries in descending order."""
    sizes = products.diagonal()
    rounding = 8 * len(sizes) * np.finfo(float).eps * sizes.max()
    beside = np.abs(products - np.diag(sizes)).max()
    return bool(beside <= rounding and (np.diff(sizes) <= rounding).all() and sizes[-1] > 0)


def _difference(left: Floats, removed: Floats, slack: Floats) -> Floats:
    """A factor of L'L - G'G, which must have no negative direction beyond rounding.

    Features are first divided by their own size, so that the rank does not depend on units.
    """
    if not len(removed):
        return left
    if np.isinf(slack).any():
        return left[:0]
    scale = np.sqrt(np.einsum("ij,ij->j", left, left))
    varies = scale > 0
    scale[~varies] = 1.0
    rows = np.concatenate([left, removed]) / scale
    sign = np.repeat([1.0, -1.0], [len(left), len(removed)])
    # In the space that the rows span: rows = share basis', with orthonormal basis.
    basis, share = np.linalg.qr(rows.T)
    values, rotation = np.linalg.eigh((share * sign) @ share.T)
    noise = NOISE * len(rows) + float((slack / scale**2).sum())
    # A direction left with less than minus this share means that the removed rows were never there.
    lost = 1e-6
    if values[0] < -max(noise, lost):
        raise NeverIncluded(
            "the rows to remove spread further than the rows they are removed from; "
            "were they ever added, with the same weights?"
        )
    if values[0] < -noise:
        raise LostPrecision(
            "what remains is too small beside what was removed; summarize the remaining rows again."
        )
    kept = values > noise
    # Features that do not vary stay exactly constant.
    return np.asarray((np.sqrt(values[kept]) * rotation[:, kept]).T @ basis.T * (scale * varies))
