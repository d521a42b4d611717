"""Explorer link: a page beside the report on which its model can be explored."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

from suffice.errors import SufficeError
from suffice.html import Html, element
from suffice.reports.markup import note
from suffice.reports.material import Material


def write_explorer(path: Path, data: Material, title: str, model: Any) -> Path | str:
    """The page, beginning with the model if it can show it; or the reason why there is none."""
    import suffice

    why = ""
    for start in (model, None):
        try:
            suffice.explore(data.X, data.y, path, model=start, title=title)
        except SufficeError as error:
            why = str(error)
        else:
            return path
    return why


def explorer_link(found: Path | str | None) -> Html:
    """The link to the page, or why there is none; nothing if none was asked for."""
    if found is None:
        return Html("")
    if isinstance(found, str):
        return note(f"There is no page to explore the model: {found}")
    words = "Explore the model: drag rows, and see every number move"
    return element("p", element("a", words, href=quote(found.name)))
