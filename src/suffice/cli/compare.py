"""`suffice compare`: models side by side on one table."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from suffice.cli import options


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
    from suffice.selection.metrics import metric_named

    check_out(out, table=True)
    rows = read_training(data, target, table, weights)
    with working("comparing models by cross-validation") as progress:
        comparison = sf.compare(
            rows.prepared,
            rows.labels,
            metric=metric,
            cv=folds,
            sample_weight=rows.weights,
            progress=progress,
        )
    if out is not None:
        write_table(comparison.table, out, as_json=json, formulas=False)
        return
    if json:
        columns = {name: column.tolist() for name, column in comparison.table.items()}
        lines = zip(*columns.values(), strict=True)
        models = [dict(zip(columns, line, strict=True)) for line in lines]
        facts = {"models": models, "baseline": comparison.selection.baseline}
        print_json(facts | {"notes": list(comparison.selection.notes)})
        return
    n_folds = comparison.selection.scores[metric].shape[1]
    title = f"{len(rows.labels)} rows, {n_folds} folds, the best {metric_named(metric).title} first"
    print_lines(list(heads(metric).values()), _lines(comparison, metric), title)
    say(*comparison.selection.notes)


def heads(metric: str) -> dict[str, str]:
    """Columns of the table for people, with their headings: the deciding score first."""
    from suffice.selection.metrics import metric_named

    # Beside the score that orders the models; as many as a terminal of 80 columns has room for.
    shown = ("log_loss", "accuracy", "roc_auc", "brier")
    others = [name for name in shown if name != metric]
    return {
        "name": "model",
        metric: metric_named(metric).heading,
        f"{metric}_se": "±",
        **{name: metric_named(name).heading for name in others},
        "log_loss_with_outliers": "outliers",
        "parameters": "params",
    }


def _lines(comparison: Any, metric: str) -> list[list[str]]:
    from suffice.selection.selection import BASELINE, format_score

    table, columns = comparison.table, heads(metric)
    lines = [[_cell(name, table[name][i]) for name in columns] for i in comparison.order]
    without = {name: format_score(value) for name, value in comparison.selection.baseline.items()}
    return [*lines, [BASELINE, *(without.get(name, "") for name in list(columns)[1:])]]


def _cell(name: str, value: Any) -> str:
    if name == "name":
        return str(value)
    if value != value:
        return "-"
    return f"{value:g}" if name == "parameters" else f"{value:.4f}"
