"""EM: the components of a mixture, from rows that may belong to several of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from suffice.data.arrays import Floats, Indices
from suffice.data.batches import batches
from suffice.errors import InvalidFeatures, TooFewRows
from suffice.models.em.em_run import EmRun
from suffice.models.em.nearest import Nearest
from suffice.models.em.training import (
    APART,
    Effort,
    EmProgress,
    Given,
    MixtureFit,
    Pass,
    Training,
    most_components,
)
from suffice.models.gaussian import GaussianModel, build
from suffice.models.mixture import MixtureModel, by_owner, n_parameters
from suffice.models.priors import class_priors
from suffice.models.settings import Settings
from suffice.statistics.summarize import summarize_batches

# Replaces a prior of zero during EM: labelled rows of the class still have components.
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
    """A mixture with `sizes` components per class (k,), by EM; the best of several starts.

    Every row is shared by the components of its class, or of all classes if its class is
    unknown. With one component per class, the estimates are those of the classes themselves.
    """
    em = Em(training, np.repeat(np.arange(len(sizes)), sizes), settings, priors, effort)
    if (sizes == 1).all() and training.all_labelled and not effort.addition:
        return em.closed_form()
    best: MixtureFit | None = None
    for start in range(1, 1 + (effort.n_init if sizes.max() > 1 else 1)):
        try:
            model = em.start(rng, given or Given(), again=start > 1)
        except KeyboardInterrupt:
            if best is None:
                raise
            return replace(best, converged=False, interrupted=True)
        fit = em.run(model, start, -np.inf if given is None else given.log_likelihood)
        if best is None or fit.log_likelihood > best.log_likelihood:
            best = fit
        if fit.interrupted:
            return replace(best, converged=False, interrupted=True)
    assert best is not None
    return best


def sizes_by_bic(
    training: Training, settings: Settings, effort: Effort, rng: np.random.Generator, most: int
) -> Indices:
    """Number of components of each class by the BIC of its own rows, (k,): 1 to `most`."""
    sizes, quiet = np.minimum(most, most_components(training)), replace(effort, progress=None)
    for c in np.flatnonzero(sizes > 1).tolist():
        part = training.of_class(c)
        tried = range(1, 1 + int(sizes[c]))
        fits = [fit_mixture(part, np.array([m]), settings, None, quiet, rng) for m in tried]
        if any(fit.interrupted for fit in fits):
            raise KeyboardInterrupt
        sizes[c] = 1 + int(np.argmin([bic(fit, settings, part.total) for fit in fits]))
    return sizes


def bic(fit: MixtureFit, settings: Settings, total: float) -> float:
    """-2 ln L + p ln n; smaller is better."""
    penalty = n_parameters(fit.model, settings) * np.log(total)
    return float(penalty - 2 * total * fit.log_likelihood)


@dataclass(frozen=True)
class Em:
    """EM for some rows, components and settings, before it is started."""

    training: Training
    owner: Indices  # (K,)
    given_settings: Settings
    priors: Any
    effort: Effort

    @cached_property
    def settings(self) -> Settings:
        """The settings, adapted to rows that are shared by components."""
        given, d = self.given_settings, self.training.overall.n_features
        if given.shrinkage == "ledoit-wolf":
            # Ledoit-Wolf needs fourth-order sums, which EM does not compute.
            return replace(given, shrinkage="oas")
        few = self.training.n_counted < d + len(self.owner)
        if few and given.structure.takes_matrices and not (given.shrinkage or self.effort.addition):
            # Not even the pooled covariance is regular. Its range would change from one iteration
            # to the next, and EM would oscillate.
            pooling = given.pooling or 1.0
            return replace(given, pooling=pooling, shrinkage="oas", target="diagonal")
        return given

    @cached_property
    def passes(self) -> Pass:
        """The function that makes one pass over the rows."""
        return self.training.passes(self.owner)

    def closed_form(self) -> MixtureFit:
        """The fit without iterations, since every row belongs to one component."""
        training, settings = self.training, self.given_settings
        statistics = training.by_class(settings.detail)
        priors = self.class_priors(statistics.weight)
        components = build(statistics, settings, np.maximum(priors, LEAST_PRIOR))
        model = MixtureModel.of(components, self.owner, training.classes, priors)
        level = training.own_log_likelihood(model) / training.total
        return MixtureFit(model, statistics.weight, (level,), converged=True)

    def start(self, rng: np.random.Generator, given: Given, again: bool = False) -> GaussianModel:
        """Components of the rows nearest to some centres, replaced by those given.

        again : whether EM has been started for these rows before
        """
        weights, means, covariances = given.weights, given.means, given.covariances
        if weights is None or means is None or covariances is None:
            near = Nearest(self.training, self.owner)
            centres = near.centres(rng, again) if means is None else means
            nearest = self._nearest_components(near, centres)
            weights = nearest.priors if weights is None else weights
            means = nearest.means if means is None else means
            covariances = nearest.covariances if covariances is None else covariances
        return GaussianModel(np.arange(len(self.owner)), weights, means, covariances, ())

    def _nearest_components(self, near: Nearest, centres: Floats) -> GaussianModel:
        """Components of the rows nearest to each centre."""
        t, settings = near.training, self.settings
        if t.gaps:
            # The observed values of each feature suffice for a start.
            apart = settings.structure.without_correlations
            settings = replace(settings, structure=apart, shrinkage=0.0)
        statistics = summarize_batches(
            batches(t.X, near.assign(centres), t.labelled), settings.detail
        )
        at = near.sources(centres, statistics.classes)
        try:
            covariances = build(statistics, settings, None).covariances
        except (TooFewRows, InvalidFeatures):
            # Single rows, or a sample that lacks a feature: use the variances of all rows.
            covariances = build(t.overall, APART, None).covariances
        if len(covariances) > 1:
            covariances = tuple(covariances[i] for i in at.tolist())
        weight = statistics.weight[at] / np.bincount(at)[at]
        means = near.means(statistics)[at]
        return GaussianModel(
            np.arange(len(at)), self.component_priors(weight), means, covariances, ()
        )

    def run(self, model: GaussianModel, start: int, level: float) -> MixtureFit:
        """Alternate expectation and maximisation until the likelihood stops increasing.

        level : mean log-likelihood before the first iteration, if it is known
        """
        run = EmRun(self, model, level)
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
            run.notes.append("the components shrank to single rows, so EM was stopped.")
        return replace(run.fit, interrupted=interrupted)

    def component_priors(self, weight: Floats) -> Floats:
        """Priors of the components, from their weight."""
        if self.priors is None:
            return np.asarray(weight / weight.sum())
        total = by_owner(self.owner, weight)
        of_classes = np.maximum(self.class_priors(weight), LEAST_PRIOR)
        return np.asarray(of_classes[self.owner] * weight / total[self.owner])

    def class_priors(self, weight: Floats) -> Floats:
        """Priors of the classes, from the weight of the components."""
        total = by_owner(self.owner, weight)
        return class_priors(self.priors, self.training.classes, total)
