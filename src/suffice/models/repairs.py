"""Repairs: what a model does if its covariances cannot be estimated as requested."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.data.labels import shown
from suffice.models.covariance import FullCovariance
from suffice.models.gaussian import GaussianModel
from suffice.models.groups import Groups
from suffice.models.linalg import orthonormal, reciprocal
from suffice.models.separating import pooled_squares
from suffice.models.settings import Settings
from suffice.statistics.incomplete import AnyStatistics, IncompleteStatistics
from suffice.statistics.statistics import Statistics, listed


@dataclass(frozen=True, slots=True)
class Repair:
    """A problem and what was done about it, in one sentence.

    advice : what the user can do
    changes : parameters that avoid the problem
    """

    what: str
    advice: str = ""
    changes: Mapping[str, Any] = field(default_factory=dict)


def repairs(
    model: GaussianModel, statistics: AnyStatistics, settings: Settings
) -> tuple[Repair, ...]:
    """Everything that was done differently from the settings."""
    return tuple(_Build(model, statistics, settings).repairs())


@dataclass(frozen=True, slots=True)
class _Build:
    """A model, with the statistics and settings that it was made from."""

    # Number of classes or columns that a sentence names before it counts the others.
    most_named: ClassVar[int] = 3

    model: GaussianModel
    statistics: AnyStatistics
    settings: Settings

    def repairs(self) -> Iterator[Repair]:
        for find in (
            self._single_class,
            self._too_few_rows,
            self._borrowed,
            self._without_spread,
            self._dependent,
            self._separating,
            self._dominated_by_target,
        ):
            repair = find()
            if repair is not None:
                yield repair

    def _single_class(self) -> Repair | None:
        classes = self.statistics.classes
        if len(classes) > 1 or not self.settings.structure.takes_matrices:
            return None
        what = f"all rows belong to class {shown(classes[0])}, so it is predicted for every row"
        return Repair(what, "give it rows of two or more classes")

    def _too_few_rows(self) -> Repair | None:
        s = self.statistics
        if not self.model.shrunk:
            return None
        what = (
            f"{int(s.count.sum())} rows of {len(s.classes)} classes are too few for a covariance "
            f"of {s.n_features} features, so correlations are shrunk by OAS"
        )
        if self.model.borrowed:
            what += " and the covariance is shared"
        return Repair(what, changes={"shrinkage": "oas", "target": "diagonal"})

    def _borrowed(self) -> Repair | None:
        s, at, d = self.statistics, list(self.model.borrowed), self.statistics.n_features
        if not at or self.model.shrunk or not self.settings.structure.takes_matrices:
            return None
        count, classes, parts = s.known_count[at].min(axis=1), s.classes[at], []
        few = count <= d
        if few.any():
            names, rows = (listed(some[few], self.most_named) for some in (classes, count))
            parts.append(f"class {names} has {rows} rows, too few for a covariance of {d} features")
        if not few.all():
            names = listed(classes[~few], self.most_named)
            parts.append(f"in class {names} columns are constant or linearly dependent")
        what = f"{' and '.join(parts)}, so the pooled covariance is used there"
        return Repair(what, changes={"pooling": 0.5})

    def _without_spread(self) -> Repair | None:
        s = self.statistics
        if not self.model.borrowed or self.settings.structure.takes_matrices:
            return None
        # A few features that are constant in a class are common and not worth a warning.
        at = [c for c in self.model.borrowed if not s.squares[c].any()]
        if not at:
            return None
        names = listed(s.classes[at], self.most_named)
        what = f"no column varies in class {names}, so the pooled variances are used there"
        return Repair(what, changes={"pooling": 0.5})

    def _dependent(self) -> Repair | None:
        d, dropped, involved = self.statistics.n_features, 0, np.zeros(0, np.int64)
        # Share of a feature that may lie in directions without variance because of rounding.
        small_part = 1e-6
        for covariance in self.model.covariances:
            if (
                isinstance(covariance, FullCovariance)
                and (outside := _outside(covariance)) is not None
            ):
                dropped = max(dropped, round(float(outside.sum())))
                involved = np.union1d(involved, np.flatnonzero(outside > small_part))
        if not dropped:
            return None
        what = (
            f"columns {self._columns(involved)} are linearly dependent to working precision, so "
            f"{dropped} of {d} directions {'is' if dropped == 1 else 'are'} left out"
        )
        advice = f"drop {dropped} of these columns"
        return Repair(what, advice, {"shrinkage": "oas", "target": "diagonal"})

    def _separating(self) -> Repair | None:
        means, variances = self.statistics.mean, self._variances
        if variances is None:
            return None
        at = np.flatnonzero((variances == 0) & (means != means[0]).any(axis=0))
        if not len(at):
            return None
        what = f"column {self._columns(at)} is constant within every class but differs between them"
        return Repair(f"{what}, so it decides alone", "drop it if it repeats the label")

    def _dominated_by_target(self) -> Repair | None:
        variances = self._variances
        if self.settings.target != "identity" or variances is None or not variances.any():
            return None
        at = np.flatnonzero(variances > 0)
        v = variances[at]
        # Largest acceptable factor by which shrinkage toward the identity multiplies the variance
        # of a typical feature. It is 1.2 for iris and 3 for handwritten digits, where the identity
        # works well, and 350 for wine at a share of 0.1, where a quarter of the labels are wrong.
        most_growth = 10.0
        share = 0.0 if _growth(v, 1.0) <= most_growth else self._share()
        if _growth(v, share) <= most_growth:
            return None
        smallest, largest = (self._columns([at[i]]) for i in (v.argmin(), v.argmax()))
        what = (
            f"shrinkage of {share:.2g} toward the identity multiplies the variance of a typical "
            f"column by {_growth(v, share):.0f}, because the columns have very different scales "
            f"(standard deviations from {np.sqrt(v.min()):.3g} in column {smallest} to "
            f"{np.sqrt(v.max()):.3g} in column {largest})"
        )
        changes: dict[str, Any] = {"target": "diagonal"}
        if self.settings.shrinkage == "ledoit-wolf":
            changes["shrinkage"] = "oas"
        return Repair(what, changes=changes)

    def _share(self) -> float:
        """Largest share of a covariance that the target replaces."""
        settings, s = self.settings, self.statistics
        if self.settings.structure.shape(s.n_features) == ():
            return 0.0  # one variance for all features has no scales to lose
        if not isinstance(settings.shrinkage, str):
            return settings.shrinkage
        if not isinstance(s, Statistics):
            return 0.0
        groups = Groups(s, settings)
        return max(groups.share(groups.group(g)) for g in range(groups.size))

    @property
    def _variances(self) -> Floats | None:
        """Variance of each feature within classes, (d,); None if missing values require EM."""
        s = self.statistics
        if isinstance(s, IncompleteStatistics) and s.detail != "diagonal":
            return None
        return np.asarray(pooled_squares(s) / s.known_weight.sum(axis=0))

    def _columns(self, at: Iterable[Any]) -> str:
        names = self.statistics.feature_names
        return listed([int(j) if names is None else names[int(j)] for j in at], self.most_named)


def _outside(covariance: FullCovariance) -> Floats | None:
    """Share of each feature in directions that are left out, (d,); None if there are none."""
    rows = covariance.whitener.colouring
    scale = np.sqrt(np.einsum("ij,ij->j", rows, rows))
    varies: Array = scale > 0
    if len(rows) >= varies.sum():
        return None
    kept = orthonormal(rows * reciprocal(scale))
    return np.where(varies, 1 - np.einsum("ij,ij->j", kept, kept), 0.0)


def _growth(variances: Floats, share: float) -> float:
    """Factor by which variances grow, as a geometric mean over features."""
    grown = (1 - share) + share * variances.mean() / variances
    return float(np.exp(np.log(grown).mean()))
