"""Object source: the rows of a lazy frame, a query or a reader, which deliver them in parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from typing import Any

import narwhals.stable.v2 as nw

from suffice.data import packages
from suffice.data.features import check_names_differ
from suffice.data.sources.arrow_source import schema_of
from suffice.errors import InvalidFeatures, InvalidFile


@dataclass(frozen=True, slots=True)
class LazySource:
    """A lazy frame of polars, which can be collected again and again."""

    frame: Any  # polars.LazyFrame
    schema: dict[str, Any]

    @classmethod
    def open(cls, X: Any) -> LazySource:
        """A lazy frame after a look at its columns."""
        import polars as pl

        try:
            empty = pl.DataFrame(schema=X.collect_schema())
        except (pl.exceptions.PolarsError, OSError) as error:
            raise InvalidFeatures(f"X cannot be collected: {error}") from None
        return cls(X, dict(nw.from_native(empty, eager_only=True).schema))

    def head(self, rows: int) -> Any:
        """The first rows as a data frame."""
        return self.frame.head(rows).collect()

    def pieces(self, names: Sequence[str], rows: int) -> Iterator[Any]:
        """All rows in these columns, about `rows` at a time."""
        chosen = self.frame.select(list(names))
        if hasattr(chosen, "collect_batches"):
            yield from chosen.collect_batches(chunk_size=rows, maintain_order=True)
        else:
            yield chosen.collect()


@dataclass(frozen=True, slots=True)
class BatchSource:
    """Anything that delivers Arrow batches, which can be read only once."""

    reader: Any  # pyarrow.RecordBatchReader
    schema: dict[str, Any]
    read_ahead: list[Any] = field(default_factory=list)  # batches read by `head`

    @classmethod
    def open(cls, X: Any) -> BatchSource:
        """A reader or a query after a look at its columns."""
        arrow = packages.require_pyarrow(f"a {type(X).__name__} in parts")
        try:
            # Read from it directly: then each batch shows its own schema, which may differ.
            itself = isinstance(X, arrow.RecordBatchReader)
            reader = X if itself else arrow.RecordBatchReader.from_stream(X)
            return cls(reader, schema_of(reader.schema, "X"))
        except InvalidFile as error:
            raise InvalidFeatures(str(error)) from None
        except Exception as error:  # of whichever library holds the rows
            raise InvalidFeatures(f"X cannot be read as Arrow batches: {error}") from error

    def head(self, rows: int) -> Any:
        """The first rows as a table; they stay in memory until `pieces` delivers them."""
        arrow: Any = packages.pyarrow()
        while sum(map(len, self.read_ahead)) < rows:
            batch = next(iter(self.reader), None)
            if batch is None:
                break
            check_same(batch.schema, self.reader.schema)
            self.read_ahead.append(batch)
        return arrow.Table.from_batches(self.read_ahead, self.reader.schema).slice(0, rows)

    def pieces(self, names: Sequence[str], rows: int) -> Iterator[Any]:
        """All rows in these columns, at most `rows` at a time."""
        arrow: Any = packages.pyarrow()
        for batch in chain(self._release(), self.reader):
            check_same(batch.schema, self.reader.schema)
            table = arrow.Table.from_batches([batch]).select(list(names))
            yield from (table.slice(at, rows) for at in range(0, len(table), rows))

    def _release(self) -> Iterator[Any]:
        while self.read_ahead:
            yield self.read_ahead.pop(0)


ObjectSource = LazySource | BatchSource


def open_object(X: Any) -> ObjectSource:
    """The rows of an object for which `is_stream` holds."""
    return LazySource.open(X) if _is_lazy(X) else BatchSource.open(X)


def is_stream(X: Any) -> bool:
    """Whether X delivers its rows in parts: a lazy frame of polars, or Arrow batches.

    A data frame in memory is not a stream, although it can deliver Arrow batches.
    """
    if _is_lazy(X):
        return True
    if not hasattr(X, "__arrow_c_stream__"):
        return False
    try:
        known = nw.from_native(X, pass_through=True, allow_series=True)
    except Exception:  # narwhals' own error classes differ between versions
        check_names_differ(X)
        return True
    return not isinstance(known, nw.DataFrame | nw.Series)


def _is_lazy(X: Any) -> bool:
    kind = type(X)
    return kind.__name__ == "LazyFrame" and kind.__module__.startswith("polars")


def check_same(schema: Any, declared: Any) -> None:
    """Raise where columns have other names or types than were declared for them."""
    if schema.equals(declared):
        return
    pairs = zip_longest(_columns(schema), _columns(declared), fillvalue="no further one")
    for one, other in pairs:
        if one != other:
            raise InvalidFeatures(f"a batch has the column {one}, where {other} was declared.")


def _columns(schema: Any) -> list[str]:
    return [f"{field.name!r} ({field.type})" for field in schema]
