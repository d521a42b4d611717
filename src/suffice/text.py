"""Text: names and values of the data as they may be shown to people.

A label, a column's name or a file's name is whatever its author wrote. Shown as it is, it could
move the cursor of a terminal, reorder the letters around it, or become a link.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

# C0 and C1 controls with DEL, marks that reorder text, line and paragraph separators, and halves
# of characters, which no terminal can encode.
HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


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
    # What Markdown would take for emphasis, code, a cell, a link, a tag, an entity or an escape. An
    # underscore within a word, a bracket without a target and "<=" mean themselves.
    markup = re.compile(
        r"[`*|~]|(?<![^\W_])_|_(?![^\W_])|\](?=[(\[:])|<(?=[A-Za-z/!?]|\S*@)"
        r"|&(?=#?\w+;)|\\(?=[!-/:-@\[-`{-~]|$)"
    )
    return markup.sub(r"\\\g<0>", visible(text))


def shorten(text: str, longest: int) -> str:
    """A text, without its middle if it has more characters than `longest`.

    >>> shorten("abcdefgh", 5), shorten("abc", 5)
    ('ab…gh', 'abc')
    """
    end = (longest - 1) // 2
    return text if len(text) <= longest else f"{text[: longest - 1 - end]}…{text[-end:]}"


def format_number(value: float, digits: int = 4) -> str:
    """A number rounded to significant digits, as a sentence writes it: 200,000, not 2e+05.

    Four digits stand together: they may be a year.

    >>> format_number(200_000.0), format_number(1999.0), format_number(2.1e-5), format_number(2e-9)
    ('200,000', '1999', '0.000021', '2e-09')
    """
    size = abs(float(value))
    # Smaller and larger numbers are written with an exponent.
    if size and (not 1e-6 <= size < 1e15):
        return f"{value:.{digits}g}"
    places = digits - 1 - (math.floor(math.log10(size)) if size else 0)
    text = f"{value:{',' if size >= 9999.5 else ''}.{max(0, places)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def plural(n: int, noun: str) -> str:
    """A count and its noun.

    >>> plural(1, "row"), plural(12000, "class"), plural(2, "column")
    ('1 row', '12,000 classes', '2 columns')
    """
    return f"{n:,} {noun if n == 1 else noun + ('es' if noun.endswith('s') else 's')}"


def shown(value: Any, longest: int = 300) -> str:
    """A value for a message as a user would write it, 2 for np.int64(2), and not too long.

    >>> import numpy as np
    >>> shown(np.int64(2)), shown([np.str_("a"), 1.5]), shown(np.arange(3.0))
    ('2', "['a', 1.5]", '[0.0, 1.0, 2.0]')
    """
    text = repr(_plain(value, longest))
    if len(text) <= longest:
        return text
    # Long names often differ at their ends; this also keeps the closing quote.
    half = (longest - 3) // 2
    return f"{text[:half]}...{text[-half:]}"


def _plain(value: Any, longest: int) -> Any:
    """A value with Python types in place of NumPy types, which need not be loaded."""
    if getattr(value, "shape", None) == ():
        return value.item()
    if hasattr(value, "__array_interface__") and not isinstance(value, type):
        return _plain(value.tolist(), longest) if value.size <= longest else value
    if type(value) in (list, tuple, set, frozenset):
        return type(value)(_plain(one, longest) for one in value)
    if type(value) is dict:
        return {_plain(key, longest): _plain(one, longest) for key, one in value.items()}
    return value


def quote_names(names: Iterable[Any], most: int = 10) -> str:
    """The first of some names, quoted for a message.

    >>> quote_names(["a", "b"]), quote_names(range(4), most=2), quote_names([])
    ("'a', 'b'", '0, 1 and 2 more', 'none')
    """
    quoted = [shown(name) for name in names]
    more = f" and {len(quoted) - most} more" if len(quoted) > most else ""
    return (", ".join(quoted[:most]) or "none") + more


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The most similar of some names, if any is similar; case does not count.

    >>> nearest("Specie", ["island", "species"])
    'species'
    """
    by_lower = {str(one).lower(): str(one) for one in names}
    similar = get_close_matches(name.lower(), by_lower, n=1, cutoff=0.5)
    return by_lower[similar[0]] if similar else None


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """A sentence that suggests the most similar of some names; nothing if none is similar.

    >>> did_you_mean("Specie", ["island", "species"]), did_you_mean("x", ["island"])
    (" Did you mean 'species'?", '')
    """
    near = nearest(name, names)
    return f" Did you mean {near!r}?" if near else ""


def align_columns(lines: Iterable[Sequence[str]], numbers: Sequence[int] = ()) -> list[str]:
    """Rows of cells as lines of text with aligned columns.

    numbers : positions of columns that are aligned at the right

    >>> align_columns([["a", "10"], ["bc", "9"]], numbers=[1])
    ['a   10', 'bc   9']
    """
    safe = [[visible(cell) for cell in line] for line in lines]
    widths = [max(map(len, column)) for column in zip(*safe, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if j in numbers else cell.ljust(width)
            for j, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in safe
    ]
