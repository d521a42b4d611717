"""The explorer of the lecture's figures, written whenever the pages are built."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

import suffice


def write(app: Sphinx, error: Exception | None) -> None:
    """Put the page beside the others, so that the lecture can link to its figures."""
    if error is None and app.builder.format == "html":
        suffice.explore(path=Path(app.outdir) / "explorer.html")


def setup(app: Sphinx) -> dict[str, Any]:
    """Write at the end of a build."""
    app.connect("build-finished", write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
