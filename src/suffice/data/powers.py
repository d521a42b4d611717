"""Powers: skewed features made symmetric, each by a power of its own."""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import accumulate
from typing import ClassVar, Self

import numpy as np

from suffice.data.arrays import Array, Floats

# Exponents to try: 1 leaves a feature as it is, 0 is the logarithm. Others would not reach all
# real numbers, and the density of the rows would not integrate to one.
EXPONENTS = np.round(np.arange(0.0, 1.01, 0.1), 10)

# Units to try, in standard deviations: the smaller, the more the lowest values are spread.
UNITS = np.array([1.0, 0.3, 0.1])


@dataclass(frozen=True, slots=True, eq=False)
class Powers:
    """A power of each feature, measured from its lowest value, or down from its highest.

    With z = (x - origin) / unit, the unit negative for the latter, it is ((1 + z)^p - 1) / p (Box
    and Cox 1964), and z itself beyond the origin, so that a row there is not thrown far out; then
    it is centred and divided by its own deviation. Origin and unit come from the rows, so those
    of the measurement do not matter.

    >>> powers = Powers.of(np.exp(np.linspace(-2.0, 2.0, 9))[:, None])
    >>> x = np.array([[0.1], [1.0], [7.0]])
    >>> powers.undo(powers.apply(x)).round(6).ravel()
    array([0.1, 1. , 7. ])
    """

    # Rows from which the powers are estimated.
    most_rows: ClassVar[int] = 2000

    origin: Floats  # (d,)
    unit: Floats  # (d,)
    exponent: Floats  # (d,)
    centre: Floats  # (d,)
    spread: Floats  # (d,)
    reach: Floats  # (d,): the highest known z

    def validated(self) -> Self:
        """These powers, if they are in range; a ValueError otherwise."""
        if self.origin.ndim != 1 or any(
            getattr(self, field.name).shape != self.origin.shape for field in fields(self)
        ):
            raise ValueError("its powers are not numbers for each feature")
        possible = (self.unit != 0) & (self.spread > 0) & (self.reach >= 0)
        if not (possible & (np.abs(self.exponent - 0.5) <= 0.5)).all():
            raise ValueError("its powers are out of range")
        return self

    @classmethod
    def of(cls, rows: Floats, weights: Floats | None = None) -> Powers:
        """The powers under which each feature is most likely Gaussian, without missing values."""
        x = np.asarray(rows, np.float64)
        if not x.shape[1]:
            return cls(*np.empty((6, 0)))
        w = np.ones(len(x)) if weights is None else weights
        x, w = x[w > 0], w[w > 0]
        held = np.isfinite(x)
        with np.errstate(all="ignore"):
            known = x if held.all() else np.where(held, x, np.nan)
            low = np.fmin.reduce(known, axis=0, initial=np.inf)
            high = np.fmax.reduce(known, axis=0, initial=-np.inf)
            low, high = (np.where(np.isfinite(end), end, 0.0) for end in (low, high))
            # From the ends, since squares of 1e200 overflow.
            half = np.where(high > low, high / 2 - low / 2, 1.0)
            scale = half * _deviation((x - low) / half, held, w)
            scale = np.where((scale > 0) & np.isfinite(scale), scale, 1.0)
        at = np.unique(np.linspace(0, max(0, len(x) - 1), min(len(x), cls.most_rows)).astype(int))
        shapes = []
        for j, ok in enumerate(held.T):
            some = at[ok[at]]
            shapes.append(_shape(x[some, j], w[some], low[j], high[j], scale[j]))
        origin, unit, exponent = (np.array(part) for part in zip(*shapes, strict=True))
        reach = np.abs(np.where(unit > 0, high, low) / unit - origin / unit)
        powers = cls(origin, unit, exponent, np.zeros_like(low), np.ones_like(low), reach)
        with np.errstate(all="ignore"):
            u = powers.apply(x[at])
            centre, spread = _mean(u, held[at], w[at]), _deviation(u, held[at], w[at])
        usable = np.isfinite(centre) & np.isfinite(spread) & (spread > 0)
        ends = np.where(usable, centre, 0.0), np.where(usable, spread, 1.0)
        return cls(origin, unit, exponent, *ends, reach)

    @property
    def table(self) -> Floats:
        """All numbers, (6, d): the fields in their order."""
        return np.stack([getattr(self, field.name) for field in fields(self)])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Powers) and np.array_equal(self.table, other.table)

    __hash__ = None  # type: ignore[assignment]

    def apply(self, rows: Floats) -> Floats:
        """Rows with each feature to its power; missing and infinite values stay what they are.

        Features beyond those with a power, the indicators of levels, stay what they are, too.
        """
        with np.errstate(all="ignore"):
            z = (self._own(rows) - self.origin) / self.unit
            up = _power(np.maximum(z, 0.0), self.exponent)
            scaled = (np.where(z >= 0, up, z) - self.centre) / self.spread
            return self._with_others(np.where(np.isfinite(z), scaled, z), rows)

    def undo(self, rows: Floats) -> Floats:
        """Rows before `apply`."""
        # Values are transformed back up to this multiple of the range of the rows.
        farthest = 10.0
        with np.errstate(all="ignore"):
            u = self._own(rows) * self.spread + self.centre
            most = farthest * (self.reach + 1.0)
            up = _root(np.maximum(u, 0.0), self.exponent, most)
            z = np.where(u >= 0, up, np.maximum(u, -most))
            own = np.where(np.isnan(u), np.nan, z * self.unit + self.origin)
            return self._with_others(own, rows)

    def log_slope(self, rows: Floats) -> Floats:
        """ln of the volume element du/dx of the known values of each row, (n,)."""
        with np.errstate(all="ignore"):
            z = (self._own(rows) - self.origin) / self.unit
            steep = (self.exponent - 1.0) * np.log1p(np.maximum(z, 0.0))
            log_slopes = steep - np.log(np.abs(self.unit) * self.spread)
            return np.asarray(np.where(np.isnan(z), 0.0, log_slopes).sum(axis=1))

    def _own(self, rows: Floats) -> Floats:
        return np.asarray(rows, np.float64)[:, : len(self.origin)]

    def _with_others(self, own: Floats, rows: Floats) -> Floats:
        others = np.asarray(rows)[:, len(self.origin) :]
        return np.concatenate([own, others], axis=1) if others.shape[1] else own


def _power(z: Floats, p: Floats) -> Floats:
    """((1 + z)^p - 1) / p of z >= 0, and ln(1 + z) for p = 0."""
    return _of_logs(np.log1p(z), p)


def _of_logs(log: Floats, p: Floats) -> Floats:
    return np.asarray(np.where(p == 0, log, np.expm1(p * log) / np.where(p == 0, 1.0, p)))


def _root(u: Floats, p: Floats, most: Floats) -> Floats:
    """The inverse of `_power`, at most `most`."""
    inside = np.log1p(np.maximum(p * u, -1.0)) / np.where(p == 0, 1.0, p)
    log = np.where(p == 0, u, inside)
    return np.minimum(np.expm1(np.minimum(log, np.log1p(most))), most)


def _mean(x: Floats, held: Array, w: Floats) -> Floats:
    """Weighted mean of the values held, (d,)."""
    if held.all():
        return np.asarray(w @ x / (w.sum() or 1.0))
    total = w @ held
    return np.asarray(w @ np.where(held, x, 0.0) / np.where(total > 0, total, 1.0))


def _deviation(x: Floats, held: Array, w: Floats) -> Floats:
    """Weighted standard deviation of the values held, (d,)."""
    return np.asarray(np.sqrt(_mean((x - _mean(x, held, w)) ** 2, held, w)))


def _shape(
    x: Floats, w: Floats, low: float, high: float, scale: float
) -> tuple[float, float, float]:
    """Origin, unit and exponent of the Gaussian likelihood's maximum, for values of one feature."""
    # A feature with fewer distinct values is left as it is.
    few_values = 3
    if len(np.unique(x)) < few_values:
        return low, scale, 1.0
    w, units = w / w.sum(), UNITS[:, None] * scale
    best = (-np.inf, low, scale, 1.0)
    for origin, sign in ((low, 1.0), (high, -1.0)):
        with np.errstate(all="ignore"):
            log = np.log1p(np.abs(x - origin) / units)  # (units, n)
            # (1 + z)^p for every p, which varies p times as much as ((1 + z)^p - 1) / p.
            step = np.exp(EXPONENTS[1] * log)
            u = np.stack([log, *accumulate([step] * (len(EXPONENTS) - 1), np.multiply)], axis=1)
            u -= (u @ w)[..., None]
            variances = (u * u) @ w / np.where(EXPONENTS > 0, EXPONENTS, 1.0) ** 2
            # Log-likelihood per row: the Gaussian density of u, and the volume element du/dx.
            gain = (EXPONENTS - 1.0) * (log @ w)[:, None] - np.log(units)
            gain = np.where(variances > 0, gain - np.log(variances) / 2, -np.inf)
        i, j = np.unravel_index(int(np.nanargmax(gain)), gain.shape)
        candidate = (float(gain[i, j]), origin, sign * scale * UNITS[i].item(), EXPONENTS[j].item())
        best = max(best, candidate, key=lambda one: one[0])
    return best[1:]
