"""Text types: columns of text with the narrowest type that all of their cells have."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from suffice.data.columns.written_numbers import BARE_EXPONENT, CODE_SHARE, LEADING_ZERO
from suffice.data.packages import require_polars
from suffice.data.tables.table import reads_as_number


def are_numbers(null_markers: Sequence[str]) -> bool:
    """Whether one of some null markers is a number, such as "-999"."""
    return any(reads_as_number(one) for one in null_markers if one.lower() != "nan")


@dataclass(frozen=True, slots=True)
class TextTypes:
    """Which cells are missing, and how numbers are written.

    >>> import polars as pl
    >>> TextTypes(("", "NA")).of(pl.Series(["1", " NA", "2"])).to_list()
    [1, None, 2]
    """

    null_markers: Sequence[str]
    decimal_comma: bool = False  # whether numbers may have one

    def of(self, series: Any, is_text: bool = False) -> Any:
        """A polars series of text as integers, numbers or booleans; of text where cells are not.

        is_text : whether to leave texts as they are
        """
        numbers = None if is_text else self._complete_numbers(series)
        if numbers is not None:
            return numbers
        cells = series.str.strip_chars()
        cells = cells.set(cells.is_in(self.null_markers), None)
        if is_text or cells.null_count() == len(cells) or _are_codes(cells):
            return cells
        numbers = _cast(cells)
        if numbers is None and self.decimal_comma:
            numbers = _cast(cells.str.replace(",", ".", literal=True))
        if numbers is not None:
            return numbers
        lower = cells.str.to_lowercase()
        return lower == "true" if lower.drop_nulls().is_in(["true", "false"]).all() else cells

    def _complete_numbers(self, series: Any) -> Any | None:
        """A column in which every cell is a number, faster; None for others."""
        if series.null_count() or are_numbers(self.null_markers):
            return None
        numbers = _cast(series)
        # The sum is NaN where a number is.
        if numbers is None or math.isnan(numbers.sum()) or _are_codes(series):
            return None
        return numbers


def _cast(cells: Any) -> Any | None:
    """Text as integers or floats; None unless all cells are numbers."""
    pl: Any = require_polars()
    whole = re.fullmatch(r"[-+]?[0-9]+", _first(cells)) is not None
    for kind in (pl.Int64, pl.Float64) if whole else (pl.Float64,):
        try:
            return cells.cast(kind)
        except pl.exceptions.PolarsError:
            continue
    return None


def _first(cells: Any) -> str:
    return next(iter(cells.drop_nulls().head(1)), "")


def _are_codes(cells: Any) -> bool:
    """Whether texts that look like numbers are codes, such as postcodes with leading zeros."""
    zeros = cells.filter(cells.str.starts_with("0")).str.contains(LEADING_ZERO)
    if zeros.sum() > CODE_SHARE * cells.count():
        return True
    bare = re.match(BARE_EXPONENT, _first(cells)) is not None
    return bare and bool(cells.str.contains(BARE_EXPONENT).all())
