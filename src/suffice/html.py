"""HTML: elements and tables, in which every text is escaped unless it is of type Html."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Mapping, Sequence
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


Cell = Callable[[int | None, int], Mapping[str, Any]]


def table_element(
    head: Sequence[Any],
    rows: Iterable[Sequence[Any]],
    cell: Cell,
    *,
    caption: Html | None = None,
    **attributes: Any,
) -> Html:
    """A table, in which the first cell of a row is its heading.

    head : of the columns; may be empty
    cell : the attributes of a cell, by its row, or None in the head, and its column
    """

    def row(i: int | None, cells: Sequence[Any]) -> Html:
        tags = ["th"] * len(cells) if i is None else ["th", *["td"] * (len(cells) - 1)]
        return element("tr", *(element(tags[j], one, **cell(i, j)) for j, one in enumerate(cells)))

    parts = [] if caption is None else [caption]
    if head:
        parts.append(element("thead", row(None, head)))
    parts.append(element("tbody", *(row(i, cells) for i, cells in enumerate(rows))))
    return element("table", *parts, **attributes)


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

    def cell(i: int | None, j: int) -> dict[str, str]:
        # A number and its error stay on one line, however narrow the page.
        side = "text-align: left" if j in words else "text-align: right; white-space: nowrap"
        # The only colour is a grey that is readable on any background.
        look = "border-bottom: 1px solid rgba(128, 128, 128, 0.5)"
        if i is not None:
            look = f"font-weight: {'bold' if i in marked else 'normal'}"
        return {"style": f"{side}; padding: 0.2em 0.7em 0.2em 0; vertical-align: top; {look}"}

    look = "border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 0.5em 0"
    above = element("caption", caption, style="text-align: left; white-space: nowrap")
    table = table_element(head, rows, cell, caption=above if caption else None, style=look)
    below = "".join(element("p", sentence) for sentence in notes)
    return Html(element("div", table, style="overflow-x: auto") + below)
