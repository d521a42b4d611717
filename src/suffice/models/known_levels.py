"""Known levels: probabilities of levels given as numbers -> a discrete model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from suffice.data.arrays import Array, Floats
from suffice.errors import InvalidParameter
from suffice.models.discrete import DiscreteModel, LevelModel
from suffice.models.known_classes import KnownClasses, read_table
from suffice.models.limits import SUM_ROUNDING
from suffice.models.model import ClassModel
from suffice.statistics.storage.registry import storable
from suffice.statistics.storage.soundness import check_labels
from suffice.text import shown


@dataclass(frozen=True)
class KnownDiscreteModel(DiscreteModel):
    """A discrete model that keeps the probabilities it was made from, so that files are exact."""

    probabilities: tuple[Floats, ...]  # (k, m) each


@storable
@dataclass(frozen=True)
class KnownLevels(ClassModel):
    """P(level | class) by feature. Files hold probabilities, since logs of zero are infinite."""

    levels: tuple[Array, ...]  # (m,) each
    probabilities: tuple[Floats, ...]  # (k, m) each

    def validated(self) -> Self:
        """These probabilities, if they are possible; a ValueError otherwise."""
        check_labels("classes", self.classes)
        k = len(self.classes)
        if self.priors.shape != (k,) or (self.priors < 0).any() or not k:
            raise ValueError("there is not one prior for each class")
        if len(self.levels) != len(self.probabilities) or not self.levels:
            raise ValueError("there is not one table of probabilities for each feature")
        for own, table in zip(self.levels, self.probabilities, strict=True):
            check_labels("levels", own)
            if table.shape != (k, len(own)) or not len(own):
                raise ValueError("a table of probabilities is not of the classes and levels")
            if (table < 0).any() or np.abs(table.sum(axis=1) - 1).max() > SUM_ROUNDING:
                raise ValueError("probabilities of levels do not add up to 1")
        return self

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.levels)

    @property
    def model(self) -> KnownDiscreteModel:
        """The model; a level that is not listed is ignored."""
        k = len(self.classes)
        with np.errstate(divide="ignore"):
            features = tuple(
                LevelModel(own, np.log(table), np.zeros(k))
                for own, table in zip(self.levels, self.probabilities, strict=True)
            )
        return KnownDiscreteModel(self.classes, self.priors, features, self.probabilities)

    @classmethod
    def of_model(cls, model: KnownDiscreteModel) -> KnownLevels:
        """The probabilities of a model."""
        levels = tuple(feature.levels for feature in model.features)
        return cls(model.classes, model.priors, levels, model.probabilities)


def read_probabilities(probabilities: Any) -> Floats:
    """Probabilities of ones, (k, d)."""
    values = read_table("probabilities", probabilities, "feature: P(x = 1 | class).")
    outside = (values < 0) | (values > 1)
    if outside.any():
        c, j = (int(at[0]) for at in np.nonzero(outside))
        raise InvalidParameter(
            f"probabilities has {values[c, j]:g} in row {c}, column {j}; a probability is from 0 "
            "to 1."
        )
    return values


def read_tables(probabilities: Any) -> list[Floats]:
    """One table P(level | class), (k, m), per feature."""
    if isinstance(probabilities, str | Mapping) or not isinstance(probabilities, Iterable):
        raise InvalidParameter(
            f"probabilities is {shown(probabilities)}; it must be a list with one table per "
            "feature, one row per class and one column per level."
        )
    tables = [_table(j, own) for j, own in enumerate(probabilities)]
    if not tables:
        raise InvalidParameter("probabilities is empty; give one table per feature.")
    for j, table in enumerate(tables):
        if len(table) != len(tables[0]):
            raise InvalidParameter(
                f"probabilities of feature 0 have {len(tables[0])} rows, those of feature {j} "
                f"{len(table)}; each needs one row per class."
            )
    return tables


def known_levels(
    levels: list[Array], tables: list[Floats], known: KnownClasses, priors: Any
) -> KnownDiscreteModel:
    """The model with these probabilities, levels in any order."""
    sort = [np.argsort(own, kind="stable") for own in levels]
    return KnownLevels(
        known.classes,
        known.priors(priors),
        tuple(own[at] for own, at in zip(levels, sort, strict=True)),
        tuple(table[known.order][:, at] for table, at in zip(tables, sort, strict=True)),
    ).model


def _table(j: int, given: Any) -> Floats:
    values = read_table(f"probabilities[{j}]", given, "level.")
    sums = values.sum(axis=1)
    wrong = (values < 0).any(axis=1) | (np.abs(sums - 1) > SUM_ROUNDING)
    if wrong.any():
        c = int(np.flatnonzero(wrong)[0])
        raise InvalidParameter(
            f"probabilities of feature {j} in row {c} are {shown(values[c].tolist())}; they must "
            f"not be negative and add up to 1 (they add up to {sums[c]:.12g})."
        )
    return values
