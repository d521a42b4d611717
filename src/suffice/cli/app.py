"""The app: every command with its example."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from suffice import __version__
from suffice.cli.errors import Commands
from suffice.cli.options import spell_out
from suffice.cli.signing import set_key

# Each command, in the order of the help, with its examples: a function of this name in a module of
# this name.
EXAMPLES = {
    "describe": "suffice describe customers.csv --target status",
    "fit": (
        "suffice fit iris.csv --target species --out iris.suffice\n"
        "suffice fit all.stats --model lda --out model.suffice\n"
        "suffice fit 'rows/*.parquet' --target y --model lda --out model.suffice"
    ),
    "predict": "suffice predict iris.suffice new.csv --out predictions.csv",
    "evaluate": "suffice evaluate iris.suffice test.csv --target species",
    "thresholds": (
        "suffice thresholds loans.suffice test.csv --target status --positive bad --recall 0.9"
    ),
    "compare": "suffice compare iris.csv --target species",
    "report": "suffice report iris.csv --target species --out report.html",
    "explore": (
        "suffice explore iris.csv --target species\n"
        "suffice explore iris.csv --target species --out explorer.html"
    ),
    "importance": "suffice importance iris.suffice test.csv --target species",
    "explain": "suffice explain iris.suffice new.csv --row 3",
    "boundary": "suffice boundary iris.suffice setosa virginica",
    "outliers": "suffice outliers iris.suffice new.csv --out scored.csv",
    "impute": "suffice impute iris.suffice gaps.csv --out filled.csv",
    "sample": "suffice sample iris.suffice -n 1000 --out synthetic.csv",
    "summarize": (
        "suffice summarize part1.parquet --target y --out part1.stats\n"
        "suffice summarize 'rows/*.parquet' --target y --checkpoint half --out all.stats\n"
        "suffice summarize visits.csv --target y --grid decimals=2 --out visits.stats"
    ),
    "merge": "suffice merge part1.stats part2.stats --out all.stats",
    "forget": (
        "suffice forget model.suffice gone.csv --target y --out model.suffice\n"
        "suffice forget all.stats part1.stats --out rest.stats\n"
        "suffice forget all.stats gone.csv --target y --prove --out rest.stats"
    ),
    "verify": "suffice verify before.stats gone.csv after.stats --target y",
    "digest": "suffice digest all.stats",
    "info": "suffice info iris.suffice",
}

app = typer.Typer(
    name="suffice",
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    epilog=f"Example: {EXAMPLES['fit'].splitlines()[0]}",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"suffice {__version__}")
        raise typer.Exit


@app.callback()
def suffice(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
    key_file: Annotated[
        Path | None,
        typer.Option(
            help="File of secret bytes: models and statistics are signed with it when written, and "
            "refused when read unless they were signed with it."
        ),
    ] = None,
) -> None:
    """Generative classification of tables: fit, predict, explain, impute, find outliers."""
    set_key(key_file)


for _name, _examples in EXAMPLES.items():
    _epilog = "\n\n".join(f"Example: {line}" for line in _examples.splitlines())
    _command = getattr(import_module(f"suffice.cli.{_name}"), _name)
    app.command(_name, epilog=_epilog)(spell_out(_command))
