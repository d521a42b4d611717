"""`suffice report`: a table -> one HTML page about it and the model chosen for it."""

from __future__ import annotations

from typing import Annotated

import typer

from suffice.cli import options
from suffice.errors import MissingPackage


def report(
    data: options.Data,
    target: options.Target,
    out: options.OutFile,
    table: options.TableOptions,
    explore: Annotated[
        bool,
        typer.Option("--explore", help="Also write a page to explore the model, and link to it."),
    ] = False,
    json: options.Json = False,
) -> None:
    """Write one HTML page: the data, the model chosen, its quality, pictures, atypical rows.

    The page needs no network; open it in any browser.
    """
    from suffice.cli.output import check_file_out, notify, say, working
    from suffice.cli.training import read_training

    check_file_out(out)
    try:
        from suffice.reports.page import report as write_report
    except ImportError:
        raise MissingPackage(
            "the report is not available in this installation: pip install 'suffice[plot]', or "
            "upgrade suffice."
        ) from None
    rows = read_training(data, target, table)
    frame = rows.prepared.with_columns(rows.labels.alias(target))
    with working("writing the report") as progress:
        page = write_report(frame, target, out, explore=explore, progress=progress)
    summary = page.summary
    if not json:
        say(summary)
    notify({"out": str(out), "summary": summary}, json, f"written to {out}; open it in a browser")
    if isinstance(page.explorer, str):
        say(f"note: there is no page to explore the model: {page.explorer}", err=True)
