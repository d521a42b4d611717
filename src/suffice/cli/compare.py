"""`suffice compare`: models side by side on one table."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from suffice.cli import options

EXAMPLE = "suffice compare iris.csv --target species"

OTHERS = {"log_loss_with_outliers": "outliers", "parameters": "params"}


def compare(
    data: options.Data,
    *,
    target: options.Target,
    folds: Annotated[int, typer.Option(min=2, help="Number of cross-validation folds.")] = 5,
    metric: options.Metric = "log_loss",
    weights: options.Weights = None,
    table: options.TableOptions,
    out: options.Out = None,
    json: options.Json = False,
) -> None:
    """Compare the family, mixtures and logistic regression by cross-validation.

    Also with outliers among the training rows, and with few training rows.
    """
    import suffice as sf
    from suffice.cli.output import check_out, print_json, print_lines, say, working, write_table
    from suffice.cli.training import read_training
    from suffice.selection.metrics import METRICS

    check_out(out, table=True)
    rows = read_training(data, target, table, weights)
    with working("comparing models by cross-validation") as progress:
        found = sf.compare(
            rows.features,
            rows.labels,
            metric=metric,
            cv=folds,
            sample_weight=rows.weights,
            progress=progress,
        )
    if out is not None:
        write_table(found.table, out, as_json=json, formulas=False)
        return
    if json:
        columns = {name: column.tolist() for name, column in found.table.items()}
        lines = zip(*columns.values(), strict=True)
        models = [dict(zip(columns, line, strict=True)) for line in lines]
        facts = {"models": models, "baseline": found.selection.baseline}
        print_json(facts | {"notes": list(found.selection.notes)})
        return
    n_folds = found.selection.scores[metric].shape[1]
    title = f"{len(rows.labels)} rows, {n_folds} folds, the best {METRICS[metric].title} first"
    print_lines(*_lines(found, metric), title)
    say(*found.selection.notes)


def _lines(found: Any, metric: str) -> tuple[list[str], list[list[str]]]:
    """Heading and lines: the deciding metric with its standard error, then the others."""
    from suffice.selection.metrics import METRICS
    from suffice.selection.selection import BASELINE, format_score

    table, others = found.table, [name for name in METRICS if name != metric]
    head = ["model", METRICS[metric].heading, "±", *(METRICS[name].heading for name in others)]
    names = [metric, f"{metric}_se", *others]
    lines = [
        [found.names[i], *(format_score(table[name][i]) for name in names)]
        + [_cell(name, table[name][i]) for name in OTHERS]
        for i in found.order
    ]
    without = found.selection.baseline
    scores = [format_score(without[name]) for name in others]
    lines.append([BASELINE, format_score(without[metric]), "", *scores, *[""] * len(OTHERS)])
    return [*head, *OTHERS.values()], lines


def _cell(name: str, value: Any) -> str:
    if value != value:
        return "-"
    return f"{value:g}" if name == "parameters" else f"{value:.4f}"
