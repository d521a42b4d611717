"""Dense: covariances without one row, formed and factorised row by row.

A diagonal target changes along the whole diagonal with every row, so that no coordinates serve
all rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.models.groups import Group
from suffice.models.linalg import DOUBTFUL, rank_tolerance
from suffice.selection.leave_one_out.densities import LeftOutDensities
from suffice.selection.leave_one_out.frames import LITTLE
from suffice.selection.leave_one_out.rows import Removal
from suffice.selection.leave_one_out.shares import Shares, Spreads

# So many entries of matrices are made at a time.
ENTRIES = 1 << 18


@dataclass(frozen=True, eq=False, slots=True)
class DenseGroup:
    """Classes that share a covariance, whatever it shrinks toward.

    part : how much of the loss of another class's row they suffer
    """

    classes: Indices  # (m,)
    group: Group
    shares: Shares
    target: str
    part: float
    kept: Array  # (d,): features that have variance

    @property
    def width(self) -> int:
        """How many numbers a row takes; those of matrices are made a few rows at a time."""
        return len(self.kept)

    def fill(self, removal: Removal, out: LeftOutDensities) -> None:
        """Write ln p(x | class) of some rows."""
        d = len(self.kept)
        step = max(1, ENTRIES // (d * max(d, len(self.classes))))
        for low in range(0, len(removal.at), step):
            self._fill(removal.some(slice(low, low + step)), out)

    def _fill(self, removal: Removal, out: LeftOutDensities) -> None:
        covariances, doubtful = self._covariances(removal)
        scale = np.sqrt(np.maximum(covariances.diagonal(axis1=1, axis2=2), 0.0))
        doubtful |= ~(scale > 0).all(axis=1)
        scale[doubtful] = 1.0
        covariances[doubtful] = np.eye(covariances.shape[1])
        covariances /= scale[:, None, :] * scale[:, :, None]
        try:
            factors = np.linalg.cholesky(covariances)
        except np.linalg.LinAlgError:
            out.doubtful[removal.at] = True
            return
        pivots = factors.diagonal(axis1=1, axis2=2)
        out.doubtful[removal.at] |= doubtful | ((pivots**2).min(axis=1) < DOUBTFUL)
        white = np.linalg.solve(factors, self._steps(removal) / scale[:, :, None])
        volume = 2 * (np.log(pivots) + np.log(scale)).sum(axis=1)
        lengths = np.einsum("ijc,ijc->ic", white, white)
        found = out.density(lengths, volume[:, None], pivots.shape[1])
        out.relative[removal.at[:, None], self.classes] = found

    def _steps(self, removal: Removal) -> Floats:
        """Rows about the means of the classes, their own without them, (b, d, m)."""
        out = np.stack([removal.steps_from(c) for c in self.classes.tolist()], axis=2)
        own = removal.codes[:, None] == self.classes
        out *= np.where(own, removal.stretch[:, None], 1.0)[:, None, :]
        return np.asarray(out[:, self.kept])

    def _covariances(self, removal: Removal) -> tuple[Floats, Array]:
        own = np.isin(removal.codes, self.classes)
        part = np.where(own, 1.0, self.part)
        z, loss = removal.steps, part * removal.loss
        whole = self.group.scatter.matrix
        scatter = whole - (loss[:, None] * z)[:, :, None] * z[:, None, :]
        squares = scatter.diagonal(axis1=1, axis2=2)
        doubtful = ((squares < LITTLE * whole.diagonal()) & self.kept).any(axis=1)
        left = self.group.denominator - part * removal.weight
        doubtful |= left < LITTLE * self.group.denominator
        share, unclear = self._share(removal, part, scatter)
        doubtful |= unclear
        rows = self.group.rows - (own | (self.part > 0))
        doubtful |= (share == 0) & (rows <= len(whole))
        diagonal = squares / left[:, None]
        target = {
            "identity": diagonal.mean(axis=1, keepdims=True),
            "diagonal": diagonal,
            "unit": np.ones_like(diagonal),
        }[self.target]
        finished = (1 - share[:, None]) * diagonal + share[:, None] * target
        scatter *= ((1 - share) / left)[:, None, None]
        at = np.arange(len(whole))
        scatter[:, at, at] = finished
        return scatter[:, self.kept[:, None] & self.kept].reshape(len(z), *[self.kept.sum()] * 2), (
            doubtful
        )

    def _share(self, removal: Removal, part: Floats, scatter: Floats) -> tuple[Floats, Array]:
        if not self.shares.estimated or self.target != "diagonal":
            unit = self.shares.unit
            z = removal.steps / unit
            lengths = np.einsum("ij,ij->i", z, z)
            form = np.einsum("ij,ij->i", z @ (self.group.scatter.matrix / unit / unit), z)
            return self.shares.without(removal, part, lengths, form)
        inside = scatter[:, self.kept[:, None] & self.kept].reshape(len(part), -1)
        squares = np.maximum(scatter.diagonal(axis1=1, axis2=2)[:, self.kept], 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            inverse = 1 / np.sqrt(squares)
            size = (inverse[:, :, None] * inverse[:, None, :]).reshape(len(part), -1)
            norm = ((inside * size) ** 2).sum(axis=1)
        d = int(self.kept.sum())
        weight = self.group.weight - part * removal.weight
        spreads = Spreads(weight, d, np.full(len(part), float(d)), norm, np.full(len(part), np.nan))
        found = spreads.oas()
        return np.where(found > rank_tolerance(1), found, 0.0), spreads.doubtful
