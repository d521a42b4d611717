"""Training: a table divided into features, classes and weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from suffice.cli.options import Reading, TableOptions, listed
from suffice.cli.output import working
from suffice.errors import InvalidParameter


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
    roles, categorical = options.roles(target, weights), listed(options.categorical)
    for name in categorical:
        if name in (target, weights):
            raise InvalidParameter(f"column {name!r} is the target or the weights, not a feature.")
    table = read(path, options, (*categorical, *text))
    others = [target, *([] if weights is None else [weights]), *roles.drop]
    table.check_has([*others, *categorical])
    features = [name for name in table.columns if name not in others]
    if not features:
        raise InvalidParameter(
            f"{table.source} has no column beside the target and those left out: no features."
        )
    dropping = options.drop_unlabelled
    kept, labels, own = labels_and_weights(table, target, weights, dropping, **checks)
    chosen = kept.only(features).features(set(categorical) & set(features))
    return TrainingTable(chosen.frame, labels, own, table.source)


def labels_and_weights(
    table: Any, target: str, weights: str | None, drop_unlabelled: bool, **checks: bool
) -> tuple[Any, Any, Any]:
    """The rows to use, their classes, and their weights or None; checks as for `class_column`."""
    from suffice.data.table_labels import class_column, weight_column

    if drop_unlabelled:
        table = table.rows(table.column(target).is_not_null())
    labels = class_column(table, target, **checks)
    return table, labels, None if weights is None else weight_column(table, weights)
