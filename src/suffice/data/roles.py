"""Roles: which columns of an input are labels, weights and features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw

from suffice.data.labels import KINDS
from suffice.data.table import check_has, nearest, quote_names
from suffice.errors import (
    InvalidFeatures,
    InvalidLabels,
    InvalidParameter,
    InvalidWeights,
    NotNumbers,
)


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Which columns a user names, and how to read them.

    columns : the features in this order; None for all columns but the target and the weights
    drop : columns that are not features, where `columns` is None
    null_markers : texts that mean that a value is missing, beside those of every CSV
    drop_unlabelled : whether rows without a label are skipped
    """

    target: str
    weight: str | None = None
    columns: tuple[str, ...] | None = None
    drop: tuple[str, ...] = ()
    null_markers: tuple[str, ...] = ()
    drop_unlabelled: bool = False

    def __post_init__(self) -> None:
        chosen = self.columns or ()
        if self.weight == self.target:
            raise InvalidParameter(f"column {self.target!r} cannot be the target and the weights.")
        for name, role in ((self.target, "target"), (self.weight, "weights")):
            if name is not None and name in (*chosen, *self.drop):
                raise InvalidParameter(f"column {name!r} is the {role}, not a feature.")
        repeated = [name for name in dict.fromkeys(chosen) if chosen.count(name) > 1]
        if repeated:
            raise InvalidParameter(f"columns names {quote_names(repeated)} more than once.")
        if self.columns is not None and not chosen:
            raise InvalidParameter("columns is empty; name at least one feature.")


@dataclass(frozen=True, slots=True)
class Roles:
    """The columns to read of every file."""

    options: ReadOptions
    features: tuple[str, ...]
    labels: str  # kind of the labels, as in `KINDS`
    typed: bool  # whether the labels have a type, as in Parquet, or are text, as in CSV
    source: str  # the first file

    @classmethod
    def of(cls, schema: Mapping[str, Any], typed: bool, source: str, options: ReadOptions) -> Roles:
        """The roles in the first file."""
        needed = [options.target, *([options.weight] if options.weight else []), *options.drop]
        check_has([*needed, *(options.columns or ())], schema, _name_of(source))
        features = options.columns or tuple(name for name in schema if name not in needed)
        if not features:
            raise InvalidFeatures(f"{_name_of(source)} has no column beside {quote_names(needed)}.")
        roles = cls(options, features, _label_kind(schema, options, source), typed, source)
        roles._check_numbers(schema, source)
        return roles

    @property
    def names(self) -> tuple[str, ...]:
        """All columns to read."""
        weight = self.options.weight
        return (*self.features, self.options.target, *([] if weight is None else [weight]))

    def check(self, schema: Mapping[str, Any], typed: bool, source: str) -> None:
        """Raise unless a further file has the same columns; their order does not matter."""
        absent = [name for name in self.names if name not in schema]
        if absent:
            near = nearest(absent[0], [name for name in schema if name not in self.names])
            hint = f" Is {absent[0]!r} there called {near!r}?" if near else ""
            raise InvalidFeatures(
                f"{source} lacks {quote_names(absent)}, which {self.source} has.{hint} Its columns "
                f"are {quote_names(schema)}."
            )
        extra = [name for name in schema if name not in (*self.names, *self.options.drop)]
        if extra and self.options.columns is None:
            raise InvalidFeatures(
                f"{source} has {quote_names(extra)} beside the columns of {self.source}. Choose "
                "the features by columns=."
            )
        kind = _label_kind(schema, self.options, source)
        if (kind, typed) != (self.labels, self.typed):
            here, there = _describe(kind, typed), _describe(self.labels, self.typed)
            raise InvalidLabels(
                f"the labels {self.options.target!r} are {here} in {source} but {there} in "
                f"{self.source}; write them alike."
            )
        self._check_numbers(schema, source)

    def _check_numbers(self, schema: Mapping[str, Any], source: str) -> None:
        bad = [name for name in self.features if not _is_numeric(schema[name])]
        if bad:
            raise NotNumbers(
                f"{_name_of(source)} has columns that are not numbers: {quote_names(bad)} "
                f"({bad[0]!r} holds {schema[bad[0]]}). Choose the features by columns=, or encode "
                "them as numbers first."
            )
        weight = self.options.weight
        if weight is not None and not _is_numeric(schema[weight]):
            raise InvalidWeights(
                f"the weights {weight!r} of {_name_of(source)} hold {schema[weight]}; they must be "
                "numbers from 0 on."
            )


def _label_kind(schema: Mapping[str, Any], options: ReadOptions, source: str) -> str:
    dtype = schema[options.target]
    if dtype.is_integer():
        return "i"
    if dtype.is_float():
        return "f"
    # Types of columns that can be labels, and the kind of NumPy array they become.
    label_kinds = ((nw.Boolean, "b"), (nw.String, "U"), (nw.Categorical, "U"), (nw.Enum, "U"))
    for kind, letter in label_kinds:
        if dtype == kind:
            return letter
    raise InvalidLabels(
        f"the labels {options.target!r} of {_name_of(source)} hold {dtype}; labels may be strings, "
        "integers, booleans or categories."
    )


def _is_numeric(dtype: Any) -> bool:
    # A column of nulls has no type.
    return bool(dtype.is_numeric() or dtype == nw.Boolean or dtype == nw.Unknown)


def _describe(kind: str, typed: bool) -> str:
    return KINDS[kind] if typed else "text of a CSV"


def _name_of(source: str) -> str:
    return source or "the input"
