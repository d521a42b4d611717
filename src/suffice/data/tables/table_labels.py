"""Table labels: the columns of a table that hold the classes and the weights, checked."""

from __future__ import annotations

from typing import Any

from suffice.data.arrays import Floats
from suffice.data.packages import require_polars
from suffice.data.tables.levels import are_too_many
from suffice.data.tables.table import Table
from suffice.data.weights import row_weights
from suffice.errors import InvalidLabels, InvalidWeights
from suffice.text import plural


def labels_and_weights(
    table: Table, target: str, weights: str | None, drop_unlabelled: bool, **checks: bool
) -> tuple[Table, Any, Floats | None]:
    """The rows to use, their classes, and their weights; checks as for `class_column`."""
    if drop_unlabelled:
        table = table.labelled(target)
    labels = class_column(table, target, **checks)
    return table, labels, None if weights is None else weight_column(table, weights)


def class_column(
    table: Table,
    target: str,
    *,
    gaps: bool = False,
    several: bool = True,
    discrete: bool = True,
) -> Any:
    """The labels in a column, after checking that they can be classes.

    gaps : whether labels may be missing
    several : whether there must be at least two classes
    discrete : whether to refuse what looks continuous
    """
    pl, series = require_polars(), table.column(target)
    if series.dtype in (pl.Categorical, pl.Enum):
        series = series.cast(pl.String)
    if series.dtype.is_float():
        series = series.fill_nan(None)
    what = f"the target {target!r} of {table.source}"
    known = series.drop_nulls()
    if not len(known):
        raise InvalidLabels(f"{what} has no values. Name another column with target=.")
    if len(known) < len(series) and not gaps:
        row = int(series.is_null().arg_true()[0])
        learn = ", or learn from them with MixtureDiscriminant()" if discrete else ""
        raise InvalidLabels(
            f"{what} is missing in {plural(len(series) - len(known), 'row')}, first in row {row}. "
            f"Leave them out with drop_unlabelled=True{learn}."
        )
    if series.dtype.is_nested() or series.dtype.is_temporal():
        raise InvalidLabels(f"{what} holds {str(series.dtype).lower()} values, not classes.")
    if discrete:
        _check_discrete(known, what)
    if several and known.n_unique() == 1:
        raise InvalidLabels(
            f"{what} is constant: every row has {known[0]!r}. At least two classes are needed."
        )
    return _whole(series)


def weight_column(table: Table, name: str) -> Floats | None:
    """The weights in a column, after checking them."""
    series, what = table.column(name), f"the weights {name!r} of {table.source}"
    if not series.dtype.is_numeric():
        dtype = str(series.dtype).lower()
        raise InvalidWeights(f"{what} are {dtype}; they must be numbers, 0 or more.")
    if series.null_count():
        row = int(series.is_null().arg_true()[0])
        raise InvalidWeights(
            f"{what} are missing in {plural(int(series.null_count()), 'row')}, first in row {row}. "
            "Fill them in, or leave out such rows."
        )
    try:
        return row_weights(series.to_numpy(), len(series))
    except InvalidWeights as error:
        raise InvalidWeights(f"{what}: {error}") from None


def _check_discrete(known: Any, what: str) -> None:
    values = known.n_unique()
    many = are_too_many(values, len(known))
    if known.dtype.is_float():
        finite = known.is_finite()
        if not finite.all():
            raise InvalidLabels(f"{what} holds infinity, which is not a class.")
        parts = known.filter(known != known.round())
        if len(parts):
            raise InvalidLabels(
                f"{what} is continuous: it holds {values} different numbers, such as {parts[0]:g}. "
                "Classes are needed: name another column, or put the numbers into bins."
            )
    if many and known.dtype.is_numeric():
        raise InvalidLabels(
            f"{what} looks continuous: it holds {values} different numbers in {len(known)} rows. "
            "Classes are needed: name another column, or put the numbers into bins."
        )
    if many:
        raise InvalidLabels(
            f"{what} holds {values} different texts in {len(known)} rows: these are not classes "
            "but names or free text. Name another column with target=."
        )


def _whole(series: Any) -> Any:
    """Whole numbers as integers: a missing label would otherwise make floats of them."""
    pl = require_polars()
    if (
        not series.dtype.is_numeric()
        or not (series.drop_nulls() == series.drop_nulls().round()).all()
    ):
        return series
    return series.cast(pl.Int64)
