"""Markup: the tables, lists and paragraphs of a page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from suffice.data.parameters import is_number
from suffice.html import Html, element, joined, table_element
from suffice.text import format_number, shorten


def short(value: Any, longest: int = 80) -> str:
    """A value as text, without its middle if it is too long to be read.

    >>> short("abcdefgh", 5)
    'ab…gh'
    """
    text = str(value.item() if isinstance(getattr(value, "shape", None), tuple) else value)
    return shorten(text, longest)


def short_number(value: Any, longest: int = 24) -> str:
    """A number to four digits; anything else as text."""
    return format_number(value) if is_number(value) else short(value, longest)


def short_labels(sentence: str) -> str:
    """A sentence in which all quoted labels are short.

    >>> len(short_labels(f"Class '{'a' * 300}' is not Gaussian."))
    105
    """
    # A label in a sentence; the apostrophe of "Box's M" does not open one.
    quoted = re.compile(r"(?<!\w)'([^']+)'(?!\w)")
    return quoted.sub(lambda label: f"'{short(label[1])}'", sentence)


def paragraphs(*sentences: str) -> Html:
    """A paragraph for each text that is not empty."""
    return joined(element("p", text) for text in sentences if text)


def heading(text: str) -> Html:
    """The title of a part of a section."""
    return element("h3", text)


def note(text: str) -> Html:
    """A paragraph that stands out."""
    return element("p", text, class_="note")


def items(entries: Iterable[Any], class_: str | None = None) -> Html:
    """A list."""
    return element("ul", joined(element("li", entry) for entry in entries), class_=class_)


def table(
    caption: str,
    head: Sequence[Any],
    rows: Iterable[Sequence[Any]],
    *,
    words: Sequence[int] = (),
    marked: Sequence[int] = (),
    most: int | None = None,
) -> Html:
    """A table that scrolls in its own box; the first cell of a row is its heading.

    words : positions of columns that hold words, not numbers
    marked : positions of rows that stand out
    most : rows that are listed; of more, the caption counts the rest
    """
    lines = [list(row) for row in rows]
    if most is not None and len(lines) > most:
        caption = f"{caption} The first {most}; {len(lines) - most:,} more."
        lines = lines[:most]
    kinds = {j: _kind(lines, j) for j in (0, *words)}

    def cell(i: int | None, j: int) -> dict[str, Any]:
        scope = "col" if i is None else "row" if j == 0 else None
        classes = [kinds.get(j, ""), "marked" if i in marked else ""]
        return {"scope": scope, "class_": " ".join(filter(None, classes)) or None}

    above = element("caption", element("span", caption))
    inside = table_element(head, lines, cell, caption=above)
    # A box that scrolls must be reachable by keyboard, and needs a name.
    return element("div", inside, class_="scroll", role="region", tabindex=0, aria_label=caption)


def _kind(rows: list[list[Any]], j: int) -> str:
    """The CSS class of a column of words: one line, or wrapped as names or as prose."""
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


def reason(error: Exception) -> str:
    """The message of an error, each sentence once.

    >>> reason(ValueError("Too few rows. Give more. Too few rows."))
    'Too few rows. Give more.'
    """
    sentences = [part.strip().removesuffix(".") for part in str(error).split(". ")]
    text = ". ".join(dict.fromkeys(part for part in sentences if part))
    return f"{text}." if text else type(error).__name__
