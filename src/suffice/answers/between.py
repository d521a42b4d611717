"""The boundary between two Gaussian classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from suffice.answers.boundary import Boundary
from suffice.answers.form import Form
from suffice.data.arrays import Floats
from suffice.data.parameters import finite
from suffice.errors import InvalidParameter
from suffice.models.gaussian import GaussianModel


def boundary_of(
    model: GaussianModel, pair: tuple[int, int], names: tuple[str, ...] | None = None
) -> Boundary:
    """The boundary between two classes of a model, given by their positions."""
    at = list(pair)
    labels = (model.classes[at[0]].item(), model.classes[at[1]].item())
    means, log_priors = model.means[at], model.log_priors[at]
    low = None if model.means_low is None else model.means_low[at]
    if model.shared:
        steps = model.means_about(means[1])[at]
        slope = model.covariances[0].solve(steps[:1] - steps[1:])[0]
        return linear_boundary(labels, means, slope, log_priors, _deviations(model), names, low)
    covariances = [model.covariances[c] for c in at]
    identity = np.eye(means.shape[1])
    return boundary_between(
        labels,
        means,
        [covariance.solve(identity) for covariance in covariances],
        [c.log_determinant + c.rank * np.log(2 * np.pi) for c in covariances],
        log_priors,
        names,
        low,
    )


def _deviations(model: GaussianModel) -> Floats | None:
    """Standard deviation of each feature, 1 if constant; None if too expensive."""
    # Number of features above which no matrix is formed.
    most_features = 1024
    if model.means.shape[1] > most_features:
        return None
    variances = model.covariances[0].matrix.diagonal()
    return np.sqrt(np.where(variances > 0, variances, 1.0))


def boundary_between(
    classes: tuple[Any, Any],
    means: Any,
    precisions: Sequence[Any],
    log_determinants: Sequence[float],
    log_priors: Any,
    feature_names: tuple[str, ...] | None = None,
    means_low: Any = None,
) -> Boundary:
    """The boundary of two Gaussian classes with inverse covariances P and covariances S.

    Q = -(Pa - Pb) / 2, and about o = (ma + mb) / 2, with ea = ma - o and eb = mb - o:
    g = Pa ea - Pb eb, v = (eb'Pb eb - ea'Pa ea - ln|Sa| + ln|Sb|) / 2 + ln pa - ln pb.

    means : (2, d)
    precisions : two (d, d), or one that both classes share
    log_determinants : ln|S|, as many as precisions; where covariances have different rank r,
        with r ln 2 pi added
    log_priors : (2,); equal ones give the log-likelihood ratio
    means_low : (2, d) the rounding error of the means

    >>> widths = [np.diag([1.0, 0.25]), np.diag([0.25, 1.0])]
    >>> level = np.log([0.5, 0.5])
    >>> boundary_between(("a", "b"), np.zeros((2, 2)), widths, np.log([4, 4]), level).kind
    'pair of lines'
    """
    means = finite("means", means, (2, -1))
    d = means.shape[1]
    priors = _log_priors(log_priors)
    P = [finite("precisions", precision, (d, d)) for precision in precisions]
    volumes = finite("log_determinants", log_determinants, (len(P),))
    if len(P) not in (1, 2):
        raise InvalidParameter(
            f"there are {len(P)} precisions for two classes; give two, or a shared one."
        )
    scale = _spread(np.array([precision.diagonal() for precision in P]).mean(axis=0))
    if len(P) == 1:
        ea, eb = _steps(means, means[1], means_low)
        return linear_boundary(
            classes, means, P[0] @ (ea - eb), priors, scale, feature_names, means_low
        )
    centre = _between(means)
    ea, eb = _steps(means, centre, means_low)
    ga, gb = P[0] @ ea, P[1] @ eb
    value = (eb @ gb - ea @ ga - volumes[0] + volumes[1]) / 2 + priors[0] - priors[1]
    curvature = (P[1] - P[0] + (P[1] - P[0]).T) / 4
    return Boundary(classes, Form(centre, ga - gb, float(value), curvature, scale), feature_names)


def linear_boundary(
    classes: tuple[Any, Any],
    means: Any,
    slope: Any,
    log_priors: Any,
    scale: Any = None,
    feature_names: tuple[str, ...] | None = None,
    means_low: Any = None,
) -> Boundary:
    """The boundary of two classes that share a covariance, without its matrix.

    g'(x - o) + ln pa - ln pb, with g = P (ma - mb) the slope and o = (ma + mb) / 2.

    scale : (d,) a typical spread of each feature, below which changes count as rounding errors
    means_low : (2, d) the rounding error of the means

    >>> print(linear_boundary(("a", "b"), [[4, 3], [0, 1]], [4, 0], [0, 0]))
    x1 = 2
    """
    means = finite("means", means, (2, -1))
    d = means.shape[1]
    g, priors = finite("slope", slope, (d,)), _log_priors(log_priors)
    centre = _between(means)
    # (ea + eb) / 2, which is zero in exact arithmetic: the rounding error of the centre.
    left = _steps(means, centre, means_low).sum(axis=0) / 2
    value = float(priors[0] - priors[1] - g @ left)
    spread = None if scale is None else finite("scale", scale, (d,))
    return Boundary(classes, Form(centre, g, value, None, spread), feature_names)


def _log_priors(values: Any) -> Floats:
    if np.isneginf(values).any():
        raise InvalidParameter("a prior of zero leaves no boundary.")
    return finite("log_priors", values, (2,))


def _between(means: Floats) -> Floats:
    return np.asarray(means[0] / 2 + means[1] / 2)


def _steps(means: Floats, centre: Floats, low: Any) -> Floats:
    """Means about a centre, (2, d)."""
    return (means - centre) + (0.0 if low is None else finite("means_low", low, means.shape))


def _spread(precisions: Floats) -> Floats:
    known = precisions > 0
    return np.where(known, 1 / np.sqrt(np.where(known, precisions, 1.0)), 1.0)
