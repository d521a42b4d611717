"""`suffice thresholds`: a model and a table with classes -> what each threshold costs and finds."""

from __future__ import annotations

from typing import Annotated

from suffice.cli import options


def thresholds(
    model: options.ModelFile,
    data: options.Data,
    *,
    positive: Annotated[
        str | None,
        options.option(
            "Class that is predicted from the threshold on; by default the second of two."
        ),
    ] = None,
    costs: options.Costs = None,
    recall: Annotated[
        float | None,
        options.option("Also name the threshold that reaches this recall.", min=0, max=1),
    ] = None,
    picture: options.Picture = None,
    labelled: options.LabelledReading,
    output: options.TableOutput,
) -> None:
    """Show what predicting a class from a probability on would have cost, and how much it finds.

    Use rows that the model has not seen. `suffice predict --threshold` applies a threshold.
    """
    import suffice as sf
    from suffice.cli.loaded import load_model
    from suffice.cli.models import parse_costs, parse_label
    from suffice.cli.output import check_out, print_lines, say
    from suffice.selection.thresholds import HEAD

    output.check()
    check_out(picture)
    loaded = load_model(model)
    classes = loaded.classes
    label = None if positive is None else parse_label(positive, classes)
    rows = loaded.read_labelled(data, labelled)
    curve = sf.thresholds(
        loaded.model,
        rows.features,
        rows.labels,
        positive=label,
        costs=parse_costs(costs, classes),
        sample_weight=rows.weights,
    )
    if picture is not None:
        from suffice.plots.display import hidden_axes

        ax = hidden_axes()
        sf.plots.ThresholdsDisplay.from_thresholds(curve, recall=recall, ax=ax).save(picture)
    if output.out is not None or output.json:
        output.write(curve.table)
    else:
        print_lines(HEAD, curve.lines(), f"{len(rows.labels)} rows; --out FILE writes all lines")
    ((name, best),) = curve.for_cost().items()
    say(f"least cost: --threshold {name}={best:.6g}", err=output.json)
    if recall is not None:
        (reached,) = curve.for_recall(recall).values()
        say(f"recall {recall:.0%}: --threshold {name}={reached:.6g}", err=output.json)
