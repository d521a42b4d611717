"""Options: arguments that several commands share."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from suffice.errors import InvalidParameter

TABLE = "CSV, TSV, Parquet, Arrow, JSON or JSON lines; - for standard input"

Data = Annotated[Path, typer.Argument(help=f"Table to read: {TABLE}.", show_default=False)]
Tables = Annotated[
    list[Path],
    typer.Argument(
        help=f"Table to read: {TABLE}. Several files, or a pattern such as 'rows/*.parquet', are "
        "read in parts, as is a large one.",
        show_default=False,
    ),
]
Checkpoint = Annotated[
    Path | None,
    typer.Option(
        help="File from which an interrupted run over files that are read in parts goes on.",
        show_default=False,
    ),
]
ModelFile = Annotated[
    Path, typer.Argument(help="Model file, as `suffice fit` writes it.", show_default=False)
]
Target = Annotated[
    str, typer.Option("--target", "-t", help="Column with the classes.", show_default=False)
]
AnyTarget = Annotated[
    str | None, typer.Option("--target", "-t", help="Column with the classes.", show_default=False)
]
Weights = Annotated[
    str | None, typer.Option(help="Column with the weights of the rows.", show_default=False)
]
Categorical = Annotated[
    str | None,
    typer.Option(
        help="Columns to take as categories, such as a,b; text always is.", show_default=False
    ),
]
Drop = Annotated[
    str | None, typer.Option(help="Columns to leave out, such as a,b.", show_default=False)
]
DropUnlabelled = Annotated[
    bool, typer.Option("--drop-unlabelled", help="Leave out rows whose class is missing.")
]
Missing = Annotated[
    str | None,
    typer.Option(
        help="More texts that mean a missing value, such as '?,-999'; an empty cell, NA and NaN "
        "always do.",
        show_default=False,
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(help="Encoding of CSV, such as latin-1; UTF-8 if none.", show_default=False),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        help="File to write: .csv, .tsv, .csv.gz, .parquet, .arrow, .json, .jsonl. "
        "Standard output if none.",
        show_default=False,
    ),
]
OutFile = Annotated[Path, typer.Option("--out", "-o", help="File to write.", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
Formulas = Annotated[
    bool,
    typer.Option(
        "--formulas/--no-formulas",
        help="Write text that a spreadsheet would run as a formula (it starts with = + - @, a "
        "tab or a return) to CSV as it is, without the apostrophe that disarms it.",
    ),
]
Seed = Annotated[
    int | None, typer.Option(help="Number that makes chance repeatable.", show_default=False)
]


@dataclass(frozen=True, slots=True)
class Reading:
    """How tables are read."""

    missing: tuple[str, ...] = ()
    encoding: str | None = None

    @classmethod
    def of(cls, missing: str | None, encoding: str | None) -> Reading:
        """From the options of a command."""
        texts = listed(missing)
        for text in texts:
            # Bytes of the command line that are no text come as halves of characters.
            if any("\ud800" <= character <= "\udfff" for character in text):
                raise InvalidParameter(
                    f"--missing {text!r} is no text: the terminal writes it in another encoding "
                    "than it says. Write it in UTF-8."
                )
        return cls(tuple(texts), encoding)


def listed(text: str | None) -> list[str]:
    """The names in a list with commas; one that has a comma itself stands in quotes.

    >>> listed("a, b"), listed('"a, b",c'), listed(None)
    (['a', 'b'], ['a, b', 'c'], [])
    """
    parts = next(csv.reader([text or ""], skipinitialspace=True), [])
    return [part.strip() for part in parts if part.strip()]
