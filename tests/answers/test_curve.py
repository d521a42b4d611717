"""Laws of boundaries in two features: what they are, and their curves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suffice.answers.between import boundary_between
from suffice.answers.boundary import Boundary
from suffice.answers.conic import roots
from suffice.answers.form import Form
from suffice.errors import InvalidParameter

PAIR = ("a", "b")
SEEDS = st.integers(0, 2**32 - 1)
TURNS = st.floats(1e-3, 7) | st.sampled_from([0.0, 1e-9, np.pi / 4, np.pi / 2, np.pi])

# Each as (Q, l, c); halves and small integers, so that degenerate ones are exactly so.
CONICS = {
    "ellipse": [([[1, 0.5], [0.5, 2]], [1, 0], -3), ([[1, 0], [0, 1e-6]], [0, 0], -1e-6)],
    "parabola": [([[1, 0], [0, 0]], [0, 1], 0), ([[1, 1], [1, 1]], [1, -1], 3)],
    "hyperbola": [
        ([[1, 0], [0, -1]], [0, 0], 1),
        ([[1, 0], [0, -1]], [0, 0], -1),
        ([[0, 0.5], [0.5, 0]], [0, 0], -1),
        ([[1, 1], [1, 0]], [0, 0], -2),
    ],
    "pair of lines": [
        ([[1, 0], [0, -1]], [0, 0], 0),
        ([[0, 0.5], [0.5, 0]], [1, 2], 2),
        ([[1, 0], [0, 0]], [0, 0], -4),
        ([[1, -1], [-1, 1]], [3, -3], 2),
    ],
    "line": [(None, [1, -2], 3), ([[1, 1], [1, 1]], [-2, -2], 1), ([[0, 0], [0, 4]], [0, 0], 0)],
    "point": [(np.eye(2), [-2, 2], 2), ([[1, 0.5], [0.5, 1]], [0, 0], 0)],
    "empty": [
        (np.eye(2), [0, 0], 1),
        ([[1, 0], [0, 0]], [0, 0], 4),
        (None, [0, 0], 1),
        ([[1, 1], [1, 1]], [-2, -2], 2),
    ],
    "everything": [(None, [0, 0], 0), (np.zeros((2, 2)), [0, 0], 0)],
}
CASES = [(kind, conic) for kind, conics in CONICS.items() for conic in conics]
BENT = ("ellipse", "parabola", "hyperbola")


def moved(conic, turn, units, centre, factor=1.0, known=True):
    """The same conic, turned, in other units (known or not), about another centre."""
    Q, linear, constant = conic
    T = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) / units
    curvature = None if Q is None else factor * T.T @ np.array(Q, float) @ T
    slope = factor * T.T @ np.array(linear, float)
    scale = units if known else None
    return Boundary(PAIR, Form(np.array(centre, float), slope, factor * constant, curvature, scale))


def random_pair(seed, offset=0.0):
    """Two Gaussian classes, and a box about them."""
    rng = np.random.default_rng(seed)
    units = 10.0 ** rng.integers(-5, 6, 2)
    means = (rng.normal(size=(2, 2)) * rng.choice([0.1, 1, 5]) + offset) * units
    roots_ = rng.normal(size=(2, 2, 4)) * units[:, None]
    covariances = roots_ @ roots_.transpose(0, 2, 1) / 4
    found = boundary_between(
        PAIR, means, np.linalg.inv(covariances), np.linalg.slogdet(covariances)[1], [0, 0.3]
    )
    middle, reach = means.mean(axis=0), rng.uniform(0.5, 8, 2) * units
    return found, np.array([middle - reach, middle + reach]).T, units


@pytest.mark.parametrize(("kind", "conic"), CASES)
def test_known_conics_are_recognised(kind, conic):
    assert Boundary.of(PAIR, *conic).kind == kind


@pytest.mark.parametrize(("kind", "conic"), CASES)
@given(TURNS, st.tuples(st.integers(-6, 6), st.integers(-6, 6)), st.sampled_from([0.0, 1e6, -1e8]))
def test_turning_rescaling_and_shifting_leave_the_kind(kind, conic, turn, powers, shift):
    units = 10.0 ** np.array(powers)
    assert moved(conic, turn, units, [shift, -shift] * units).kind == kind


@pytest.mark.parametrize(("kind", "conic"), CASES)
@given(
    st.sampled_from([0.0, 0.3, 1.0, 2.5]),
    st.tuples(st.integers(-9, 9), st.integers(-9, 9)),
    st.sampled_from([1.0, -1e-9, 1e7]),
)
def test_units_need_not_be_known(kind, conic, turn, powers, factor):
    units = 10.0 ** np.array(powers)
    assert moved(conic, turn, units, [0, 0], factor, known=False).kind == kind


@pytest.mark.parametrize(("kind", "conic"), CASES)
@given(st.integers(-30, 30), st.integers(-30, 30))
def test_expanding_about_another_point_leaves_the_kind(kind, conic, x, y):
    away = moved(conic, 0.3, np.ones(2), [x, y])
    found = Boundary.of(PAIR, away.quadratic, away.linear, away.constant, scale=np.ones(2))
    assert found.kind == kind


@given(SEEDS, st.tuples(st.integers(-8, 8), st.integers(-8, 8)), st.sampled_from([0.0, 1e6]))
def test_units_and_origins_of_the_data_leave_the_kind(seed, powers, shift):
    rng = np.random.default_rng(seed)
    variances = rng.choice([0.25, 1.0, 4.0], (2, 2))
    means = rng.integers(-2, 3, (2, 2)).astype(float)
    kinds = set()
    for units, origin in ((np.ones(2), 0.0), (10.0 ** np.array(powers), shift)):
        precisions = [np.diag(1 / (v * units**2)) for v in variances]
        volumes = np.log(variances * units**2).sum(axis=1)
        found = boundary_between(PAIR, (means + origin) * units, precisions, volumes, [0, 0])
        kinds.add(found.kind)
    assert len(kinds) == 1


@pytest.mark.parametrize(
    ("means", "variances", "kind"),
    [
        ([[0, 0], [0, 0]], [[1, 1], [4, 4]], "ellipse"),
        ([[0, 0], [0, 0]], [[1, 4], [4, 1]], "pair of lines"),
        ([[1, 0], [0, 0]], [[1, 1], [1, 4]], "parabola"),
        ([[0, 0], [0, 0]], [[1, 1], [1, 4]], "pair of lines"),
        ([[1, 0], [0, 0]], [[1, 4], [4, 1]], "hyperbola"),
        ([[1, 0], [0, 1]], [[1, 4], [1, 4]], "line"),
        ([[1, 0], [1, 0]], [[1, 4], [1, 4]], "everything"),
    ],
)
def test_class_models_of_the_lecture(means, variances, kind):
    variances = np.array(variances, float)
    precisions = [np.diag(1 / v) for v in variances]
    found = boundary_between(PAIR, means, precisions, np.log(variances).sum(axis=1), [0, 0])
    assert found.kind == kind


def assert_curve_of(found, box, curve, slack=1e-11):
    """On the boundary relative to its terms, inside the box, open ends on the edges."""
    box = np.array(box, float)
    form = found.log_odds
    steps = np.abs(curve - form.centre)
    terms, sides = form.absolute, box[:, 1] - box[:, 0]
    rounding = [1e-13 * terms._slope_at(step) @ sides for step in steps]
    assert (np.abs(found(curve)) <= slack * terms(terms.centre + steps) + rounding).all()
    assert (curve >= box[:, 0]).all()
    assert (curve <= box[:, 1]).all()
    closed = (curve[0] == curve[-1]).all()
    ends_on_edge = [((end == box[:, 0]) | (end == box[:, 1])).any() for end in curve[[0, -1]]]
    assert closed or all(ends_on_edge)


@given(SEEDS)
def test_the_log_odds_are_zero_on_the_curve(seed):
    found, box, _ = random_pair(seed)
    for curve in found.curve(box):
        assert len(curve) == (200 if found.kind in BENT else 2)
        assert_curve_of(found, box, curve)


@given(SEEDS)
def test_the_curve_is_as_good_far_from_zero(seed):
    found, box, units = random_pair(seed, 1e8)
    for curve in found.curve(box):
        # A coordinate here is itself rounded to 1e-8 of a standard deviation.
        gradient = found.log_odds.absolute._slope_at(np.abs(curve - found.log_odds.centre).max(0))
        assert (np.abs(found(curve)) <= 1e-7 * (1 + gradient @ units)).all()
        assert (curve >= box[:, 0]).all()
        assert (curve <= box[:, 1]).all()


@pytest.mark.parametrize(("kind", "conic"), CASES)
@given(TURNS, st.tuples(st.integers(-6, 6), st.integers(-6, 6)), SEEDS)
def test_every_kind_of_conic_has_its_curve(kind, conic, turn, powers, seed):
    rng = np.random.default_rng(seed)
    units = 10.0 ** np.array(powers)
    found = moved(conic, turn, units, [0, 0])
    low, high = -rng.uniform(0.3, 5, 2) * units, rng.uniform(0.3, 5, 2) * units
    curves = found.curve(np.array([low, high]).T)
    if kind in ("empty", "everything"):
        assert not curves
    for curve in curves:
        assert_curve_of(found, np.array([low, high]).T, curve)


@given(SEEDS)
def test_the_curve_passes_between_points_on_different_sides(seed):
    """Every change of sign along a line is met by the curve: no branch is missing."""
    found, box, units = random_pair(seed)
    rng = np.random.default_rng(seed + 1)
    p, q = box[:, 0] + rng.uniform(size=(2, 2)) * (box[:, 1] - box[:, 0])
    curves = found.curve(box, points=2000)
    side = (box[:, 1] - box[:, 0]).max() / units.max()
    for crossing in found.crossings(p, q):
        if ((crossing > box[:, 0]) & (crossing < box[:, 1])).all():
            assert curves
            gap = min(distance_to(curve / units, crossing / units) for curve in curves)
            assert gap < 2e-3 * max(side, 1)


def distance_to(curve, point):
    """From a point to the nearest segment."""
    if len(curve) < 2:
        return float(np.hypot(*(curve[0] - point)))
    start, step = curve[:-1], np.diff(curve, axis=0)
    length = np.maximum((step**2).sum(axis=1), 1e-300)
    t = np.clip(((point - start) * step).sum(axis=1) / length, 0, 1)
    return float(np.hypot(*(start + t[:, None] * step - point).T).min())


def test_a_closed_curve_inside_the_box_is_one_closed_polyline():
    (curve,) = Boundary.of(PAIR, np.eye(2), [0, 0], -1).curve(((-2, 2), (-2, 2)))
    np.testing.assert_array_equal(curve[0], curve[-1])
    np.testing.assert_allclose(np.hypot(*curve.T), 1, rtol=1e-15)
    turns = np.diff(np.unwrap(np.arctan2(*curve.T)))
    np.testing.assert_allclose(np.abs(turns.sum()), 2 * np.pi)
    np.testing.assert_allclose(np.abs(turns), 2 * np.pi / 199, rtol=1e-9)


def test_a_closed_curve_is_cut_where_it_leaves_the_box():
    circle = Boundary.of(PAIR, np.eye(2), [0, 0], -1)
    assert len(circle.curve(((-0.9, 0.9), (-0.9, 0.9)))) == 4
    assert len(circle.curve(((-0.9, 0.9), (-2, 2)))) == 2
    assert len(circle.curve(((-0.9, 2), (-2, 2)))) == 1
    assert not circle.curve(((-0.5, 0.5), (-0.5, 0.5)))
    assert not circle.curve(((3, 4), (3, 4)))
    (touching,) = circle.curve(((-1, 1), (-1, 1)))
    np.testing.assert_array_equal(touching[0], touching[-1])


def test_both_branches_of_a_hyperbola_are_drawn():
    for constant in (-1, 1):
        found = Boundary.of(PAIR, [[1, 0], [0, -1]], [0, 0], constant)
        curves = found.curve(((-4, 4), (-4, 4)))
        assert len(curves) == 2
        axis = 0 if constant < 0 else 1
        assert sorted(np.sign(curve[:, axis].mean()) for curve in curves) == [-1, 1]


def test_lines_end_at_corners():
    (diagonal,) = Boundary.of(PAIR, None, [1, -1], 0).curve(((0, 1), (0, 1)))
    np.testing.assert_array_equal(np.sort(diagonal, axis=0), [[0, 0], [1, 1]])
    (edge,) = Boundary.of(PAIR, None, [1, 0], 0).curve(((0, 1), (0, 1)))
    np.testing.assert_array_equal(np.sort(edge, axis=0), [[0, 0], [0, 1]])
    pair = Boundary.of(PAIR, [[1, 0], [0, -1]], [0, 0], 0)
    assert len(pair.curve(((-1, 1), (-1, 1)))) == 2


def test_a_sharp_bend_is_followed():
    found = Boundary.of(PAIR, [[1, 0], [0, -1]], [0, 0], -1e-8)
    right = max(found.curve(((-1, 1), (-1, 1))), key=lambda curve: curve[:, 0].mean())
    assert right[:, 0].min() == pytest.approx(1e-4, rel=1e-2)
    turns = np.diff(np.unwrap(np.arctan2(*np.diff(right, axis=0).T)))
    assert np.abs(turns).max() < 0.2


@pytest.mark.parametrize("radius", [1e3, 1e6, 1e8])
def test_a_box_sees_its_part_of_a_huge_ellipse(radius):
    for angle in np.linspace(0, 6, 9):
        towards = np.array([np.cos(angle), np.sin(angle)])
        found = Boundary.of(PAIR, np.diag([1, 0.5]), np.diag([1, 0.5]) @ towards * radius, 0)
        (curve,) = found.curve(((-1, 1), (-1, 1)))
        assert_curve_of(found, ((-1, 1), (-1, 1)), curve)
        gaps = np.hypot(*np.diff(curve, axis=0).T)
        assert gaps.max() < 1.5 * gaps.mean()


def test_a_point_is_one_row():
    found = Boundary.of(PAIR, np.eye(2), [-2, 2], 2)
    np.testing.assert_allclose(found.curve(((0, 2), (-2, 2)))[0], [[1, -1]], rtol=1e-12)
    assert not found.curve(((3, 4), (3, 4)))


@pytest.mark.parametrize("box", [((0, 1),), ((1, 0), (0, 1)), ((0, 0), (0, 1)), "box", None])
def test_a_box_that_is_none_is_refused(box):
    with pytest.raises(InvalidParameter, match="box"):
        Boundary.of(PAIR, np.eye(2), [0, 0], -1).curve(box)


def test_too_few_points_are_refused():
    with pytest.raises(InvalidParameter, match="3 or more"):
        Boundary.of(PAIR, np.eye(2), [0, 0], -1).curve(((0, 1), (0, 1)), points=2)


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.floats(0.001, 1e3))
def test_roots_are_zeros(first, second, factor):
    a, b, c = factor, -factor * (first + second), factor * first * second
    for root in roots(a, b, c):
        size = abs(a) * root**2 + abs(b * root) + abs(c)
        assert abs((a * root + b) * root + c) <= 1e-14 * size + 1e-300
