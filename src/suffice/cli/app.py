"""The app: every command with its example."""

from __future__ import annotations

from typing import Annotated

import typer

from suffice import __version__
from suffice.cli import (
    boundary,
    compare,
    evaluate,
    explain,
    fit,
    forget,
    impute,
    info,
    merge,
    outliers,
    predict,
    report,
    sample,
    summarize,
)
from suffice.cli.errors import Commands

COMMANDS = (
    fit.fit,
    predict.predict,
    evaluate.evaluate,
    compare.compare,
    report.report,
    explain.explain,
    boundary.boundary,
    outliers.outliers,
    impute.impute,
    sample.sample,
    summarize.summarize,
    merge.merge,
    forget.forget,
    info.info,
)

EXAMPLES = {
    "fit": fit.EXAMPLE,
    "predict": predict.EXAMPLE,
    "evaluate": evaluate.EXAMPLE,
    "compare": compare.EXAMPLE,
    "report": report.EXAMPLE,
    "explain": explain.EXAMPLE,
    "boundary": boundary.EXAMPLE,
    "outliers": outliers.EXAMPLE,
    "impute": impute.EXAMPLE,
    "sample": sample.EXAMPLE,
    "summarize": summarize.EXAMPLE,
    "merge": merge.EXAMPLE,
    "forget": forget.EXAMPLE,
    "info": info.EXAMPLE,
}

app = typer.Typer(
    name="suffice",
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    epilog="Example: " + fit.EXAMPLE.split("\n")[0],
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"suffice {__version__}")
        raise typer.Exit


@app.callback()
def suffice(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Generative classification of tables: fit, predict, explain, fill gaps, find outliers."""


for _command in COMMANDS:
    app.command(
        epilog="Example: " + EXAMPLES[_command.__name__].replace("\n", "\n\nExample: "),
    )(_command)
