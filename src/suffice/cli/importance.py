"""`suffice importance`: a model and a table with classes -> how much each column matters."""

from __future__ import annotations

from suffice.cli import options


def importance(
    model: options.ModelFile,
    data: options.Data,
    *,
    picture: options.Picture = None,
    labelled: options.LabelledReading,
    output: options.TableOutput,
) -> None:
    """Show how much worse predictions become without each column: the increase of the log-loss.

    The column is integrated out of the model, as if it were missing; nothing is fitted again. Use
    rows that the model has not seen.
    """
    import suffice as sf
    from suffice.cli.loaded import load_model
    from suffice.cli.output import check_out, working

    output.check()
    check_out(picture)
    loaded = load_model(model)
    rows = loaded.read_labelled(data, labelled)
    with working("leaving out each column"):
        by_column = sf.importance(loaded.model, rows.features, rows.labels, rows.weights)
    if picture is not None:
        from suffice.plots.display import hidden_axes
        from suffice.plots.importance import ImportanceDisplay, bars_size

        ax = hidden_axes(bars_size(by_column))
        ImportanceDisplay.from_importance(by_column, ax=ax).save(picture)
    output.write(by_column.table)
