"""Training: a table divided into features, classes and weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from suffice.cli.options import Reading, TableOptions, listed
from suffice.cli.output import working
from suffice.errors import InvalidParameter, InvalidWeights


@dataclass(frozen=True, slots=True)
class TrainingTable:
    """Features and classes of a table, one of each per row."""

    features: Any  # polars.DataFrame
    labels: Any  # polars.Series
    weights: Any  # an array, or None
    source: str

    @property
    def has_levels(self) -> bool:
        """Whether some feature is categorical."""
        return any(not dtype.is_numeric() for dtype in self.features.dtypes)


def read(path: Path, reading: Reading, text: Sequence[str] = ()) -> Any:
    """The table in a file; `text` names columns to be read as text."""
    from suffice.data.table_file import read_table

    with working(f"reading {path}"):
        return read_table(
            path, text=text, null_markers=reading.null_markers, encoding=reading.encoding
        )


def read_training(
    path: Path,
    target: str,
    options: TableOptions,
    weights: str | None = None,
    *,
    text: Sequence[str] = (),
    **checks: bool,
) -> TrainingTable:
    """The table in a file, its columns assigned to roles and checked.

    text : further columns to be read as text
    checks : as for `class_column`
    """
    categorical, drop = listed(options.categorical), listed(options.drop)
    table = read(path, options, (*categorical, *text))
    table.check_has([target, *([] if weights is None else [weights]), *drop, *categorical])
    for name in (*drop, *categorical):
        if name in (target, weights):
            raise InvalidParameter(f"column {name!r} is the target or the weights, not a feature.")
    if weights == target:
        raise InvalidParameter(f"column {target!r} cannot be the target and the weights.")
    other = {target, *drop} | ({weights} if weights else set())
    features = table.without(sorted(other, key=table.columns.index))
    if not features.columns:
        raise InvalidParameter(
            f"{table.source} has no column beside the target and those left out: no features."
        )
    dropping = options.drop_unlabelled
    kept, labels, own = labels_and_weights(table, target, weights, dropping, **checks)
    chosen = kept.only(features.columns).features(set(categorical) - set(drop))
    return TrainingTable(chosen.frame, labels, own, table.source)


def labels_and_weights(
    table: Any, target: str, weights: str | None, drop_unlabelled: bool, **checks: bool
) -> tuple[Any, Any, Any]:
    """The rows to use, their classes, and their weights or None; checks as for `class_column`."""
    from suffice.data.table_labels import class_column

    if drop_unlabelled:
        table = table.rows(table.column(target).is_not_null())
    labels = class_column(table, target, **checks)
    return table, labels, None if weights is None else read_weights(table, weights)


def read_weights(table: Any, name: str) -> Any:
    """The weights in a column of a table."""
    from suffice.data.weights import Weights

    series = table.column(name)
    if not series.dtype.is_numeric():
        raise InvalidWeights(
            f"the weights {name!r} of {table.source} are {str(series.dtype).lower()}; they must be "
            "numbers from 0 on."
        )
    if series.null_count():
        row = int(series.is_null().arg_true()[0])
        raise InvalidWeights(f"the weights {name!r} of {table.source} are missing in row {row}.")
    values = series.to_numpy().astype("float64")
    try:
        Weights.of(values, len(values))
    except InvalidWeights as error:
        raise InvalidWeights(f"the weights {name!r} of {table.source}: {error}") from None
    return values
