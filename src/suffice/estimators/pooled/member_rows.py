"""Member rows: tables that several members answered with, combined row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from suffice.data.arrays import Array, Floats, Indices
from suffice.data.features import as_features
from suffice.data.tables.table_rows import TableReader


@dataclass(frozen=True, slots=True, eq=False)
class MemberRows:
    """The rows of a table without gaps: its numbers, and its levels column by column."""

    numbers: Floats  # (n, numeric features)
    levels: tuple[Array, ...]  # (n,) for each column of levels

    @classmethod
    def of(cls, table: Any, reader: TableReader | None, discrete: Sequence[int]) -> MemberRows:
        """The rows of a table.

        reader : how a table with levels is read
        discrete : positions of the columns of numbers that are levels
        """
        if reader is not None:
            rows = reader.read(table)
            return cls(rows.numbers, tuple(column.values for column in rows.levels))
        features = as_features(table)
        values = np.asarray(features.read(0, features.shape[0]), np.float64)
        numeric = np.delete(values, list(discrete), axis=1)
        return cls(numeric, tuple(values[:, j] for j in discrete))


def mean_of(parts: Sequence[MemberRows], shares: Floats) -> MemberRows:
    """The mean of the numbers by `shares` (n, m), and the levels that most of the shares name."""
    numbers = sum(
        share[:, None] * part.numbers for share, part in zip(shares.T, parts, strict=True)
    )
    columns = zip(*(part.levels for part in parts), strict=True)
    return MemberRows(np.asarray(numbers), tuple(_vote(own, shares) for own in columns))


def pick(parts: Sequence[MemberRows], chosen: Indices) -> MemberRows:
    """Each row from the part that was chosen for it."""
    every = np.arange(len(chosen))
    columns = zip(*(part.levels for part in parts), strict=True)
    return MemberRows(
        np.stack([part.numbers for part in parts])[chosen, every],
        tuple(np.stack(own)[chosen, every] for own in columns),
    )


def joined(parts: Sequence[MemberRows], places: Sequence[Indices]) -> MemberRows:
    """Rows of several parts, each at its places."""
    order = np.argsort(np.concatenate(places), kind="stable")
    columns = zip(*(part.levels for part in parts), strict=True)
    return MemberRows(
        np.concatenate([part.numbers for part in parts])[order],
        tuple(np.concatenate(own)[order] for own in columns),
    )


def in_columns(rows: MemberRows, discrete: Sequence[int]) -> Floats:
    """Rows of numbers in the order of the columns, where some of them are levels."""
    d = rows.numbers.shape[1] + len(discrete)
    out = np.empty((len(rows.numbers), d))
    out[:, np.delete(np.arange(d), list(discrete))] = rows.numbers
    for j, values in zip(discrete, rows.levels, strict=True):
        out[:, j] = values
    return out


def _vote(columns: Sequence[Array], shares: Floats) -> Array:
    """In each row, the value of the largest total share."""
    values, codes = np.unique(np.stack(columns), return_inverse=True)
    votes = np.zeros((len(shares), len(values)))
    for share, own in zip(shares.T, codes.reshape(len(columns), -1), strict=True):
        np.add.at(votes, (np.arange(len(own)), own), share)
    return np.asarray(values[votes.argmax(axis=1)])
