"""Training: a table split into features, classes and weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from suffice.cli.options import Reading
from suffice.cli.output import working
from suffice.errors import InvalidParameter, InvalidWeights


@dataclass(frozen=True, slots=True)
class Training:
    """Features and classes of a table, a row each."""

    features: Any  # polars.DataFrame
    labels: Any  # polars.Series
    weights: Any  # an array, or None
    source: str

    @property
    def has_levels(self) -> bool:
        """Whether some feature is categorical."""
        return any(not dtype.is_numeric() for dtype in self.features.dtypes)


def read_training(
    path: Path,
    target: str,
    *,
    weights: str | None = None,
    categorical: Sequence[str] = (),
    drop: Sequence[str] = (),
    reading: Reading,
    drop_unlabelled: bool = False,
    gaps: bool = False,
    several: bool = True,
    discrete: bool = True,
    text: Sequence[str] = (),
) -> Training:
    """The table in a file, its columns told apart and checked.

    gaps : whether classes may be missing
    several : whether there must be two classes at least
    discrete : whether to refuse what looks continuous
    text : further columns to be read as text
    """
    from suffice.data.table_file import read_table
    from suffice.data.table_labels import class_column

    with working(f"reading {path}"):
        table = read_table(
            path, text=(*categorical, *text), missing=reading.missing, encoding=reading.encoding
        )
    table.check_has([target, *([] if weights is None else [weights]), *drop, *categorical])
    for name in (*drop, *categorical):
        if name in (target, weights):
            raise InvalidParameter(f"column {name!r} is the target or the weights, no feature.")
    if weights == target:
        raise InvalidParameter(f"column {target!r} cannot be the target and the weights.")
    if drop_unlabelled:
        table = table.rows(table.column(target).is_not_null())
    labels = class_column(table, target, gaps=gaps, several=several, discrete=discrete)
    other = {target, *drop} | ({weights} if weights else set())
    features = table.without(sorted(other, key=table.columns.index))
    if not features.columns:
        raise InvalidParameter(
            f"{table.source} has no column beside the target and those left out: no features."
        )
    return Training(
        features.features(set(categorical) - set(drop)).frame,
        labels,
        None if weights is None else read_weights(table, weights),
        table.source,
    )


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
