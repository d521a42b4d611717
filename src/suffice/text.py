"""Text: names and values of the data as they may be shown to people.

A label, a column's name or a file's name is whatever its author wrote. Shown as it is, it could
move the cursor of a terminal, reorder the letters around it, or become a link.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

# C0 and C1 controls with DEL, marks that reorder text, line and paragraph separators, and halves
# of characters, which no terminal can encode.
HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")

# What Markdown would take for emphasis, code, a cell, a link, a tag, an entity or an escape. An
# underscore within a word, a bracket without a target and "<=" mean themselves.
MARKUP = re.compile(
    r"[`*|~]|(?<![^\W_])_|_(?![^\W_])|\](?=[(\[:])|<(?=[A-Za-z/!?]|\S*@)"
    r"|&(?=#?\w+;)|\\(?=[!-/:-@\[-`{-~]|$)"
)


def visible(text: str) -> str:
    r"""A text on one line, with Python's escapes in place of control characters.

    >>> print(visible("red\x1b[31m\nblue"))
    red\x1b[31m\nblue
    """
    return HIDDEN.sub(lambda found: repr(found[0])[1:-1], text)


def visible_lines(text: str) -> str:
    r"""The same for a text of several lines.

    >>> print(visible_lines("one\n\x9btwo"))
    one
    \x9btwo
    """
    return "\n".join(map(visible, text.split("\n")))


def markdown(text: str) -> str:
    """A text on one line that Markdown shows as it is.

    >>> print(markdown("body_mass [g]|<script>[x](javascript:y)"))
    body_mass [g]\\|\\<script>[x\\](javascript:y)
    """
    return MARKUP.sub(r"\\\g<0>", visible(text))


def shorten(text: str, longest: int) -> str:
    """A text, without its middle if it has more characters than `longest`.

    >>> shorten("abcdefgh", 5), shorten("abc", 5)
    ('ab…gh', 'abc')
    """
    end = (longest - 1) // 2
    return text if len(text) <= longest else f"{text[: longest - 1 - end]}…{text[-end:]}"


def html_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table for notebooks; the first column is a heading of its row.

    >>> html_table(["", "n"], [["a<b", "1"]])
    '<table><thead><tr><th></th><th>n</th></tr></thead><tbody><tr><th>a&lt;b</th><td>1</td></tr>...
    """

    def cells(tag: str, texts: Sequence[str]) -> str:
        return "".join(f"<{tag}>{escape(visible(text))}</{tag}>" for text in texts)

    body = "".join(f"<tr>{cells('th', row[:1])}{cells('td', row[1:])}</tr>" for row in rows)
    return f"<table><thead><tr>{cells('th', head)}</tr></thead><tbody>{body}</tbody></table>"


def plural(n: int, noun: str) -> str:
    """A count and its noun.

    >>> plural(1, "row"), plural(12000, "class"), plural(2, "column")
    ('1 row', '12,000 classes', '2 columns')
    """
    return f"{n:,} {noun if n == 1 else noun + ('es' if noun.endswith('s') else 's')}"
