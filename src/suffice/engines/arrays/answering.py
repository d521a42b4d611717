"""Answers for rows on a device, as the methods of the estimators give them."""

from __future__ import annotations

from typing import Any

import numpy as np

from suffice.answers import decision
from suffice.answers.geometry import whiten_steps
from suffice.answers.pair import class_codes, class_pair, class_position
from suffice.data.arrays import Array
from suffice.engines.arrays.coded import fetch_beside
from suffice.engines.arrays.held_model import HeldModel
from suffice.engines.arrays.learning import check_columns
from suffice.engines.arrays.model import ArrayModel, labels
from suffice.engines.arrays.rows import DeviceRows
from suffice.errors import InvalidParameter
from suffice.estimators.gaussian_classifier import GaussianClassifier
from suffice.estimators.linear import LinearDiscriminantAnalysis
from suffice.models.gaussian import GaussianModel
from suffice.models.scoring import log_posterior, posterior, scores


def table(estimator: GaussianClassifier, X: Any, name: str) -> Any:
    """One of the tables of the model, (n, k); for methods that return it as it is."""
    return _answer(estimator._fitted, name, _rows(estimator, X))


def predict(estimator: GaussianClassifier, X: Any) -> Any:
    """The most probable class of each row: an array beside X; of NumPy where labels are strings."""
    model, rows = estimator._fitted, _rows(estimator, X)
    xp = rows.space.xp
    places, tops = ArrayModel.of(model, rows.space).best(rows)
    if not bool(xp.all(xp.isfinite(tops))):
        places = xp.argmax(_answer(model, "scores", rows), axis=1)
    return labels(estimator.classes_, places, rows.space)


def score_samples(estimator: GaussianClassifier, X: Any) -> Any:
    """ln p(x), (n,)."""
    rows = _rows(estimator, X)
    xp, joint = rows.space.xp, _answer(estimator._fitted, "joint", rows)
    top = xp.max(joint, axis=1, keepdims=True)
    top = xp.where(xp.isfinite(top), top, 0.0)
    return top[:, 0] + xp.log(xp.sum(xp.exp(joint - top), axis=1))


def decision_function(estimator: GaussianClassifier, X: Any) -> Any:
    """Log-odds of the second class for two classes; else one score per class."""
    scores = table(estimator, X, "scores")
    if scores.shape[1] == 2:
        return scores[:, 1] - scores[:, 0]
    if not isinstance(estimator, LinearDiscriminantAnalysis):
        return scores
    # What all classes share, as on the host.
    linear, step, slope = estimator._about_overall_mean
    shared = _projected(_rows(estimator, X), linear.centre, slope[:, None])
    return scores + (shared + float(step @ slope) / 2)


def log_odds(estimator: GaussianClassifier, X: Any, a: Any = None, b: Any = None) -> Any:
    """ln p(a | x) - ln p(b | x), (n,)."""
    i, j = class_pair(estimator._fitted.classes, a, b)
    scores = table(estimator, X, "scores")
    return scores[:, i] - scores[:, j]


def log_likelihood_ratio(
    estimator: GaussianClassifier, X: Any, a: Any = None, b: Any = None
) -> Any:
    """ln p(x | a) - ln p(x | b), (n,)."""
    model, k = estimator._fitted, len(estimator._fitted.classes)
    i, j = class_pair(model.classes, a, b)
    equal = model.with_priors(np.full(k, 1 / k))
    scores = _answer(equal, "scores", _rows(estimator, X))
    return scores[:, i] - scores[:, j]


def log_likelihood(estimator: GaussianClassifier, X: Any, y: Any) -> float:
    """Sum over the rows of ln p(x, y)."""
    rows = _rows(estimator, X)
    joint = _answer(estimator._fitted, "joint", rows)
    codes = class_codes(estimator.classes_, fetch_beside(y, "y", rows.space), rows.shape[0])
    at = rows.space.put(codes)
    return float(rows.space.xp.sum(rows.space.xp.take_along_axis(joint, at[:, None], axis=1)))


def score(estimator: GaussianClassifier, X: Any, y: Any, sample_weight: Any = None) -> float:
    """The share of rows whose class is predicted."""
    space, predicted = DeviceRows.of(X).space, predict(estimator, X)
    if not isinstance(predicted, np.ndarray):
        predicted = space.fetch(predicted)
    right = np.asarray(fetch_beside(y, "y", space)) == predicted
    weights = fetch_beside(sample_weight, "sample_weight", space)
    return float(np.average(right, weights=weights))


def whiten(estimator: GaussianClassifier, X: Any, label: Any = None) -> Any:
    """Rows in the space where the distances of a class (or of all) are Euclidean."""
    model, rows = estimator._fitted, _rows(estimator, X)
    if label is None and not model.shared:
        raise InvalidParameter("each class has its own covariance; name the class to whiten by.")
    c = 0 if label is None or model.shared else class_position(model.classes, label)
    columns = whiten_steps(_covariance(model, c), np.eye(rows.shape[1]))
    return _projected(rows, model.means.mean(axis=0), columns)


def transform(estimator: Any, X: Any) -> Any:
    """Coordinates of the rows along the discriminant axes, (n, components)."""
    axes, rows, m = estimator._axes, _rows(estimator, X), estimator._n_features_out
    coordinates = _projected(rows, axes.centre, axes.directions[:, :m])
    return coordinates - rows.space.put(axes.start[:m])


def decide(
    estimator: GaussianClassifier,
    X: Any,
    costs: Any = None,
    reject: float | None = None,
    *,
    threshold: Any = None,
) -> Any:
    """The class of least expected cost; with `reject`, labels of NumPy, some of them None."""
    rows, k = _rows(estimator, X), len(estimator.classes_)
    space, xp = rows.space, rows.space.xp
    given = (estimator.classes_, costs, reject, threshold)
    decision.decide(np.full((1, k), 1 / k), *given)  # checks them
    posterior = _answer(estimator._fitted, "posterior", rows)
    if threshold is not None:
        named = decision.read_threshold(threshold, estimator.classes_)
        codes = decision.beyond(space.fetch(posterior), *named)
        return labels(estimator.classes_, space.put(codes), space)
    expected = posterior @ space.put(decision.cost_table(costs, estimator.classes_))
    best = xp.argmin(expected, axis=1)
    if reject is None:
        return labels(estimator.classes_, best, space)
    answers = estimator.classes_[space.fetch(best)].astype(object)
    answers[space.fetch(xp.min(expected, axis=1)) > reject] = None
    return answers


def _rows(estimator: GaussianClassifier, X: Any) -> DeviceRows:
    estimator._learned  # noqa: B018 - raises where there is no fit
    rows = DeviceRows.of(X)
    check_columns(estimator, rows)
    return rows


def _answer(model: GaussianModel, name: str, rows: DeviceRows) -> Any:
    xp = rows.space.xp
    answer = ArrayModel.of(model, rows.space).answer(name, rows)
    # Whatever is wrong with a row shows in its answer; checking there saves a pass over X.
    if bool(xp.all(xp.isfinite(answer))):
        return answer
    error = rows.bad()
    if error is not None:
        raise error
    if model.shared or name in ("joint", "squared_distances"):
        return answer
    return _with_far_rows(model, name, rows, answer)


def _with_far_rows(model: GaussianModel, name: str, rows: DeviceRows, found: Any) -> Any:
    """The answers with those of rows so far out that squares overflow, which the host gives."""
    space, xp = rows.space, rows.space.xp
    far = space.fetch(~xp.any(xp.isfinite(found), axis=1))
    if not far.any():
        return found
    at = np.flatnonzero(far)
    # The same answers on the host.
    host = {"scores": scores, "log_posterior": log_posterior, "posterior": posterior}
    with np.errstate(all="ignore"):
        corrected = space.put(host[name](model, space.fetch(rows.at(space.put(at)))))
    place = space.put(np.maximum(np.cumsum(far) - 1, 0))
    return xp.where(space.put(far)[:, None], space.take(corrected, place), found)


def _covariance(model: GaussianModel, c: int) -> Any:
    """The covariance of a class on the host, and no other."""
    factors = model.factors if isinstance(model, HeldModel) else None
    if factors is not None:
        return factors.covariance(int(factors.owner[c]))
    return model.covariances[c]


def _projected(rows: DeviceRows, centre: Array, columns: Array) -> Any:
    space = rows.space
    start, directions = space.put(centre), space.put(columns)
    step = rows.step(columns.shape[1])
    projected = space.joined(
        rows.shape[0], step, lambda low, high: (rows.block(low, high) - start) @ directions
    )
    if not bool(space.xp.all(space.xp.isfinite(projected))):
        raise rows.not_finite()
    return projected
