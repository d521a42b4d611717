"""`suffice outliers`: how unusual each row of a table is."""

from __future__ import annotations

from typing import Annotated, Any

from suffice.cli import options


def outliers(
    model: options.ModelFile,
    data: options.Data,
    *,
    keep: options.Keep = True,
    below: Annotated[
        float | None,
        options.option(
            "Write only rows whose p-value is below this, the most unusual first.", min=0.0, max=1.0
        ),
    ] = None,
    reading: options.Reading,
    output: options.TableOutput,
) -> None:
    """Give each row the probability that a row of the model is at least as unusual.

    A p-value near 0 means a row unlike any class; of ordinary rows one in a hundred is below 0.01.
    """
    from suffice.cli.loaded import load_model
    from suffice.cli.output import free_name, working
    from suffice.data.tables.table_output import frame_of

    output.check()
    loaded = load_model(model)
    table = loaded.read(data, reading)
    pvalue = loaded.method("outlier_pvalue", "which has no density")
    X = loaded.rows(table)
    with working("looking for outliers"):
        p_values = pvalue(X)
    columns: dict[str, Any] = dict(table.frame.to_dict()) if keep else {}
    if below is not None:
        columns = {free_name("row", columns): range(len(table)), **columns}
    name = free_name("outlier_pvalue", columns)
    columns[name] = p_values
    if below is not None:
        frame = frame_of({name: list(values) for name, values in columns.items()})
        columns = frame.filter(frame[name] < below).sort(name, maintain_order=True).to_dict()
    output.write(columns, kept=len(columns) - 1)
