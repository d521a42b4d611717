"""Roles: which columns of an input are labels, weights and features."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import narwhals.stable.v2 as nw

from suffice.data.columns.column_options import MISSING_TEXTS
from suffice.data.columns.text_rules import looks_like_id
from suffice.data.labels import KINDS
from suffice.data.sources.chunk import chunk_rows
from suffice.data.sources.text_source import NULL_MARKERS
from suffice.data.tables.table import check_has, check_lacks_none
from suffice.data.tables.table_layout import TableLayout
from suffice.data.tables.table_rows import TableReader
from suffice.errors import (
    InvalidFeatures,
    InvalidLabels,
    InvalidParameter,
    InvalidWeights,
    NotNumbers,
)
from suffice.text import quote_names


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Which columns a user names, and how to read them.

    columns : the features in this order; None for all columns but the target and the weights
    layout : what the columns are, if the user has described them; None to find out
    drop : columns that are not features, where `columns` is None
    null_markers : texts that mean that a value is missing, beside those of every CSV
    drop_unlabelled : whether rows without a label are skipped
    allows_extra : whether files may have columns beside those described
    """

    target: str
    weight: str | None = None
    columns: tuple[str, ...] | None = None
    drop: tuple[str, ...] = ()
    null_markers: tuple[str, ...] = ()
    drop_unlabelled: bool = False
    layout: TableLayout | None = None
    allows_extra: bool = False

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

    @property
    def others(self) -> tuple[str, ...]:
        """The columns that are named and are not features."""
        return (self.target, *(() if self.weight is None else (self.weight,)), *self.drop)

    def features(self, names: Iterable[str], source: str) -> tuple[str, ...]:
        """The features among the columns of an input; an error reports one that is not there."""
        have = list(names)
        check_has([*self.others, *(self.columns or ())], have, source)
        features = self.columns or tuple(name for name in have if name not in self.others)
        if not features:
            raise InvalidFeatures(
                f"{source} has no column beside {quote_names(self.others)}: no features."
            )
        return features


@dataclass(frozen=True, slots=True)
class Roles:
    """The columns to read of every file."""

    options: ReadOptions
    features: tuple[str, ...]
    labels: str  # kind of the labels, as in `KINDS`
    typed: bool  # whether columns have a type, as in Parquet, or are text, as in CSV
    source: str  # the first file
    reader: TableReader | None = None  # how features are read that are not all numbers
    needs_sample: bool = False  # whether rows must show what the features are

    @classmethod
    def of(cls, schema: Mapping[str, Any], typed: bool, source: str, options: ReadOptions) -> Roles:
        """The roles in the first file."""
        features = options.features(schema, _name_of(source))
        roles = cls(options, features, _label_kind(schema, options, source), typed, source)
        if options.layout is not None:
            return roles._with_layout(options.layout, schema)
        plain = typed and all(
            _is_numeric(schema[name]) and not looks_like_id(name) for name in features
        )
        return replace(roles, needs_sample=not plain)

    def _with_layout(self, layout: TableLayout, schema: Mapping[str, Any]) -> Roles:
        """The roles where the user has described the columns."""
        reader = TableReader.described(layout.without(self.options.others))
        check_has(reader.names, schema, _name_of(self.source))
        return self.with_reader(None if reader.layout.is_plain else reader, reader.names)

    def with_reader(
        self, reader: TableReader | None, features: tuple[str, ...] | None = None
    ) -> Roles:
        """The roles with features that a reader reads; None where all are numbers."""
        used = features or self.features if reader is None else reader.names
        return replace(self, features=used, reader=reader, needs_sample=False)

    @property
    def chunk_rows(self) -> int:
        """Number of rows in a chunk; texts and indicators take more memory than numbers."""
        if self.reader is None:
            return chunk_rows(len(self.features))
        numbers, levels = len(self.reader.numeric_names), len(self.reader.level_names)
        columns_per_level = 16  # columns of numbers that take as much memory as one of levels
        return chunk_rows(numbers + columns_per_level * levels)

    @property
    def texts(self) -> tuple[str, ...]:
        """The columns of CSV that are read as text."""
        return (self.options.target, *(() if self.reader is None else self.reader.text_columns))

    @property
    def number_markers(self) -> tuple[str, ...]:
        """Texts that mean a missing value in the numeric columns of CSV."""
        return MISSING_TEXTS if self.reader is None else self.reader.layout.missing

    @property
    def reading(self) -> TableReader | None:
        """The reader of rows that may hold further null markers, those of any CSV."""
        if self.reader is None:
            return None
        markers = (*(() if self.typed else NULL_MARKERS), *self.options.null_markers)
        layout = self.reader.layout
        return TableReader(replace(layout, missing=(*layout.missing, *markers)))

    @property
    def names(self) -> tuple[str, ...]:
        """All columns to read."""
        weight = self.options.weight
        return (*self.features, self.options.target, *([] if weight is None else [weight]))

    def check(self, schema: Mapping[str, Any], typed: bool, source: str) -> None:
        """Raise unless a further file has the same columns; their order does not matter."""
        check_lacks_none(self.names, schema, source, f", which {self.source} has")
        known = self.names if self.reader is None else (*self.names, *self.reader.layout.names)
        extra = [name for name in schema if name not in (*known, *self.options.drop)]
        if extra and self.options.columns is None and not self.options.allows_extra:
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
        self.check_numbers(schema, source)

    def check_numbers(self, schema: Mapping[str, Any], source: str) -> None:
        """Raise unless the columns of numbers have types of numbers."""
        plain = self.features if self.reader is None else ()
        bad = [name for name in plain if not _is_numeric(schema[name])]
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
                "numbers, 0 or more."
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
