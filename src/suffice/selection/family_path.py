"""Family path: scores of rows under many members of the Gaussian family at once.

All folds and classes are decomposed together; one decomposition serves every shrinkage and every
inflation of a pooling. Missing values are integrated out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.models.covariances.linalg import invert_all
from suffice.selection.fold_moments import FoldMoments
from suffice.selection.folds import Fold


@dataclass(frozen=True, slots=True)
class Distances:
    """Squared distances of n rows to k classes under s covariances; their log-determinants.

    Of a row with missing values both are those of its known values.
    """

    squares: Floats  # (s, k, n)
    determinants: Floats  # (s, k, n), or 1 in place of k or n where they are the same

    def scores(self, inflations: Floats) -> Floats:
        """ln p(x | y) up to a constant of the row, (s, i, k, n), for inflated covariances."""
        factors = -0.5 / inflations[:, None, None]
        return np.asarray(factors * self.squares[:, None] - 0.5 * self.determinants[:, None])

    def student_scores(self, freedoms: Floats, known: Indices) -> Floats:
        """The same, (s, i, k, n), of Student t classes with these covariances.

        freedoms : (i,): degrees of freedom
        known : (n,): number of observed features of each row
        """
        freedom = freedoms[:, None, None]
        tails = np.log1p(self.squares[:, None] / (freedom - 2))
        return np.asarray(-0.5 * ((freedom + known) * tails + self.determinants[:, None]))


@dataclass(frozen=True, slots=True)
class FullPath:
    """Full covariances of one pooling, shrunk toward a target by several shares."""

    directions: Floats  # (f, g, d, d), as columns; g is 1 where all classes share a covariance
    variances: Floats  # (f, g, d): along them, without shrinkage
    goal: Floats  # (f, g): the variance of the target in every direction
    log_scale: Floats  # (f, g): what the log-determinant has beyond the variances
    mean: Floats  # (f, k, d)

    @classmethod
    def of(cls, moments: FoldMoments, pooling: float, target: str) -> FullPath:
        """Eigenvectors of the covariances of every fold and class, or of their correlations."""
        covariance = _covariances(moments, pooling)
        scale = np.ones(covariance.shape[:-1])
        if target == "diagonal":
            scale = np.sqrt(np.einsum("fgii->fgi", covariance))
        with np.errstate(all="ignore"):
            inside = covariance / scale[:, :, :, None] / scale[:, :, None, :]
        usable = np.isfinite(inside).all(axis=(2, 3))
        inside[~usable] = np.eye(covariance.shape[-1])
        scale[~usable] = 1.0
        variances, vectors = np.linalg.eigh(inside)
        variances[~usable] = np.nan
        goal = np.ones(usable.shape) if target == "diagonal" else variances.mean(axis=2)
        directions = vectors / scale[:, :, :, None]
        return cls(directions, variances, goal, 2 * np.log(scale).sum(axis=-1), moments.mean)

    def usable(self, shares: Floats, smallest: float = 1e-6) -> Array:
        """For which shares every covariance is regular, (s,).

        smallest : eigenvalue, as a share of the largest, for which scores have enough digits
        """
        ends = (self.variances.min(axis=2), self.variances.max(axis=2))
        low, high = ((1 - shares) * end[..., None] + shares * self.goal[..., None] for end in ends)
        with np.errstate(invalid="ignore"):
            return np.asarray((low > smallest * high).all(axis=(0, 1)))

    def distances(self, fold: int, rows: Floats, shares: Floats) -> Distances:
        """Distances of test rows for shares (s,) of the target."""
        directions, mean = self.directions[fold], self.mean[fold]
        held = ~np.isnan(rows)
        gapped = not held.all()
        if gapped or len(directions) > 1:
            step = rows - mean[:, None]
            step = np.where(held, step, 0.0) if gapped else step
            along = step @ directions
        else:
            origin = mean.mean(axis=0)
            along = (rows - origin) @ directions[0] - ((mean - origin) @ directions[0])[:, None]
        share = shares[:, None, None]
        variances = (1 - share) * self.variances[fold] + share * self.goal[fold][:, None]
        squares = (along * along) @ (1 / variances).transpose(1, 2, 0)  # (k, n, s)
        squares = squares.transpose(2, 0, 1)
        determinants = (np.log(variances).sum(axis=2) + self.log_scale[fold])[:, :, None]
        if not gapped:
            return Distances(squares, determinants)
        some = np.flatnonzero(~held.all(axis=0))
        columns = (directions / variances[:, :, None]) @ directions[:, some].transpose(0, 2, 1)
        completed, gaps = Distances(squares, determinants), GapRows.of(held[:, some])
        return _of_known(completed, gaps, step, columns, columns[:, :, some])


@dataclass(frozen=True, slots=True)
class DiagonalPath:
    """Independent features with several variances."""

    variances: Floats  # (s, f, k, d)
    mean: Floats  # (f, k, d)

    @classmethod
    def of(cls, moments: FoldMoments, poolings: Floats, smoothing: float = 0.0) -> DiagonalPath:
        """For each pooling, (s,). A variance that is zero in a class is the pooled one.

        smoothing : share of the overall variance added to that of each class, unless it is shared
        """
        squares, weight = np.einsum("fkii->fki", moments.scatter), moments.weight[:, :, None]
        share = poolings[:, None, None, None]
        pooled, total = squares.sum(axis=1, keepdims=True), weight.sum(axis=1, keepdims=True)
        own = ((1 - share) * squares + share * pooled) / ((1 - share) * weight + share * total)
        own = np.where(own > 0, own, pooled / total) + _floor(moments)[:, None]
        if smoothing:
            own = own + np.where(share < 1, smoothing, 0.0) * moments.overall[:, None]
        return cls(own, moments.mean)

    def some(self, which: Indices) -> DiagonalPath:
        """The same for some of the poolings."""
        return DiagonalPath(self.variances[which], self.mean)

    def distances(self, fold: int, rows: Floats) -> Distances:
        """Distances of test rows."""
        mean, variances = self.mean[fold], self.variances[:, fold]
        origin = mean.mean(axis=0)
        step, precision = mean - origin, 1 / variances  # (k, d), (s, k, d)
        held = ~np.isnan(rows)
        z = np.where(held, rows - origin, 0.0)
        squares = precision @ (z * z).T - 2 * (precision * step) @ z.T
        if held.all():
            squares += (precision * step * step).sum(axis=2)[:, :, None]
            return Distances(squares, np.log(variances).sum(axis=2)[:, :, None])
        known = held.T.astype(np.float64)
        squares += (precision * step * step) @ known
        return Distances(squares, np.log(variances) @ known)


def _of_known(
    completed: Distances, groups: list[GapRows], step: Floats, columns: Floats, inner: Floats
) -> Distances:
    """Distances of the known values, from those of rows with the mean for what is missing.

    groups : of the features in which some value is missing
    step : (k, n, d) from the mean, zero where a value is missing
    columns : (s, g, d, c) of the precision matrices, for those features
    inner : (s, g, c, c): their rows for those features
    """
    s, k, n = completed.squares.shape
    squares = completed.squares.copy()
    determinants = np.broadcast_to(completed.determinants, (s, k, n)).copy()
    for gaps in groups:
        inverse, volumes = invert_all(gaps.block(inner))  # (s, g, u, m, m)
        towards = step[:, gaps.rows] @ columns  # (s, k, n, c)
        missing = gaps.missing
        entries = np.take_along_axis(
            towards, np.broadcast_to(missing, (s, k, *missing.shape)), axis=3
        )
        solved = (inverse[:, :, gaps.pattern] @ entries[..., None])[..., 0]
        squares[:, :, gaps.rows] -= (entries * solved).sum(axis=3)
        determinants[:, :, gaps.rows] += volumes[:, :, gaps.pattern]
    return Distances(squares, determinants)


def _covariances(moments: FoldMoments, pooling: float) -> Floats:
    """((1 - pooling) own + pooling pooled scatter) / weight likewise, (f, g, d, d)."""
    total = moments.weight.sum(axis=1)
    pooled = moments.pooled[:, None]
    if pooling == 1:
        covariance = pooled / total[:, None, None, None]
    else:
        weight = (1 - pooling) * moments.weight + pooling * total[:, None]
        blended = (1 - pooling) * moments.scatter + pooling * pooled
        covariance = blended / weight[:, :, None, None]
    d = covariance.shape[-1]
    covariance[..., np.arange(d), np.arange(d)] += _floor(moments)[:, None]
    return np.asarray(covariance)


def _floor(moments: FoldMoments, separating: float = 1e-9) -> Floats:
    """Variance to add to features that are constant within every class, (f, d).

    separating : share of the overall variance, for those that differ between classes
    """
    still, overall = np.einsum("fkii->fi", moments.scatter) == 0, moments.overall
    # Any variance does for a feature that never varies: all classes have the same mean.
    return np.where(still, np.where(overall > 0, separating * overall, 1.0), 0.0)


@dataclass(frozen=True, slots=True)
class LevelPath:
    """ln p(level | class) of each column, (a, f, k, levels + 1); the last is a missing value."""

    codes: tuple[Indices, ...]  # (n,) of each column: -1 where a value is missing
    tables: tuple[Floats, ...]

    @classmethod
    def of(
        cls,
        columns: Sequence[tuple[Indices, int]],
        classes: Indices,
        weights: Floats,
        folds: Sequence[Fold],
        k: int,
        alphas: Floats,
    ) -> LevelPath:
        """(rows of the level + alpha) / (rows + alpha levels) in the training rows of each fold.

        columns : the code of each row, -1 where a value is missing, and the number of levels
        """
        tables = []
        for codes, m in columns:
            counts = np.zeros((len(folds), k, m))
            for own, fold in zip(counts, folds, strict=True):
                at = fold.train[codes[fold.train] >= 0]
                own += np.bincount(classes[at] * m + codes[at], weights[at], k * m).reshape(k, m)
            alpha = alphas[:, None, None, None]
            total = counts.sum(axis=2, keepdims=True) + alpha * m
            log = np.log(counts + alpha) - np.log(total)
            tables.append(np.concatenate([log, np.zeros((*log.shape[:3], 1))], axis=3))
        return cls(tuple(codes for codes, _ in columns), tuple(tables))

    def scores(self, fold: int, rows: Indices) -> Floats:
        """ln p(levels | class) of some rows, (a, k, n)."""
        tables = zip(self.tables, self.codes, strict=True)
        return np.asarray(sum(table[:, fold][..., codes[rows]] for table, codes in tables))


@dataclass(frozen=True, slots=True)
class GapRows:
    """Rows that lack the same number of values.

    With Q the precision matrix, the missing values of a row given the others have covariance
    inv(Q_mm) and mean -inv(Q_mm) (Q x)_m, where x is the row with zeros for what is missing (all
    about the mean). So a pattern of gaps costs the cube of the number of its missing values, not of
    the features; rows with the same pattern share its matrices.
    """

    rows: Indices  # (n,): their positions
    pattern: Indices  # (n,): which pattern of gaps each has
    patterns: Indices  # (u, m): the features that are missing in each pattern

    @classmethod
    def of(cls, held: Array) -> list[GapRows]:
        """From which values are there, (n, d).

        >>> GapRows.of(np.array([[True, False], [True, True], [True, False]]))
        [GapRows(rows=array([0, 2]), pattern=array([0, 0]), patterns=array([[1]]))]
        """
        bits = np.ascontiguousarray(np.packbits(~held, axis=1))
        keys = bits.view(np.dtype((np.void, bits.shape[1]))).ravel()
        _, first, pattern = np.unique(keys, return_index=True, return_inverse=True)
        counts = (~held[first]).sum(axis=1)
        out = []
        for m in np.unique(counts[counts > 0]).tolist():
            rows = np.flatnonzero(counts[pattern] == m)
            own, at = np.unique(pattern[rows], return_inverse=True)
            missing = np.nonzero(~held[first[own]])[1].reshape(len(own), m)
            out.append(cls(rows, at, missing))
        return out

    @property
    def missing(self) -> Indices:
        """Which features each row lacks, (n, m)."""
        return np.asarray(self.patterns[self.pattern])

    def block(self, precision: Floats) -> Floats:
        """The part of precision matrices (..., d, d) for the missing values, (..., u, m, m)."""
        return precision[..., self.patterns[:, :, None], self.patterns[:, None, :]]
