"""`suffice report`: a table -> one HTML page about it and the model chosen for it."""

from __future__ import annotations

from typing import Any

from suffice.cli import options
from suffice.errors import MissingPackage

EXAMPLE = "suffice report iris.csv --target species --out report.html"


def report(
    data: options.Data,
    target: options.Target,
    out: options.OutFile,
    categorical: options.Categorical = None,
    drop: options.Drop = None,
    drop_unlabelled: options.DropUnlabelled = False,
    missing: options.Missing = None,
    encoding: options.Encoding = None,
    json: options.Json = False,
) -> None:
    """Write one HTML page: the data, the model chosen, its quality, pictures, odd rows.

    The page needs no network; open it in any browser.
    """
    from suffice.cli.output import check_file_out, say, working
    from suffice.cli.output import report as tell
    from suffice.cli.training import read_training

    check_file_out(out)
    write = _writer()
    rows = read_training(
        data,
        target,
        categorical=options.listed(categorical),
        drop=options.listed(drop),
        reading=options.Reading.of(missing, encoding),
        drop_unlabelled=drop_unlabelled,
    )
    frame = rows.features.with_columns(rows.labels.alias(target))
    with working("writing the report") as told:
        summary = write(frame, target, out, progress=told).summary
    if not json:
        say(summary)
    tell({"out": str(out), "summary": summary}, json, f"written to {out}; open it in a browser")


def _writer() -> Any:
    try:
        from suffice.report.page import write_report
    except ImportError:
        raise MissingPackage(
            "the report is not available in this installation: pip install 'suffice[plot]', or "
            "upgrade suffice."
        ) from None
    return write_report
