"""`suffice outliers`: how unusual each row of a table is."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from suffice.cli import options

EXAMPLE = "suffice outliers iris.suffice new.csv --out scored.csv"


def outliers(
    model: options.ModelFile,
    data: options.Data,
    out: options.Out = None,
    keep: Annotated[bool, typer.Option(help="Write the columns of the table, too.")] = True,
    below: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Write only rows whose p-value is below, the most unusual first.",
            show_default=False,
        ),
    ] = None,
    missing: options.Missing = None,
    encoding: options.Encoding = None,
    formulas: options.Formulas = False,
    json: options.Json = False,
) -> None:
    """Give each row the chance that a row of the model is at least as unusual.

    A p-value near 0 means a row unlike any class; of ordinary rows one in a hundred is below 0.01.
    """
    from suffice.cli.loaded import load_model
    from suffice.cli.output import check_out, free_name, working, write_table
    from suffice.data.table_output import frame_of

    check_out(out, table=True)
    loaded = load_model(model)
    table = loaded.read(data, options.Reading.of(missing, encoding))
    X = loaded.inner_rows(loaded.rows(table))
    with working("looking for outliers"):
        chances = loaded.inner().outlier_pvalue(X)
    columns: dict[str, Any] = dict(table.frame.to_dict()) if keep else {}
    if below is not None:
        columns = {free_name("row", columns): range(len(table)), **columns}
    answer = free_name("outlier_pvalue", columns)
    columns[answer] = chances
    if below is not None:
        frame = frame_of({name: list(values) for name, values in columns.items()})
        columns = frame.filter(frame[answer] < below).sort(answer, maintain_order=True).to_dict()
    write_table(columns, out, as_json=json, formulas=formulas, kept=len(columns) - 1)
