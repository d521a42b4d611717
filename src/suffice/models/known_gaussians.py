"""Known Gaussians: means, covariances and priors given as numbers -> a model, after checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.data.parameters import numbers
from suffice.errors import InvalidParameter
from suffice.models.covariances.covariance import Covariance, DiagonalCovariance, FullCovariance
from suffice.models.covariances.linalg import eigen, whitener
from suffice.models.gaussian import GaussianModel
from suffice.models.known_classes import KnownClasses, read_table
from suffice.models.limits import CLOSE
from suffice.statistics.storage.registry import storable
from suffice.text import shown

# Largest difference of entries (i, j) and (j, i) of a covariance, as a share of the deviations.
ROUNDING = 1e-10


@dataclass(frozen=True, slots=True)
class GivenCovariances:
    """Covariances as a user gave them: matrices or variances, shared or one per class."""

    values: Floats  # (g, d, d) or (g, d); g is 1 if shared
    shared: bool

    @classmethod
    def read(
        cls, given: Any, k: int, d: int, independent: bool = False, shared: bool = False
    ) -> GivenCovariances:
        """Numbers of shape (d, d), (k, d, d), (d,) or (k, d).

        independent, shared : whether features are independent and classes share one covariance,
            as far as the model says
        """
        values = numbers("covariances", given)
        shape = None if values is None else values.shape
        forms = {(k, d): False, (d, d): True, (k, d, d): False, (d,): True}
        if values is None or shape not in forms:
            raise InvalidParameter(
                f"covariances has shape {shape}; for {k} classes and {d} features it must be "
                f"{(d, d)} (one matrix for all), {(k, d, d)} (one per class), or variances: "
                f"{(d,)} or {(k, d)}."
            )
        one = forms[shape]
        if shape == (k, d) == (d, d) and not shared:
            one = _is_matrix(values, independent)
        return cls(values[None] if one else values, one)

    @property
    def are_variances(self) -> bool:
        """Whether features are independent, with one variance each."""
        return self.values.ndim == 2

    def as_matrices(self) -> GivenCovariances:
        """The same as matrices."""
        if not self.are_variances:
            return self
        d = self.values.shape[1]
        return GivenCovariances(self.values[:, None, :] * np.eye(d), self.shared)

    def as_variances(self, names: list[str], model: str) -> GivenCovariances:
        """The same as variances; raises if features are dependent."""
        if self.are_variances:
            return self
        off = self.values * (1 - np.eye(self.values.shape[1]))
        if off.any():
            c, i, j = (int(at[0]) for at in np.nonzero(off))
            raise InvalidParameter(
                f"{model} has independent features, but {names[c]} has {off[c, i, j]:g} in entry "
                f"({i}, {j}). Give variances, or use QDA.from_parameters or LDA.from_parameters."
            )
        return GivenCovariances(np.diagonal(self.values, axis1=1, axis2=2).copy(), self.shared)

    def as_shared(self) -> GivenCovariances:
        """The same as one for all classes, if those of the classes are equal."""
        if self.shared or not (self.values == self.values[0]).all():
            return self
        return GivenCovariances(self.values[:1], True)

    def repeated(self, k: int) -> GivenCovariances:
        """One for each of k classes."""
        values = np.repeat(self.values, k, axis=0) if self.shared else self.values
        return GivenCovariances(values, False)

    def covariances(self, names: list[str]) -> tuple[Covariance, ...]:
        """Covariances to compute with, after checking each."""
        check = _diagonal if self.are_variances else _full
        return tuple(check(name, one) for name, one in zip(names, self.values, strict=True))

    def names(self, classes: Array) -> list[str]:
        """What each of them is called in messages."""
        if self.shared:
            return ["the covariance"]
        return [f"the covariance of class {shown(label)}" for label in classes.tolist()]


def known_gaussians(
    means: Floats, given: GivenCovariances, known: KnownClasses, priors: Any
) -> GaussianModel:
    """The model with these parameters, one row of `means` for each class."""
    covariances = given.covariances(given.names(known.given))
    if not given.shared:
        covariances = tuple(covariances[i] for i in known.order.tolist())
    try:
        model = GaussianModel(
            known.classes, known.priors(priors), means[known.order], covariances, ()
        ).validated()
    except ValueError as error:
        if isinstance(error, InvalidParameter):
            raise
        raise InvalidParameter(f"means and covariances: {error}.") from None
    model.check_computable()
    return model


def _is_matrix(values: Floats, independent: bool) -> bool:
    """Whether (d, d) numbers for d classes are one covariance, not the variances of each class.

    Raises where either can be meant, or the likely meaning is not the documented one.

    independent : whether the model has independent features
    """
    d = len(values)
    symmetric, positive = (_asymmetry(values) <= ROUNDING).all(), (values > 0).all()
    what = None
    if independent and symmetric and positive and d > 1 and whitener(values) is not None:
        what = "may be the variances of each class, or one matrix of dependent features"
    elif not independent and positive and not symmetric:
        what = "is one matrix for all, but this one is not symmetric"
    if what is not None:
        raise InvalidParameter(
            f"covariances of shape {(d, d)}, for {d} classes and {d} features, {what}. For "
            "variances, one row per class, give [np.diag(row) for row in covariances]; for one "
            "matrix for all, use LDA.from_parameters."
        )
    # Variances are above 0: symmetric numbers that are not can only be a matrix.
    return bool(symmetric and not positive) if independent else True


def _asymmetry(matrix: Floats) -> Floats:
    """Differences of entries (i, j) and (j, i), as shares of the deviations."""
    with np.errstate(all="ignore"):
        scale = np.sqrt(matrix.diagonal())
        return np.asarray(np.abs(matrix - matrix.T) / scale / scale[:, None])


def read_means(means: Any) -> Floats:
    """One row of finite numbers per class, (k, d)."""
    return read_table(
        "means", means, "feature. Classes with one feature are written [[0.0], [2.0]]."
    )


def _diagonal(name: str, variances: Floats) -> Covariance:
    if not (variances > 0).all():
        j = int(np.argmin(variances))
        raise InvalidParameter(
            f"{name} has variance {variances[j]:g} for feature {j}; variances must be above 0."
        )
    return DiagonalCovariance(variances)


def _full(name: str, matrix: Floats) -> Covariance:
    """The covariance, after checking that it is symmetric and positive definite."""
    variances = matrix.diagonal()
    _diagonal(name, variances)
    difference = _asymmetry(matrix)
    if not (difference <= ROUNDING).all():
        i, j = (int(at) for at in np.unravel_index(np.argmax(difference), matrix.shape))
        raise InvalidParameter(
            f"{name} is not symmetric: entry ({i}, {j}) is {matrix[i, j]:g}, but entry "
            f"({j}, {i}) is {matrix[j, i]:g}. A covariance is the same both ways."
        )
    matrix = (matrix + matrix.T) / 2
    factor = whitener(matrix)
    if factor is None:
        scale = np.sqrt(variances)
        smallest = eigen(matrix / scale / scale[:, None])[0][0]
        raise InvalidParameter(
            f"{name} is not positive definite: the smallest eigenvalue of its correlations is "
            f"{smallest:.3g}, and it must be above 0. Make the entries off the diagonal smaller."
        )
    return KnownCovariance(factor, matrix)


@storable
@dataclass(frozen=True, slots=True)
class KnownCovariance(FullCovariance):
    """A regular covariance with its entries as they were given, to the last digit."""

    entries: Floats  # (d, d); the product of the factors would round them

    def validated(self) -> Self:
        """This covariance, if its entries are those of its factor; a ValueError otherwise."""
        rows, entries = self.whitener.colouring, self.entries
        if entries.shape != (self.n_features,) * 2 or not np.array_equal(entries, entries.T):
            raise ValueError("the entries of a covariance are not a symmetric table")
        scale = np.sqrt(np.einsum("ij,ij->j", rows, rows))
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            gap = np.abs(entries / scale / scale[:, None] - (rows / scale).T @ (rows / scale))
        if not (gap < CLOSE).all():
            raise ValueError("the entries of a covariance are not those of its factor")
        return self

    @property
    def matrix(self) -> Floats:
        """All entries, (d, d)."""
        return self.entries

    def scaled(self, factor: float) -> KnownCovariance:
        """This covariance times `factor`."""
        return KnownCovariance(self.whitener.scaled(factor), self.entries * factor)
