"""Drawing: rows of a model, of given classes or with given values, and missing values of rows."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from suffice.answers.imputation import draws
from suffice.answers.pair import class_codes
from suffice.answers.sampling import draw, generator, random_codes
from suffice.data.arrays import Indices
from suffice.data.parameters import check_room, count
from suffice.errors import InvalidFeatures, InvalidParameter
from suffice.models.scoring import posterior
from suffice.text import shown


def drawn_count(n_samples: Any, n_features: int) -> int:
    """The number of rows to draw, after checking that they fit into memory."""
    n = count("n_samples", n_samples, sys.maxsize)
    check_room("n_samples", n, 8 * n * (n_features + 1), "Draw fewer rows at a time.")
    return n


def seeds_of(rng: np.random.Generator) -> np.random.SeedSequence:
    """Seeds for the threads that draw."""
    return np.random.SeedSequence(rng.integers(0, 2**63, 4).tolist())


def draw_rows(
    estimator: Any, n_samples: Any, y: Any, random_state: Any, given: Any
) -> tuple[Any, Indices]:
    """Rows in the form of the model, and the positions of their classes; see `sample`."""
    model, n = estimator._fitted, drawn_count(n_samples, estimator.n_features_in_)
    rng = generator(random_state)
    row = None if given is None else given_row(estimator, given)
    if y is not None:
        codes = class_codes(model.classes, y, n)
    elif row is None:
        codes = random_codes(model.priors, n, rng)
    else:
        codes = random_codes(estimator._answer_rows(row, posterior)[0], n, rng)
    if row is None:
        return draw(model, codes, seeds_of(rng)), codes
    return draws(model, row[np.zeros(n, np.int64)], 1, codes, rng)[0], codes


def draw_values(
    estimator: Any, rows: Any, n_draws: Any, codes: Indices | None, random_state: Any
) -> Any:
    """Rows with their missing values drawn, `n_draws` times; see `impute_draws`."""
    n = count("n_draws", n_draws, sys.maxsize)
    size = 8 * n * len(rows) * estimator.n_features_in_
    check_room("n_draws", n, size, "Draw less often, or for fewer rows at a time.")
    return draws(estimator._fitted, rows, n, codes, generator(random_state))


def given_row(estimator: Any, given: Any) -> Any:
    """The given values as a single row in the model's form; all others are missing."""
    row = np.full((1, estimator.n_features_in_), None, object)
    if isinstance(given, Mapping):
        for feature, value in given.items():
            if _shape(value) != ():
                raise InvalidParameter(
                    f"given has {shown(value)} for {shown(feature)}; give one value."
                )
            row[0, estimator._feature(feature)] = value
    elif isinstance(given, str | bytes) or _shape(given) != row.shape[1:]:
        raise InvalidParameter(
            f"given is {shown(given)}; it must be a row of {row.shape[1]} values with NaN for "
            "those to draw, or a mapping from features to values."
        )
    else:
        row[0] = list(given)
    try:
        parsed = estimator._parse_row(row)
    except InvalidFeatures as error:
        raise InvalidParameter(f"given: {error}") from None
    estimator._check_finite(parsed)
    return parsed


def _shape(value: Any) -> tuple[int, ...] | None:
    """The shape of a value; None if nested lists have different lengths."""
    try:
        return tuple(np.shape(value))
    except ValueError:
        return None
