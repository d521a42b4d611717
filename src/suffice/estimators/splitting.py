"""Splitting: what users call cv -> folds that train on every class."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, check_cv

from suffice.data.arrays import Array, Floats, Indices
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
) -> tuple[list[Fold], list[str]]:
    """Folds without rows of weight zero, and notes on what is otherwise than asked for.

    cv : how many stratified folds of shuffled rows (of whole groups, if there are groups), a
        splitter of scikit-learn, or an iterable of (train, test) row numbers
    """
    n = len(codes)
    if groups is not None and np.shape(groups) != (n,):
        raise InvalidParameter(f"groups has {len(groups)} entries for {n} rows.")
    counts = np.ones(n, bool) if weights is None else weights > 0
    if not isinstance(cv, int | np.integer) or isinstance(cv, bool):
        given = _given(cv, X, codes, groups)
        return [Fold(f.train[counts[f.train]], f.test[counts[f.test]]) for f in given], []
    at = np.flatnonzero(counts)
    check_count(int(cv), len(at))
    if groups is None:
        folds, notes = _stratified(int(cv), codes[at], classes)
    else:
        folds, notes = _grouped(int(cv), codes[at], np.asarray(groups)[at]), []
    return [Fold(at[fold.train], at[fold.test]) for fold in folds], notes


def check_count(cv: int, n: int) -> None:
    """Raise unless n rows make so many folds."""
    if cv < 2:
        raise InvalidParameter(f"cv is {cv}; it takes at least 2 folds.")
    if cv > n:
        raise TooFewRows(f"there are {n} rows, too few for {cv} folds; use fewer folds.")


def _stratified(cv: int, codes: Indices, classes: Array) -> tuple[list[Fold], list[str]]:
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
        splitter = StratifiedKFold(cv, shuffle=True, random_state=SEED)
        splits = list(splitter.split(tested, codes[tested]))
    everyone = np.arange(len(codes))
    return [Fold(np.delete(everyone, tested[test]), tested[test]) for _, test in splits], notes


def _grouped(cv: int, codes: Indices, groups: Array) -> list[Fold]:
    found = len(np.unique(groups))
    if found < cv:
        raise TooFewRows(f"there are {found} groups, too few for {cv} folds; use fewer folds.")
    splitter = StratifiedGroupKFold(cv, shuffle=True, random_state=SEED)
    return _folds(splitter.split(groups, codes, groups))


def _given(cv: Any, X: Any, codes: Indices, groups: Any) -> list[Fold]:
    try:
        splitter = check_cv(cv, codes, classifier=True)
        return _folds(splitter.split(X, codes, groups))
    except (TypeError, ValueError, IndexError) as error:
        raise InvalidParameter(f"cv={cv!r} does not split these rows: {error}") from None


def _folds(splits: Any) -> list[Fold]:
    return [Fold(_numbers(train), _numbers(test)) for train, test in splits]


def _numbers(rows: Any) -> Indices:
    rows = np.asarray(rows)
    return np.flatnonzero(rows) if rows.dtype.kind == "b" else rows
