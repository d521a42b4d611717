"""Learning from rows on a device: fit, update and forget."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from dataclasses import dataclass
from typing import Any, Self

from suffice.engines.arrays.coded import Coded, fetch_input
from suffice.engines.arrays.exact_summary import summarize_exactly
from suffice.engines.arrays.held_model import HeldModel
from suffice.engines.arrays.held_scatter import HeldDense
from suffice.engines.arrays.held_statistics import HeldStatistics
from suffice.engines.arrays.rows import DeviceRows, host
from suffice.engines.arrays.summary import summarize_coded
from suffice.errors import InvalidFeatures, MissingClasses, NotOnDevice
from suffice.estimators.choosing import cross_validated
from suffice.estimators.gaussian_classifier import GaussianClassifier
from suffice.estimators.learning import check_buildable
from suffice.estimators.new_rows import NewRows, Outline, check_announced
from suffice.models.separating import check_denominator
from suffice.statistics.exact.form import ExactForm
from suffice.statistics.statistics import Statistics


@dataclass(frozen=True, slots=True)
class RowsOnDevice(NewRows):
    """Rows on a device, and the codes of their classes."""

    rows: DeviceRows
    coded: Coded
    classes: Any = None  # the announced classes, if any

    @classmethod
    def of(cls, X: Any, y: Any, sample_weight: Any, classes: Any = None) -> Self:
        """The rows and labels that a user passed."""
        rows = DeviceRows.of(X)
        coded = Coded.of(y, sample_weight, rows.shape[0], rows.space)
        return cls(rows, coded, fetch_input(classes, "classes", rows.space))

    def statistics(self, learner: Any, settings: Any, like: Outline | None) -> Any:
        """Statistics of the rows, computed on the device."""
        if learner._state is not None:
            check_columns(learner, self.rows)
        check_announced(learner, self.coded.classes, self.classes)
        form = learner._form(settings, like)
        if isinstance(form, ExactForm):
            if form.fourth:
                raise NotOnDevice(
                    "shrinkage='ledoit-wolf' on a grid sums up fourth powers on the host: pass "
                    f"{host(self.rows.space)}, or use shrinkage='oas'."
                )
            return summarize_exactly(self.rows, self.coded, form.detail, form.grid)
        return summarize_coded(self.rows, self.coded, form)

    def model(self, learner: Any, statistics: Any, settings: Any, later: bool) -> Any:
        """The model of statistics held on the device; None if the learner builds a small one."""
        if not isinstance(statistics, HeldStatistics) and not _is_held(statistics):
            return None
        if not later:
            check_denominator(statistics, settings)
        check_buildable(statistics, settings, learner._priors())
        # The priors may name classes whose rows come later.
        with suppress(MissingClasses) if later else nullcontext():
            return HeldModel.of(statistics, settings, learner.priors)
        return None


def fit(estimator: GaussianClassifier, X: Any, y: Any, sample_weight: Any = None) -> Any:
    """Summarize the rows and build the model."""
    for name in cross_validated(estimator):
        raise NotOnDevice(
            f"{name}='cv' is chosen on the host: fit {host(DeviceRows.of(X).space)} once, and give "
            "the value it chooses as a number here."
        )
    settings = estimator._settings()
    return estimator._fit_to(RowsOnDevice.of(X, y, sample_weight), settings)


def partial_fit(
    estimator: GaussianClassifier, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
) -> Any:
    """Add rows; new classes are allowed."""
    return estimator._change(RowsOnDevice.of(X, y, sample_weight, classes))


def forget(estimator: GaussianClassifier, X: Any, y: Any, sample_weight: Any = None) -> Any:
    """Remove rows, as if they had never been seen."""
    return estimator._change(RowsOnDevice.of(X, y, sample_weight), forgets=True)


def check_columns(estimator: GaussianClassifier, rows: DeviceRows) -> None:
    """Raise unless the rows have the features of those seen so far."""
    estimator._check_width(rows.shape[1])
    if hasattr(estimator, "feature_names_in_"):
        raise InvalidFeatures(
            f"{type(estimator).__name__} was fitted with feature names, which arrays do not have; "
            "pass a data frame, or fit it with an array."
        )


def _is_held(statistics: Any) -> bool:
    return isinstance(statistics, Statistics) and isinstance(statistics.spread, HeldDense)
