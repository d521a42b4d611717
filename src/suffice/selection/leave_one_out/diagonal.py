"""Diagonal: densities of independent features without one row, in closed form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.models.covariances.diagonal import diagonal_covariances
from suffice.models.covariances.shrinkage import shrunk_variances
from suffice.models.separating import overall_variances
from suffice.models.settings import Settings
from suffice.models.structures import DiagonalStructure
from suffice.selection.leave_one_out.densities import LeftOutDensities
from suffice.selection.leave_one_out.frames import log_products
from suffice.selection.leave_one_out.removal import LEAST_LEFT, Removal
from suffice.statistics.statistics import Statistics


def diagonal_closed_form(statistics: Statistics, settings: Settings) -> DiagonalForm | None:
    """The closed form for independent features; None where there is none."""
    s = statistics
    if isinstance(settings.shrinkage, str) and settings.target != "diagonal":
        return None
    kept = diagonal_covariances(s, settings).covariances[0].matrix.diagonal() > 0
    if not kept.any():
        return None
    k, part, squares = len(s.classes), settings.pooling, np.asarray(s.squares.sum(axis=0))
    pooled = Variances(squares, float(s.weight.sum()) - settings.ddof * k, settings)
    own: list[Variances] = []
    for c in range(1 if part == 1 else k):
        denominator = (1 - part) * (float(s.weight[c]) - settings.ddof) + part * pooled.denominator
        blended = (1 - part) * s.squares[c] + part * squares
        if denominator <= 0:  # all variances are borrowed
            blended, denominator = np.zeros_like(squares), 1.0
        own.append(Variances(blended, denominator, settings))
    overall = None
    if settings.smoothing:
        centre = s.mean[0] + s.weight @ (s.mean - s.mean[0]) / s.weight.sum()
        overall = Overall(centre, overall_variances(s), float(s.weight.sum()), settings.smoothing)
    return DiagonalForm(tuple(own), pooled, kept, overall, s.count <= 1)


@dataclass(frozen=True, eq=False, slots=True)
class Variances:
    """Variances of a class, or of all classes together, after pooling and shrinkage."""

    squares: Floats  # (d,)
    denominator: float
    settings: Settings

    @property
    def whole(self) -> Floats:
        """With all rows, (d,)."""
        return self._finish(np.maximum(self.squares[None], 0.0) / self.denominator).ravel()

    def without(self, removal: Removal, part: Floats) -> tuple[Floats, Array]:
        """Without each row, (b, d), and where too little is left of the weight, (b,).

        part : how much of the row's loss these variances suffer, (b,)
        """
        left = self.denominator - part * removal.weight
        loss = removal.steps**2
        loss *= (part * removal.loss)[:, None]
        variances = np.maximum(self.squares - loss, 0.0) / left[:, None]
        return self._finish(variances), left < LEAST_LEFT * self.denominator

    def _finish(self, variances: Floats) -> Floats:
        """Shrunk, and as the structure has them."""
        if self.settings.shrinkage:
            share, target = self.settings.shrinkage, self.settings.target
            variances = shrunk_variances(variances, share, target)
        assert isinstance(self.settings.structure, DiagonalStructure)
        return np.asarray(self.settings.structure.finish(variances))


@dataclass(frozen=True, eq=False, slots=True)
class Overall:
    """Variances over all rows, between classes included, of which smoothing adds a share."""

    mean: Floats  # (d,)
    variances: Floats  # (d,)
    weight: float
    smoothing: float

    def without(self, removal: Removal) -> tuple[Floats, Array]:
        """What smoothing adds without each row, (b, d), and where it is doubtful, (b,)."""
        total = self.weight * self.variances
        left = self.weight - removal.weight
        steps = removal.rows - self.mean
        rest = total - (removal.weight * self.weight / left)[:, None] * steps**2
        doubtful = np.asarray((rest < LEAST_LEFT * total).any(axis=1))
        return self.smoothing * rest / left[:, None], doubtful


@dataclass(frozen=True, eq=False, slots=True)
class DiagonalForm:
    """The densities of all classes.

    A feature that is constant in a class borrows its pooled variance.
    """

    own: tuple[Variances, ...]  # k, or one for all classes
    pooled: Variances
    kept: Array  # (d,): features that have variance
    overall: Overall | None
    unserved: Array  # (k,): classes whose rows have no closed form

    def fill(self, removal: Removal, out: LeftOutDensities) -> None:
        """Write ln p(x | class) of the rows of a block."""
        out.doubtful[removal.at] |= removal.holds_most_of(self.pooled.squares)
        pooled, lost = self.pooled.without(removal, np.ones(len(removal.at)))
        fallen = pooled < LEAST_LEFT * self.pooled.whole
        added: Floats | float = 0.0
        if self.overall is not None:
            added, doubtful = self.overall.without(removal)
            out.doubtful[removal.at] |= doubtful
        variances: Floats = pooled
        for c in range(out.relative.shape[1]):
            if c < len(self.own):
                own = self.own[c]
                variances, doubtful = self._without(removal, own, c)
                borrowed = (own.whole == 0) & (self.pooled.whole > 0)
                if borrowed.any():
                    doubtful |= lost | (fallen & borrowed & self.kept).any(axis=1)
                    variances = np.where(borrowed, pooled, variances)
                out.doubtful[removal.at] |= doubtful
                variances = (variances + added)[:, self.kept]
            self._fill_class(removal, c, variances, out)

    def _without(self, removal: Removal, own: Variances, c: int) -> tuple[Floats, Array]:
        """The variances of a class without each row, of whatever class the row is."""
        part = np.where(removal.codes == c, 1.0, own.settings.pooling)
        changed, whole = part > 0, own.whole
        variances = np.repeat(whole[None], len(part), axis=0)
        doubtful = np.zeros(len(part), bool)
        if changed.any():
            some = removal if changed.all() else removal.take(changed)
            left, lost = own.without(some, part[changed])
            variances[changed] = left
            doubtful[changed] = lost | ((left < LEAST_LEFT * whole) & self.kept).any(axis=1)
        return variances, doubtful

    def _fill_class(
        self, removal: Removal, c: int, variances: Floats, out: LeftOutDensities
    ) -> None:
        steps = removal.steps_from(c)[:, self.kept]
        lengths = np.einsum("ij,ij->i", steps / variances, steps)
        lengths *= np.where(removal.codes == c, removal.stretch**2, 1.0)
        volume = log_products(variances)
        out.relative[removal.at, c] = out.density(lengths, volume, variances.shape[1])
