"""Splitting: what users pass as cv -> folds that train on every class.

scikit-learn's splitters are imported where they are used: a fit without folds needs none.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Indices
from suffice.data.gaps import is_missing
from suffice.data.parameters import is_number
from suffice.data.tables.labelled_table import LabelledTable
from suffice.errors import InvalidParameter, TooFewRows
from suffice.selection.folds import Fold
from suffice.text import quote_names, shown


def make_folds(
    table: LabelledTable, cv: Any, groups: Any = None, repeats: int = 1, first_seed: int = 0
) -> tuple[list[Fold], list[str]]:
    """Folds without rows of weight zero, and notes on deviations from what was requested.

    cv : number of stratified folds of shuffled rows (of whole groups, if there are groups), a
        scikit-learn splitter, or an iterable of (train, test) row numbers
    repeats : how often rows are shuffled into that many folds
    first_seed : of the shuffling
    """
    n, codes = len(table), table.codes
    if groups is not None:
        groups = _group_codes(groups, n)
    counts = table.weight > 0
    if not isinstance(cv, int | np.integer) or not is_number(cv):
        given = _given_folds(cv, table, groups)
        return [Fold(f.train[counts[f.train]], f.test[counts[f.test]]) for f in given], []
    at = np.flatnonzero(counts)
    if cv < 2:
        raise InvalidParameter(f"cv is {cv}; it must be at least 2 folds.")
    folds: list[Fold] = []
    # Tables are often sorted, so rows are shuffled: always the same way for the same repeat.
    for seed in range(first_seed, first_seed + repeats):
        if groups is None:
            some, notes = _stratified_folds(int(cv), codes[at], table.classes, seed)
        else:
            some, notes = _grouped_folds(int(cv), codes[at], groups[at], seed)
        folds += some
    return [Fold(at[fold.train], at[fold.test]) for fold in folds], notes


def _stratified_folds(
    cv: int, codes: Indices, classes: Array, seed: int
) -> tuple[list[Fold], list[str]]:
    from sklearn.model_selection import StratifiedKFold

    sizes = np.bincount(codes, minlength=len(classes))
    largest = int(sizes.max())
    notes = []
    if largest < 2:
        raise TooFewRows("every class has 1 row; testing a model needs a class with 2.")
    if largest < cv:
        notes.append(f"{largest} folds instead of {cv}: no class has more rows.")
        cv = largest
    single = np.flatnonzero(sizes == 1)
    tested = np.flatnonzero(~np.isin(codes, single))
    if len(single):
        notes.append(
            f"class {quote_names(classes[single])} has a single row: it trains in every fold and "
            "is never tested."
            if len(single) == 1
            else f"classes {quote_names(classes[single])} have a single row each: they train in "
            "every fold and are never tested."
        )
    few = np.flatnonzero((sizes > 1) & (sizes < cv))
    if len(few):
        noun, has, it = (
            ("class", "has", "it") if len(few) == 1 else ("classes", "have", "all of them")
        )
        notes.append(
            f"{noun} {quote_names(classes[few])} {has} fewer rows than there are folds, so some "
            f"folds do not test {it}."
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the notes report it
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
            f"groups has shape {values.shape} for {n} rows; pass one group per row."
        )
    missing = np.array([is_missing(value) for value in values.tolist()])
    if missing.any():
        raise InvalidParameter(
            f"groups is missing in row {int(missing.argmax())}; give every row a group."
        )
    if values.dtype.kind == "O":
        values = np.array([str(value) for value in values.tolist()])
    return np.asarray(np.unique(values, return_inverse=True)[1], np.int64)


def _grouped_folds(
    cv: int, codes: Indices, groups: Indices, seed: int
) -> tuple[list[Fold], list[str]]:
    from sklearn.model_selection import StratifiedGroupKFold

    n_groups, notes = len(np.unique(groups)), []
    if n_groups < 2:
        raise TooFewRows("all rows are in one group, so none is left to train on.")
    if n_groups < cv:
        notes.append(f"{n_groups} folds instead of {cv}: there are no more groups.")
        cv = n_groups
    splitter = StratifiedGroupKFold(cv, shuffle=True, random_state=seed)
    return _as_folds(splitter.split(groups, codes, groups), len(codes)), notes


def _given_folds(cv: Any, table: LabelledTable, groups: Any) -> list[Fold]:
    from sklearn.model_selection import check_cv

    codes = table.codes
    try:
        splitter = check_cv(cv, codes, classifier=True)
        splits = [(train, test) for train, test in splitter.split(table.X, codes, groups)]
    except (TypeError, ValueError, IndexError) as error:
        raise InvalidParameter(f"cv={shown(cv)} does not split these rows: {error}") from None
    return _as_folds(splits, len(codes))


def _as_folds(splits: Any, n: int) -> list[Fold]:
    return [
        Fold(_row_numbers(train, n, number), _row_numbers(test, n, number))
        for number, (train, test) in enumerate(splits)
    ]


def _row_numbers(rows: Any, n: int, fold: int) -> Indices:
    """Row numbers, from row numbers or a mask."""
    values = np.asarray(rows)
    if values.dtype.kind == "b" and values.shape == (n,):
        return np.flatnonzero(values)
    if values.size and (values.ndim != 1 or values.dtype.kind not in "iu"):
        raise InvalidParameter(
            f"fold {fold} of cv holds {values.dtype} values of shape {values.shape}; pass row "
            "numbers, or a mask of all rows."
        )
    outside = values[(values < 0) | (values >= n)]
    if outside.size:
        raise InvalidParameter(
            f"fold {fold} of cv names row {outside[0]}; there are {n} rows, counted from 0."
        )
    return values.astype(np.int64).reshape(-1)
