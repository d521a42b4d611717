"""The product model: numeric and discrete features, independent given the class."""

from __future__ import annotations

from dataclasses import dataclass, replace

from suffice.data.arrays import Array, Floats
from suffice.data.mixed import ColumnLayout, MixedRows
from suffice.models.discrete import DiscreteModel, impossible
from suffice.models.gaussian import GaussianModel


@dataclass(frozen=True)
class ProductModel:
    """p(x, y) = p(y) p(numeric | y) p(discrete | y); one of the two may be absent."""

    gaussian: GaussianModel | None
    discrete: DiscreteModel | None
    layout: ColumnLayout

    @property
    def _any(self) -> GaussianModel | DiscreteModel:
        part = self.discrete if self.gaussian is None else self.gaussian
        assert part is not None
        return part

    @property
    def classes(self) -> Array:
        """Class labels, (k,)."""
        return self._any.classes

    @property
    def priors(self) -> Floats:
        """Prior of each class, (k,)."""
        return self._any.priors

    @property
    def log_priors(self) -> Floats:
        """Log prior of each class, (k,)."""
        return self._any.log_priors

    def with_priors(self, priors: Floats) -> ProductModel:
        """The same class densities under other priors."""
        gaussian, discrete = self.gaussian, self.discrete
        return replace(
            self,
            gaussian=None if gaussian is None else gaussian.with_priors(priors),
            discrete=None if discrete is None else discrete.with_priors(priors),
        )

    def joint(self, rows: MixedRows) -> Floats:
        """ln p(x, y), (n, k); missing values are integrated out."""
        if self.gaussian is None:
            assert self.discrete is not None
            return self.discrete.joint(rows.codes)
        numeric = self.gaussian.joint(rows.numeric)
        return (
            numeric if self.discrete is None else numeric + self.discrete.log_likelihood(rows.codes)
        )

    def scores(self, rows: MixedRows) -> Floats:
        """The same up to a constant of the row, without levels impossible in all classes."""
        if self.gaussian is None:
            assert self.discrete is not None
            return self.discrete.scores(rows.codes)
        numeric = self.gaussian.scores(rows.numeric)
        if self.discrete is None:
            return numeric
        scores = numeric + self.discrete.log_likelihood(rows.codes)
        impossible_rows = impossible(scores)
        scores[impossible_rows] = numeric[impossible_rows]
        return scores
