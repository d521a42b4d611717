"""Reliability: predicted probabilities and observed frequencies, bin by bin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Array, Floats

STRATEGIES = ("uniform", "quantile")


@dataclass(frozen=True, eq=False, slots=True)
class Reliability:
    """The reliability curve of one event; bins without a row are left out.

    probability : (bins,) mean predicted probability
    frequency : (bins,) observed frequency of the event
    weight : (bins,) weight of the rows
    brier : mean squared difference between prediction and outcome

    >>> curve = Reliability.of(np.array([0.1, 0.3, 0.9, 0.9]), np.array([0, 1, 1, 1]), 2)
    >>> curve.probability, curve.frequency, round(curve.expected_error, 3)
    (array([0.2, 0.9]), array([0.5, 1. ]), 0.2)
    """

    probability: Floats
    frequency: Floats
    weight: Floats
    brier: float

    @classmethod
    def of(
        cls,
        predicted: Floats,
        happened: Array,
        n_bins: int = 10,
        strategy: str = "uniform",
        weights: Floats | None = None,
    ) -> Reliability:
        """The curve of predicted probabilities (n,) and outcomes (n,), 0 or 1."""
        w = np.ones(len(predicted)) if weights is None else weights
        outcome = np.asarray(happened, np.float64)
        edges = np.linspace(0, 1, n_bins + 1)
        if strategy == "quantile":
            edges = _weighted_quantiles(predicted, w, edges)
        at = np.searchsorted(edges[1:-1], predicted, side="right")
        weight, p, o = (
            np.bincount(at, values, minlength=n_bins) for values in (w, w * predicted, w * outcome)
        )
        used = weight > 0
        brier = float(w @ (predicted - outcome) ** 2 / w.sum())
        total = weight[used].astype(np.float64)
        return cls(p[used] / total, o[used] / total, total, brier)

    @property
    def gap(self) -> Floats:
        """|frequency - probability| of each bin."""
        return np.abs(self.frequency - self.probability)

    @property
    def share(self) -> Floats:
        """The share of the rows in each bin."""
        return np.asarray(self.weight / self.weight.sum())

    @property
    def expected_error(self) -> float:
        """Mean gap: the expected calibration error."""
        return float(self.share @ self.gap)

    @property
    def maximum_error(self) -> float:
        """Largest gap: the maximum calibration error."""
        return float(self.gap.max())

    @property
    def reliability(self) -> float:
        """Murphy's reliability: mean squared gap; 0 is best."""
        return float(self.share @ self.gap**2)

    @property
    def resolution(self) -> float:
        """Murphy's resolution: variance of the frequencies of bins about the overall one."""
        return float(self.share @ (self.frequency - self.share @ self.frequency) ** 2)

    @property
    def uncertainty(self) -> float:
        """Murphy's uncertainty: the Brier score of predicting the overall frequency."""
        overall = float(self.share @ self.frequency)
        return overall * (1 - overall)

    @property
    def within_bins(self) -> float:
        """The contribution of differences within bins (Stephenson et al. 2008).

        brier = reliability - resolution + uncertainty + within_bins
        """
        return self.brier - (self.reliability - self.resolution + self.uncertainty)


def _weighted_quantiles(values: Floats, weights: Floats, shares: Floats) -> Floats:
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order]) / weights.sum()
    at = np.searchsorted(reached, shares * (1 - 1e-12), side="left")
    return np.asarray(values[order][np.minimum(at, len(values) - 1)])
