"""Calibration: whether predicted probabilities match observed frequencies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.labels import Labels
from suffice.data.parameters import as_floats, choice, count
from suffice.data.weights import row_weights
from suffice.errors import InvalidInput, InvalidLabels, InvalidParameter
from suffice.models.covariances.linalg import reciprocal
from suffice.selection.diagnostics.diagnostic import LEVEL, Diagnostic, format_pvalue, holm, number
from suffice.selection.diagnostics.reliability import STRATEGIES, Reliability
from suffice.selection.evaluation import label_codes


def calibration(
    y: Any,
    probabilities: Any,
    classes: Any = None,
    sample_weight: Any = None,
    n_bins: int = 10,
    strategy: str = "uniform",
) -> Diagnostic:
    """How well predicted probabilities fit the labels of rows the model has not seen.

    `pvalue` is Spiegelhalter's (1986), extended to any number of classes: whether the Brier
    score differs from what the probabilities themselves promise. `details` has Spiegelhalter's
    `z`, positive for over-confident probabilities; a chi-square test of the class frequencies
    (`prevalence_chi2`, `prevalence_pvalue`); the expected and maximum calibration error of the
    most probable class; the Brier score (half of the sum over classes for two classes, as in
    scikit-learn) with Murphy's decomposition; `top`, the `Reliability` of the most probable class,
    and `curves`, that of each class.

    probabilities : (n, k), or (n,) of the second of two classes
    classes : labels of the columns; the sorted labels of y if None
    sample_weight : a weight counts as that many equal rows
    n_bins, strategy : bins of equal width ("uniform") or of equally many rows ("quantile")

    >>> p = np.array([0.9, 0.8, 0.9, 0.2, 0.1, 0.3])
    >>> found = calibration([1, 1, 1, 0, 0, 1], p)
    >>> round(found.details["brier"], 4), round(found.details["spiegelhalter_z"], 3)
    (0.1, -0.353)
    >>> print(found.sentence)
    No evidence against the probabilities (expected calibration error 23%, p = 0.74 adjusted...
    """
    given = _Predictions.of(y, probabilities, classes, sample_weight)
    choice("strategy", strategy, STRATEGIES)
    n_bins = count("n_bins", n_bins, 1_000_000)
    curves = {
        label: Reliability.of(p, given.codes == c, n_bins, strategy, given.weights)
        for c, (label, p) in enumerate(zip(given.labels, given.p.T, strict=True))
    }
    best = given.p.argmax(axis=1)
    highest = given.p[np.arange(len(best)), best]
    top = Reliability.of(highest, best == given.codes, n_bins, strategy, given.weights)
    z, pvalue = spiegelhalter(given.p, given.codes, given.weights)
    prevalence = prevalence_test(given.p, given.codes, given.weights)
    adjusted = holm([pvalue, prevalence[2]])
    sentence, recommendation = _words(top, z, pvalue, prevalence, adjusted)
    return Diagnostic(
        "Calibration",
        z,
        pvalue,
        sentence,
        recommendation,
        bool(adjusted.min() < LEVEL),
        {label: _numbers(curve) for label, curve in curves.items()},
        {
            "spiegelhalter_z": z,
            "prevalence_chi2": prevalence[0],
            "prevalence_df": prevalence[1],
            "prevalence_pvalue": prevalence[2],
            "expected_calibration_error": top.expected_error,
            "maximum_calibration_error": top.maximum_error,
            **_murphy(curves),
            "top": top,
            "curves": curves,
        },
    )


def spiegelhalter(p: Floats, codes: Indices, weights: Floats) -> tuple[float, float]:
    """Z and its two-sided p-value, for probabilities (n, k) and the class of each row.

    A row's Brier score 1 - 2 p_y + sum of p² has mean 1 - sum of p² and variance
    4 (sum of p³ - (sum of p²)²) where the probabilities are right.
    """
    squares = np.einsum("ij,ij->i", p, p)
    excess = 2 * float(weights @ (squares - p[np.arange(len(p)), codes]))
    centred = p - squares[:, None]
    # The variance of p_y about its mean: sum of p³ - (sum of p²)² would lose its digits.
    variance = 4 * float(weights @ np.einsum("ij,ij,ij->i", p, centred, centred))
    if variance <= 0:
        return (0.0, 1.0) if abs(excess) < 1e-12 else (float(np.copysign(np.inf, excess)), 0.0)
    z = excess / np.sqrt(variance)
    return float(z), float(2 * special.ndtr(-abs(z)))


def prevalence_test(p: Floats, codes: Indices, weights: Floats) -> tuple[float, int, float]:
    """Chi-square of class frequencies against predicted ones, degrees of freedom, p-value."""
    k = p.shape[1]
    observed = np.bincount(codes, weights, minlength=k)
    surplus = observed - weights @ p
    weighted = p * weights[:, None]
    covariance = np.diag(weighted.sum(axis=0)) - weighted.T @ p
    scale = reciprocal(np.sqrt(np.maximum(covariance.diagonal(), 0)))
    impossible = (scale == 0) & (np.abs(surplus) > 1e-9 * weights.sum())
    if impossible.any():
        return float(np.inf), k - 1, 0.0
    values, vectors = np.linalg.eigh(covariance * scale * scale[:, None])
    # Probabilities add up to 1, so one direction has no variance.
    kept = values > 1e-10 * max(values[-1], 0.0)
    parts = vectors[:, kept].T @ (surplus * scale)
    chi2, df = float((parts**2 / values[kept]).sum()), int(kept.sum())
    return chi2, df, float(special.chdtrc(df, chi2)) if df else 1.0


def _numbers(curve: Reliability) -> dict[str, float]:
    return {
        "expected_calibration_error": curve.expected_error,
        "maximum_calibration_error": curve.maximum_error,
        "brier": curve.brier,
        "predicted": float(curve.share @ curve.probability),
        "frequency": float(curve.share @ curve.frequency),
    }


def _murphy(curves: Mapping[Any, Reliability]) -> dict[str, float]:
    """The Brier score and its parts, summed over classes; those of one class where two mirror."""
    half = 0.5 if len(curves) == 2 else 1.0
    parts = ("brier", "reliability", "resolution", "uncertainty", "within_bins")
    return {part: half * sum(getattr(c, part) for c in curves.values()) for part in parts}


def _words(
    top: Reliability,
    z: float,
    pvalue: float,
    prevalence: tuple[float, int, float],
    adjusted: Floats,
) -> tuple[str, str]:
    error = f"expected calibration error {100 * top.expected_error:.2g}%"
    if adjusted[0] < LEVEL:
        way = "over-confident" if z > 0 else "under-confident"
        sentence = (
            f"The probabilities are {way} ({error}, Z = {number(z)}, {format_pvalue(pvalue)})."
        )
        remedy = (
            "Raise pooling or shrinkage, or model dependence between features (not GaussianNB)."
            if z > 0
            else "Lower pooling or shrinkage, or give each class its own covariance (QDA)."
        )
        return sentence, remedy
    if adjusted[1] < LEVEL:
        return (
            f"The class frequencies differ from the predicted ones ({error}, chi-square = "
            f"{number(prevalence[0])}, {format_pvalue(prevalence[2])}).",
            "Use adapt_priors, or with_priors if the frequencies are known.",
        )
    return (
        f"No evidence against the probabilities ({error}, {format_pvalue(float(adjusted.min()))} "
        f"adjusted for {len(adjusted)} tests).",
        "They can be used as they are.",
    )


@dataclass(frozen=True, eq=False, slots=True)
class _Predictions:
    """Labels as positions of columns, probabilities and weights of rows."""

    labels: list[Any]
    codes: Indices
    p: Floats
    weights: Floats

    @classmethod
    def of(cls, y: Any, probabilities: Any, classes: Any, sample_weight: Any) -> _Predictions:
        p = _table(probabilities)
        labels = Labels.of(y)
        if len(labels) != len(p):
            raise InvalidInput(
                f"probabilities has {len(p)} rows but y has {len(labels)} labels: inconsistent "
                "numbers of samples."
            )
        names = labels.classes() if classes is None else _class_names(classes)
        if len(names) != p.shape[1]:
            raise InvalidParameter(
                f"probabilities has {p.shape[1]} columns for {len(names)} classes "
                f"{names.tolist()}; pass classes=model.classes_, the labels of the columns."
            )
        own = row_weights(sample_weight, len(p))
        weights = np.ones(len(p)) if own is None else own
        return cls(names.tolist(), label_codes(names, y), p, weights)


def _class_names(classes: Any) -> Array:
    try:
        labels, codes = Labels.of(classes).encode()
    except InvalidLabels as error:
        raise InvalidParameter(f"classes must be the labels of the columns: {error}") from None
    return np.asarray(labels[codes])


def _table(probabilities: Any) -> Floats:
    try:
        p = as_floats(probabilities)
    except (TypeError, ValueError, OverflowError):
        raise InvalidParameter("probabilities must be a table of numbers.") from None
    if p.ndim == 1 and len(p):
        _check(p[:, None])
        return np.stack([1 - p, p], axis=1)
    if p.ndim != 2 or not p.size:
        raise InvalidParameter(
            f"probabilities has shape {p.shape}; it needs one row per label and one column per "
            "class: pass predict_proba(X)."
        )
    _check(p)
    sums = p.sum(axis=1)
    wrong = np.abs(sums - 1) > 1e-6
    if wrong.any():
        i = int(wrong.argmax())
        raise InvalidParameter(
            f"the probabilities of row {i} add up to {sums[i]:.6g}, not 1; pass predict_proba(X)."
        )
    return p


def _check(p: Array) -> None:
    bad = ~((p >= 0) & (p <= 1))
    if bad.any():
        i, j = (int(at[0]) for at in np.nonzero(bad))
        raise InvalidParameter(
            f"probabilities[{i}, {j}] is {p[i, j]}; probabilities lie between 0 and 1."
        )
