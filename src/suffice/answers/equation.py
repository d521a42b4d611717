"""Equations: a quadratic function as text or LaTeX."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from suffice.answers.form import Form
from suffice.data.arrays import Floats
from suffice.errors import InvalidParameter
from suffice.text import visible

# Digits that a float64 can have.
MAX_DIGITS = 17

# Characters with a meaning in LaTeX, as both LaTeX and matplotlib draw them: by a similar sign
# where matplotlib has no escape.
ESCAPES = {c: rf"\{c}" for c in "_%${}"} | {
    "\\": r"\backslash ",
    "^": r"\hat{\ }",
    "~": r"\sim ",
    "#": r"\sharp ",
    "&": r"\wedge ",
    '"': "''",
    "`": "'",
}


@dataclass(frozen=True)
class Notation:
    r"""How the parts of an equation are written.

    >>> TEXT.number(1 / 3, 4), TEXT.number(12345.6, 4), TEXT.number(1.5e-9, 4)
    ('0.3333', '12346', '1.5e-9')
    >>> print(LATEX.name("body_mass (g)", 0), LATEX.number(1.5e-9, 4))
    \mathrm{body\_mass\ (g)} 1.5 \times 10^{-9}
    """

    product: str  # between a number and a name, or two names
    alternative: str  # between two solutions
    unnamed: str  # a feature by its number
    square: str  # of a feature
    power: str  # of ten, after a number
    named: Callable[[str], str]  # a feature by its name

    def name(self, name: str | None, index: int) -> str:
        """A feature; by its number where its name is None or blank."""
        return self.named(name) if name and not name.isspace() else self.unnamed % (index + 1)

    def number(self, value: float, digits: int) -> str:
        """A number that is not negative."""
        mantissa, exponent = decimal(value, digits)
        return mantissa + self.power % exponent if exponent else mantissa


def _text_name(name: str) -> str:
    """The name, in brackets where it is not one word."""
    return name if name.isidentifier() else f"[{visible(name)}]"


def _latex_name(name: str) -> str:
    """The name upright, with special characters escaped."""
    letters = (r"\ " if c.isspace() else ESCAPES.get(c, c) for c in visible(name))
    return rf"\mathrm{{{''.join(letters)}}}"


TEXT = Notation("·", " or ", "x%d", "%s²", "e%d", _text_name)
# LaTeX for math mode, within what matplotlib draws.
LATEX = Notation(
    r" \, ",
    r" \quad \mathrm{or} \quad ",
    "x_{%d}",
    "%s^{2}",
    r" \times 10^{%d}",
    _latex_name,
)


def decimal(value: float, digits: int) -> tuple[str, int]:
    """A mantissa of at least `digits` significant digits and an exponent, often 0.

    >>> decimal(0.5, 4), decimal(2.5e20, 4)
    (('0.5', 0), ('2.5', 20))
    """
    if value == 0:
        return "0", 0
    exponent = math.floor(math.log10(abs(value)))
    if -4 <= exponent < 15:
        return _trim_zeros(f"{value:.{max(0, digits - 1 - exponent)}f}"), 0
    mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
    return _trim_zeros(mantissa), int(power)


def _trim_zeros(number: str) -> str:
    return number.rstrip("0").rstrip(".") if "." in number else number


def write_equation(
    form: Form,
    feature_names: Sequence[str] | None,
    notation: Notation,
    digits: int | None = None,
    solved: bool = False,
    centred: bool = False,
) -> str:
    """The equation form = 0, as `Boundary.equation` describes."""
    given = feature_names or (None,) * len(form.centre)
    names = [notation.name(name, i) for i, name in enumerate(given)]
    digits = _enough_digits(form) if digits is None else digits
    if not 1 <= digits <= MAX_DIGITS:
        raise InvalidParameter(f"digits is {digits}; it must be from 1 to {MAX_DIGITS}.")
    if solved:
        k, values = _solutions(form)
        return solutions(names[k], values, notation, digits)
    shown = form.significant if centred else form.significant_expanded
    names = shift_names(names, form.centre, notation) if centred else names
    return polynomial(shown.curvature, shown.slope, shown.value, names, notation, digits)


def _enough_digits(form: Form) -> int:
    """Digits that leave a few for the spread of features far from zero."""
    # Significant digits of a number by default.
    digits = 4
    if form.scale is None:
        return digits
    far = float(np.abs(form.centre / form.scale).max())
    return min(MAX_DIGITS, digits + int(math.log10(max(1.0, far))))


def _solutions(form: Form) -> tuple[int, list[float]]:
    if form.single is None:
        raise InvalidParameter(
            "solved=True is for a boundary in one feature; this one depends on none or on "
            "several. Use solved=False, or section([feature], at=point)."
        )
    if not form.single[1]:
        raise InvalidParameter(
            "the log-odds is zero nowhere, so no value solves the equation. Use solved=False."
        )
    return form.single


def polynomial(
    quadratic: Floats | None,
    linear: Floats,
    constant: float,
    names: Sequence[str],
    notation: Notation,
    digits: int,
) -> str:
    """x'Qx + l'x + c = 0, without the terms that are zero.

    >>> polynomial(None, np.array([4.0, 0.0]), -8.0, ["x1", "x2"], TEXT, 4)
    '4·x1 - 8 = 0'
    """
    terms: list[tuple[float, str]] = []
    if quadratic is not None:
        for i, j in np.argwhere(np.triu(quadratic)).tolist():
            square, product = notation.square % names[i], f"{names[i]}{notation.product}{names[j]}"
            coefficient = quadratic[i, j] if i == j else 2 * quadratic[i, j]
            terms.append((coefficient, square if i == j else product))
    terms += [(linear[i], names[i]) for i in np.flatnonzero(linear).tolist()]
    if constant or not terms:
        terms.append((constant, ""))
    return f"{_sum(terms, notation, digits)} = 0"


def shift_names(names: Sequence[str], centre: Floats, notation: Notation) -> list[str]:
    """Each name less its centre, to the last digit.

    >>> shift_names(["x1", "x2"], np.array([2.5, 0.0]), TEXT)
    ['(x1 - 2.5)', 'x2']
    """
    out = []
    for name, at in zip(names, centre, strict=True):
        step = _sum([(1.0, name), (-at, "")], notation, MAX_DIGITS)
        out.append(f"({step})" if at else name)
    return out


def solutions(name: str, values: Sequence[float], notation: Notation, digits: int) -> str:
    """The values of one feature on the boundary.

    >>> solutions("x1", [-1.0, 3.0], TEXT, 4)
    'x1 = -1 or x1 = 3'
    """
    return notation.alternative.join(
        f"{name} = {_sum([(value, '')], notation, digits)}" for value in values
    )


def _sum(terms: Sequence[tuple[float, str]], notation: Notation, digits: int) -> str:
    text = ""
    for coefficient, name in terms:
        sign = "-" if coefficient < 0 else "+"
        text += f" {sign} " if text else sign.strip("+")
        number = notation.number(abs(float(coefficient)), digits)
        if name:
            text += name if number == "1" else f"{number}{notation.product}{name}"
        else:
            text += number
    return text
