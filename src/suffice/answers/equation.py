"""Equations: a quadratic function as text or LaTeX."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from suffice.answers.form import Form
from suffice.data.arrays import Floats
from suffice.errors import InvalidParameter
from suffice.text import visible

# How many digits a number shows, and the most that a float64 has.
DIGITS, MOST_DIGITS = 4, 17
# What LaTeX gives a meaning to, written so that both it and matplotlib draw it: a similar sign
# where matplotlib has no escape.
SPECIAL = {c: rf"\{c}" for c in "_%${}"} | {
    "\\": r"\backslash ",
    "^": r"\hat{\ }",
    "~": r"\sim ",
    "#": r"\sharp ",
    "&": r"\wedge ",
    '"': "''",
    "`": "'",
}


class Notation(Protocol):
    """How the parts of an equation are written."""

    @property
    def dot(self) -> str:
        """What stands between a number and a name, or two names."""

    @property
    def either(self) -> str:
        """What stands between two solutions."""

    def name(self, name: str | None, index: int) -> str:
        """A feature; by its number where its name is None or blank."""

    def number(self, value: float, digits: int) -> str:
        """A number that is not negative."""

    def square(self, name: str) -> str:
        """The square of a feature."""


@dataclass(frozen=True)
class Text:
    """Plain text.

    >>> Text().number(1 / 3, 4), Text().number(12345.6, 4), Text().number(1.5e-9, 4)
    ('0.3333', '12346', '1.5e-9')
    """

    dot: str = "·"
    either: str = " or "

    def name(self, name: str | None, index: int) -> str:
        """The name as it is, in brackets where it is not one word."""
        if name is None or name.isspace() or not name:
            return f"x{index + 1}"
        return name if name.isidentifier() else f"[{visible(name)}]"

    def number(self, value: float, digits: int) -> str:
        """Like 0.25 or 1.5e-9."""
        mantissa, exponent = decimal(value, digits)
        return f"{mantissa}e{exponent}" if exponent else mantissa

    def square(self, name: str) -> str:
        """Like x1²."""
        return f"{name}²"


@dataclass(frozen=True)
class Latex:
    r"""LaTeX for math mode, within what matplotlib draws.

    >>> print(Latex().name("body_mass (g)", 0), Latex().number(1.5e-9, 4))
    \mathrm{body\_mass\ (g)} 1.5 \times 10^{-9}
    """

    dot: str = r" \, "
    either: str = r" \quad \mathrm{or} \quad "

    def name(self, name: str | None, index: int) -> str:
        """Upright, with special characters escaped."""
        if name is None or name.isspace() or not name:
            return f"x_{{{index + 1}}}"
        letters = (r"\ " if c.isspace() else SPECIAL.get(c, c) for c in visible(name))
        return rf"\mathrm{{{''.join(letters)}}}"

    def number(self, value: float, digits: int) -> str:
        """Like 0.25 or 1.5 x 10^{-9}."""
        mantissa, exponent = decimal(value, digits)
        return rf"{mantissa} \times 10^{{{exponent}}}" if exponent else mantissa

    def square(self, name: str) -> str:
        """Like x_{1}^{2}."""
        return f"{name}^{{2}}"


def decimal(value: float, digits: int) -> tuple[str, int]:
    """A mantissa of at least `digits` significant digits and an exponent, often 0.

    >>> decimal(0.5, 4), decimal(2.5e20, 4)
    (('0.5', 0), ('2.5', 20))
    """
    if value == 0:
        return "0", 0
    exponent = math.floor(math.log10(abs(value)))
    if -4 <= exponent < 15:
        return _trimmed(f"{value:.{max(0, digits - 1 - exponent)}f}"), 0
    mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
    return _trimmed(mantissa), int(power)


def _trimmed(number: str) -> str:
    return number.rstrip("0").rstrip(".") if "." in number else number


def written(
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
    digits = _enough(form) if digits is None else digits
    if not 1 <= digits <= MOST_DIGITS:
        raise InvalidParameter(f"digits={digits}: choose from 1 to {MOST_DIGITS}.")
    if solved:
        k, values = _lone(form)
        return solutions(names[k], values, notation, digits)
    shown = form.known if centred else form.known_expanded
    names = shifted(names, form.centre, notation) if centred else names
    return polynomial(shown.curvature, shown.slope, shown.value, names, notation, digits)


def _enough(form: Form) -> int:
    """Digits that leave a few for the spread of features far from zero."""
    if form.scale is None:
        return DIGITS
    far = float(np.abs(form.centre / form.scale).max())
    return min(MOST_DIGITS, DIGITS + int(math.log10(max(1.0, far))))


def _lone(form: Form) -> tuple[int, list[float]]:
    if form.lone is None:
        raise InvalidParameter(
            "solved=True is for a boundary in one feature; this one depends on none or on "
            "several. Use solved=False, or section([feature], at=point)."
        )
    if not form.lone[1]:
        raise InvalidParameter("the log-odds is zero nowhere: there is nothing to solve for.")
    return form.lone


def polynomial(
    quadratic: Floats | None,
    linear: Floats,
    constant: float,
    names: Sequence[str],
    notation: Notation,
    digits: int,
) -> str:
    """x'Qx + l'x + c = 0, without the terms that are zero.

    >>> polynomial(None, np.array([4.0, 0.0]), -8.0, ["x1", "x2"], Text(), 4)
    '4·x1 - 8 = 0'
    """
    terms: list[tuple[float, str]] = []
    if quadratic is not None:
        for i, j in np.argwhere(np.triu(quadratic)).tolist():
            square, product = notation.square(names[i]), f"{names[i]}{notation.dot}{names[j]}"
            coefficient = quadratic[i, j] if i == j else 2 * quadratic[i, j]
            terms.append((coefficient, square if i == j else product))
    terms += [(linear[i], names[i]) for i in np.flatnonzero(linear).tolist()]
    if constant or not terms:
        terms.append((constant, ""))
    return f"{_sum(terms, notation, digits)} = 0"


def shifted(names: Sequence[str], centre: Floats, notation: Notation) -> list[str]:
    """Each name less its centre, to the last digit.

    >>> shifted(["x1", "x2"], np.array([2.5, 0.0]), Text())
    ['(x1 - 2.5)', 'x2']
    """
    out = []
    for name, at in zip(names, centre, strict=True):
        step = _sum([(1.0, name), (-at, "")], notation, MOST_DIGITS)
        out.append(f"({step})" if at else name)
    return out


def solutions(name: str, values: Sequence[float], notation: Notation, digits: int) -> str:
    """The values of one feature on the boundary.

    >>> solutions("x1", [-1.0, 3.0], Text(), 4)
    'x1 = -1 or x1 = 3'
    """
    return notation.either.join(
        f"{name} = {_sum([(value, '')], notation, digits)}" for value in values
    )


def _sum(terms: Sequence[tuple[float, str]], notation: Notation, digits: int) -> str:
    text = ""
    for coefficient, name in terms:
        sign = "-" if coefficient < 0 else "+"
        text += f" {sign} " if text else sign.strip("+")
        number = notation.number(abs(float(coefficient)), digits)
        if name:
            text += name if number == "1" else f"{number}{notation.dot}{name}"
        else:
            text += number
    return text
