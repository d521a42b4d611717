"""Markup: pieces of HTML, in which every text is escaped unless it is HTML by type."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from typing import Any

from suffice.text import visible_lines

# Names and values of the data longer than this are cut.
LONGEST = 80

# A label in a sentence; the apostrophe of "Box's M" opens none.
QUOTED = re.compile(r"(?<!\w)'([^']+)'(?!\w)")


class Html(str):
    """A text that is HTML already."""

    __slots__ = ()


def escaped(value: Any) -> Html:
    """A value as HTML that shows it; control characters, which HTML forbids, by their escapes.

    >>> escaped("<b> & 'c'"), escaped(Html("<b>"))
    ('&lt;b&gt; &amp; &#x27;c&#x27;', '<b>')
    """
    if isinstance(value, Html):
        return value
    return Html(html.escape(visible_lines(str(value)), quote=True))


def short(value: Any, longest: int = LONGEST) -> str:
    """A value as text, without its middle where it is too long to be read.

    >>> short("abcdefgh", 5)
    'ab…gh'
    """
    text = str(value.item() if isinstance(getattr(value, "shape", None), tuple) else value)
    end = (longest - 1) // 2
    return text if len(text) <= longest else f"{text[: longest - 1 - end]}…{text[-end:]}"


def short_labels(sentence: str) -> str:
    """A sentence in which what stands in quotes is short.

    >>> len(short_labels(f"Class '{'a' * 300}' is not Gaussian."))
    105
    """
    return QUOTED.sub(lambda label: f"'{short(label[1])}'", sentence)


def joined(parts: Iterable[Any]) -> Html:
    """Pieces one after the other, each escaped."""
    return Html("\n".join(escaped(part) for part in parts))


def element(tag: str, *content: Any, **attributes: Any) -> Html:
    """An element; attributes that are None are left out, "_" stands for "-", `class_` is class.

    >>> element("p", "a < b", class_="note", aria_label=None)
    '<p class="note">a &lt; b</p>'
    """
    told = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escaped(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    return Html(f"<{tag}{told}>{''.join(escaped(part) for part in content)}</{tag}>")


def paragraphs(*sentences: str) -> Html:
    """A paragraph for each text that is not empty."""
    return joined(element("p", text) for text in sentences if text)


def items(entries: Iterable[Any], kind: str = "ul") -> Html:
    """A list."""
    return element(kind, joined(element("li", entry) for entry in entries))


def table(
    caption: str,
    head: Sequence[Any],
    rows: Iterable[Sequence[Any]],
    *,
    words: Sequence[int] = (),
    marked: Sequence[int] = (),
) -> Html:
    """A table that scrolls in a box of its own; the first cell of a row is its heading.

    words : positions of columns that hold words, not numbers
    marked : positions of rows that stand out
    """
    lines = [list(row) for row in rows]
    kinds = [_kind(lines, j) if j == 0 or j in words else None for j in range(len(head))]
    top = [
        element("th", cell, scope="col", class_=kind)
        for cell, kind in zip(head, kinds, strict=True)
    ]
    body = []
    for i, row in enumerate(lines):
        cells = [
            element("td", cell, class_=kind) for cell, kind in zip(row[1:], kinds[1:], strict=True)
        ]
        first = element("th", row[0], scope="row", class_=kinds[0])
        body.append(element("tr", first, *cells, class_="marked" if i in marked else None))
    inside = element(
        "table",
        element("caption", element("span", caption)),
        element("thead", element("tr", *top)),
        element("tbody", joined(body)),
    )
    # A box that scrolls must be reached by keyboard, and then says what it is.
    return element("div", inside, class_="scroll", role="region", tabindex=0, aria_label=caption)


def _kind(rows: list[list[Any]], j: int) -> str:
    """How a column of words is set: in one line, or broken into lines of names or of prose."""
    longest = max((len(str(row[j])) for row in rows), default=0)
    return "words" if longest <= 14 else "words name" if longest <= 44 else "words prose"


def code(text: str, label: str) -> Html:
    """A listing to copy."""
    inside = element("code", text)
    return element("pre", inside, tabindex=0, role="region", aria_label=label)


def percent(share: float, digits: int = 1) -> str:
    """A share.

    >>> percent(0.9733), percent(1.0)
    ('97.3%', '100.0%')
    """
    return f"{100 * share:.{digits}f}%"


def plural(n: int, noun: str) -> str:
    """A count and its noun.

    >>> plural(1, "row"), plural(12000, "class"), plural(2, "column")
    ('1 row', '12,000 classes', '2 columns')
    """
    return f"{n:,} {noun if n == 1 else noun + ('es' if noun.endswith('s') else 's')}"


def reason(error: Exception) -> str:
    """What an error says, each sentence once.

    >>> reason(ValueError("Too few rows. Give more. Too few rows."))
    'Too few rows. Give more.'
    """
    sentences = [part.strip().removesuffix(".") for part in str(error).split(". ")]
    said = ". ".join(dict.fromkeys(part for part in sentences if part))
    return f"{said}." if said else type(error).__name__
