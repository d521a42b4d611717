"""Class weight: a parameter of scikit-learn's classifiers that is called priors here."""

from __future__ import annotations

from collections.abc import Collection

from suffice.errors import InvalidParameter

NAME = "class_weight"


def refuse_class_weight(kind: type, parameters: Collection[str]) -> None:
    """Raise if class_weight is among the parameters of a classifier."""
    if NAME in parameters:
        raise InvalidParameter(
            f"{kind.__name__} takes no class_weight, since priors move the odds alone: "
            "class_weight='balanced' is priors='uniform'. For other weights pass the probability "
            "of each class, priors={label: probability}, or the weight of each row, "
            "fit(X, y, sample_weight)."
        )
