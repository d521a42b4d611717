"""Summarize a table: rows with columns of levels -> statistics of numbers and indicators."""

from __future__ import annotations

from typing import Any

from suffice.data.features import IndicatorFeatures
from suffice.data.table_rows import TableReader, TableRows
from suffice.statistics.summarize import summarize
from suffice.statistics.table_statistics import TableStatistics, every_name


def summarize_table(
    table: TableRows, y: Any, sample_weight: Any, detail: str, reader: TableReader
) -> TableStatistics:
    """The statistics of the rows of a table, read by its reader."""
    encoded = [column.encode() for column in table.levels]
    levels = tuple(own for own, _ in encoded)
    features = IndicatorFeatures(
        table.numbers,
        tuple(codes for _, codes in encoded),
        tuple(map(len, levels)),
        0,
        every_name(reader, levels),
    )
    return TableStatistics(summarize(features, y, sample_weight, detail), reader, levels)
