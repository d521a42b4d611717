"""HTML: elements and tables, in which every text is escaped unless it is of type Html."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any

from suffice.text import visible_lines


class Html(str):
    """A text that is HTML already."""

    __slots__ = ()


def escaped(value: Any) -> Html:
    """A value as HTML text; control characters, which HTML forbids, are escaped.

    >>> escaped("<b> & 'c'"), escaped(Html("<b>"))
    ('&lt;b&gt; &amp; &#x27;c&#x27;', '<b>')
    """
    if isinstance(value, Html):
        return value
    return Html(html.escape(visible_lines(str(value)), quote=True))


def joined(parts: Iterable[Any]) -> Html:
    """Pieces one after another, each escaped."""
    return Html("\n".join(escaped(part) for part in parts))


def element(tag: str, *content: Any, **attributes: Any) -> Html:
    """An element; attributes that are None are left out, "_" stands for "-", `class_` is class.

    >>> element("p", "a < b", class_="note", aria_label=None)
    '<p class="note">a &lt; b</p>'
    """
    text = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escaped(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    return Html(f"<{tag}{text}>{''.join(escaped(part) for part in content)}</{tag}>")


def html_table(
    head: Sequence[Any],
    rows: Iterable[Sequence[Any]],
    *,
    caption: str = "",
    words: Sequence[int] = (0,),
    marked: Sequence[int] = (),
    notes: Iterable[str] = (),
) -> Html:
    """A table for notebooks, light or dark: no script, no style sheet, no colour of its own.

    head : of the columns; may be empty
    words : positions of columns that hold words, not numbers
    marked : positions of rows that stand out
    notes : sentences below the table

    >>> html_table(["", "n"], [["a<b", 1]]).count("<td"), "a&lt;b" in html_table([], [["a<b"]])
    (1, True)
    """
    parts = []
    if caption:
        parts.append(element("caption", caption, style="text-align: left; white-space: nowrap"))
    # A table in a notebook has no colours but this grey: its text is readable on any background.
    line = "1px solid rgba(128, 128, 128, 0.5)"
    if head:
        top = [_cell("th", j, cell, words, f"border-bottom: {line}") for j, cell in enumerate(head)]
        parts.append(element("thead", element("tr", *top)))
    body = []
    for i, row in enumerate(rows):
        weight = f"font-weight: {'bold' if i in marked else 'normal'}"
        cells = [_cell("td" if j else "th", j, cell, words, weight) for j, cell in enumerate(row)]
        body.append(element("tr", *cells))
    parts.append(element("tbody", *body))
    look = "border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 0.5em 0"
    table = element("div", element("table", *parts, style=look), style="overflow-x: auto")
    return Html(table + "".join(element("p", sentence) for sentence in notes))


def _cell(tag: str, j: int, content: Any, words: Sequence[int], look: str) -> Html:
    # A number and its error stay on one line, however narrow the page.
    side = "text-align: left" if j in words else "text-align: right; white-space: nowrap"
    room = "padding: 0.2em 0.7em 0.2em 0; vertical-align: top"
    return element(tag, content, style=f"{side}; {room}; {look}")
