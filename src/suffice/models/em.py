"""EM: the components of a mixture, from rows that may belong to several."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.errors import InvalidFeatures, TooFewRows
from suffice.models.densities import Densities
from suffice.models.gaussian import GaussianModel, build
from suffice.models.mixture import MixtureModel, by_owner, n_parameters
from suffice.models.nearest import Nearest
from suffice.models.priors import class_priors
from suffice.models.settings import Settings
from suffice.models.training import (
    APART,
    Effort,
    EmProgress,
    Given,
    MixtureFit,
    Pass,
    Training,
    most_components,
)
from suffice.statistics.soft_pass import SoftPass
from suffice.statistics.statistics import Statistics
from suffice.statistics.summarize import summarize
from suffice.statistics.thin import FactoredScatter

# With less weight than this, in rows, a component is empty.
EMPTY = 1e-8

# A component that has lost its own covariance so often borrows the pooled one from then on.
MOST_LOSSES = 2

# In place of a prior of zero during EM: labelled rows of the class still have components.
LEAST_PRIOR = 1e-300


def fit_mixture(
    training: Training,
    sizes: Indices,
    settings: Settings,
    priors: Any,
    effort: Effort,
    rng: np.random.Generator,
    given: Given | None = None,
) -> MixtureFit:
    """A mixture of so many components a class (k,), by EM; the best of several starts.

    Every row has a share in each component of its class, or of all classes where its class is
    not known. Where that leaves no choice, the estimates are those of the classes themselves.
    """
    em = _Em(training, np.repeat(np.arange(len(sizes)), sizes), settings, priors, effort)
    if (sizes == 1).all() and training.all_labelled and not effort.addition:
        return em.closed_form()
    best: MixtureFit | None = None
    for start in range(1, 1 + (effort.n_init if sizes.max() > 1 else 1)):
        try:
            model = em.start(rng, given or Given())
        except KeyboardInterrupt:
            if best is None:
                raise
            return replace(best, converged=False, interrupted=True)
        found = em.run(model, start)
        if best is None or found.log_likelihood > best.log_likelihood:
            best = found
        if found.interrupted:
            return replace(best, converged=False, interrupted=True)
    assert best is not None
    return best


def sizes_by_bic(
    training: Training, settings: Settings, effort: Effort, rng: np.random.Generator, most: int
) -> Indices:
    """How many components each class has by the BIC of its own rows, (k,): 1 to `most`."""
    sizes, quiet = np.minimum(most, most_components(training)), replace(effort, progress=None)
    for c in np.flatnonzero(sizes > 1).tolist():
        part = training.of_class(c)
        tried = range(1, 1 + int(sizes[c]))
        found = [fit_mixture(part, np.array([m]), settings, None, quiet, rng) for m in tried]
        if any(fit.interrupted for fit in found):
            raise KeyboardInterrupt
        sizes[c] = 1 + int(np.argmin([bic(fit, settings, part.total) for fit in found]))
    return sizes


def bic(fit: MixtureFit, settings: Settings, total: float) -> float:
    """-2 ln L + p ln n: the smaller, the better."""
    penalty = n_parameters(fit.model, settings) * np.log(total)
    return float(penalty - 2 * total * fit.log_likelihood)


@dataclass(frozen=True)
class _Em:
    training: Training
    owner: Indices  # (K,)
    given_settings: Settings
    priors: Any
    effort: Effort

    @cached_property
    def settings(self) -> Settings:
        """The settings that shares in rows can be estimated by."""
        given, d = self.given_settings, self.training.overall.n_features
        if given.shrinkage == "ledoit-wolf":
            # It takes fourth-order sums, which are not added up.
            return replace(given, shrinkage="oas")
        few = self.training.n_counted < d + len(self.owner)
        if few and given.structure.takes_matrices and not (given.shrinkage or self.effort.addition):
            # Not even the pooled covariance is regular. From one iteration to the next it would
            # be a density of other directions, and EM would go to and fro between them.
            pooling = given.pooling or 1.0
            return replace(given, pooling=pooling, shrinkage="oas", target="diagonal")
        return given

    @cached_property
    def passes(self) -> Pass:
        return self.training.passes(self.owner)

    def closed_form(self) -> MixtureFit:
        """Every row belongs to one component: nothing is left to iterate."""
        training, settings = self.training, self.given_settings
        statistics = training.by_class(settings.detail)
        priors = self.class_priors(statistics.weight)
        components = build(statistics, settings, np.maximum(priors, LEAST_PRIOR))
        model = MixtureModel.of(components, self.owner, training.classes, priors)
        level = training.own_log_likelihood(model) / training.total
        return MixtureFit(model, statistics.weight, (level,), converged=True)

    def start(self, rng: np.random.Generator, given: Given) -> GaussianModel:
        """Components of the rows nearest to some centres; what is given takes their place."""
        weights, means, covariances = given.weights, given.means, given.covariances
        if weights is None or means is None or covariances is None:
            near = Nearest(self.training, self.owner)
            centres = near.centres(rng) if means is None else means
            found = self._around(near, centres)
            weights = found.priors if weights is None else weights
            means = found.means if means is None else means
            covariances = found.covariances if covariances is None else covariances
        return GaussianModel(np.arange(len(self.owner)), weights, means, covariances, ())

    def _around(self, near: Nearest, centres: Floats) -> GaussianModel:
        """Components of the rows nearest to each centre."""
        t, settings = near.training, self.settings
        if t.gaps:
            # What is known of each feature will do; EM takes it from there.
            apart = settings.structure.without_correlations
            settings = replace(settings, structure=apart, shrinkage=0.0)
        statistics = summarize(t.X, near.assigned(centres), t.labelled, settings.detail)
        at = near.sources(centres, statistics.classes)
        try:
            covariances = build(statistics, settings, None).covariances
        except (TooFewRows, InvalidFeatures):
            # One row each, or a feature that these rows lack: take the spread of all rows.
            covariances = build(t.overall, APART, None).covariances
        if len(covariances) > 1:
            covariances = tuple(covariances[i] for i in at.tolist())
        weight = statistics.weight[at] / np.bincount(at)[at]
        means = near.means(statistics)[at]
        return GaussianModel(np.arange(len(at)), self.chances(weight), means, covariances, ())

    def run(self, model: GaussianModel, start: int) -> MixtureFit:
        """Expectation and maximisation in turn, until the likelihood gains no more."""
        run = _Run(self, model)
        interrupted = False
        try:
            while not run.finished:
                run.step()
                if self.effort.progress is not None:
                    done = EmProgress(start, len(run.history), run.history[-1], run.gain)
                    self.effort.progress(done)
        except KeyboardInterrupt:
            interrupted = True
        except TooFewRows:
            run.notes.append("the components came down to a row each, and EM was stopped.")
        return replace(run.fit, interrupted=interrupted)

    def chances(self, weight: Floats) -> Floats:
        """Priors of the components, given their weight."""
        if self.priors is None:
            return np.asarray(weight / weight.sum())
        total = by_owner(self.owner, weight)
        chances = np.maximum(self.class_priors(weight), LEAST_PRIOR)
        return np.asarray(chances[self.owner] * weight / total[self.owner])

    def class_priors(self, weight: Floats) -> Floats:
        """Priors of the classes, given the weight of the components."""
        total = by_owner(self.owner, weight)
        return class_priors(self.priors, self.training.classes, total)


class _Run:
    """EM from one start, with repairs for components that no longer stand on their own."""

    def __init__(self, em: _Em, model: GaussianModel) -> None:
        self.em, self.model, K = em, model, len(em.owner)
        self.weight = model.priors * em.training.total
        self.history: list[float] = []
        self.gain = np.inf
        self.notes: list[str] = []
        self.own = np.zeros(K, bool)  # had a covariance of its own in the last iteration
        self.losses = np.zeros(K, np.int64)
        self.restarted = np.zeros(K, bool)
        self.repaired = False

    @property
    def converged(self) -> bool:
        """Whether the last iteration gained next to nothing."""
        return bool(abs(self.gain) < self.em.effort.tol)

    @property
    def finished(self) -> bool:
        """Whether there is nothing to gain from another iteration."""
        most = self.em.effort.max_iter
        return self.converged or self._goes_round or len(self.history) >= most

    @property
    def _goes_round(self) -> bool:
        """Whether the log-likelihood goes to and fro between two values."""
        last = np.array(self.history[-6:])
        return len(last) == 6 and bool((np.abs(last[2:] - last[:-2]) < self.em.effort.tol).all())

    @property
    def fit(self) -> MixtureFit:
        """What has been found so far."""
        em, notes = self.em, list(self.notes)
        if self._goes_round and not self.converged:
            notes.append(
                "components collapse and borrow in turn, and EM was stopped; take fewer of them, "
                "or shrinkage."
            )
        empty = np.flatnonzero(self.weight < EMPTY).tolist()
        notes += [f"component {c} has no rows, even after a second start." for c in empty]
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
        found = em.passes(Densities(self.model), em.settings.detail)
        level = found.log_likelihood / em.training.total
        self.gain = level - self.history[-1] if self.history else np.inf
        self.history.append(level)
        statistics = found.statistics
        if em.effort.addition:
            statistics = _with_larger_variances(statistics, em.effort.addition)
        self.model = self._restarted(self._mended(statistics), found)
        self.weight = statistics.weight

    def _mended(self, statistics: Statistics) -> GaussianModel:
        """The model, with the pooled covariance where one collapses again and again.

        On rows that are all the same the likelihood has no maximum: the component collapses,
        borrows, spreads out and collapses again.
        """
        settings, chances = self.em.settings, self.em.chances(statistics.weight)
        model = build(statistics, settings, chances)
        borrowed = np.isin(np.arange(len(self.own)), model.borrowed)
        fell = self.gain < -self.em.effort.tol
        self.losses += (self.own | fell) & borrowed
        self.own = ~borrowed
        stuck = self.losses >= MOST_LOSSES
        self.repaired |= bool(borrowed.any())
        if model.shared or not stuck.any():
            return model
        base = build(statistics, replace(settings, pooling=1.0), chances).covariances[0]
        covariances = zip(model.covariances, stuck.tolist(), strict=True)
        return replace(
            model,
            covariances=tuple(base if pooled else own for own, pooled in covariances),
            borrowed=tuple(np.flatnonzero(stuck | borrowed).tolist()),
        )

    def _restarted(self, model: GaussianModel, found: SoftPass) -> GaussianModel:
        """The model with an empty component put, once, where a row is least expected.

        Without rows it has borrowed its covariance already.
        """
        weight = found.statistics.weight.copy()
        empty = np.flatnonzero((weight < EMPTY) & ~self.restarted)
        if not len(empty):
            return model
        c, overall = int(empty[0]), self.em.training.overall
        values, means = found.lowest_row[c], model.means.copy()
        means[c] = np.where(np.isnan(values), overall.mean[0], values)
        weight[c] = 1.0
        self.restarted[c] = self.repaired = True
        return replace(model, means=means, priors=self.em.chances(weight))


def _with_larger_variances(statistics: Statistics, addition: float) -> Statistics:
    """The same with so much added to every variance, and rows enough for any covariance."""
    assert not isinstance(statistics.spread, FactoredScatter)
    sums, weight = statistics.spread.sums.high, statistics.weight
    if sums.ndim == 2:
        sums += addition * weight[:, None]
    else:
        weight = weight if len(sums) == len(weight) else weight.sum()[None]
        np.einsum("kii->ki", sums)[...] += addition * weight[:, None]
    return replace(statistics, count=np.maximum(statistics.count, statistics.n_features + 1))
