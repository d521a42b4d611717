"""Written dates: texts such as "2024-05-31 08:30", "31.5.2024" or "May 31, 2024" -> times."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable
from functools import cache, partial

import numpy as np

from suffice.data.arrays import Array
from suffice.data.columns.cells import TextCells

# The order of day and month in a column; the first also where they cannot be confused.
CLEAR = "year first"
ORDERS = (CLEAR, "day first", "month first")


@cache
def _patterns(order: str) -> tuple[re.Pattern[str], ...]:
    """The notations of dates that can be read in one way only, and those of an order."""
    name = r"(?P<name>[A-Za-z]{3,9})\.?"
    clock = (
        r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})"
        r"(?::(?P<second>[0-9]{2})(?:[.,](?P<part>[0-9]+))?)?"
        r"\s*(?P<half>[AaPp][Mm])?\s*(?:Z|UTC|[+-][0-9]{2}:?(?:[0-9]{2})?)?"
    )
    mark = "(?P<mark>[-/.])"
    day, month, year = "(?P<day>[0-9]{1,2})", "(?P<month>[0-9]{1,2})", "(?P<year>[0-9]{4})"
    dates = [
        rf"{year}{mark}{month}(?P=mark){day}",
        rf"{day}(?:[-/ ]|\.\s?){name}[-/ ,]+{year}",
        rf"{name} {day},?\s+{year}",
    ]
    # In these, days up to the 12th could be months.
    short = "(?P<short>[0-9]{2})"  # a year without its century
    if order == "day first":
        dates += [rf"{day}{mark}{month}(?P=mark){year}", f"{day}/{month}/{short}"]
    elif order == "month first":
        dates += [rf"{month}{mark}{day}(?P=mark){year}", f"{month}/{day}/{short}"]
    timed = [rf"{date}(?:(?:T|,?\s+){clock})?" for date in dates]
    others = [r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})", rf"{name}[- ]{year}", clock]
    return tuple(map(re.compile, [*timed, *others]))


def parse_date(text: str, order: str = CLEAR) -> dt.datetime | None:
    """The time that a text writes, None if it writes none; offsets from UTC are left out.

    >>> parse_date("2024-05-31T08:30:00Z"), parse_date("8:30")
    (datetime.datetime(2024, 5, 31, 8, 30), datetime.datetime(1970, 1, 1, 8, 30))
    >>> parse_date("3/4/2024", "month first"), parse_date("3/4/2024")
    (datetime.datetime(2024, 3, 4, 0, 0), None)
    >>> parse_date("7/31/20 15:03", "month first")
    datetime.datetime(2020, 7, 31, 15, 3)
    """
    if text[4:5] == "-":
        # Several times faster than the patterns, and the most common case.
        try:
            return dt.datetime.fromisoformat(text).replace(tzinfo=None)
        except ValueError:
            pass
    for pattern in _patterns(order):
        match = pattern.fullmatch(text)
        if match is not None:
            return _time(match.groupdict())
    return None


def parse_dates(texts: Iterable[str], order: str) -> Array:
    """The times that texts write, NaT where one writes none."""
    return np.array([parse_date(text, order) for text in texts], "datetime64[us]")


def date_orders(cells: TextCells, share: float) -> dict[str, list[str]]:
    """The orders of day and month of a column of dates, and the texts that are not dates.

    Empty if fewer than this share of the cells are dates; two orders if days and months cannot be
    distinguished.

    >>> date_orders(TextCells.of(["3/4/2024", "30/4/2024"]), 1.0)
    {'day first': []}
    >>> list(date_orders(TextCells.of(["3/4/2024", "5/4/2024"]), 1.0))
    ['day first', 'month first']
    """
    total = int(cells.counts.sum())
    orders: dict[str, list[str]] = {}
    allowed = total - share * total
    for order in ORDERS if total else ():
        failing = cells.failing(partial(parse_date, order=order), allowed)
        if failing is None:
            continue
        rows = sum(cells.rows_of(failing).values())
        orders = {order: failing} if rows < allowed or not orders else {**orders, order: failing}
        allowed = rows
        if order == CLEAR and not rows:
            break
    # With points, the day comes first wherever such dates are written.
    pointed = all(re.match(r"[0-9]+\.", text) for text in cells.distinct)
    return dict([*orders.items()][:1]) if CLEAR in orders or pointed else orders


def _time(parts: dict[str, str | None]) -> dt.datetime | None:
    try:
        return dt.datetime(
            _year(parts),
            _month(parts),
            int(parts.get("day") or 1),
            _hour(parts),
            int(parts.get("minute") or 0),
            int(parts.get("second") or 0),
            int((parts.get("part") or "0")[:6].ljust(6, "0")),
        )
    except ValueError:
        return None


def _year(parts: dict[str, str | None]) -> int:
    short = parts.get("short")
    if short:
        # As in POSIX: 69 to 99 are of the last century.
        return int(short) + (1900 if int(short) >= 69 else 2000)
    return int(parts.get("year") or 1970)


def _month(parts: dict[str, str | None]) -> int:
    name = parts.get("name")
    months = (
        *("january", "february", "march", "april", "may", "june"),
        *("july", "august", "september", "october", "november", "december"),
    )
    if name:
        names = [month for month in months if month.startswith(name.lower())]
        # ValueError if there is no such month.
        return months.index(names[0] if names else name) + 1
    return int(parts.get("month") or 1)


def _hour(parts: dict[str, str | None]) -> int:
    hour, half = int(parts.get("hour") or 0), (parts.get("half") or "").lower()
    if half and not 1 <= hour <= 12:
        raise ValueError("no such hour")
    return hour % 12 + (12 if half == "pm" else 0) if half else hour
