"""Criteria: likelihood of the training rows, and the number of parameters it cost.

Both come from statistics. `n_parameters` counts every number that the model's shape leaves free,
however strongly it is regularised: with pooling below 1 each class has its own covariance, with
shrinkage below 1 all entries of it count, and given shares, smoothing and priors do not. Where
the target replaces a covariance altogether, only the free numbers of the target count. Directions
and features without variance are not part of the density and do not count; classes that borrow
a covariance share it.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from suffice.data.arrays import Floats
from suffice.models.conjugate_priors.student import StudentModel
from suffice.models.covariances.covariance import Covariance, DiagonalCovariance
from suffice.models.covariances.groups import Groups
from suffice.models.gaussian import LOG_2PI, GaussianModel
from suffice.models.independent import IndependentModel
from suffice.models.product import Product, ProductModel
from suffice.models.settings import Settings
from suffice.statistics.by_feature import ByFeature
from suffice.statistics.by_pattern import ByPattern
from suffice.statistics.factored_scatter import FactoredScatter
from suffice.statistics.incomplete import AnyStatistics, IncompleteStatistics
from suffice.statistics.mixed import MixedStatistics
from suffice.statistics.statistics import Statistics


def log_likelihood(model: Any, statistics: Any) -> float:
    """Sum of w ln p(x, y) over the rows of the statistics; no row is read.

    >>> import suffice as sf
    >>> X, y = [[0.0], [1.0], [2.0], [4.0], [5.0], [7.0]], [0, 0, 0, 1, 1, 1]
    >>> model = sf.LDA().fit(X, y)
    >>> round(log_likelihood(model._fitted, model.statistics_), 6)
    -12.988596
    """
    weight = statistics.weight
    with np.errstate(invalid="ignore"):
        priors = np.where(weight > 0, weight * model.log_priors, 0.0)
    return float(priors.sum() + _given_class(model, statistics))


def aic(log_likelihood: float, n_parameters: int) -> float:
    """-2 ln L + 2 p; smaller is better (Akaike 1974)."""
    return 2 * n_parameters - 2 * log_likelihood


def bic(log_likelihood: float, n_parameters: int, weight: float) -> float:
    """-2 ln L + p ln n, where n is the total weight; smaller is better (Schwarz 1978)."""
    return float(n_parameters * np.log(weight) - 2 * log_likelihood)


def icl(bic: float, log_proba: Floats) -> float:
    """BIC + 2 entropy of the assignments (n, k); smaller is better (Biernacki et al. 2000).

    >>> round(icl(10.0, np.log([[0.5, 0.5], [1.0, 1e-300]])), 4)
    11.3863
    """
    with np.errstate(invalid="ignore"):
        terms = np.where(np.isneginf(log_proba), 0.0, np.exp(log_proba) * log_proba)
    return float(bic - 2 * terms.sum())


def n_parameters(model: Any, settings: Any, statistics: Any, given_priors: bool) -> int:
    """Number of free parameters of the model; k - 1 of them are priors, unless those are given.

    >>> import suffice as sf
    >>> model = sf.QDA().fit([[0.0], [1.0], [3.0], [4.0], [5.0], [9.0]], [0, 0, 0, 1, 1, 1])
    >>> n_parameters(model._fitted, model._built_with, model.statistics_, False)
    5
    """
    free = 0 if given_priors else len(model.classes) - 1
    return free + _free(model, settings, statistics)


def effective_parameters(
    settings: Settings, k: int, d: int, statistics: AnyStatistics | None = None
) -> float:
    """Free numbers of k means and covariances of d features, less what regularisation removes.

    Pooling p of k covariances leaves 1 + (1 - p)(k - 1) of them, and a share s of a target
    leaves 1 - s of their entries, except those of the target. An estimated share is that of the
    pooled covariance of the statistics.

    >>> [effective_parameters(Settings(pooling=p), 2, 2) for p in (0.0, 0.5, 1.0)]
    [10.0, 8.5, 7.0]
    """
    free = float(settings.structure.entries(d))
    target = {"identity": 1.0, "diagonal": min(d, free), "unit": 0.0}[settings.target]
    share = settings.shrinkage
    if isinstance(share, str):
        share = 0.0
        if isinstance(statistics, Statistics) and statistics.detail != "diagonal":
            groups = Groups(statistics, settings)
            share = groups.share(groups.pooled)
    covariances = 1 + (1 - settings.pooling) * (k - 1)
    return k * d + covariances * ((1 - share) * free + share * min(target, free))


@singledispatch
def _given_class(model: Any, statistics: Any) -> float:
    """Sum of w ln p(x | y)."""
    raise TypeError(f"statistics do not give the likelihood of a {type(model).__name__}.")


@_given_class.register
def _(model: IndependentModel, statistics: Any) -> float:
    return model.total(statistics)


@_given_class.register
def _(model: ProductModel, statistics: MixedStatistics) -> float:
    return sum(_given_class(part, statistics.parts[key]) for key, part in model.parts.items())


@_given_class.register
def _(model: GaussianModel, statistics: Any) -> float:
    if isinstance(statistics, IncompleteStatistics):
        if isinstance(statistics.parts, ByPattern):
            return _by_pattern(model, statistics, statistics.parts)
        return _by_feature(model, statistics)
    volumes = np.broadcast_to(model.volumes, len(model.classes))
    lengths = sum(
        _sum_of_squares(model.covariances[g], statistics, None if model.shared else g)
        for g in range(len(model.covariances))
    )
    return float(-(statistics.weight @ volumes) - lengths / 2)


def _sum_of_squares(covariance: Covariance, statistics: Statistics, c: int | None) -> float:
    """Sum of the squared Mahalanobis lengths of the rows of a class, or of all: tr(P S)."""
    spread = statistics.spread
    if isinstance(covariance, DiagonalCovariance):
        squares = spread.diagonal()
        own = squares.sum(axis=0) if c is None else squares[c]
        return float(own @ covariance.precisions)
    if isinstance(spread, FactoredScatter):
        rows = spread.factor if c is None else spread.factor[spread.owner == c]
        return float(covariance.squared_lengths(rows).sum())
    matrices = statistics.scatter
    if matrices.ndim == 3:
        matrices = matrices.sum(axis=0) if c is None else matrices[c]
    axes = covariance.whiten(np.eye(len(matrices)))
    return float((covariance.whiten(matrices) * axes).sum())


def _by_feature(model: GaussianModel, statistics: IncompleteStatistics) -> float:
    """Observed values of independent features, each about its own mean."""
    assert isinstance(statistics.parts, ByFeature)
    assert model.variances is not None
    known = statistics.known_weight
    squares = statistics.squares + known * (statistics.mean - model.means) ** 2
    kept = model.variances > 0
    variances = np.where(kept, model.variances, 1.0)
    terms = known * (np.log(variances) + LOG_2PI) + squares / variances
    return float(-np.where(kept, terms, 0.0).sum() / 2)


def _by_pattern(model: GaussianModel, statistics: IncompleteStatistics, parts: ByPattern) -> float:
    """Rows with gaps, through the model's own answers for a few points that stand for them.

    ln p is quadratic in the observed values. Over rows of mean m and scatter F'F it adds up to
    W ln p(m), and half of ln p(m + f) + ln p(m - f) - 2 ln p(m) for each row f of F.
    """
    model = model.with_priors(np.ones(len(model.classes)))
    rows, codes, shares = [], [], []

    def add(known: Any, row: Floats, c: int, share: float) -> None:
        full = np.full(statistics.n_features, np.nan)
        full[known] = row
        rows.append(full)
        codes.append(c)
        shares.append(share)

    for known, part in parts:
        places = np.searchsorted(statistics.classes, part.classes).tolist()
        for i, c in enumerate(places):
            add(known, part.mean[i], c, float(part.weight[i]))
        for i, factor in _factors(part):
            for f in factor:
                add(known, part.mean[i] + f, places[i], 0.5)
                add(known, part.mean[i] - f, places[i], 0.5)
            add(known, part.mean[i], places[i], -float(len(factor)))
    with np.errstate(all="ignore"):
        joint = model.joint(np.array(rows))
    return float(joint[np.arange(len(codes)), codes] @ np.array(shares))


def _factors(part: Statistics) -> list[tuple[int, Floats]]:
    """Rows F with F'F the scatter, for each class, or once where it is pooled."""
    if isinstance(part.spread, FactoredScatter):
        return part.spread.by_group()
    matrices = part.scatter if part.scatter.ndim == 3 else part.scatter[None]
    values, vectors = np.linalg.eigh(matrices)
    rows = np.sqrt(np.maximum(values, 0.0))[:, :, None] * np.swapaxes(vectors, 1, 2)
    return list(enumerate(rows))


@singledispatch
def _free(model: Any, settings: Any, statistics: Any) -> int:
    """Number of free parameters of the class densities."""
    raise TypeError(f"statistics do not count the parameters of a {type(model).__name__}.")


@_free.register
def _(model: IndependentModel, settings: Any, statistics: Any) -> int:
    return model.n_free


@_free.register
def _(model: ProductModel, settings: Product, statistics: MixedStatistics) -> int:
    return sum(
        _free(part, settings.parts[key].likelihood, statistics.parts[key])
        for key, part in model.parts.items()
    )


@_free.register
def _(model: GaussianModel, settings: Settings, statistics: Any) -> int:
    k, covariances = len(model.classes), model.covariances
    means = sum(model.covariance_of(c).rank for c in range(k))
    own = [g for g in range(len(covariances)) if g not in model.borrowed]
    by_feature = settings.structure.borrows_single_variances and settings.shrinkage == 0
    if by_feature and model.borrowed:
        return means + _variances(model, statistics)
    ranks = [covariances[g].rank for g in own]
    if model.borrowed:
        ranks.append(covariances[model.borrowed[0]].rank)
    return means + sum(map(settings.entries, ranks))


@_free.register
def _(model: StudentModel, settings: Settings, statistics: Any) -> int:
    return _free(model.gaussian, settings, statistics)


def _variances(model: GaussianModel, statistics: AnyStatistics) -> int:
    """Number of free variances where some are borrowed from all classes."""
    squares = statistics.coarsen("diagonal").squares
    assert model.variances is not None
    kept = model.variances > 0
    lent = kept & (squares <= 0)
    lent[[c for c in range(len(kept)) if c not in model.borrowed]] = False
    return int((kept & ~lent).sum() + lent.any(axis=0).sum())
