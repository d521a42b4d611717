"""Held model: a Gaussian model of held statistics, estimated when first needed."""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any

from suffice.data.arrays import Floats
from suffice.engines.arrays.estimation import estimated
from suffice.engines.arrays.factors import Factors
from suffice.engines.arrays.held_scatter import HeldDense
from suffice.models.covariances.covariance import Covariance
from suffice.models.gaussian import GaussianModel, build
from suffice.models.priors import class_priors
from suffice.models.settings import Settings
from suffice.statistics.statistics import Statistics


class HeldModel(GaussianModel):
    """A Gaussian model whose covariances are estimated on the device of the statistics.

    Full covariances of a library that factors matrices in batches (torch) are estimated on the
    device, all others on the host; in either case when first needed.
    """

    statistics: Statistics
    settings: Settings

    def __init__(self, statistics: Statistics, settings: Settings, priors: Floats) -> None:
        values = {
            "classes": statistics.classes,
            "priors": priors,
            "statistics": statistics,
            "settings": settings,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, statistics: Statistics, settings: Settings, priors: Any) -> HeldModel:
        """The model under the priors that a user gives."""
        return cls(
            statistics, settings, class_priors(priors, statistics.classes, statistics.weight)
        )

    def __reduce__(self) -> tuple[Any, ...]:
        names = ("classes", "priors", "means", "covariances", "borrowed")
        host = partial(GaussianModel, means_low=self.means_low)
        return host, tuple(getattr(self, name) for name in names)

    @property
    def shared(self) -> bool:
        """Whether all classes have the same covariance."""
        return self.settings.pooling == 1

    @cached_property
    def means(self) -> Floats:
        """Mean of each class, (k, d)."""
        return self.statistics.mean

    @cached_property
    def means_low(self) -> Floats | None:
        """Low parts of the means, (k, d)."""
        return self.statistics.means.low

    @cached_property
    def covariances(self) -> tuple[Covariance, ...]:
        """One shared by all classes, or one each, on the host."""
        return self._host.covariances if self.factors is None else self.factors.on_host()

    def covariance_of(self, c: int) -> Covariance:
        """The covariance of class c on the host, and no other."""
        if self.factors is None:
            return super().covariance_of(c)
        return self.factors.covariance(int(self.factors.owner[0 if self.shared else c]))

    @cached_property
    def borrowed(self) -> tuple[int, ...]:
        """Classes whose covariance is the pooled one where they have none of their own."""
        return self._host.borrowed if self._estimated is None else self._estimated[1]

    @property
    def factors(self) -> Factors | None:
        """The covariances on the device; None if they are estimated on the host."""
        return None if self._estimated is None else self._estimated[0]

    def with_priors(self, priors: Floats) -> HeldModel:
        """The same class densities under other priors."""
        other = HeldModel(self.statistics, self.settings, priors)
        for name in ("means", "means_low", "covariances", "borrowed", "_estimated", "_host"):
            if name in self.__dict__:
                other.__dict__[name] = self.__dict__[name]
        return other

    @cached_property
    def _estimated(self) -> tuple[Factors, tuple[int, ...]] | None:
        spread = self.statistics.spread
        if not self.settings.structure.on_devices or not isinstance(spread, HeldDense):
            return None
        if spread.space.library != "torch":
            return None
        return estimated(self.statistics, spread, self.settings)

    @cached_property
    def _host(self) -> GaussianModel:
        return build(self.statistics, self.settings, self.priors)
