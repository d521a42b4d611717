"""Known Gaussians: means, covariances and priors given as numbers -> a model, after checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.data.parameters import numbers
from suffice.errors import InvalidParameter
from suffice.models.computable import check_computable
from suffice.models.covariance import Covariance, DiagonalCovariance, FullCovariance
from suffice.models.gaussian import GaussianModel
from suffice.models.known_classes import KnownClasses, read_table
from suffice.models.linalg import eigen, whitener
from suffice.text import shown


@dataclass(frozen=True, slots=True)
class GivenCovariances:
    """Covariances as a user gave them: matrices or variances, shared or one per class."""

    values: Floats  # (g, d, d) or (g, d); g is 1 if shared
    shared: bool

    @classmethod
    def read(cls, given: Any, k: int, d: int, variances_first: bool = False) -> GivenCovariances:
        """Numbers of shape (d, d), (k, d, d), (d,) or (k, d).

        variances_first : read (d, d) as variances of each class if there are d classes
        """
        values = numbers("covariances", given)
        shape = None if values is None else values.shape
        forms = {(k, d, d): False, (d,): True}
        order = ((d, d), True), ((k, d), False)
        forms.update(reversed(order) if not variances_first else order)
        if values is None or shape not in forms:
            raise InvalidParameter(
                f"covariances has shape {shape}; for {k} classes and {d} features it must be "
                f"{(d, d)} (one matrix for all), {(k, d, d)} (one per class), or variances: "
                f"{(d,)} or {(k, d)}."
            )
        shared = forms[shape]
        return cls(values[None] if shared else values, shared)

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
    check_computable(model)
    return model


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


def _full(name: str, matrix: Floats, rounding: float = 1e-10) -> Covariance:
    """The covariance, after checking that it is symmetric and positive definite.

    rounding : largest difference of entries (i, j) and (j, i), as a share of the deviations
    """
    variances = matrix.diagonal()
    _diagonal(name, variances)
    scale = np.sqrt(variances)
    with np.errstate(over="ignore", invalid="ignore"):
        difference = np.abs(matrix - matrix.T) / scale / scale[:, None]
    if not (difference <= rounding).all():
        i, j = (int(at) for at in np.unravel_index(np.argmax(difference), matrix.shape))
        raise InvalidParameter(
            f"{name} is not symmetric: entry ({i}, {j}) is {matrix[i, j]:g}, but entry "
            f"({j}, {i}) is {matrix[j, i]:g}. A covariance is the same both ways."
        )
    matrix = (matrix + matrix.T) / 2
    factor = whitener(matrix)
    if factor is None:
        smallest = eigen(matrix / scale / scale[:, None])[0][0]
        raise InvalidParameter(
            f"{name} is not positive definite: the smallest eigenvalue of its correlations is "
            f"{smallest:.3g}, and it must be above 0. Make the entries off the diagonal smaller."
        )
    return FullCovariance(factor)
