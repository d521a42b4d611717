"""`suffice fit`: a table, or statistics of one -> a model file."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Annotated, Any

from suffice.cli import options
from suffice.cli.models import OPTIONS, Kind, ModelOptions, parse_priors
from suffice.errors import InvalidParameter


def fit(
    data: Annotated[
        list[Path],
        options.argument(
            f"Table to learn from: {options.TABLE}. Or statistics of `summarize`. Or, if "
            "--model names a model, several files or a pattern such as 'rows/*.parquet', which are "
            "read in parts, and so is a large file."
        ),
    ],
    *,
    out: options.OutFile,
    target: options.AnyTarget = None,
    choice: ModelOptions,
    weights: options.Weights = None,
    table: options.TableOptions,
    checkpoint: options.Checkpoint = None,
    json: options.Json = False,
) -> None:
    """Learn a model from a table and write it to a file.

    Values may be missing, and columns may hold text, which counts as categories.
    """
    from suffice.cli.loaded import is_ours, load_statistics
    from suffice.cli.output import check_model_out, save
    from suffice.cli.training import read_training
    from suffice.estimators.state import set_target

    check_model_out(out)
    selection = None
    if len(data) == 1 and is_ours(data[0]):
        statistics = load_statistics(data[0])
        of_tables = {"target": target, "weights": weights, "categorical": table.categorical}
        of_tables |= {"numeric": table.numeric, "text": table.text, "drop": table.drop}
        if extra := [f"--{name}" for name, text in of_tables.items() if text is not None]:
            raise InvalidParameter(
                f"{data[0]} holds statistics and has no columns; leave out {', '.join(extra)}."
            )
        _check_named(choice.model, "statistics")
        fitted = _from_statistics(statistics, str(data[0]), choice)
    else:
        target = options.needed(target)
        statistics = _stream(data, target, weights, table, choice, checkpoint)
        if statistics is not None:
            fitted = _from_statistics(statistics, str(data[0]), choice)
            set_target(fitted, target)
        else:
            gaps = choice.model is Kind.MIXTURE
            rows = read_training(data[0], target, table, weights, gaps=gaps)
            fitted, selection = _from_rows(rows, choice)
    save(fitted, out, date.today())
    _describe(fitted, selection, out, json)


def _stream(
    data: list[Path],
    target: str,
    weights: str | None,
    table: options.TableOptions,
    choice: ModelOptions,
    checkpoint: Path | None,
) -> Any:
    """Statistics of tables that are read in parts; None if all rows are needed, or are few."""
    from suffice.cli.streaming import is_streamed, summarize_files

    if _needs_rows(choice, data) or not is_streamed(data, table, checkpoint):
        return None
    return summarize_files(data, target, weights, table, choice.detail, checkpoint)


def _check_named(kind: Kind, what: str) -> None:
    if kind in (Kind.AUTO, Kind.MIXTURE, Kind.POOLED):
        raise InvalidParameter(
            f"--model {kind} needs the rows themselves; with {what}, name one such as --model lda."
        )


def _needs_rows(choice: ModelOptions, data: list[Path]) -> bool:
    """Whether statistics are not enough; several files are refused then."""
    from suffice.cli.streaming import are_several

    rows_only = (Kind.AUTO, Kind.MIXTURE, Kind.POOLED)
    needs = choice.model in rows_only or "cv" in choice.given.values()
    if needs and are_several(data):
        _check_named(choice.model, "several files")
        raise InvalidParameter(
            "cross-validation needs all rows in memory, in one file; with several files, give "
            "--pooling and --shrinkage as numbers."
        )
    return needs


def _from_statistics(statistics: Any, source: str, choice: ModelOptions) -> Any:
    counts = hasattr(statistics, "discrete")
    levels = counts or bool(getattr(statistics, "known_levels", ()))
    if counts and choice.model not in (Kind.NB, Kind.MIXED):
        raise InvalidParameter(f"{source} has counts of categories; fit them with --model mixed.")
    if not levels and choice.model is Kind.MIXED:
        raise InvalidParameter(f"{source} has no counts of categories; fit it with --model nb.")
    priors = parse_priors(choice.priors, statistics.classes.tolist())
    return choice.estimator(levels, priors).fit_statistics(statistics)


def _from_rows(rows: Any, choice: ModelOptions) -> tuple[Any, Any]:
    """The fitted model, and its selection if it was selected."""
    import numpy as np

    import suffice as sf
    from suffice.cli.output import working
    from suffice.data.labels import Labels
    from suffice.estimators.automatic.candidates import fit as fit_model
    from suffice.models.priors import class_priors

    priors = parse_priors(choice.priors, rows.labels.drop_nulls().unique().to_list())
    X, y, weights = rows.features, rows.labels, rows.weights
    if choice.model is not Kind.AUTO:
        model = choice.estimator(rows.has_levels, priors, rows.layout)
        with working(f"fitting {choice.model}"):
            return fit_model(model, X, y, weights), None
    for name in choice.given:
        option = OPTIONS.get(name, name)
        raise InvalidParameter(f"--model auto chooses --{option} itself; try --model gaussian.")
    # Fail early if the priors do not match the classes, not after the long search.
    classes = Labels.of(y).classes()
    class_priors(priors, classes, np.ones(len(classes)))
    with working("choosing a model by cross-validation") as progress:
        parameters = {"priors": priors, "columns": rows.layout, "progress": progress}
        chosen = sf.AutoDiscriminant(**choice.automatic, **parameters).fit(X, y, weights)
    return chosen.model_, chosen.selection_


def _describe(fitted: Any, selection: Any, out: Path, as_json: bool) -> None:
    from suffice.cli.facts import facts
    from suffice.cli.output import answer
    from suffice.estimators.card import card_lines
    from suffice.selection.metrics import METRICS, metric_named

    described = {"out": str(out), **facts(fitted)}
    lines = card_lines(fitted)
    if selection is not None:
        table = selection.table
        scores = {name: table[name][selection.chosen] for name in selection.scores}
        described |= {
            "candidates": selection.tried,
            "notes": list(selection.notes),
            "cross_validated": scores,
            "baseline": selection.baseline,
        }
        texts = (
            f"{metric_named(name).title} {scores[name]:.4g}"
            for name in dict.fromkeys([*METRICS, selection.metric])
        )
        lines.append(f"chosen among {selection.tried} models; cross-validated: {', '.join(texts)}")
        lines += selection.notes
    answer(described, as_json, *lines, f"written to {out}; try: suffice predict {out} new.csv")
