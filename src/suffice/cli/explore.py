"""`suffice explore`: a table -> a page on which its model is changed by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from suffice.cli import options
from suffice.errors import InvalidParameter

AnyData = Annotated[
    Path | None,
    options.argument(f"Table to read: {options.TABLE}. Without one, the figures of the lecture."),
]


def explore(
    data: AnyData = None,
    *,
    target: options.AnyTarget = None,
    model: Annotated[
        Path | None,
        options.option("Model file to begin with, of the Gaussian family."),
    ] = None,
    out: Annotated[
        Path | None,
        options.option("Write one HTML file instead.", "--out", "-o"),
    ] = None,
    statistics_only: Annotated[
        bool,
        typer.Option(
            "--statistics-only", help="Keep rows out of the page: statistics of classes only."
        ),
    ] = False,
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="Port of this machine; any by default."),
    ] = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address, but open no browser.")
    ] = False,
    table: options.TableOptions,
    json: options.Json = False,
) -> None:
    """Show a page on which rows, means and ellipses can be dragged, and all numbers follow.

    It runs on this machine only, until it is interrupted; with --out it is one file that opens
    anywhere, without a network.
    """
    from suffice.cli.loaded import load_model
    from suffice.cli.output import check_file_out, notify, say
    from suffice.cli.training import read_training
    from suffice.web.explore import explorer_page

    if out is not None:
        check_file_out(out)
    loaded = None if model is None else load_model(model)
    rows = None
    if data is not None:
        target = options.needed(target) if loaded is None else loaded.target_or(target)
        rows = read_training(data, target, table)
    elif target is not None:
        raise InvalidParameter("--target names a column of a table; name the table, too.")
    chosen = None if loaded is None else loaded.model
    page = (
        explorer_page(None, None, chosen, statistics_only)
        if rows is None
        else explorer_page(rows.prepared, rows.labels, chosen, statistics_only)
    )
    if out is not None:
        page.save(out)
        notify({"out": str(out)}, json, f"written to {out}; open it in a browser")
        return
    from suffice.web.server import serve

    def started(address: str) -> None:
        say(f"open {address}", "press Ctrl-C to stop")

    serve(page, port, browser=not no_browser, started=started)
