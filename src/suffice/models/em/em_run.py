"""EM run: expectation and maximisation in turn, from one start."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from suffice.models.em.densities import Densities
from suffice.models.em.training import MixtureFit
from suffice.models.gaussian import GaussianModel, build
from suffice.models.mixture import MixtureModel
from suffice.statistics.factored_scatter import FactoredScatter
from suffice.statistics.passes.soft_pass import SoftPass
from suffice.statistics.statistics import Statistics

if TYPE_CHECKING:  # that module builds on this one
    from suffice.models.em.em import Em

# A component with less weight than this, in rows, is empty.
EMPTY = 1e-8


class EmRun:
    """EM from one start, with repairs for components that collapse or become empty."""

    # A component that has lost its own covariance this many times keeps the pooled one.
    most_losses: ClassVar[int] = 2

    def __init__(self, em: Em, model: GaussianModel, level: float) -> None:
        self.em, self.model, self.level, K = em, model, level, len(em.owner)
        self.weight = model.priors * em.training.total
        self.history: list[float] = []
        self.gain = np.inf
        self.notes: list[str] = []
        # Whether a component had its own covariance in the last iteration.
        self.own = np.zeros(K, bool)
        self.losses = np.zeros(K, np.int64)
        self.restarted = np.zeros(K, bool)
        self.repaired = False

    @property
    def converged(self) -> bool:
        """Whether the last iteration gained less than the tolerance."""
        return bool(abs(self.gain) < self.em.effort.tol)

    @property
    def finished(self) -> bool:
        """Whether another iteration is not worthwhile or not allowed."""
        most = self.em.effort.max_iter
        return self.converged or self._oscillates or len(self.history) >= most

    @property
    def _oscillates(self) -> bool:
        """Whether the log-likelihood alternates between two values."""
        last = np.array(self.history[-6:])
        return len(last) == 6 and bool((np.abs(last[2:] - last[:-2]) < self.em.effort.tol).all())

    @property
    def fit(self) -> MixtureFit:
        """The fit so far."""
        em, notes = self.em, list(self.notes)
        if self._oscillates and not self.converged:
            notes.append(
                "components alternately collapse and borrow a covariance, so EM was stopped; use "
                "fewer components, or shrinkage."
            )
        empty = np.flatnonzero(self.weight < EMPTY).tolist()
        notes += [f"component {c} has no rows, even after a restart." for c in empty]
        priors = None if em.priors is None else em.class_priors(self.weight)
        return MixtureFit(
            MixtureModel.of(self.model, em.owner, em.training.classes, priors),
            self.weight,
            tuple(self.history),
            self.converged,
            repaired=self.repaired,
            notes=tuple(notes),
        )

    def step(self) -> None:
        """One expectation and one maximisation."""
        em = self.em
        result = em.passes(Densities(self.model), em.settings.detail)
        level = result.log_likelihood / em.training.total
        self.gain, self.level = level - self.level, level
        self.history.append(level)
        statistics = result.statistics
        if em.effort.addition:
            statistics = _with_larger_variances(statistics, em.effort.addition)
        self.model = self._restart_empty(self._repair_covariances(statistics), result)
        self.weight = statistics.weight

    def _repair_covariances(self, statistics: Statistics) -> GaussianModel:
        """The model, with the pooled covariance for components that collapse repeatedly.

        If the rows of a component are all equal, the likelihood has no maximum: the component
        collapses, borrows a covariance, spreads out and collapses again.
        """
        settings, priors = self.em.settings, self.em.component_priors(statistics.weight)
        model = build(statistics, settings, priors)
        borrowed = np.isin(np.arange(len(self.own)), model.borrowed)
        has_lost = self.gain < -self.em.effort.tol
        self.losses += (self.own | has_lost) & borrowed
        self.own = ~borrowed
        stuck = self.losses >= self.most_losses
        self.repaired |= bool(borrowed.any())
        if model.shared or not stuck.any():
            return model
        base = build(statistics, replace(settings, pooling=1.0), priors).covariances[0]
        covariances = zip(model.covariances, stuck.tolist(), strict=True)
        return replace(
            model,
            covariances=tuple(base if pooled else own for own, pooled in covariances),
            borrowed=tuple(np.flatnonzero(stuck | borrowed).tolist()),
        )

    def _restart_empty(self, model: GaussianModel, result: SoftPass) -> GaussianModel:
        """The model with an empty component moved, once, to the least likely row.

        Its covariance is already the pooled one, since it has no rows.
        """
        weight = result.statistics.weight.copy()
        empty = np.flatnonzero((weight < EMPTY) & ~self.restarted)
        if not len(empty):
            return model
        c, overall = int(empty[0]), self.em.training.overall
        values, means = result.lowest_row[c], model.means.copy()
        means[c] = np.where(np.isnan(values), overall.mean[0], values)
        weight[c] = 1.0
        self.restarted[c] = self.repaired = True
        return replace(model, means=means, priors=self.em.component_priors(weight))


def _with_larger_variances(statistics: Statistics, addition: float) -> Statistics:
    """The same with `addition` added to every variance, and enough rows for any covariance."""
    assert not isinstance(statistics.spread, FactoredScatter)
    sums, weight = statistics.spread.sums.high, statistics.weight
    if sums.ndim == 2:
        sums += addition * weight[:, None]
    else:
        weight = weight if len(sums) == len(weight) else weight.sum()[None]
        np.einsum("kii->ki", sums)[...] += addition * weight[:, None]
    return replace(statistics, count=np.maximum(statistics.count, statistics.n_features + 1))
