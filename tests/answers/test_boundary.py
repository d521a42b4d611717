"""Laws of boundaries: log-odds, distances, crossings and sections."""

from __future__ import annotations

import mpmath
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal

import suffice as sf
from suffice.answers.between import boundary_between, linear_boundary
from suffice.answers.boundary import Boundary
from suffice.answers.form import Form
from suffice.errors import InvalidFeatures, InvalidParameter, NotFinite, NotNumbers

PAIR = ("a", "b")
SEEDS = st.integers(0, 2**32 - 1)


def gaussians(seed, d, shared=False, offset=0.0):
    """Two random Gaussian classes, in features of very different units."""
    rng = np.random.default_rng(seed)
    units = 10.0 ** rng.integers(-6, 7, d)
    means = (rng.normal(size=(2, d)) * 2 + offset) * units
    roots = rng.normal(size=(1 if shared else 2, d, d + 3)) * units[:, None]
    covariances = roots @ roots.transpose(0, 2, 1) / d
    priors = rng.dirichlet([3, 3])
    return means, covariances, priors


def boundary(means, covariances, priors, names=None):
    precisions = np.linalg.inv(covariances)
    volumes = np.linalg.slogdet(covariances)[1]
    return boundary_between(PAIR, means, precisions, volumes, np.log(priors), names)


def rows_of(seed, means, covariances, n=20):
    rng = np.random.default_rng(seed)
    spread = np.sqrt(covariances[0].diagonal())
    return means[0] + rng.normal(size=(n, len(spread))) * spread


def exact_log_odds(x, means, precisions, volumes, log_priors):
    """In 60 digits, from the very numbers the boundary was built from."""
    with mpmath.workdps(60):
        scores = []
        for m, P, volume, log_prior in zip(means, precisions, volumes, log_priors, strict=True):
            step = mpmath.matrix([mpmath.mpf(a) - mpmath.mpf(b) for a, b in zip(x, m, strict=True)])
            length = (step.T * mpmath.matrix(P.tolist()) * step)[0]
            scores.append(mpmath.mpf(log_prior) - (length + mpmath.mpf(volume)) / 2)
        return float(scores[0] - scores[1])


def test_the_exercise_comes_out_as_x1_equals_2():
    found = boundary(np.array([[4.0, 3], [0, 1]]), np.array([[[1, 0.5], [0.5, 1]]]), [0.5, 0.5])
    assert found.is_linear
    assert found.kind == "line"
    assert str(found) == "x1 = 2"
    assert found.equation() == "4·x1 - 8 = 0"
    np.testing.assert_array_equal(found.quadratic, np.zeros((2, 2)))
    np.testing.assert_allclose(found.linear, [4, 0], atol=1e-14)
    assert found.constant == pytest.approx(-8, rel=1e-14)
    np.testing.assert_allclose(found.normal, [1, 0], atol=1e-15)
    assert found.offset == pytest.approx(2, rel=1e-14)


@given(SEEDS, st.integers(1, 6), st.booleans())
def test_the_log_odds_are_the_difference_of_log_densities_and_log_priors(seed, d, shared):
    means, covariances, priors = gaussians(seed, d, shared)
    X = rows_of(seed, means, covariances)
    units = np.sqrt(covariances[0].diagonal())
    a, b = (
        multivariate_normal(
            means[k] / units, covariances[-k and -1] / units / units[:, None], allow_singular=True
        ).logpdf(X / units)
        for k in (0, 1)
    )
    expected = a - b + np.log(priors[0] / priors[1])
    found = boundary(means, covariances, priors)
    np.testing.assert_allclose(found(X), expected, rtol=1e-7, atol=1e-7 * np.abs(a).max())
    assert found(X[0]) == pytest.approx(found(X[:1])[0], rel=1e-13, abs=1e-13)


@given(SEEDS, st.integers(1, 4), st.booleans(), st.sampled_from([0.0, 1e4, 1e8]))
def test_digits_survive_far_from_zero(seed, d, shared, offset):
    means, covariances, priors = gaussians(seed, d, shared, offset)
    found = boundary(means, covariances, priors)
    precisions = np.linalg.inv(covariances)
    precisions = (precisions + precisions.transpose(0, 2, 1)) / 2
    volumes = np.linalg.slogdet(covariances)[1]
    if shared:
        precisions, volumes = np.repeat(precisions, 2, axis=0), np.repeat(volumes, 2)
    for x in rows_of(seed, means, covariances, 3):
        steps = np.abs(np.array([x, x]) - means)
        size = 1 + max(s @ np.abs(P) @ s for s, P in zip(steps, precisions, strict=True))
        exact = exact_log_odds(x, means, precisions, volumes, np.log(priors))
        assert found(x) == pytest.approx(exact, abs=1e-12 * size)


@given(SEEDS, st.integers(1, 5))
def test_the_expanded_form_is_the_same_function(seed, d):
    means, covariances, priors = gaussians(seed, d)
    found = boundary(means, covariances, priors)
    X = rows_of(seed, means, covariances)
    expanded = Boundary.of(PAIR, found.quadratic, found.linear, found.constant)
    np.testing.assert_allclose(expanded(X), found(X), rtol=1e-9, atol=1e-7)
    np.testing.assert_array_equal(found.quadratic, found.quadratic.T)


def test_swapping_the_classes_turns_the_sign():
    means, covariances, priors = gaussians(3, 3)
    X = rows_of(3, means, covariances)
    there, back = (
        boundary(means[order], covariances[order], priors[order]) for order in ([0, 1], [1, 0])
    )
    np.testing.assert_allclose(there(X), -back(X), rtol=1e-12)


def test_frames_and_integers_are_rows_too():
    found = Boundary.of(PAIR, np.eye(2), [1, 0], -3)
    expected = [-1.0, 21.25]
    for X in ([[1, 0], [3, 3.5]], pd.DataFrame({"u": [1, 3], "v": [0, 3.5]})):
        np.testing.assert_allclose(found(X), expected, rtol=1e-14)
    assert found(np.array([1, 0], np.int32)) == -1
    assert found(pd.Series([1, 0])) == -1


def test_nearly_equal_precisions_make_a_linear_boundary():
    precision = np.array([[2.0, 0.5], [0.5, 1.0]]) * 1e12
    means = np.array([[1.0, 2.0], [2.0, 1.0]]) * 1e-6
    precisions = [precision, precision * (1 + 4e-16)]
    found = boundary_between(PAIR, means, precisions, [0, 0], [0, 0])
    assert found.quadratic.any()
    assert found.is_linear
    assert found.kind == "line"
    apart = boundary_between(PAIR, means, [precision, precision * 1.001], [0, 0], [0, 0])
    assert not apart.is_linear


def test_a_shared_covariance_needs_no_matrix():
    means, covariances, priors = gaussians(8, 4, shared=True)
    slope = np.linalg.solve(covariances[0], means[0] - means[1])
    found = linear_boundary(PAIR, means, slope, np.log(priors))
    X = rows_of(8, means, covariances)
    expected = boundary(means, covariances, priors)(X)
    np.testing.assert_allclose(found(X), expected, rtol=1e-9, atol=1e-9)


@given(SEEDS, st.integers(1, 5))
def test_a_signed_distance_is_how_far_the_foot_on_the_hyperplane_is(seed, d):
    rng = np.random.default_rng(seed)
    found = Boundary.of(PAIR, None, rng.normal(size=d) + 0.1, rng.normal())
    X = rng.normal(size=(7, d)) * 5
    distances = found.signed_distance(X)
    feet = X - distances[:, None] * found.normal
    np.testing.assert_allclose(found(feet), 0, atol=1e-12 * (1 + np.abs(X).max()) * 10)
    np.testing.assert_array_equal(np.sign(distances), np.sign(found(X)))
    np.testing.assert_allclose(X @ found.normal - found.offset, distances, rtol=1e-9, atol=1e-9)
    assert found.signed_distance(X[0]) == pytest.approx(distances[0])


@given(SEEDS, st.integers(1, 5), st.booleans())
def test_crossings_lie_on_the_line_and_on_the_boundary(seed, d, shared):
    means, covariances, priors = gaussians(seed, d, shared)
    found = boundary(means, covariances, priors)
    p, q = rows_of(seed, means, covariances, 2)
    points = found.crossings(p, q)
    assert points.shape[1] == d
    assert len(points) <= (1 if shared else 2)
    k = int(np.argmax(np.abs(q - p) / (np.abs(p) + np.abs(q))))
    t = (points[:, k] - p[k]) / (q[k] - p[k])
    assert (np.diff(t) > 0).all()
    spread = np.sqrt(covariances[0].diagonal())
    np.testing.assert_allclose(
        (p + t[:, None] * (q - p)) / spread, points / spread, rtol=1e-8, atol=1e-8
    )
    sizes = found.log_odds.absolute
    for point in points:
        assert abs(found(point)) <= 1e-10 * sizes(sizes.centre + np.abs(point - means.mean(axis=0)))
    sides = np.sign(found(np.array([p, q])))
    if sides[0] != sides[1]:
        assert ((t >= 0) & (t <= 1)).sum() == 1


def test_lines_that_miss_touch_or_follow_an_asymptote():
    circle = Boundary.of(PAIR, np.eye(2), [0, 0], -1)
    assert circle.crossings([2, 0], [2, 1]).shape == (0, 2)
    np.testing.assert_array_equal(circle.crossings([1, 0], [1, 1]), [[1, 0]])
    product = Boundary.of(PAIR, [[0, 0.5], [0.5, 0]], [0, 0], -1)
    np.testing.assert_array_equal(product.crossings([2, 0], [2, 1]), [[2, 0.5]])
    assert product.crossings([0, 0], [0, 1]).shape == (0, 2)
    np.testing.assert_array_equal(
        Boundary.of(PAIR, [[1]], [0], -4).crossings([0], [1]), [[-2], [2]]
    )


def test_near_crossings_keep_their_digits_beside_far_ones():
    found = Boundary.of(PAIR, [[1e-9]], [-1], 1e-6).crossings([0], [1]).ravel()
    np.testing.assert_allclose(found, [1e-6, 1e9], rtol=1e-14)


def test_a_line_inside_the_boundary_is_an_error():
    exercise = boundary(np.array([[4.0, 3], [0, 1]]), np.array([[[1, 0.5], [0.5, 1]]]), [0.5, 0.5])
    with pytest.raises(InvalidParameter, match="lies in the boundary"):
        exercise.crossings([2, 0], [2, 1])
    with pytest.raises(InvalidParameter, match="lies in the boundary"):
        Boundary.of(PAIR, [[0, 1], [1, 0]], [0, 0], 0).crossings([0, 0], [0, 1])
    with pytest.raises(InvalidParameter, match="same point"):
        exercise.crossings([2, 0], [2, 0])


def test_a_section_is_the_boundary_with_the_others_fixed():
    means, covariances, priors = gaussians(5, 4)
    names = ("w", "x", "y", "z")
    found = boundary(means, covariances, priors, names)
    X = rows_of(5, means, covariances)
    X[:, [0, 2]] = X[0, [0, 2]]
    section = found.section(["z", 1], at=X[0])
    np.testing.assert_allclose(section(X[:, [3, 1]]), found(X), rtol=1e-10, atol=1e-10)
    assert section.feature_names == ("z", "x")
    assert section.kind in ("ellipse", "hyperbola", "empty")
    middle = means.mean(axis=0)
    assert found.section([2])(middle[[2]]) == pytest.approx(found(middle), abs=1e-10)


@pytest.mark.parametrize(
    ("act", "error", "words"),
    [
        (lambda b: b([1, 2]), InvalidFeatures, "2 features, but the boundary has 3"),
        (lambda b: b([[1, 2, np.nan]]), NotFinite, "row 0, column 2"),
        (lambda b: b([["p", "q", "r"]]), NotNumbers, "real numbers"),
        (lambda b: b.kind, InvalidParameter, r"section\(\[i, j\]"),
        (lambda b: b.curve(((0, 1), (0, 1))), InvalidParameter, "2 features; this boundary has 3"),
        (lambda b: b.signed_distance([0, 0, 0]), InvalidParameter, r"boundary\(X\)"),
        (lambda b: b.normal, InvalidParameter, "curved"),
        (lambda b: b.offset, InvalidParameter, "curved"),
        (lambda b: b.crossings([[0, 0, 0]], [1, 1, 1]), InvalidParameter, "p must be one point"),
        (lambda b: b.section([0, 7]), InvalidParameter, "no feature 7; choose from 0 to 2"),
        (lambda b: b.section(["height"]), InvalidParameter, "no feature 'height'"),
        (lambda b: b.section([1, 1]), InvalidParameter, "different"),
        (lambda b: b.section([]), InvalidParameter, "one or more"),
        (lambda b: b.equation(digits=0), InvalidParameter, "from 1 to 17"),
        (lambda b: b.equation(solved=True), InvalidParameter, "one feature"),
    ],
)
def test_misuse_says_what_to_do(act, error, words):
    with pytest.raises(error, match=words):
        act(Boundary.of(PAIR, np.eye(3), [0, 0, 0], -1))


def test_a_boundary_in_one_feature_is_points():
    with pytest.raises(InvalidParameter, match="crossings"):
        _ = Boundary.of(PAIR, [[1]], [0], -4).kind


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Boundary.of(("a", "a"), None, [1], 0), "two different classes"),
        (lambda: Boundary.of(PAIR, None, [1, 2], 0, ("x",)), "1 feature names for 2"),
        (lambda: Boundary.of(PAIR, np.eye(3), [1, 2], 0), r"quadratic .* \(2, 2\)"),
        (lambda: Boundary.of(PAIR, None, [1, np.inf], 0), "linear .* finite"),
        (lambda: Boundary.of(PAIR, None, ["a"], 0), "linear must hold numbers"),
        (lambda: Boundary.of(PAIR, None, 3, 0), "linear .* shape"),
        (lambda: boundary_between(PAIR, [[0], [1]], [[[1]]], [0], [0, -np.inf]), "prior of zero"),
        (lambda: boundary_between(PAIR, [[0], [1]], [[[1]]] * 3, [0] * 3, [0, 0]), "3 precisions"),
        (lambda: boundary_between(PAIR, [[0], [1]], [np.eye(2)], [0], [0, 0]), "precisions"),
        (lambda: boundary_between(PAIR, [0, 1], [np.eye(2)], [0], [0, 0]), "means"),
        (lambda: linear_boundary(PAIR, 3, [1], [0, 0]), "means"),
    ],
)
def test_what_makes_no_boundary_is_refused(build, words):
    with pytest.raises(InvalidParameter, match=words):
        build()


def test_equal_classes_have_no_hyperplane():
    same = boundary_between(PAIR, [[1, 1], [1, 1]], [np.eye(2)], [0], np.log([0.5, 0.5]))
    with pytest.raises(InvalidParameter, match="same everywhere"):
        same.signed_distance([0, 0])
    assert same.kind == "everything"
    assert str(same) == "0 = 0"


def test_a_boundary_is_a_value():
    found = Boundary(PAIR, Form(np.zeros(1), np.ones(1), 0.0))
    with pytest.raises(AttributeError):
        found.classes = ("c", "d")


@pytest.mark.parametrize("unit", [0.1, 0.3, 1 / 3])
def test_rounding_is_not_printed_as_a_term(unit):
    X = np.array([[3.0, 3], [5, 3], [4, 2], [4, 4], [-1, 3], [1, 3], [0, 2], [0, 4]])
    X = X * [1, unit] + [unit, 0]
    found = sf.LDA().fit(X, [0] * 4 + [1] * 4).boundary()
    assert str(found) == f"x1 = {2 + unit:.4g}"
