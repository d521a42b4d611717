"""`suffice impute`: a table with gaps -> the same table with likely values in them."""

from __future__ import annotations

from typing import Any

from suffice.cli import options

EXAMPLE = "suffice impute iris.suffice gaps.csv --out filled.csv"


def impute(
    model: options.ModelFile,
    data: options.Data,
    out: options.Out = None,
    target: options.AnyTarget = None,
    missing: options.Missing = None,
    encoding: options.Encoding = None,
    formulas: options.Formulas = False,
    json: options.Json = False,
) -> None:
    """Fill each gap with its mean (or likeliest level) given what is known of its row.

    Columns that the model does not know are copied. With --target, classes are taken as known.
    """
    from suffice.cli.loaded import load_model
    from suffice.cli.output import check_out, working, write_table
    from suffice.data.table_labels import class_column

    check_out(out, table=True)
    loaded = load_model(model)
    fill = loaded.asked("impute", "way to fill gaps")
    table = loaded.read(data, options.Reading.of(missing, encoding), target)
    X = loaded.rows(table)
    y = None
    if target is not None:
        y = class_column(table, target, several=False, discrete=False).to_list()
    with working("filling gaps"):
        filled = fill(X, y)
    names = loaded.names or table.columns
    columns: dict[str, Any] = dict(table.frame.to_dict())
    for j, name in enumerate(names):
        if _has_gaps(columns[name]):
            columns[name] = filled[:, j]
    write_table(columns, out, as_json=json, formulas=formulas)


def _has_gaps(series: Any) -> bool:
    return bool(series.null_count() or (series.dtype.is_float() and series.is_nan().any()))
