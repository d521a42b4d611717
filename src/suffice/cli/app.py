"""The app: every command with its example."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from suffice import __version__
from suffice.cli import (
    boundary,
    compare,
    describe,
    digest,
    evaluate,
    explain,
    fit,
    forget,
    importance,
    impute,
    info,
    merge,
    outliers,
    predict,
    report,
    sample,
    summarize,
    thresholds,
    verify,
)
from suffice.cli.errors import Commands
from suffice.cli.options import spell_out
from suffice.cli.signing import set_key

# In the order of the help; each module has a function with the module's name.
MODULES = (
    describe,
    fit,
    predict,
    evaluate,
    thresholds,
    compare,
    report,
    importance,
    explain,
    boundary,
    outliers,
    impute,
    sample,
    summarize,
    merge,
    forget,
    verify,
    digest,
    info,
)
EXAMPLES: dict[str, str] = {one.__name__.rpartition(".")[2]: one.EXAMPLE for one in MODULES}

app = typer.Typer(
    name="suffice",
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    epilog=f"Example: {fit.EXAMPLE.splitlines()[0]}",
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


for _module, (_name, _examples) in zip(MODULES, EXAMPLES.items(), strict=True):
    _epilog = "\n\n".join(f"Example: {line}" for line in _examples.splitlines())
    app.command(_name, epilog=_epilog)(spell_out(getattr(_module, _name)))
