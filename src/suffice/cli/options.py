"""Options: arguments that several commands share, alone and in groups."""

from __future__ import annotations

import csv
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from suffice.errors import InvalidParameter


def option(help: str, *names: str, **more: Any) -> Any:
    """An option that may be left out; its default is not shown."""
    return typer.Option(*names, help=help, show_default=False, **more)


def argument(help: str) -> Any:
    """An argument, whose default is not shown."""
    return typer.Argument(help=help, show_default=False)


TABLE = "CSV, TSV, Parquet, Arrow, JSON or JSON lines; - for standard input"

Data = Annotated[Path, argument(f"Table to read: {TABLE}.")]
Tables = Annotated[
    list[Path],
    argument(
        f"Table to read: {TABLE}. Several files, or a pattern such as 'rows/*.parquet', are "
        "read in parts, and so is a large file."
    ),
]
Checkpoint = Annotated[
    Path | None,
    option("File that lets an interrupted run over files read in parts resume."),
]
ModelFile = Annotated[Path, argument("Model file, as `suffice fit` writes it.")]
AnyFile = Annotated[Path, argument("File of a model or of statistics.")]
Target = Annotated[str, option("Column with the classes.", "--target", "-t")]
AnyTarget = Annotated[str | None, option("Column with the classes.", "--target", "-t")]
ModelTarget = Annotated[
    str | None,
    option("Column with the classes; by default that of the training table.", "--target", "-t"),
]
Picture = Annotated[
    Path | None,
    option("Draw it to this file: .svg, .png or .pdf."),
]
Weights = Annotated[str | None, option("Column with the weights of the rows.")]
Categorical = Annotated[
    str | None,
    option("Columns to treat as categories, such as a,b; text columns always are."),
]
Numeric = Annotated[
    str | None,
    option("Columns to treat as numbers, such as a,b; what is not a number is missing."),
]
TextColumns = Annotated[
    str | None,
    option("Columns to treat as text, such as zip,phone, even if they look like numbers or dates."),
]


class DateOption(StrEnum):
    """What becomes of dates."""

    PARTS = "parts"
    DROP = "drop"


Dates = Annotated[
    DateOption,
    typer.Option(help="Read dates as year, month, weekday, hour and days, or leave them out."),
]
Drop = Annotated[str | None, option("Columns to leave out, such as a,b.")]
DropUnlabelled = Annotated[
    bool, typer.Option("--drop-unlabelled", help="Leave out rows whose class is missing.")
]
Missing = Annotated[
    str | None,
    option(
        "More null markers, such as 'unknown,-999'; an empty cell, NA and NaN always mean a "
        "missing value, and so do ?, - and None unless this is ''. The word 'indicator' adds a "
        "feature to columns with missing values: whether the value is missing."
    ),
]
Encoding = Annotated[
    str | None,
    option("Encoding of CSV, such as latin-1; UTF-8 by default."),
]
Out = Annotated[
    Path | None,
    option(
        "File to write: .csv, .tsv, .csv.gz, .parquet, .arrow, .json, .jsonl. "
        "Standard output by default.",
        "--out",
        "-o",
    ),
]
OutFile = Annotated[Path, option("File to write.", "--out", "-o")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Formulas = Annotated[
    bool,
    typer.Option(
        "--formulas/--no-formulas",
        help="Write text that a spreadsheet would run as a formula (it starts with = + - @, a "
        "tab or a return) to CSV unchanged, without the apostrophe that disarms it.",
    ),
]
Metric = Annotated[
    str,
    typer.Option(
        help="Score that decides: log_loss, accuracy, balanced_accuracy, f1_macro, roc_auc, "
        "average_precision, brier, calibration_error, or the recall of a class, as in recall_yes."
    ),
]
Costs = Annotated[
    str | None,
    option(
        "Costs of errors as true/predicted=cost, such as 'bad/good=5,good/bad=1'; others cost 1."
    ),
]
Keep = Annotated[bool, typer.Option(help="Also write the columns of the table.")]
Seed = Annotated[int | None, option("Random seed.")]


@dataclass(frozen=True, slots=True)
class Reading:
    """How tables are read."""

    missing: Missing = None
    encoding: Encoding = None

    @property
    def null_markers(self) -> tuple[str, ...]:
        """Further texts that mean a missing value."""
        from suffice.data.columns.column_options import INDICATOR

        markers = [text for text in listed(self.missing) if text != INDICATOR]
        for text in markers:
            # Bytes of the command line that are not text arrive as halves of characters.
            if any("\ud800" <= character <= "\udfff" for character in text):
                raise InvalidParameter(
                    f"--missing {text!r} is not text: the terminal uses another encoding than it "
                    "declares. Write it in UTF-8."
                )
        return tuple(markers)

    @property
    def indicates(self) -> bool:
        """Whether columns with missing values have an indicator of them."""
        from suffice.data.columns.column_options import INDICATOR

        return INDICATOR in listed(self.missing)


@dataclass(frozen=True, slots=True)
class LabelledReading(Reading):
    """How tables with the classes of their rows are read."""

    target: ModelTarget = None
    weights: Weights = None
    drop_unlabelled: DropUnlabelled = False


@dataclass(frozen=True, slots=True)
class NamedColumns(Reading):
    """What the columns of a table are, and how it is read."""

    categorical: Categorical = None
    numeric: Numeric = None
    text: TextColumns = None
    dates: Dates = DateOption.PARTS
    drop: Drop = None

    @property
    def kinds(self) -> dict[str, list[str]]:
        """The columns that are named to be of some kind."""
        kinds = {"categorical": self.categorical, "numeric": self.numeric, "text": self.text}
        return {kind: listed(text) for kind, text in kinds.items()}

    @property
    def named(self) -> list[str]:
        """All these columns."""
        return [name for names in self.kinds.values() for name in names]


@dataclass(frozen=True, slots=True)
class TableOptions(NamedColumns):
    """Which columns and rows of a table count, and how it is read."""

    drop_unlabelled: DropUnlabelled = False

    @property
    def describes(self) -> bool:
        """Whether it says what the columns are."""
        given = self.named or self.drop or self.indicates or self.dates != DateOption.PARTS
        return bool(given)

    def labelled(self, target: str, weights: str | None) -> LabelledReading:
        """How rows are read whose columns are known, with their classes."""
        return LabelledReading(self.missing, self.encoding, target, weights, self.drop_unlabelled)

    def roles(self, target: str, weights: str | None) -> Any:
        """The roles of the columns, as files that are read in parts take them."""
        from suffice.data.sources.roles import ReadOptions

        return ReadOptions(
            target,
            weights,
            drop=tuple(listed(self.drop)),
            null_markers=self.null_markers,
            drop_unlabelled=self.drop_unlabelled,
        )


@dataclass(frozen=True, slots=True)
class TableOutput:
    """Where a table of answers is written."""

    out: Out = None
    formulas: Formulas = False
    json: Json = False

    def check(self) -> None:
        """Raise before any work unless the table can be written."""
        from suffice.cli.output import check_out

        check_out(self.out, table=True)

    def write(self, columns: Mapping[str, Any], kept: int = 0) -> None:
        """Write the table; the first `kept` columns were in the table that was read."""
        from suffice.cli.output import write_table

        write_table(columns, self.out, as_json=self.json, formulas=self.formulas, kept=kept)


def spell_out(command: Callable[..., None]) -> Callable[..., None]:
    """The command as typer takes it: each group of options replaced by the options in it."""
    by_name = inspect.Parameter.KEYWORD_ONLY
    options: list[inspect.Parameter] = []
    groups: dict[str, Any] = {}
    for one in inspect.signature(command, eval_str=True).parameters.values():
        if not is_dataclass(one.annotation):
            options.append(one.replace(kind=by_name))
            continue
        group: Any = one.annotation
        groups[one.name] = group
        types = get_type_hints(group, include_extras=True)
        defaults = {field.name: field.default for field in fields(group)}
        # The options of a group come before those of the more general one that it extends.
        for name in (name for kind in group.__mro__ for name in inspect.get_annotations(kind)):
            more = {"default": defaults[name], "annotation": types[name]}
            options.append(inspect.Parameter(name, by_name, **more))

    def run(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        command(**given)

    run.__doc__ = command.__doc__
    run.__annotations__ = {one.name: one.annotation for one in options}
    run.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
    return run


def needed(target: str | None) -> str:
    """The column of the classes, where neither a file nor a model says it."""
    if target is None:
        raise InvalidParameter("name the column with the classes by --target.")
    return target


def listed(text: str | None) -> list[str]:
    """The names in a comma-separated list; a name that contains a comma stands in quotes.

    >>> listed("a, b"), listed('"a, b",c'), listed(None)
    (['a', 'b'], ['a, b', 'c'], [])
    """
    parts = next(csv.reader([text or ""], skipinitialspace=True), [])
    return [part.strip() for part in parts if part.strip()]
