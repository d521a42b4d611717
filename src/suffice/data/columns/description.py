"""Description: the columns of a table, what each is taken for, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from suffice.data.columns.cell_reading import cells_of
from suffice.data.columns.column_kinds import Number, SetAside, Target
from suffice.data.columns.column_options import ColumnOptions, Role
from suffice.data.columns.column_rules import describe_column
from suffice.data.columns.described_column import DescribedColumn
from suffice.data.sources.object_source import BatchSource, is_stream, open_object
from suffice.data.sources.paths import file_paths, is_paths
from suffice.data.sources.roles import ReadOptions
from suffice.data.sources.sample import SampleSize, sample_rows
from suffice.data.sources.source import open_source
from suffice.data.tables.table_layout import TableLayout, describe_columns
from suffice.data.tables.user_table import row_count
from suffice.errors import InvalidFeatures, InvalidParameter
from suffice.html import html_table
from suffice.text import align_columns, plural, shorten, visible


@dataclass(frozen=True, slots=True, repr=False)
class Description:
    """The columns of a table, as `describe` finds them.

    layout : how the columns of this and of any later table are read
    """

    _header: ClassVar[tuple[str, ...]] = ("column", "kind", "missing", "levels", "why")

    rows: int
    columns: tuple[DescribedColumn, ...]
    target: str | None
    layout: TableLayout
    is_sample: bool = False  # whether only some rows were looked at

    @property
    def set_aside(self) -> tuple[DescribedColumn, ...]:
        """The columns that are not used."""
        return tuple(column for column in self.columns if column.kind.label == SetAside.label)

    @property
    def holds_numbers(self) -> bool:
        """Whether all columns that are used hold numbers."""
        kinds = {column.kind.label for column in self.columns} - {SetAside.label, Target.label}
        return kinds <= {Number.label}

    @property
    def notes(self) -> tuple[str, ...]:
        """Which columns and cells are not used, one sentence each."""
        return tuple(column.note for column in self.columns if column.note is not None)

    def __str__(self) -> str:
        numbers = [self._header.index(name) for name in ("missing", "levels")]
        lines = align_columns([self._header, *map(_cells, self.columns)], numbers)
        return "\n".join([self._title, *lines])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        """The table in a notebook."""
        return html_table(
            self._header, map(_cells, self.columns), caption=self._title, words=(0, 1, 4)
        )

    def to_dict(self) -> dict[str, Any]:
        """The description as values that JSON can hold."""
        columns = [
            {
                "column": column.name,
                "kind": column.kind.label,
                "missing": column.missing,
                "levels": column.levels,
                "why": column.why,
            }
            for column in self.columns
        ]
        return {"rows": self.rows, "target": self.target, "columns": columns}

    @property
    def _title(self) -> str:
        used = len(self.columns) - len(self.set_aside) - (self.target is not None)
        rows = plural(self.rows, "sampled row" if self.is_sample else "row")
        counts = [rows, f"{plural(used, 'column')} used"]
        counts += [f"{len(self.set_aside)} set aside"] if self.set_aside else []
        return ", ".join(counts)


def describe(
    X: Any,
    target: Any = None,
    *,
    categorical: Any = (),
    numeric: Any = (),
    drop: Any = (),
    text: Any = (),
    missing: Sequence[str] | str | None = None,
    dates: str = "parts",
) -> Description:
    """The columns of a table, what each is taken for, and why.

    X : data frame, array, or list of rows. Of files (by name, pattern or list) and of lazy frames
        some of the rows are looked at, spread over the files
    target : column with the classes, by name or position; or the classes themselves
    categorical : further columns whose values are categories (levels), by name or position
    numeric : columns whose values are numbers; what cannot be read as one is missing
    drop : columns to leave out
    text : columns whose values are text even where they look like numbers or dates
    missing : texts that mean a missing value; None for the usual ones ("?", "NA", ...).
        "indicator", alone or among such texts, adds a feature to each column with gaps: whether
        it is missing. The values themselves are integrated out where they are missing, as always
    dates : "parts" reads dates as year, month, weekday, hour and days since 1970-01-01;
        "drop" sets them aside

    >>> import pandas as pd
    >>> table = pd.DataFrame({
    ...     "id": [1, 2, 3], "price": ["$1,200", "?", "$900"], "colour": ["red", "blue", "red"],
    ... })
    >>> describe(table, "colour")
    3 rows, 1 column used, 1 set aside
    column  kind           missing  levels  why
    id      set aside                       whole numbers, all different, under the name of an \
id (say numeric=['id'] to use them)
    price   number (text)        1          2 of 3 cells of price are numbers, the others are '?': \
treated as missing (say missing=[] to keep them as levels)
    colour  target                       2  the classes
    """
    options = ColumnOptions(categorical, numeric, drop, text, missing, dates)
    sample = _sample(X, target)
    X = X if sample is None else sample
    has_labels = hasattr(target, "__len__") and not isinstance(target, str | tuple)
    columns, named = describe_columns(X, None if has_labels else target, options)
    if has_labels:
        own = str(getattr(target, "name", None) or "y")
        cells = cells_of(np.asarray(target, object))
        columns.append(describe_column(own, cells, Role.TARGET, options))
    labels = [column.name for column in columns if isinstance(column.kind, Target)]
    layout = TableLayout.of_columns(columns, options.markers, named)
    label = labels[0] if labels else None
    return Description(row_count(X), tuple(columns), label, layout, sample is not None)


def _sample(X: Any, target: Any) -> Any | None:
    """Some rows of files or of a lazy frame; None for a table in memory."""
    if is_paths(X):
        paths = file_paths(X)
        options = ReadOptions("" if target is None else str(target))
        first = open_source(paths[0], options)
        sample = sample_rows(paths, first, options, list(first.schema))
        if sample is None:
            raise InvalidFeatures(f"there is no row to look at in {paths[0]}.")
        return sample
    if hasattr(X, "shape") or not is_stream(X):
        return None
    source = open_object(X)
    if isinstance(source, BatchSource):
        raise InvalidParameter(
            f"a {type(X).__name__} can be read only once, so it cannot be described first; "
            "describe a table of some of its rows."
        )
    return source.head(SampleSize().rows_of(len(source.schema)))


def _cells(column: DescribedColumn) -> tuple[str, ...]:
    """The row of a column in a printed table."""
    levels = "" if column.levels is None else f"{column.levels:,}"
    missing = f"{column.missing:,}" if column.missing else ""
    longest_name = 32  # characters of a name in a printed table
    name = shorten(visible(column.name), longest_name)
    return (name, column.kind.label, missing, levels, visible(column.why))
