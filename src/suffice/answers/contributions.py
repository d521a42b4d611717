"""Contributions: the log-odds of two classes, split over the features."""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.gaps import Gaps
from suffice.errors import InvalidParameter
from suffice.html import html_table
from suffice.models.covariances.covariance import Covariance, DiagonalCovariance
from suffice.models.covariances.linalg import log_or_zero
from suffice.models.gapped import Gapped
from suffice.models.gaussian import GaussianModel
from suffice.models.model import Model
from suffice.text import plural, shorten, shown, visible


@dataclass(frozen=True, slots=True)
class Contributions:
    """Log-odds of a against b: base + sum of the values of a row.

    A squared distance u'Pu is split into the terms u_j (Pu)_j. Each product of two features
    is shared equally between them, so the terms are the Shapley values of leaving features at
    the class mean, and they add up exactly. The base holds the rest: the priors and, unless
    features are independent, the volumes of the two covariances. A missing value contributes
    nothing: the terms are those of the observed features alone.

    Student t classes: what the log density loses on the way from the class mean to the row is
    split in the same proportions, u_j (Pu)_j / u'Pu. That is the integral of its slope in each
    feature along the way (Aumann and Shapley), which for a Gaussian is -u_j (Pu)_j / 2, too.
    Mixtures: the terms of the components of a class, averaged by how probable each is for the row;
    the base also holds which components these are.
    """

    classes: tuple[Any, Any]
    values: Floats  # (n, d)
    base: Floats  # (n,)
    feature_names: tuple[str, ...] | None = None

    @classmethod
    def of(
        cls, model: Model, values: Floats, a: int, b: int, base: Floats | None = None
    ) -> Contributions:
        """The values (n, d) with the base (n,), or that of the priors."""
        if base is None:
            base = np.repeat(log_odds(model.log_priors[None], a, b), len(values))
        return cls((model.classes[a].item(), model.classes[b].item()), values, base)

    @property
    def log_odds(self) -> Floats:
        """Their sum, (n,); NaN where neither class is possible."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.values.sum(axis=1) + self.base)

    def _repr_html_(self) -> str:
        """The first rows, and the features that contribute most."""
        n, d = self.values.shape
        names = self.feature_names or tuple(f"x{j + 1}" for j in range(d))
        with np.errstate(invalid="ignore"):
            order = np.argsort(-np.abs(self.values).mean(axis=0), kind="stable")
        most_rows, most_features = 10, 8
        at, rest = order[:most_features], order[most_features:]
        others = [f"other {plural(len(rest), 'feature')}"] if len(rest) else []
        longest_name = 32  # characters
        shown_names = [shorten(visible(names[j]), longest_name) for j in at]
        rows = []
        for i in range(min(n, most_rows)):
            values = [*self.values[i, at], *([self.values[i, rest].sum()] if others else [])]
            numbers = [f"{value:+.2f}" for value in (*values, self.base[i], self.log_odds[i])]
            rows.append([f"{i:,}", *numbers])
        a, b = map(shown, self.classes)
        caption = f"log-odds of {a} against {b}: the sum of what each feature contributes"
        head = ["row", *shown_names, *others, "before any feature", "log-odds"]
        more = [f"{plural(n - most_rows, 'row')} more."] if n > most_rows else []
        return html_table(head, rows, caption=caption, words=(), notes=more)


def log_odds(scores: Floats, a: int, b: int) -> Floats:
    """ln p(a | x) - ln p(b | x), (n,), from joint log densities up to a constant per row.

    NaN where neither class is possible.
    """
    with np.errstate(invalid="ignore"):
        return scores[:, a] - scores[:, b]


@singledispatch
def contributions(model: Any, X: Any, a: int, b: int) -> Contributions:
    """The contribution of each feature of each row to the log-odds of a against b."""
    raise NotImplementedError(f"no contributions for a {type(model).__name__}")


@contributions.register
def _of_gaussian(model: GaussianModel, X: Array, a: int, b: int) -> Contributions:
    X = X.astype(np.float64, copy=False)
    (for_a, peaks_a), (for_b, peaks_b) = _terms(model, X, a), _terms(model, X, b)
    values = (for_b - for_a) / 2
    base = np.repeat(log_odds(model.log_priors[None], a, b), len(X))
    if not model.shared:
        first, second = model.covariances[a], model.covariances[b]
        if isinstance(first, DiagonalCovariance) and isinstance(second, DiagonalCovariance):
            values += (log_or_zero(second.variances) - log_or_zero(first.variances)) / 2
        else:
            base += (second.log_determinant - first.log_determinant) / 2 + peaks_b - peaks_a
    values[np.isnan(X)] = 0.0
    return Contributions.of(model, values, a, b, base)


def explanation(terms: Contributions, row: int, names: list[str], most: int = 5) -> str:
    """The contributions of one row in words."""
    a, b = terms.classes
    odds = float(terms.log_odds[row])
    if np.isnan(odds):
        raise InvalidParameter(
            f"neither {shown(a)} nor {shown(b)} is possible for this row, so there are no odds to "
            "explain: their priors or densities are 0. Name two other classes, or give other "
            "priors: model.with_priors('uniform')."
        )
    if odds < 0:
        a, b = b, a
    sign = 1.0 if odds >= 0 else -1.0
    share = 1 / (1 + np.exp(-abs(odds)))
    values = sign * terms.values[row]
    order = np.argsort(-np.abs(values))
    parts = [f"{visible(names[j])} {values[j]:+.2f}" for j in order[:most]]
    rest = values[order[most:]]
    if len(rest):
        others = "the other feature" if len(rest) == 1 else f"the other {len(rest)} features"
        parts.append(f"{others} {rest.sum():+.2f}")
    return (
        f"{shown(a)} rather than {shown(b)}: log-odds {abs(odds):.2f} (probability "
        f"{share:.1%} of the two). {', '.join(parts)}; before any feature "
        f"{sign * terms.base[row]:+.2f}."
    )


def _terms(model: GaussianModel, X: Floats, c: int) -> tuple[Floats, Floats]:
    """u_j (Pu)_j for each feature, and the log density of the values filled in."""
    covariance = model.covariance_of(c)
    return split_distances(covariance, model.about_mean(X, c))


def split_distances(covariance: Covariance, steps: Floats) -> tuple[Floats, Floats]:
    """The terms u_j (Pu)_j of steps from a mean, (n, d), and the log density of missing values."""
    peaks = np.zeros(len(steps))
    gapped = Gapped.of(steps)
    terms = steps * covariance.solve(steps)

    def of_known(rows: Floats, gaps: Gaps, which: Indices) -> Floats:
        peaks[gapped.at[which]] = covariance.fill(rows, gaps)
        return rows * covariance.pulls(rows, gaps)

    if len(gapped):
        terms[gapped.at] = gapped.by_runs(steps.shape[1], of_known)
    return terms, peaks
