"""`suffice impute`: a table with missing values -> the same table with likely values in them."""

from __future__ import annotations

from typing import Any

from suffice.cli import options


def impute(
    model: options.ModelFile,
    data: options.Data,
    *,
    target: options.AnyTarget = None,
    reading: options.Reading,
    output: options.TableOutput,
) -> None:
    """Replace each missing value by its mean (or most probable category) given its row.

    Columns that the model was not trained on are copied. With --target, classes count as known.
    """
    from suffice.cli.loaded import load_model
    from suffice.cli.output import working
    from suffice.data.tables.table_labels import class_column

    output.check()
    loaded = load_model(model)
    fill = loaded.method("impute", "which cannot fill in missing values", "mixed")
    table = loaded.read(data, reading, target)
    X = loaded.rows(table)
    y = None
    if target is not None:
        y = class_column(table, target, several=False, discrete=False).to_list()
    with working("imputing"):
        filled = fill(X, y)
    columns: dict[str, Any] = dict(table.frame.to_dict())
    for j, name in enumerate(loaded.names or table.columns):
        if _may_have_gaps(columns[name]):
            columns[name] = filled[:, j] if loaded.names is None else filled[name]
    output.write(columns)


def _may_have_gaps(series: Any) -> bool:
    """Whether some cell may be missing: of text, "?" and the like are."""
    if not (series.dtype.is_numeric() or series.dtype.is_temporal()):
        return True
    return bool(series.null_count() or (series.dtype.is_float() and series.is_nan().any()))
