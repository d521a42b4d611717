"""`suffice describe`: a table -> what its columns are taken for, and why."""

from __future__ import annotations

from suffice.cli import options


def describe(
    data: options.Tables,
    *,
    target: options.AnyTarget = None,
    table: options.NamedColumns,
    json: options.Json = False,
) -> None:
    """Show what each column of a table is taken for: numbers, categories, dates, or nothing.

    The other commands read tables in the same way. Of several files, and of a large one, some of
    the rows are looked at.
    """
    from suffice.cli.errors import with_options
    from suffice.cli.output import answer
    from suffice.cli.streaming import is_streamed, sample
    from suffice.cli.training import describe_columns, read_columns

    drop = options.listed(table.drop)
    others = [*drop, *([] if target is None else [target])]
    if is_streamed(data, table):
        rows = sample(data, table)
        rows.check_has([*others, *table.named])
    else:
        rows = read_columns(data[0], table, others)
    description = describe_columns(rows, table, target, drop)
    answer(description.to_dict(), json, *with_options(str(description)).split("\n"))
