"""Metrics: accuracy, log-loss, Brier score and calibration error, as sums over rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from suffice.data.arrays import Floats, Indices

# Bins of the calibration error, of equal width between probability 0 and 1.
BINS = 15

METRICS = ("accuracy", "log_loss", "brier", "calibration_error")


@dataclass(frozen=True, slots=True)
class MetricSums:
    """Sums over rows for m models; those of two sets of rows add up.

    sums : (m, 4), weight, weight of correct labels, log-loss, Brier score
    bins : (m, BINS), by the probability of the predicted label: its excess over the correct share
    """

    sums: Floats
    bins: Floats

    @classmethod
    def of(cls, scores: Floats, codes: Indices, weights: Floats | None) -> MetricSums:
        """Sums of scores (m, k, n), joint log densities up to a constant per row; overwrites them.

        >>> sums = MetricSums.of(np.log([[[0.9, 0.6], [0.1, 0.4]]]), np.array([0, 1]), None)
        >>> {name: float(value[0].round(4)) for name, value in sums.metrics().items()}
        {'accuracy': 0.5, 'log_loss': 0.5108, 'brier': 0.185, 'calibration_error': 0.35}
        """
        m, _, n = scores.shape
        top = scores.max(axis=1)
        scores -= top[:, None]
        own = scores[:, codes, np.arange(n)]
        correct = _correct(scores, own, codes)
        np.exp(scores, out=scores)
        total = scores.sum(axis=1)
        confidence = 1 / total
        squares = np.einsum("mkn,mkn->mn", scores, scores) * confidence**2
        brier = squares - 2 * np.exp(own) * confidence + 1
        w = np.ones(n) if weights is None else weights
        columns = (np.ones_like(top), correct, np.log(total) - own, brier)
        sums = np.stack([column @ w for column in columns], axis=1)
        at = np.fmin(confidence * BINS, BINS - 1).astype(np.int64)  # NaN goes to the last bin
        at += BINS * np.arange(m)[:, None]
        excess = (confidence - correct) * w
        bins = np.bincount(at.ravel(), excess.ravel(), m * BINS).astype(np.float64)
        return cls(sums, bins.reshape(m, BINS))

    def __add__(self, other: MetricSums) -> MetricSums:
        return MetricSums(self.sums + other.sums, self.bins + other.bins)

    def metrics(self, classes: int = 2) -> dict[str, Floats]:
        """Each metric of each model, (m,); the Brier score is halved for two classes, as usual."""
        weight = self.sums[:, 0]
        return {
            "accuracy": self.sums[:, 1] / weight,
            "log_loss": self.sums[:, 2] / weight,
            "brier": self.sums[:, 3] / weight / (2 if classes == 2 else 1),
            "calibration_error": np.abs(self.bins).sum(axis=1) / weight,
        }


def _correct(scores: Floats, own: Floats, codes: Indices) -> Floats:
    """Whether the predicted label, the first of the best scores (now zero), is the row's own."""
    best = scores == 0
    right = own == 0 if np.count_nonzero(best) == own.size else best.argmax(axis=1) == codes
    return np.asarray(right, np.float64)
