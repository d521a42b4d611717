"""Table: named columns as they were read from a file, and checks of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from suffice.data.packages import require_polars
from suffice.errors import InvalidFeatures, InvalidFile, InvalidParameter, NotFinite

# Names listed in a message.
MOST_NAMES = 10

# Text with more levels than this, and more than half as many as values, is free text.
MOST_LEVELS = 20


@dataclass(frozen=True, slots=True)
class Table:
    """A polars frame with the name that messages call it by."""

    frame: Any  # polars.DataFrame
    source: str

    def __len__(self) -> int:
        return int(self.frame.height)

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in order."""
        return list(self.frame.columns)

    def column(self, name: str) -> Any:
        """One column as a polars series."""
        self.check_has([name])
        return self.frame[name]

    def only(self, names: Iterable[str]) -> Table:
        """Some columns, in this order."""
        wanted = list(names)
        self.check_has(wanted)
        return replace(self, frame=self.frame.select(wanted))

    def rows(self, mask: Any) -> Table:
        """The rows where a mask is true."""
        return replace(self, frame=self.frame.filter(mask))

    def check_has(self, names: Iterable[str]) -> None:
        """Raise unless there is a column of each name."""
        check_has(names, self.columns, self.source)

    def features(self, categorical: Iterable[str] = ()) -> Table:
        """The columns as models take them: numbers as floats, levels as text or booleans.

        categorical : columns whose values are levels, whatever they look like
        """
        levels = set(categorical)
        self.check_has(levels)
        unfit = [text for name in self.columns if (text := self._why_unfit(name, name in levels))]
        if unfit:
            names = [name for name in self.columns if self._why_unfit(name, name in levels)]
            raise InvalidFeatures(
                f"{self.source} has columns that are neither numbers nor categories: "
                f"{'; '.join(unfit)}. Leave them out with drop={names!r}, or name those that are "
                "categories with categorical=."
            )
        columns = [_as_feature(self.frame[name], name in levels) for name in self.columns]
        for column in columns:
            self._check_finite(column)
        return replace(self, frame=self.frame.with_columns(columns))

    def _check_finite(self, column: Any) -> None:
        if column.dtype.is_float() and (infinite := column.is_infinite()).any():
            raise NotFinite(
                f"{self.source} has infinity in row {infinite.arg_true()[0]} of column "
                f"{column.name!r}. Drop such rows, or leave the cell empty where a value is "
                "missing."
            )

    def _why_unfit(self, name: str, is_level: bool) -> str | None:
        """Why a column cannot be a feature; None if it can."""
        pl, series = require_polars(), self.frame[name]
        if series.null_count() == len(series):
            return None
        if series.dtype.is_nested() or series.dtype in (pl.Binary, pl.Object):
            return f"{name!r} holds {str(series.dtype).lower()} values"
        if is_level:
            return None
        if series.dtype.is_temporal():
            return f"{name!r} holds dates or times"
        if series.dtype in (pl.String, pl.Categorical, pl.Enum):
            known, levels = len(series) - series.null_count(), series.drop_nulls().n_unique()
            if levels > MOST_LEVELS and 2 * levels > known:
                return f"{name!r} holds {levels} different texts in {known} rows{_example(series)}"
        return None


def check_has(names: Iterable[str], columns: Iterable[str], source: str) -> None:
    """Raise unless there is a column of each name; the error suggests the most similar one."""
    have = list(columns)
    for name in names:
        if name not in have:
            near = nearest(name, have)
            hint = f"Did you mean {near!r}? " if near else ""
            bare = any(map(reads_as_number, have))
            first = " Does its first line hold no names? Put one above it." if bare else ""
            raise InvalidParameter(
                f"{source} has no column {name!r}. {hint}Its columns are "
                f"{quote_names(have)}.{first}"
            )


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The most similar of some names, if any is similar; case does not count."""
    by_lower = {str(one).lower(): str(one) for one in names}
    similar = get_close_matches(name.lower(), by_lower, n=1, cutoff=0.5)
    return by_lower[similar[0]] if similar else None


def quote_names(names: Iterable[Any]) -> str:
    """The first of some names, quoted for a message."""
    every = [repr(name) for name in names]
    more = f" and {len(every) - MOST_NAMES} more" if len(every) > MOST_NAMES else ""
    return (", ".join(every[:MOST_NAMES]) or "none") + more


def check_unique(names: Iterable[str], source: object) -> None:
    """Raise where two columns have the same name."""
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise InvalidFile(
            f"{source} has more than one column named {quote_names(repeated)}; rename or "
            "remove them."
        )


def _example(series: Any) -> str:
    text = str(series.drop_nulls()[0])
    number = reads_as_number(text.strip("%$€£¥ ").replace(",", ""))
    hint = "; write numbers without signs" if number else ""
    return f" (such as {text if len(text) <= 30 else text[:27] + '...'!r}{hint})"


def reads_as_number(text: str) -> bool:
    """Whether a text can be read as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _as_feature(series: Any, is_level: bool) -> Any:
    pl = require_polars()
    if series.dtype == pl.Enum:
        return series
    if is_level or series.dtype == pl.Categorical:
        return series.cast(pl.String)
    if series.dtype in (pl.String, pl.Boolean) and series.null_count() < len(series):
        return series
    return series.cast(pl.Float64)
