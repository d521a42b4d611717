"""The report of the wine table, written whenever the pages are built."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sklearn.datasets import load_wine
from sphinx.application import Sphinx

import suffice


def write(app: Sphinx, error: Exception | None) -> None:
    """Put the page beside the others, so that the guide to reports can show one."""
    if error is not None or app.builder.format != "html":
        return
    wine = load_wine(as_frame=True)
    names = {0: "Barolo", 1: "Grignolino", 2: "Barbera"}
    table = wine.data.assign(cultivar=wine.target.map(names))
    suffice.report(
        table, "cultivar", Path(app.outdir) / "wine.html", title="Three cultivars of wine"
    )


def setup(app: Sphinx) -> dict[str, Any]:
    """Write at the end of a build."""
    app.connect("build-finished", write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
