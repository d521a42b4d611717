"""Examples in Markdown: the empty line that doctest needs at the end is not shown."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx


def trimmed(app: Sphinx, doctree: nodes.document) -> None:
    """Strip the ends of blocks of plain code."""
    for block in doctree.findall(nodes.literal_block):
        if len(block) == 1 and isinstance(block[0], nodes.Text):
            block.rawsource = block.rawsource.rstrip()
            block[0] = nodes.Text(block.astext().rstrip())


def setup(app: Sphinx) -> dict[str, Any]:
    """Listen to pages that have been read."""
    app.connect("doctree-read", trimmed)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
