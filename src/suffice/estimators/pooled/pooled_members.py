"""Pooled members: the models of a pool before they are pooled, and the rows they are fitted to."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from suffice.data.arrays import Array, Floats
from suffice.data.features import as_features
from suffice.data.tables.labelled_table import LabelledTable
from suffice.data.tables.table_rows import TableReader
from suffice.errors import Mismatch
from suffice.estimators.automatic.candidates import fit
from suffice.estimators.automatic.trial import Trial
from suffice.estimators.gaussian import GaussianDiscriminant, GaussianNB
from suffice.estimators.linear import LDA
from suffice.estimators.mixed import MixedNB


def default_members(reader: TableReader | None) -> dict[str, Any]:
    """LDA, a pooled and shrunk Gaussian model, and naive Bayes of the kind that the table needs.

    reader : how a table with levels is read; None for one of numbers
    """
    return {
        "LDA": LDA(),
        "GaussianDiscriminant": GaussianDiscriminant(pooling=0.5, shrinkage=0.1, target="diagonal"),
        "naive Bayes": GaussianNB() if reader is None else MixedNB(),
    }


def checked_rows(X: Any, columns: Any) -> Any:
    """The rows, if they are a table; errors about them come before those about labels."""
    if TableReader.of(X, columns) is not None:
        return X
    as_features(X)
    return X if hasattr(X, "shape") or not hasattr(X, "__array__") else np.asarray(X)


def class_weight(table: LabelledTable) -> Floats:
    """Total weight of each class, (k,)."""
    weight = np.bincount(table.codes, table.weight, len(table.classes))
    return np.asarray(weight, np.float64)


def shares_of(weight: Floats) -> Floats:
    """The share of each class in the total weight, (k,)."""
    return np.asarray(weight / weight.sum())


def fit_member(name: str, model: Any, trial: Trial) -> Any:
    """A member fitted to all rows of a trial; raises if it has other classes."""
    fitted = fit(clone(model), trial.table.X, trial.y, trial.table.weights)
    check_classes(name, fitted, trial.table.classes)
    return fitted


def check_classes(name: str, member: Any, classes: Array) -> None:
    """Raise unless a fitted member has these classes."""
    own = np.asarray(member.classes_).tolist()
    if own != classes.tolist():
        raise Mismatch(
            f"member {name!r} has the classes {own}, where y has {classes.tolist()}; fit all "
            "members to the same rows."
        )
