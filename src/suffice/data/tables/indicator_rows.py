"""Indicator rows: the rows of a table with levels, as numbers and one indicator per level."""

from __future__ import annotations

from collections.abc import Iterable

from suffice.data.arrays import Array
from suffice.data.feature_rows import IndicatorFeatures
from suffice.data.tables.level_groups import distinct
from suffice.data.tables.prepared_table import PreparedTable
from suffice.data.tables.table_rows import TableReader
from suffice.errors import InvalidFeatures

# Max levels of one column in rows that are read in parts; more are names, not categories.
MOST_LEVELS = 1000


def indicator_rows(
    table: PreparedTable, reader: TableReader, most: int | None = None
) -> IndicatorFeatures:
    """Numbers, then an indicator for each level that occurs.

    most : the largest number of levels of a column; None for any
    """
    encoded = [column.encode() for column in table.levels]
    levels = tuple(own for own, _ in encoded)
    if most is not None:
        check_level_count(reader, levels, most)
    return IndicatorFeatures(
        table.numbers,
        tuple(codes for _, codes in encoded),
        tuple(map(len, levels)),
        0,
        every_name(reader, levels),
        levels,
    )


def every_name(reader: TableReader, levels: Iterable[Array]) -> tuple[str, ...]:
    """The names of the numeric features and of the indicators of all levels."""
    names = list(reader.numeric_names)
    for name, own in zip(reader.level_names, levels, strict=True):
        names += [f"{name}={level}" for level in own.tolist()]
    return distinct(names)


def check_level_count(
    reader: TableReader, levels: Iterable[Array], most: int = MOST_LEVELS
) -> None:
    """Raise where a column has too many levels to be categories: names or ids."""
    for name, own in zip(reader.level_names, levels, strict=True):
        if len(own) > most:
            raise InvalidFeatures(
                f"column {name!r} has {len(own):,} different levels so far, more than {most:,}: "
                f"they look like names or ids. Leave it out: "
                f"columns=suffice.describe(X, drop=[{name!r}])."
            )
