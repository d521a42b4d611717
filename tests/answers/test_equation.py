"""Equations of boundaries, as text and LaTeX."""

from __future__ import annotations

import string

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.mathtext import MathTextParser

from suffice.answers.between import boundary_between
from suffice.answers.boundary import Boundary
from suffice.errors import InvalidParameter

PAIR = ("a", "b")


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ((None, [4, 0], -8), "4·x1 - 8 = 0"),
        ((None, [-1, 0.5], 0), "-x1 + 0.5·x2 = 0"),
        ((None, [1 / 3, -2 / 3], 1), "0.3333·x1 - 0.6667·x2 + 1 = 0"),
        ((np.eye(2), [0, 0], -4), "x1² + x2² - 4 = 0"),
        (([[-1, 0.25], [0.25, 0]], [0, 2], 0), "-x1² + 0.5·x1·x2 + 2·x2 = 0"),
        (([[0, 1], [1, 0]], [0, 0], -1), "2·x1·x2 - 1 = 0"),
        ((None, [1.5e-7, 12345.678], 2.5e20), "1.5e-7·x1 + 12346·x2 + 2.5e20 = 0"),
        ((None, [0, 0], 3), "3 = 0"),
        ((None, [0, 0], 0), "0 = 0"),
    ],
)
def test_equations_read_as_one_would_write_them(form, text):
    assert Boundary.of(PAIR, *form).equation() == text


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ((None, [4, 0], -8), "x1 = 2"),
        ((None, [0, -3], 1), "x2 = 0.3333"),
        (([[1, 0], [0, 0]], [-2, 0], -3), "x1 = -1 or x1 = 3"),
        (([[1, 0], [0, 0]], [-2, 0], 1), "x1 = 1"),
        (([[1]], [0], -2), "x1 = -1.414 or x1 = 1.414"),
        (([[1]], [0], 2), "x1² + 2 = 0"),
        ((None, [1, 1], 0), "x1 + x2 = 0"),
    ],
)
def test_a_boundary_in_one_feature_prints_its_solution(form, text):
    assert str(Boundary.of(PAIR, *form)) == text


def test_what_has_no_solution_cannot_be_solved():
    with pytest.raises(InvalidParameter, match="zero nowhere"):
        Boundary.of(PAIR, [[1]], [0], 2).equation(solved=True)


def test_names_and_digits_are_the_users():
    found = Boundary.of(PAIR, [[0, 0.5], [0.5, 1]], [np.pi, 0], 1, ("age", "body mass (g)"))
    text = "age·[body mass (g)] + [body mass (g)]² + 3.14159·age + 1 = 0"
    assert found.equation(digits=6) == text
    assert Boundary.of(PAIR, None, [np.pi], 1).equation(digits=2) == "3.1·x1 + 1 = 0"


def test_rounding_is_not_written():
    rng = np.random.default_rng(0)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    shared = turn @ np.diag([1.0, 2, 7]) @ turn.T
    step = np.linalg.inv(shared) @ [0, 5, 0]
    found = boundary_between(PAIR, [step, np.zeros(3)], [shared], [0], [0, 0])
    assert found.linear[0] != 0
    assert found.equation().startswith("5·x2 - ")
    assert "x1" not in found.equation()


def test_far_from_zero_numbers_get_the_digits_they_need():
    means = np.array([[2001.25], [1999.0]])
    found = boundary_between(PAIR, means, [[[1.0]]], [0], [0, 0])
    assert str(found) == "x1 = 2000.125"
    far = boundary_between(PAIR, means + 1e8, [[[1.0]], [[0.5]]], [0, 0], [0, 0])
    assert far.equation(centred=True).startswith("-0.25·(x1 - 100002000.125)² + ")
    roots = [float(part.split("=")[1]) for part in str(far).split(" or ")]
    assert np.abs(far(np.array(roots)[:, None])).max() < 1e-2


def test_a_centred_equation_is_the_same_function():
    means = np.array([[3.0, 0.0], [0.0, -1.0]])
    found = boundary_between(PAIR, means, [np.eye(2), np.diag([2.0, 3])], [0, 0], [0, 0.5])
    left = found.equation(digits=17, centred=True).removesuffix(" = 0")
    code = left.replace("·", "*").replace("²", "**2")
    for x1, x2 in ((0.3, -2.0), (5.0, 7.0)):
        assert eval(code, {"x1": x1, "x2": x2}) == pytest.approx(found([x1, x2]), rel=1e-12)


def test_latex_names_are_escaped():
    found = Boundary.of(PAIR, [[0, 0], [0, 1]], [2e-7, 0], -1, ("a_b", "50% {x}"))
    expected = r"\mathrm{50\%\ \{x\}}^{2} + 2 \times 10^{-7} \, \mathrm{a\_b} - 1 = 0"
    assert found.latex() == expected
    lone = Boundary.of(PAIR, [[1]], [0], -4)
    assert lone.latex(solved=True) == r"x_{1} = -2 \quad \mathrm{or} \quad x_{1} = 2"


@settings(deadline=None)
@given(st.text(string.printable + "éµ²", min_size=1, max_size=12), st.booleans())
def test_latex_is_drawn_by_matplotlib(name, centred):
    found = boundary_between(
        PAIR, [[1e-9, 2], [0, 3]], [np.eye(2), np.diag([2.0, 3])], [0, 0], [0, 0.5], (name, "y")
    )
    MathTextParser("path").parse(f"${found.latex(centred=centred)}$")
