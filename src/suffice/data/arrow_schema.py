"""Arrow schema: the columns of Arrow data and their types."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import zip_longest
from typing import Any

import narwhals.stable.v2 as nw

from suffice.data.table import named
from suffice.errors import InvalidFeatures, InvalidFile


def schema_of(schema: Any, source: object) -> dict[str, Any]:
    """The narwhals type of each column of a pyarrow schema."""
    check_once(schema.names, source)
    found = dict(nw.from_native(schema.empty_table(), eager_only=True).schema)
    for field in schema:
        # Of a type that is not known only that of nothing but gaps may turn out to be numbers.
        if found[field.name] == nw.Unknown and str(field.type) != "null":
            found[field.name] = nw.Object()
    return found


def check_once(names: Iterable[str], source: object) -> None:
    """Raise where two columns have the same name."""
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InvalidFile(f"{source} has more than one column named {named(twice)}.")


def check_same(found: Any, declared: Any) -> None:
    """Raise where columns have other names or types than were declared for them."""
    if found.equals(declared):
        return
    for one, other in zip_longest(_columns(found), _columns(declared), fillvalue="no further one"):
        if one != other:
            raise InvalidFeatures(f"a batch has the column {one}, where {other} was declared.")


def _columns(schema: Any) -> list[str]:
    return [f"{field.name!r} ({field.type})" for field in schema]
