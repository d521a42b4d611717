"""Splitting: what users call cv -> folds that train on every class."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, check_cv

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.labels import shown
from suffice.data.missing import is_missing
from suffice.data.parameters import is_number
from suffice.errors import InvalidParameter, TooFewRows
from suffice.selection.folds import Fold
from suffice.statistics.statistics import listed

# Tables are often sorted, so that neighbours are alike: rows are shuffled, always the same way.
SEED = 0


def folds_of(
    cv: Any,
    X: Any,
    classes: Array,
    codes: Indices,
    weights: Floats | None = None,
    groups: Any = None,
    repeats: int = 1,
) -> tuple[list[Fold], list[str]]:
    """Folds without rows of weight zero, and notes on what is otherwise than asked for.

    cv : how many stratified folds of shuffled rows (of whole groups, if there are groups), a
        splitter of scikit-learn, or an iterable of (train, test) row numbers
    repeats : how often rows are dealt into that many folds
    """
    n = len(codes)
    if groups is not None:
        groups = _group_codes(groups, n)
    counts = np.ones(n, bool) if weights is None else weights > 0
    if not isinstance(cv, int | np.integer) or not is_number(cv):
        given = _given(cv, X, codes, groups)
        return [Fold(f.train[counts[f.train]], f.test[counts[f.test]]) for f in given], []
    at = np.flatnonzero(counts)
    check_count(int(cv))
    folds: list[Fold] = []
    for seed in range(SEED, SEED + repeats):
        if groups is None:
            some, notes = _stratified(int(cv), codes[at], classes, seed)
        else:
            some, notes = _grouped(int(cv), codes[at], groups[at], seed)
        folds += some
    return [Fold(at[fold.train], at[fold.test]) for fold in folds], notes


def check_count(cv: int) -> None:
    """Raise unless there are at least two folds."""
    if cv < 2:
        raise InvalidParameter(f"cv is {cv}; it takes at least 2 folds.")


def _stratified(cv: int, codes: Indices, classes: Array, seed: int) -> tuple[list[Fold], list[str]]:
    sizes = np.bincount(codes, minlength=len(classes))
    largest = int(sizes.max())
    notes = []
    if largest < 2:
        raise TooFewRows("every class has 1 row; to test a model some class needs two.")
    if largest < cv:
        notes.append(f"{largest} folds instead of {cv}: no class has more rows.")
        cv = largest
    alone = np.flatnonzero(sizes == 1)
    tested = np.flatnonzero(~np.isin(codes, alone))
    if len(alone):
        notes.append(
            f"class {listed(classes[alone])} has a single row: it trains in every fold and is "
            "never tested."
        )
    few = np.flatnonzero((sizes > 1) & (sizes < cv))
    if len(few):
        notes.append(
            f"class {listed(classes[few])} has fewer rows than there are folds, so some folds do "
            "not test it."
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # said in the notes
        splitter = StratifiedKFold(cv, shuffle=True, random_state=seed)
        splits = list(splitter.split(tested, codes[tested]))
    everyone = np.arange(len(codes))
    return [Fold(np.delete(everyone, tested[test]), tested[test]) for _, test in splits], notes


def _group_codes(groups: Any, n: int) -> Indices:
    try:
        values = np.asarray(groups)
    except ValueError:
        values = np.empty((0, 0))
    if values.shape != (n,):
        raise InvalidParameter(
            f"groups has the shape {values.shape} for {n} rows; give one group a row."
        )
    if values.dtype.kind == "O":
        missing = [i for i, value in enumerate(values.tolist()) if is_missing(value)]
        if missing:
            raise InvalidParameter(f"groups has no entry in row {missing[0]}; give every row one.")
        values = np.array([str(value) for value in values.tolist()])
    elif values.dtype.kind == "f" and np.isnan(values).any():
        row = int(np.isnan(values).argmax())
        raise InvalidParameter(f"groups has no entry in row {row}; give every row one.")
    return np.asarray(np.unique(values, return_inverse=True)[1], np.int64)


def _grouped(cv: int, codes: Indices, groups: Indices, seed: int) -> tuple[list[Fold], list[str]]:
    found, notes = len(np.unique(groups)), []
    if found < 2:
        raise TooFewRows("all rows are in one group, so none is left to train on.")
    if found < cv:
        notes.append(f"{found} folds instead of {cv}: there are no more groups.")
        cv = found
    splitter = StratifiedGroupKFold(cv, shuffle=True, random_state=seed)
    return _folds(splitter.split(groups, codes, groups), len(codes)), notes


def _given(cv: Any, X: Any, codes: Indices, groups: Any) -> list[Fold]:
    try:
        splitter = check_cv(cv, codes, classifier=True)
        splits = [(train, test) for train, test in splitter.split(X, codes, groups)]
    except (TypeError, ValueError, IndexError) as error:
        raise InvalidParameter(f"cv={shown(cv)} does not split these rows: {error}") from None
    return _folds(splits, len(codes))


def _folds(splits: Any, n: int) -> list[Fold]:
    return [
        Fold(_numbers(train, n, number), _numbers(test, n, number))
        for number, (train, test) in enumerate(splits)
    ]


def _numbers(rows: Any, n: int, fold: int) -> Indices:
    """Row numbers, from row numbers or a mask."""
    found = np.asarray(rows)
    if found.dtype.kind == "b" and found.shape == (n,):
        return np.flatnonzero(found)
    if found.size and (found.ndim != 1 or found.dtype.kind not in "iu"):
        raise InvalidParameter(
            f"fold {fold} of cv holds {found.dtype} values of shape {found.shape}; it takes row "
            "numbers, or a mask of all rows."
        )
    out = found[(found < 0) | (found >= n)]
    if out.size:
        raise InvalidParameter(
            f"fold {fold} of cv names row {out[0]}; there are {n} rows, counted from 0."
        )
    return found.astype(np.int64).reshape(-1)
