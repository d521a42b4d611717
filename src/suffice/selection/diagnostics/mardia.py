"""Mardia: skewness and kurtosis of each class against those of a Gaussian."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from suffice.errors import InvalidParameter
from suffice.selection.diagnostics.cloud import Cloud, Shapes, clouds, remarks, shapes
from suffice.selection.diagnostics.complete_rows import CompleteRows, as_statistics
from suffice.selection.diagnostics.diagnostic import Diagnostic
from suffice.selection.diagnostics.normality import normality_diagnostic
from suffice.statistics.incomplete import IncompleteStatistics
from suffice.statistics.statistics import Statistics


def mardia(X: Any, y: Any = None, sample_weight: Any = None) -> Diagnostic:
    """Mardia's tests of skewness and kurtosis (1970, 1974), class by class.

    With z the rows of a class whitened by its own mean and covariance (divisor n):
    skewness b1 = mean over pairs of (z'w)³, kurtosis b2 = mean of |z|⁴.
    n k b1 / 6, with k making its mean exact, is compared with a chi-square that is stretched to
    the spread of its null distribution for few rows; for one feature, b1 is transformed as in
    `scipy.stats.skewtest` (D'Agostino 1970). b2, by its exact mean and variance and an estimate of
    its skewness, is compared with a normal after the cube root transformation of Anscombe and
    Glynn, which for one feature is `scipy.stats.kurtosistest`.
    The verdict takes all classes together (Holm). Where the skewness of a large class would take
    minutes, a random sample of its rows is tested.

    X : rows; for a single feature also statistics, which keep its third and fourth moments
    sample_weight : a weight counts as that many equal rows

    >>> from sklearn.datasets import load_iris
    >>> found = mardia(*load_iris(return_X_y=True))
    >>> print(found.sentence)
    No evidence against Gaussian classes (Mardia, p = 0.34 adjusted for 6 tests).
    >>> round(found.by_class[0]["skewness"], 4), round(found.by_class[0]["kurtosis"], 4)
    (3.0797, 26.5377)
    """
    if isinstance(X, Statistics | IncompleteStatistics):
        matrices, moments = _of_statistics(as_statistics(X))
        note = matrices.note
    else:
        rows = CompleteRows.of(X, y, sample_weight)
        rows = rows.sample(_max_rows(rows.table.X.shape[1]))
        matrices = shapes(rows.statistics, _spare(rows.statistics))
        moments = [_moments(cloud) for cloud in clouds(rows, matrices)]
        note = remarks(rows, matrices)
    by_class = {s.label: m for s, m in zip(matrices.classes, moments, strict=True)}
    return normality_diagnostic(
        "Mardia",
        max(max(m.skewness_chi2, m.kurtosis_z**2) for m in moments),
        {label: (m.skewness_pvalue, m.kurtosis_pvalue) for label, m in by_class.items()},
        {label: m.numbers for label, m in by_class.items()},
        matrices,
        note,
    )


@dataclass(frozen=True, slots=True)
class MardiaMoments:
    """Mardia's measures of n rows of d features, and how far they are from a Gaussian's."""

    n: float
    d: int
    skewness: float
    kurtosis: float

    @property
    def skewness_chi2(self) -> float:
        """n k b1 / 6, whose mean under the null is exactly its degrees of freedom."""
        n, d = self.n, self.d
        k = (d + 1) * (n + 1) * (n + 3) / (n * ((n + 1) * (d + 1) - 6))
        return n * k * self.skewness / 6

    @property
    def skewness_df(self) -> float:
        """Degrees of freedom: the number of third moments."""
        return self.d * (self.d + 1) * (self.d + 2) / 6

    @property
    def skewness_pvalue(self) -> float:
        """P(a skewness at least as large)."""
        if self.d == 1 and self.n >= 8:  # as D'Agostino's transformation needs
            return float(2 * special.ndtr(-self._skewness_z))
        r = self._stretch
        return float(special.chdtrc(self.skewness_df / r, self.skewness_chi2 / r))

    @property
    def _stretch(self) -> float:
        """The variance of skewness_chi2 in that of a chi-square of as many degrees of freedom.

        Fitted to the upper 5% points of 100,000 simulated tables for each of 2 to 14 features and
        up to 200 rows, kept in tests/reference: r chi-square(df / r) is exceeded by 4.7% to 5.3%
        of them from 20 rows on, where a plain chi-square is exceeded by up to 7.5%.
        """
        n, d = self.n, self.d
        return (n - d - 1) * (n - d + 2) * (n + 25 + 5.5 * d) / (n + 5) ** 3

    @property
    def _skewness_z(self) -> float:
        """The size of the skewness of one feature, transformed to a standard normal."""
        n = self.n
        y = np.sqrt(self.skewness * (n + 1) * (n + 3) / (6 * (n - 2)))
        tail = 3 * (n * n + 27 * n - 70) * (n + 1) * (n + 3)
        tail /= (n - 2) * (n + 5) * (n + 7) * (n + 9)
        w2 = np.sqrt(2 * (tail - 1)) - 1
        return float(np.arcsinh(y * np.sqrt((w2 - 1) / 2)) / np.sqrt(np.log(w2) / 2))

    @property
    def kurtosis_z(self) -> float:
        """The kurtosis, transformed to a standard normal."""
        n, d = self.n, self.d
        mean = d * (d + 2) * (n - 1) / (n + 1)
        spread = (n - 3) * (n - d - 1) * (n - d + 1) / ((n + 1) ** 2 * (n + 3) * (n + 5))
        z = (self.kurtosis - mean) / np.sqrt(8 * d * (d + 2) * spread)
        # The skewness of b2: that of one feature, times the ratio for many rows (Mardia 1974).
        skew = 6 * (n * n - 5 * n + 2) / ((n + 7) * (n + 9))
        skew *= np.sqrt(6 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)))
        skew *= (d + 8) / 9 * np.sqrt(3 / (d * (d + 2)))
        a = 6 + 8 / skew * (2 / skew + np.sqrt(1 + 4 / skew**2))
        root = np.cbrt((1 - 2 / a) / (1 + z * np.sqrt(2 / (a - 4))))
        return float((1 - 2 / (9 * a) - root) / np.sqrt(2 / (9 * a)))

    @property
    def kurtosis_pvalue(self) -> float:
        """P(a kurtosis at least as far off, on either side)."""
        return float(2 * special.ndtr(-abs(self.kurtosis_z)))

    @property
    def numbers(self) -> dict[str, float]:
        """All of these by name."""
        names = "skewness kurtosis skewness_chi2 skewness_df skewness_pvalue kurtosis_z"
        out = {name: float(getattr(self, name)) for name in names.split()}
        return {"rows": self.n, **out, "kurtosis_pvalue": self.kurtosis_pvalue}


def _spare(statistics: Statistics) -> int:
    """Rows that a class needs beyond its features: kurtosis has a spread from four rows on."""
    return 3 if (statistics.squares > 0).any(axis=0).sum() == 1 else 2


def _max_rows(d: int) -> int:
    """How many rows take 4e10 multiplications: n d³ / 2 or n² d, whichever is less."""
    return int(max(4e10 / (d * d * (d + 1) / 2), np.sqrt(4e10 / d)))


def _moments(cloud: Cloud) -> MardiaMoments:
    n, d = cloud.shape.weight, cloud.shape.size
    quartic = 0.0
    for rows, part in cloud.blocks():
        lengths = np.einsum("ij,ij->i", part, part)
        quartic += float(cloud.weights[rows] @ lengths**2)
    few = len(cloud.at) < d * (d + 1) / 2
    cubic = cubic_by_pairs(cloud) if few else cubic_by_features(cloud)
    return MardiaMoments(n, d, cubic / n**2, quartic / n)


def cubic_by_pairs(cloud: Cloud) -> float:
    """The sum over pairs of rows of their cubed products."""
    rows, weights, total = cloud.whitened(), cloud.weights, 0.0
    step = max(1, cloud.rows.block_bytes // (8 * len(rows)))
    for start in range(0, len(rows), step):
        products = rows[start : start + step] @ rows.T
        total += float(weights[start : start + step] @ (products**3 @ weights))
    return total


def cubic_by_features(cloud: Cloud) -> float:
    """The same, as the squared length of the sums of all products of three features."""
    d = cloud.shape.size
    low, high = np.triu_indices(d)
    sums = np.zeros((len(low), d))
    step = max(1, cloud.rows.block_bytes // (8 * len(low)))
    for at, block in cloud.blocks():
        weights = cloud.weights[at]
        for start in range(0, len(block), step):
            rows, w = block[start : start + step], weights[start : start + step]
            sums += (rows[:, low] * rows[:, high]).T @ (rows * w[:, None])
    # A product of two different features stands for both orders.
    return float(np.where(low == high, 1.0, 2.0) @ np.einsum("ij,ij->i", sums, sums))


def _of_statistics(statistics: Statistics) -> tuple[Shapes, list[MardiaMoments]]:
    """One feature: its third and fourth moments are among the statistics."""
    if statistics.n_features > 1 or statistics.fourth is None:
        raise InvalidParameter(
            f"these statistics are of {statistics.n_features} features, and keep third and fourth "
            "moments of each only where there is one; pass X and y."
        )
    matrices = shapes(statistics, _spare(statistics))
    sums = statistics.fourth.centred(statistics.known)
    moments = []
    for shape in matrices.classes:
        c, n = shape.position, shape.weight
        square, cubic, quartic = sums.square[c] / n, sums.cubic[c, 0] / n, sums.quartic[c] / n
        moments.append(MardiaMoments(n, 1, float(cubic**2 / square**3), float(quartic / square**2)))
    return matrices, moments
