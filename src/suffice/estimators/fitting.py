"""Fitting by EM: parameters, progress and outcome, shared by the mixtures."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from suffice.answers import mixture as _mixture  # noqa: F401 - registers its answers
from suffice.data.arrays import Array, Floats, Indices
from suffice.data.caller import stacklevel
from suffice.data.features import as_features
from suffice.data.labels import check_lengths
from suffice.data.parameters import check_callable, count, is_number, not_negative
from suffice.data.tables.encoding import Encoding
from suffice.data.tables.table_rows import TableReader
from suffice.data.weights import row_weights
from suffice.errors import InvalidLabels, InvalidParameter
from suffice.estimators.base import Estimator
from suffice.estimators.columns import LearnedColumns
from suffice.estimators.new_rows import RowsInMemory, facts_of_table
from suffice.estimators.state import State
from suffice.models.em.training import Effort, EmProgress, MixtureFit, Training
from suffice.models.mixture import MixtureModel
from suffice.models.settings import Settings
from suffice.text import shown


@dataclass(frozen=True, eq=False, kw_only=True)
class FittedMixture(State):
    """The components estimated by EM (in `kept`), and how EM went."""

    classes: Array
    settings: Settings
    component_weight: Floats  # (K,)
    log_likelihoods: Floats  # mean over the rows, at the start of each iteration
    converged: bool
    lower_bound: float

    @classmethod
    def of(
        cls, fit: MixtureFit, settings: Settings, rows: RowsInMemory, encoding: Encoding | None
    ) -> Self:
        """The state of an estimator after this fit to rows."""
        return cls(
            **facts_of_table(rows.X, rows.y, None if encoding is None else encoding.reader),
            encoding=encoding,
            kept={"model": fit.model},
            classes=fit.model.classes,
            settings=settings,
            component_weight=fit.weight,
            log_likelihoods=np.array(fit.log_likelihoods),
            converged=fit.converged,
            lower_bound=fit.log_likelihood,
        )

    @classmethod
    def known(cls, model: MixtureModel, settings: Settings, columns: LearnedColumns) -> Self:
        """The state of a mixture whose parameters are known: that before any iteration."""
        return cls(
            columns=columns,
            kept={"model": model},
            classes=model.classes,
            settings=settings,
            component_weight=model.shares,
            log_likelihoods=np.empty(0),
            converged=False,
            lower_bound=-np.inf,
        )

    @property
    def n_iter(self) -> int:
        """Number of iterations of the best start."""
        return len(self.log_likelihoods)


class Fitting(Estimator):
    """Parameters and results of EM, which all mixtures share."""

    tol: float
    max_iter: int
    n_init: int
    verbose: int
    callback: Callable[[EmProgress], None] | None
    _state: FittedMixture | None

    @property
    def n_iter_(self) -> int:
        """Number of iterations of the best start."""
        return int(self._learned.n_iter)

    @property
    def converged_(self) -> bool:
        """Whether the best start converged."""
        return bool(self._learned.converged)

    @property
    def lower_bound_(self) -> float:
        """Mean log-likelihood of the rows at the last iteration."""
        return float(self._learned.lower_bound)

    @property
    def log_likelihoods_(self) -> Floats:
        """Mean log-likelihood of the rows at the start of each iteration."""
        return np.asarray(self._learned.log_likelihoods)

    @property
    def lower_bounds_(self) -> Floats:
        """The same, by scikit-learn's name."""
        return self.log_likelihoods_

    @property
    def _component_weight(self) -> Floats:
        return np.asarray(self._learned.component_weight)

    @property
    def _built_with(self) -> Settings:
        settings: Settings = self._learned.settings
        return settings

    def _effort(self, addition: float = 0.0) -> Effort:
        if not _is_verbosity(self.verbose):
            raise InvalidParameter(
                f"verbose is {shown(self.verbose)}; it must be 0, or 1 to print."
            )
        check_callable("callback", self.callback)
        return Effort(
            not_negative("tol", self.tol),
            _iterations(self.max_iter),
            count("n_init", self.n_init, 1_000_000),
            addition,
            self._report_progress if self.verbose or self.callback is not None else None,
        )

    def _report_progress(self, progress: EmProgress) -> None:
        if self.verbose:
            print(
                f"start {progress.start}, iteration {progress.iteration}: mean log-likelihood "
                f"{progress.log_likelihood:.6f}, gain {progress.gain:.3g}"
            )
        if self.callback is not None:
            self.callback(progress)

    def _hold(
        self, fit: MixtureFit, settings: Settings, rows: RowsInMemory, encoding: Encoding | None
    ) -> None:
        """Store the fit to rows, which may be a table with levels."""
        state = FittedMixture.of(fit, settings, rows, encoding)
        self._warn_about_fit(fit, state.n_iter)
        self._state = state

    def _warn_about_fit(self, fit: MixtureFit, n: int) -> None:
        """Warn of everything in n iterations that differs from what was requested."""
        messages: list[tuple[str, type[Warning]]] = [(note, RuntimeWarning) for note in fit.notes]
        if fit.interrupted:
            what = f"interrupted after {n} iterations: the best model so far is kept."
            messages.append((what, RuntimeWarning))
        elif 0 < n == self.max_iter and not fit.converged and self.tol > 0:
            what = f"EM has not converged in {n} iterations; raise max_iter or tol."
            messages.append((what, ConvergenceWarning))
        for what, kind in messages:
            warnings.warn(what, kind, stacklevel=stacklevel())


def _iterations(value: Any) -> int:
    """The largest number of iterations; 0 keeps the start."""
    zero = isinstance(value, int | np.integer) and is_number(value) and value == 0
    return 0 if zero else count("max_iter", value)


def _is_verbosity(value: Any) -> bool:
    if isinstance(value, bool | np.bool_):
        return True
    return isinstance(value, int | np.integer) and is_number(value) and bool(value >= 0)


def encoded(X: Any, columns: Any) -> tuple[Encoding | None, Any]:
    """A table with levels as numbers, and how it was encoded; other rows as they are."""
    reader = TableReader.of(X, columns)
    if reader is None:
        return None, X
    encoding = Encoding.of(X, reader)
    return encoding, encoding.encode(X)


def training_rows(X: Any, codes: Indices, classes: Array | None, sample_weight: Any) -> Training:
    """Checked rows; classes without a row of positive weight are left out."""
    n = as_features(X).shape[0]
    check_lengths(n, len(codes))
    weights = row_weights(sample_weight, n)
    classes = np.zeros(1, np.int64) if classes is None else classes
    counted = codes if weights is None else np.where(weights > 0, codes, -1)
    present = np.unique(counted[counted >= 0])
    if not len(present):
        raise InvalidLabels("no row of positive weight has a label; label some rows of each class.")
    place = np.full(len(classes) + 1, -1)
    place[present] = np.arange(len(present))
    return Training.of(X, place[counted], weights, classes[present])
