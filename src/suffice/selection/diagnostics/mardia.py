"""Mardia: skewness and kurtosis of each class against those of a Gaussian."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from suffice.data.arrays import Floats
from suffice.errors import InvalidParameter
from suffice.selection.diagnostics.cloud import Cloud, Shapes, clouds, remarks, shapes
from suffice.selection.diagnostics.diagnostic import LEVEL, Diagnostic
from suffice.selection.diagnostics.normality import FINE, REMEDY, verdict
from suffice.selection.diagnostics.table import Table, as_statistics
from suffice.statistics.incomplete import IncompleteStatistics
from suffice.statistics.statistics import Statistics

# Multiplications that the skewness of a class may take; beyond, rows are drawn at random.
MOST_WORK = 4e10

# D'Agostino's transformation takes this many rows.
LEAST_ROWS = 8

# Third moments are summed over blocks of rows of about this many bytes.
BLOCK_BYTES = 1 << 24


def mardia(X: Any, y: Any = None, sample_weight: Any = None) -> Diagnostic:
    """Mardia's tests of skewness and kurtosis (1970, 1974), class by class.

    With z the rows of a class whitened by its own mean and covariance (divisor n):
    skewness b1 = mean over pairs of (z'w)³, kurtosis b2 = mean of |z|⁴.
    n k b1 / 6, with k making its mean exact, is compared with a chi-square that is stretched to
    the spread of its null distribution at so few rows; of one feature, b1 is transformed as in
    `scipy.stats.skewtest` (D'Agostino 1970). b2, by its exact mean and variance and an estimate of
    its skewness, is compared with a normal after the cube root transformation of Anscombe and
    Glynn, which for one feature is `scipy.stats.kurtosistest`.
    The verdict takes all classes together (Holm). Classes of so many rows and features that the
    skewness would take minutes are judged by some of their rows, drawn at random.

    X : rows; for a single feature also statistics, which know its third and fourth moments
    sample_weight : counts as so many equal rows

    >>> from sklearn.datasets import load_iris
    >>> found = mardia(*load_iris(return_X_y=True))
    >>> print(found.sentence)
    Nothing speaks against Gaussian classes (Mardia, p = 0.34 adjusted for 6 tests).
    >>> round(found.by_class[0]["skewness"], 4), round(found.by_class[0]["kurtosis"], 4)
    (3.0797, 26.5377)
    """
    if isinstance(X, Statistics | IncompleteStatistics):
        found, moments = _of_statistics(as_statistics(X))
        note = found.note
    else:
        table = Table.of(X, y, sample_weight)
        table = table.sampled(_most_rows(table.features.shape[1]))
        found = shapes(table.statistics, spare=2)
        moments = [_moments(cloud) for cloud in clouds(table, found)]
        note = remarks(table, found)
    labels = [shape.label for shape in found.classes for _ in range(2)]
    pvalues = [p for m in moments for p in (m.skewness_pvalue, m.kurtosis_pvalue)]
    pvalue, sentence = verdict(labels, pvalues, "Mardia")
    concern = pvalue < LEVEL
    return Diagnostic(
        "Mardia",
        max(max(m.skewness_chi2, m.kurtosis_z**2) for m in moments),
        pvalue,
        sentence + note,
        REMEDY if concern else FINE,
        concern,
        {s.label: m.numbers for s, m in zip(found.classes, moments, strict=True)},
        {"left_out": dict(found.left_out), "ignored_features": found.ignored},
    )


@dataclass(frozen=True, slots=True)
class Moments:
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
        if self.d == 1 and self.n >= LEAST_ROWS:
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


def _most_rows(d: int) -> int:
    """How many rows the skewness can take: n d³ / 2 or n² d multiplications, whichever is less."""
    return int(max(MOST_WORK / (d * d * (d + 1) / 2), np.sqrt(MOST_WORK / d)))


def _moments(cloud: Cloud) -> Moments:
    n, d = cloud.shape.weight, cloud.shape.size
    quartic = 0.0
    for rows, part in cloud.blocks():
        lengths = np.einsum("ij,ij->i", part, part)
        quartic += float(cloud.weights[rows] @ lengths**2)
    if len(cloud.at) < d * (d + 1) / 2:
        cubic = _by_pairs(cloud.whitened(), cloud.weights)
    else:
        cubic = _by_products(cloud)
    return Moments(n, d, cubic / n**2, quartic / n)


def _by_pairs(rows: Floats, weights: Floats) -> float:
    """The sum over pairs of rows of their cubed products."""
    total = 0.0
    step = max(1, BLOCK_BYTES // (8 * len(rows)))
    for start in range(0, len(rows), step):
        products = rows[start : start + step] @ rows.T
        total += float(weights[start : start + step] @ (products**3 @ weights))
    return total


def _by_products(cloud: Cloud) -> float:
    """The same as the squared length of the sums of all products of three features."""
    d = cloud.shape.size
    low, high = np.triu_indices(d)
    sums = np.zeros((len(low), d))
    for rows, weights in _stretches(cloud, max(1, BLOCK_BYTES // (8 * len(low)))):
        sums += (rows[:, low] * rows[:, high]).T @ (rows * weights[:, None])
    # A product of two different features stands for both orders.
    return float(np.where(low == high, 1.0, 2.0) @ np.einsum("ij,ij->i", sums, sums))


def _stretches(cloud: Cloud, step: int) -> Iterator[tuple[Floats, Floats]]:
    for at, rows in cloud.blocks():
        weights = cloud.weights[at]
        for start in range(0, len(rows), step):
            yield rows[start : start + step], weights[start : start + step]


def _of_statistics(statistics: Statistics) -> tuple[Shapes, list[Moments]]:
    """One feature: its third and fourth moments are among the statistics."""
    if statistics.n_features > 1 or statistics.fourth is None:
        raise InvalidParameter(
            "statistics keep third and fourth moments of single features only where there is "
            f"one, and here are {statistics.n_features}; pass X and y."
        )
    found = shapes(statistics, spare=2)
    sums = statistics.fourth.centred(statistics.known)
    moments = []
    for shape in found.classes:
        c, n = shape.position, shape.weight
        square, cubic, quartic = sums.square[c] / n, sums.cubic[c, 0] / n, sums.quartic[c] / n
        moments.append(Moments(n, 1, float(cubic**2 / square**3), float(quartic / square**2)))
    return found, moments
