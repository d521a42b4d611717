"""Fitting by EM: parameters, progress and outcome, shared by the mixtures."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import validate_data

from suffice.answers import mixture as _mixture  # noqa: F401 - registers its answers
from suffice.answers.sampling import count
from suffice.data.arrays import Array, Floats, Indices
from suffice.data.features import as_features
from suffice.data.labels import shown
from suffice.data.weights import Weights
from suffice.errors import InvalidInput, InvalidLabels, InvalidParameter
from suffice.estimators.columns import take_columns
from suffice.models.mixture import MixtureModel
from suffice.models.settings import Settings, not_negative
from suffice.models.training import Effort, Lessons, MixtureFit, Progress, Training


@dataclass(frozen=True, slots=True)
class Plan:
    """What the parameters ask for, checked before a row is read."""

    settings: Settings
    effort: Effort
    rng: np.random.Generator


class Fitting:
    """Parameters and results of EM, which all mixtures share."""

    tol: float
    max_iter: int
    n_init: int
    verbose: int
    callback: Callable[[Progress], None] | None
    n_iter_: int
    converged_: bool
    lower_bound_: float
    log_likelihoods_: Floats
    _model: MixtureModel | None
    _component_weight: Floats

    def _effort(self, addition: float = 0.0) -> Effort:
        if self.callback is not None and not callable(self.callback):
            raise InvalidParameter(
                f"callback is {shown(self.callback)}; it must be a function of the progress, or "
                "None."
            )
        return Effort(
            not_negative("tol", self.tol),
            count("max_iter", self.max_iter),
            count("n_init", self.n_init),
            addition,
            self._told if self.verbose or self.callback is not None else None,
        )

    def _told(self, progress: Progress) -> None:
        if self.verbose:
            print(
                f"start {progress.start}, iteration {progress.iteration}: mean log-likelihood "
                f"{progress.log_likelihood:.6f}, gain {progress.gain:.3g}"
            )
        if self.callback is not None:
            self.callback(progress)

    def _take_fit(self, fit: MixtureFit, lessons: Lessons, X: Any) -> None:
        """Hold what was found; X the rows where they are in memory."""
        if X is None:
            take_columns(self, lessons.overall)
        else:
            validate_data(self, X=X, reset=True, skip_check_array=True)
        self._model = fit.model
        self._component_weight = fit.weight
        self.n_iter_ = max(1, len(fit.log_likelihoods))
        self.converged_ = fit.converged
        self.log_likelihoods_ = np.array(fit.log_likelihoods)
        self.lower_bound_ = fit.log_likelihood

    def _tell(self, fit: MixtureFit) -> None:
        """Warn of what went otherwise than asked for."""
        told: list[tuple[str, type[Warning]]] = [(note, RuntimeWarning) for note in fit.notes]
        n = self.n_iter_
        if fit.interrupted:
            what = f"interrupted after {n} iterations: the best model so far is kept."
            told.append((what, RuntimeWarning))
        elif n == self.max_iter and not fit.converged and self.tol > 0:
            what = f"EM has not converged in {n} iterations; raise max_iter or tol."
            told.append((what, ConvergenceWarning))
        for what, kind in told:
            warnings.warn(what, kind, stacklevel=5)


def training_rows(X: Any, codes: Indices, classes: Array | None, sample_weight: Any) -> Training:
    """Checked rows; classes without a row of positive weight are left out."""
    n = as_features(X).shape[0]
    if len(codes) != n:
        raise InvalidInput(
            f"X has {n} rows but y has {len(codes)} labels: inconsistent numbers of samples."
        )
    weights = None if sample_weight is None else Weights.of(sample_weight, n).read(0, n)
    classes = np.zeros(1, np.int64) if classes is None else classes
    counted = codes if weights is None else np.where(weights > 0, codes, -1)
    present = np.unique(counted[counted >= 0])
    if not len(present):
        raise InvalidLabels("no row of positive weight has a label; label some rows of each class.")
    place = np.full(len(classes) + 1, -1)
    place[present] = np.arange(len(present))
    return Training.of(X, place[counted], weights, classes[present])
