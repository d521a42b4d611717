"""Table: named columns as they were read from a file, and checks of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any

from suffice.errors import InvalidFeatures, InvalidFile, InvalidInput, InvalidParameter
from suffice.text import did_you_mean, nearest, quote_names


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

    def labelled(self, target: str) -> Table:
        """The rows that have a value in a column."""
        return replace(self, frame=self.frame.filter(self.column(target).is_not_null()))

    def check_has(self, names: Iterable[str]) -> None:
        """Raise unless there is a column of each name."""
        check_has(names, self.columns, self.source)


def check_has(
    names: Iterable[str],
    columns: Iterable[str],
    source: str,
    error: type[InvalidInput] = InvalidParameter,
) -> None:
    """Raise unless there is a column of each name; the error suggests the most similar one."""
    have = list(columns)
    for name in names:
        if name not in have:
            hint = did_you_mean(name, have)
            bare = any(map(reads_as_number, have))
            first = " Is there no line of column names? Put one at the top." if bare else ""
            raise error(
                f"{source} has no column {name!r}.{hint} Its columns are "
                f"{quote_names(have)}.{first}"
            )


def check_lacks_none(
    names: Collection[str], columns: Iterable[str], source: str, owner: str = "", advice: str = ""
) -> None:
    """Raise where a table lacks columns of another; the error suggests which one was renamed.

    owner : what has them, such as ", which rows0.csv has"
    advice : what to do about it
    """
    have = list(columns)
    absent = [name for name in names if name not in have]
    if not absent:
        return
    near = nearest(absent[0], [name for name in have if name not in names])
    hint = f" Is {absent[0]!r} now called {near!r}?" if near else ""
    raise InvalidFeatures(
        f"{source} lacks {quote_names(absent)}{owner}; its columns are {quote_names(have)}."
        f"{hint}{advice}"
    )


def check_unique(
    names: Iterable[str],
    source: object,
    what: str = "column",
    error: type[InvalidInput] = InvalidFile,
) -> None:
    """Raise where two columns, or what else they are, have the same name."""
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise error(
            f"{source} has more than one {what} named {quote_names(repeated)}; rename or remove "
            "them."
        )


def plain_name(name: Any) -> str:
    """The name of a column as text; several lines of names above it are joined."""
    return " ".join(map(str, name)) if isinstance(name, tuple) else str(name)


def reads_as_number(text: str) -> bool:
    """Whether a text can be read as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
