"""Training: a table divided into features, classes and weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from suffice.cli.options import LabelledReading, NamedColumns, Reading, TableOptions, needed
from suffice.cli.output import say, working
from suffice.errors import InvalidParameter

if TYPE_CHECKING:
    from suffice.data.columns.description import Description
    from suffice.data.tables.table_layout import TableLayout


@dataclass(frozen=True, slots=True)
class TrainingTable:
    """Features and classes of a table, one of each per row."""

    features: Any  # polars.DataFrame
    labels: Any  # polars.Series
    weights: Any  # an array, or None
    source: str
    layout: TableLayout | None = None  # how to read the features; None where all are numbers

    @property
    def has_levels(self) -> bool:
        """Whether some feature is categorical."""
        layout = self.layout
        pairs = () if layout is None else zip(layout.names, layout.kinds, strict=True)
        return any(kind.discrete(name) for name, kind in pairs)

    @property
    def prepared(self) -> Any:
        """The features as numbers and levels."""
        if self.layout is None:
            return self.features
        from suffice.data.tables.table_output import frame_of_features

        return frame_of_features(self.layout.read(self.features))


def read(path: Path, reading: Reading, text: Sequence[str] = ()) -> Any:
    """The table in a file; `text` names columns to be read as text."""
    from suffice.data.sources.table_file import read_table

    with working(f"reading {path}"):
        return read_table(
            path, text=text, null_markers=reading.null_markers, encoding=reading.encoding
        )


def read_training(
    path: Path,
    target: str,
    options: TableOptions,
    weights: str | None = None,
    **checks: bool,
) -> TrainingTable:
    """The table in a file, its columns assigned to roles and checked.

    checks : as for `class_column`
    """
    from suffice.data.tables.table_labels import labels_and_weights
    from suffice.data.tables.table_output import table_features

    kinds = options.kinds
    table = read(path, options, (*kinds["categorical"], *kinds["text"]))
    # Fail early if a column is not there.
    feature_names(table, target, weights, options)
    kept, labels, own = labels_and_weights(
        table, target, weights, options.drop_unlabelled, **checks
    )
    chosen, description = described_features(kept, target, weights, options)
    features = table_features(chosen, description.layout)
    layout = None if description.holds_numbers else description.layout
    # The columns as they are, so that random rows and filled gaps have their types.
    rows = chosen.frame.select(features.columns) if layout is None else chosen.frame
    return TrainingTable(rows, labels, own, table.source, layout)


def rows_like(statistics: Any, rows: Path, labelled: LabelledReading) -> TrainingTable:
    """The rows of a table with the columns of statistics."""
    from suffice.data.tables.table_labels import labels_and_weights
    from suffice.data.tables.table_layout import TableLayout
    from suffice.data.tables.table_output import table_features

    target, weights = needed(labelled.target), labelled.weights
    names, reader = statistics.feature_names, getattr(statistics, "reader", None)
    table = read(rows, labelled, [] if reader is None else reader.level_names)
    kept, labels, own = labels_and_weights(
        table, target, weights, labelled.drop_unlabelled, several=False, discrete=False
    )
    if reader is not None:
        table.check_has(reader.names)
        return TrainingTable(kept.frame, labels, own, table.source, reader.layout)
    names = names or [name for name in table.columns if name not in (target, weights)]
    layout = TableLayout.of_features(names, {}, table.columns)
    table.check_has(layout.names)
    return TrainingTable(table_features(kept, layout).select(names), labels, own, table.source)


def feature_names(table: Any, target: str, weights: str | None, options: TableOptions) -> list[str]:
    """The columns that are features; an error reports one that is named but not there."""
    features = options.roles(target, weights).features(table.columns, table.source)
    table.check_has(options.named)
    for name in options.named:
        if name in (target, weights):
            raise InvalidParameter(f"column {name!r} is the target or the weights, not a feature.")
    return list(features)


def described_features(
    table: Any, target: str, weights: str | None, options: TableOptions
) -> tuple[Any, Description]:
    """The columns that may be features, and what they are; notes report those set aside."""
    from suffice.cli.errors import with_options

    chosen = table.only(feature_names(table, target, weights, options))
    description = describe_columns(chosen, options)
    say(*(f"note: {with_options(note)}" for note in description.notes), err=True)
    if not description.layout.used:
        raise InvalidParameter(f"{table.source} has no features: all columns are set aside.")
    return chosen, description


def read_columns(path: Path, options: NamedColumns, others: Sequence[str]) -> Any:
    """The table in a file; an error reports a column that is named but not there."""
    kinds = options.kinds
    table = read(path, options, (*kinds["categorical"], *kinds["text"]))
    table.check_has([*others, *options.named])
    return table


def describe_columns(
    table: Any, options: NamedColumns, target: str | None = None, drop: Sequence[str] = ()
) -> Description:
    """What the columns of a table are."""
    from suffice.data.columns.column_options import INDICATOR
    from suffice.data.columns.description import describe

    # Further texts that mean a missing value are gone since the file was read.
    missing: list[str] | str | None = [] if options.missing == "" else None
    if options.indicates:
        missing = INDICATOR
    return describe(
        table.frame, target, **options.kinds, drop=drop, missing=missing, dates=options.dates
    )
