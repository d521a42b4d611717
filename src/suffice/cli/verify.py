"""`suffice verify`: whether a file is another one without some rows, by hash."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from suffice.cli import options


def verify(
    before: options.AnyFile,
    rows: Annotated[
        Path,
        options.argument(f"The rows that were removed: {options.TABLE}. Or statistics of them."),
    ],
    after: Annotated[Path, options.argument("File that was written after removing.")],
    *,
    labelled: options.LabelledReading,
    json: options.Json = False,
) -> None:
    """Check that a file is what another one is without some rows, bit for bit.

    Answers by exit status, too: 0 if it is, 1 if it is not. Both files must be on a grid.
    """
    from suffice.cli.forget import without
    from suffice.cli.grids import check_exact
    from suffice.cli.loaded import load_any
    from suffice.cli.output import answer

    check_exact(before, load_any(before))
    expected = without(before, rows, labelled).digest()
    actual = load_any(after).digest()
    same = expected == actual
    sentence = f"{after} is {'' if same else 'not '}{before} without {rows}"
    digests = (f"expected {expected}", f"found    {actual}")
    answer({"verified": same, "expected": expected, "found": actual}, json, sentence, *digests)
    if not same:
        raise typer.Exit(1)
