"""Marginals: posteriors of rows of which some columns are integrated out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.tables.mixed import mask
from suffice.data.tables.shared_reading import shared_reading
from suffice.estimators.pooled.pooled_model import PooledModel
from suffice.models.scoring import log_posterior, normalised


def marginal_posterior(model: Any, X: Any) -> Callable[[Array], Floats]:
    """ln p(y | x), (n, k), as a function of the columns that are left out.

    These are a mask (d,), or one per row, (n, d). The rows are read once, however often the
    function is called.

    model : fitted, with a density

    >>> import suffice as sf
    >>> X = [[1.0, 5.0], [2.0, 4.0], [4.0, 5.0], [6.0, 4.5]]
    >>> model = sf.GaussianNB().fit(X, ["a", "a", "b", "b"])
    >>> answer = marginal_posterior(model, X)
    >>> np.exp(answer(np.array([True, True]))[0]).round(2)
    array([0.5, 0.5])
    """
    fitted = model._fitted
    if isinstance(fitted, PooledModel):
        with shared_reading():
            members = [marginal_posterior(member, X) for member in fitted.with_density.values()]

        def pooled(left_out: Array) -> Floats:
            scores = fitted.combine([answer(left_out) for answer in members])
            return normalised(scores, axis=1)

        return pooled
    rows, owners = model._rows(X), column_owners(model)
    model._check_finite(rows)
    return lambda left_out: model._answer_rows(mask(rows, left_out[..., owners]), log_posterior)


def column_owners(model: Any) -> Indices:
    """The column that each feature of a model's rows belongs to, part by part."""
    reader, encoding = model._learned.reader, model._learned.encoding
    if encoding is not None:
        return np.asarray(encoding.owner)
    owners = np.arange(model.n_features_in_) if reader is None else np.array(reader.owners)
    layout = getattr(model._fitted, "layout", None)
    if layout is None:
        return owners
    return owners[[j for at in layout.parts.values() for j in at]]
