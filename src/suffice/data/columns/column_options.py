"""Column options: what a user says about the columns of a table, by name or position."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from suffice.errors import InvalidParameter
from suffice.text import did_you_mean, quote_names, shown

# Texts that mean a missing value, unless a user lists others.
MISSING_TEXTS = (
    *("?", "NA", "N/A", "n/a", "na", "#N/A", "<NA>", "NaN", "nan", "NAN", "-nan", "NaT"),
    *("null", "NULL", "Null", "nil", "None", "none", "NONE", "-", "--", "."),
)

# The word that asks for features of missing values, in place of texts or among them.
INDICATOR = "indicator"


class Role(StrEnum):
    """What a user says that a column is."""

    TARGET = "target"
    CATEGORICAL = "categorical"
    NUMERIC = "numeric"
    DROP = "drop"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class ColumnOptions:
    """What a user says about the columns of a table.

    categorical : columns whose values are categories (levels), whatever they look like
    numeric : columns whose values are numbers; what cannot be read as one is missing
    drop : columns to leave out
    text : columns whose values are text even where they look like numbers or dates
    missing : texts that mean a missing value; None for the usual ones, [] for none; "indicator",
        alone or among texts, adds a feature to columns with gaps: whether the value is missing
    dates : "parts" reads dates as year, month, weekday, hour and days; "drop" sets them aside
    """

    categorical: Any = ()
    numeric: Any = ()
    drop: Any = ()
    text: Any = ()
    missing: Any = None
    dates: str = "parts"

    def __post_init__(self) -> None:
        if self.dates not in ("parts", "drop"):
            raise InvalidParameter(f"dates is {shown(self.dates)}; pass 'parts' or 'drop'.")
        texts = self.missing
        if texts is None or (isinstance(texts, str) and texts == INDICATOR):
            return
        listed = isinstance(texts, Iterable) and not isinstance(texts, str)
        if not listed or not all(isinstance(one, str) for one in texts):
            raise InvalidParameter(
                f"missing is {shown(texts)}; pass a list of texts such as ['?', 'unknown'], or "
                f"{INDICATOR!r} for features that say what is missing."
            )

    @property
    def markers(self) -> tuple[str, ...]:
        """The texts that mean a missing value."""
        if self._usual:
            return MISSING_TEXTS
        return tuple(one.strip() for one in self.missing if one != INDICATOR)

    @property
    def ambiguous(self) -> tuple[str, ...]:
        """Those that may be levels."""
        # Null markers that may be words: a level of its own where they are frequent.
        ambiguous_texts = ("None", "none", "NONE", "-", ".")
        return ambiguous_texts if self._usual else ()

    @property
    def indicates(self) -> bool:
        """Whether columns with missing values have an indicator of them."""
        return self.missing is not None and INDICATOR in (self.missing, *self.missing)

    @property
    def _usual(self) -> bool:
        """Whether no other texts are listed."""
        return self.missing is None or self.missing == INDICATOR or [*self.missing] == [INDICATOR]

    def roles(self, names: Sequence[str], target: Any = None) -> dict[int, Role]:
        """The roles of columns by position; an error names a column that is not there."""
        roles: dict[int, Role] = {}
        for role in Role:
            columns = getattr(self, role, () if target is None else [target])
            for place in places(columns, names, role):
                if roles.get(place, role) is not role:
                    raise InvalidParameter(
                        f"column {names[place]!r} is named by {roles[place]}= and by {role}=; "
                        "name it once."
                    )
                roles[place] = role
        return roles


def places(columns: Any, names: Sequence[str], parameter: str) -> list[int]:
    """Positions of columns that a user lists by name or position; one may stand alone.

    >>> places(["b", 0], ["a", "b"], "drop"), places("a", ["a", "b"], "drop")
    ([1, 0], [0])
    """
    alone = isinstance(columns, str) or not isinstance(columns, Iterable)
    listed = [columns] if alone else list(columns)
    if len(listed) == len(names) and all(isinstance(one, bool | np.bool_) for one in listed):
        return [j for j, chosen in enumerate(listed) if chosen]
    return [_place(column, names, parameter) for column in listed]


def _place(column: Any, names: Sequence[str], parameter: str) -> int:
    if isinstance(column, tuple):
        column = " ".join(map(str, column))
    if isinstance(column, str) and column in names:
        return names.index(column)
    is_position = isinstance(column, int | np.integer) and not isinstance(column, bool)
    if is_position and str(column) in names:
        return names.index(str(column))
    if is_position and -len(names) <= column < len(names):
        return int(column) % len(names)
    hint = did_you_mean(str(column), names)
    raise InvalidParameter(
        f"{parameter}= names column {shown(column)}, which the table does not have.{hint} Its "
        f"columns are {quote_names(names)}."
    )
