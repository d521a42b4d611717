"""`suffice fit`: a table, or statistics of one -> a model file."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Annotated, Any

import typer

from suffice.cli import options
from suffice.cli.models import Kind, parsed_priors, unfitted, with_priors
from suffice.errors import InvalidParameter

EXAMPLE = (
    "suffice fit iris.csv --target species --out iris.suffice\n"
    "suffice fit all.stats --model lda --out model.suffice\n"
    "suffice fit 'rows/*.parquet' --target y --model lda --out model.suffice"
)


def fit(
    data: Annotated[
        list[Path],
        typer.Argument(
            help=f"Table to learn from: {options.TABLE}. Or statistics of `summarize`. Or, where "
            "the model is named, several files or a pattern such as 'rows/*.parquet', which are "
            "read in parts, as is a large one.",
            show_default=False,
        ),
    ],
    out: options.OutFile,
    target: options.AnyTarget = None,
    model: Annotated[
        Kind,
        typer.Option(help="auto tries the whole family by cross-validation and keeps the best."),
    ] = Kind.AUTO,
    priors: Annotated[
        str,
        typer.Option(help="Class probabilities: share (as in the table), uniform, or a=0.3,b=0.7."),
    ] = "share",
    pooling: Annotated[
        str | None,
        typer.Option(
            help="From a covariance for each class (0) to one for all (1), or cv to choose.",
            show_default=False,
        ),
    ] = None,
    shrinkage: Annotated[
        str | None,
        typer.Option(
            help="How far covariances shrink to something simple: 0 to 1, cv, oas, ledoit-wolf.",
            show_default=False,
        ),
    ] = None,
    folds: Annotated[
        int | None,
        typer.Option(
            min=2,
            help="Parts of the cross-validation of --model auto; by default 5, of small tables 10.",
            show_default=False,
        ),
    ] = None,
    weights: options.Weights = None,
    categorical: options.Categorical = None,
    drop: options.Drop = None,
    drop_unlabelled: options.DropUnlabelled = False,
    missing: options.Missing = None,
    encoding: options.Encoding = None,
    checkpoint: options.Checkpoint = None,
    json: options.Json = False,
) -> None:
    """Learn a model from a table and write it to a file.

    Missing values are fine, as are columns of text: they are taken as categories.
    """
    from suffice.cli.loaded import is_ours, load_statistics
    from suffice.cli.output import check_model_out, save
    from suffice.cli.streaming import wanted_of

    check_model_out(out)
    given = {"pooling": pooling, "shrinkage": shrinkage}
    found = None
    if len(data) == 1 and is_ours(data[0]):
        of_tables = {"target": target, "weights": weights, "categorical": categorical, "drop": drop}
        if extra := [f"--{name}" for name, text in of_tables.items() if text is not None]:
            raise InvalidParameter(
                f"{data[0]} is no table and has no columns; leave out {', '.join(extra)}."
            )
        _check_named(model, "statistics")
        statistics = load_statistics(data[0])
        fitted = _of_statistics(statistics, str(data[0]), model, priors, given)
    elif target is None:
        raise InvalidParameter("name the column with the classes by --target.")
    else:
        reading, levels = options.Reading.of(missing, encoding), options.listed(categorical)
        wanted = wanted_of(target, weights, options.listed(drop), reading, drop_unlabelled)
        statistics = _streamed(data, wanted, reading, levels, model, given, checkpoint)
        if statistics is not None:
            fitted = _of_statistics(statistics, str(data[0]), model, priors, given)
        else:
            rows = _read(data[0], wanted, reading, levels, model)
            fitted, found = _of_rows(rows, model, priors, given, folds)
    save(fitted, out, date.today())
    _tell(fitted, found, out, json)


def _streamed(
    data: list[Path],
    wanted: Any,
    reading: options.Reading,
    levels: list[str],
    kind: Kind,
    given: dict[str, str | None],
    checkpoint: Path | None,
) -> Any:
    """Statistics of tables that are read in parts; None where all rows are needed, or are few."""
    from suffice.cli.streaming import is_streamed, summarized

    if _needs_rows(kind, given, data):
        return None
    if not is_streamed(data, wanted, reading, levels, checkpoint):
        return None
    return summarized(data, wanted, _detail(kind, given), checkpoint)


def _read(path: Path, wanted: Any, reading: options.Reading, levels: list[str], kind: Kind) -> Any:
    from suffice.cli.training import read_training

    return read_training(
        path,
        wanted.target,
        weights=wanted.weight,
        categorical=levels,
        drop=wanted.drop,
        reading=reading,
        drop_unlabelled=wanted.drop_unlabelled,
        gaps=kind is Kind.MIXTURE,
    )


def _check_named(kind: Kind, what: str) -> None:
    if kind in (Kind.AUTO, Kind.MIXTURE):
        raise InvalidParameter(
            f"--model {kind} needs the rows themselves; with {what}, name one such as --model lda."
        )


def _needs_rows(kind: Kind, given: dict[str, str | None], data: list[Path]) -> bool:
    """Whether statistics of numbers are not enough; several files are refused then."""
    from suffice.cli.streaming import are_several

    needs = kind in (Kind.AUTO, Kind.MIXTURE, Kind.MIXED) or "cv" in given.values()
    if needs and are_several(data):
        _check_named(kind, "several files")
        raise InvalidParameter(
            "levels and cross-validation need all rows in memory, in one file; with several "
            "files, name a model such as --model lda and its --pooling and --shrinkage."
        )
    return needs


def _detail(kind: Kind, given: dict[str, str | None]) -> str:
    """The least that the statistics must have."""
    if kind in (Kind.NB, Kind.DIAGONAL_LDA):
        return "diagonal"
    return "shared" if kind is Kind.LDA and given["shrinkage"] is None else "separate"


def _of_statistics(
    found: Any, source: str, kind: Kind, priors: str, given: dict[str, str | None]
) -> Any:
    levels = hasattr(found, "discrete")
    if levels and kind not in (Kind.NB, Kind.MIXED):
        raise InvalidParameter(f"{source} has counts of levels; fit them with --model mixed.")
    if not levels and kind is Kind.MIXED:
        raise InvalidParameter(f"{source} has no counts of levels; fit it with --model nb.")
    chosen = parsed_priors(priors, found.classes.tolist())
    return unfitted(kind, levels, chosen, given).fit_statistics(found)


def _of_rows(
    rows: Any, kind: Kind, priors: str, given: dict[str, str | None], folds: int | None
) -> tuple[Any, Any]:
    """The fitted model, and how it was chosen if it was."""
    import numpy as np

    import suffice as sf
    from suffice.cli.output import working
    from suffice.data.labels import Labels
    from suffice.estimators.trial import fit as fit_model
    from suffice.models.priors import class_priors

    chosen = parsed_priors(priors, rows.labels.drop_nulls().unique().to_list())
    X, y, weights = rows.features, rows.labels, rows.weights
    if kind is not Kind.AUTO:
        model = unfitted(kind, rows.has_levels, chosen, given)
        with working(f"fitting {kind}"):
            return fit_model(model, X, y.to_list() if kind is Kind.MIXTURE else y, weights), None
    for name, text in given.items():
        if text is not None:
            raise InvalidParameter(f"--model auto chooses --{name} itself; try --model gaussian.")
    # Priors that do not fit are refused before the long search, not after it.
    classes = Labels.of(y).classes()
    class_priors(chosen, classes, np.ones(len(classes)))
    with working("choosing a model by cross-validation") as told:
        found = sf.select_model(X, y, sample_weight=weights, cv=folds, progress=told)
    return found.model if chosen is None else with_priors(found.model, chosen), found


def _tell(fitted: Any, found: Any, out: Path, as_json: bool) -> None:
    from suffice.cli.describe import facts
    from suffice.cli.output import print_json, say
    from suffice.estimators.card import model_card

    told = {"out": str(out), **facts(fitted)}
    if found is not None:
        at = found.chosen
        told["candidates"] = found.tried
        told["notes"] = list(found.notes)
        told["cross_validated"] = {name: s[at].mean() for name, s in found.scores.items()}
    if as_json:
        print_json(told)
        return
    say(*model_card(fitted).split("\n"))
    if found is not None:
        scores = ", ".join(
            f"{name.replace('_', ' ')} {value:.4g}"
            for name, value in told["cross_validated"].items()
        )
        say(f"chosen among {told['candidates']} models; cross-validated: {scores}")
        for note in told["notes"]:
            say(note)
    say(f"written to {out}; try: suffice predict {out} new.csv")
