"""The product model: numeric and discrete features, independent given the class."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.data.mixed import ColumnLayout, MixedRows
from suffice.models.discrete import DiscreteModel, impossible
from suffice.models.gaussian import GaussianModel
from suffice.models.scoring import normalised, probabilities


@dataclass(frozen=True)
class ProductModel:
    """p(x, y) = p(y) p(numeric | y) p(discrete | y); one of the two may be absent."""

    gaussian: GaussianModel | None
    discrete: DiscreteModel | None
    layout: ColumnLayout

    @property
    def _any(self) -> GaussianModel | DiscreteModel:
        found = self.discrete if self.gaussian is None else self.gaussian
        assert found is not None
        return found

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

    def answer(self, name: str, rows: MixedRows) -> Floats:
        """One of "scores", "joint", "log_posterior", "posterior" of all rows, (n, k)."""
        if self.gaussian is None:
            assert self.discrete is not None
            return self.discrete.answer(name, rows.codes)
        if self.discrete is None:
            return self.gaussian.answer(name, rows.numeric)
        numeric = self.gaussian.answer("joint" if name == "joint" else "scores", rows.numeric)
        found = numeric + self.discrete.log_likelihood(rows.codes)
        if name == "joint":
            return found
        silent = impossible(found)
        found[silent] = numeric[silent]
        if name == "scores":
            return found
        finish = {"log_posterior": normalised, "posterior": probabilities}[name]
        return finish(np.ascontiguousarray(found.T)).T
