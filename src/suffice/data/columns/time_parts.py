"""Time parts: the numbers by which a date or a time enters a model."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from enum import StrEnum
from zoneinfo import ZoneInfo

import numpy as np

from suffice.data.arrays import Array, Floats


class TimePart(StrEnum):
    """One number of a time.

    >>> TimePart.WEEKDAY.of(np.array(["2024-05-31T12:30"], "datetime64[us]"))  # from Monday, 0
    array([4.])
    """

    YEAR = "year"
    MONTH = "month"
    WEEKDAY = "weekday"
    HOUR = "hour"
    DAYS = "days"

    def of(self, times: Array) -> Floats:
        """The number of each time, (n,) datetime64 -> (n,), NaN where it is missing."""
        gaps = np.isnat(times)
        known = np.where(gaps, np.datetime64(0, "us"), times)
        return np.where(gaps, np.nan, _MEASURES[self](known))


def _since(times: Array, unit: str, of: str) -> Array:
    """Number of units since the last start of a longer unit."""
    start = times.astype(f"datetime64[{of}]")
    return np.asarray((times.astype(f"datetime64[{unit}]") - start).astype(float))


_MEASURES: dict[TimePart, Callable[[Array], Array]] = {
    TimePart.YEAR: lambda times: times.astype("datetime64[Y]").astype(float) + 1970,
    TimePart.MONTH: lambda times: _since(times, "M", "Y") + 1,
    # 1970-01-01 was a Thursday.
    TimePart.WEEKDAY: lambda times: (times.astype("datetime64[D]").astype(int) + 3) % 7,
    TimePart.HOUR: lambda times: _since(times, "us", "D") / 3.6e9,
    TimePart.DAYS: lambda times: times.astype("datetime64[D]").astype(float),
}


def varying_parts(times: Array) -> tuple[TimePart, ...]:
    """The parts that differ between rows; the days alone if none does."""
    known = times[~np.isnat(times)]
    parts = tuple(part for part in TimePart if np.ptp(part.of(known)) > 0) if len(known) else ()
    return parts or (TimePart.DAYS,)


def join_time(days: Floats | None, hours: Floats | None) -> Array:
    """The times of whole days since 1970-01-01 and hours; the other part where one is None.

    >>> join_time(np.array([1.0]), np.array([25.0]))  # no later than the end of the day
    array(['1970-01-02T23:59:59.000000'], dtype='datetime64[us]')
    """
    # The years of Python's dates.
    first, last = -719_162, 2_932_896
    day = np.float64(0) if days is None else np.clip(np.round(days), first, last)
    second = np.float64(0) if hours is None else np.clip(np.round(3600 * hours), 0, 86_399)
    seconds = day * 86_400 + second
    gaps = np.isnan(seconds)
    times = np.where(gaps, 0, seconds).astype("datetime64[s]").astype("datetime64[us]")
    return np.where(gaps, np.datetime64("NaT"), times)


def wall_time(times: Array, zone: str | None) -> Array:
    """Times in UTC as the clock in a time zone shows them; None for times without a zone."""
    return times if zone is None else np.asarray(times + _offsets(times, zone))


def utc_time(times: Array, zone: str | None) -> Array:
    """Times that the clock in a time zone shows, in UTC; None for times without a zone."""
    if zone is None:
        return times
    near = times - _offsets(times, zone)
    return np.asarray(times - _offsets(near, zone))


def _offsets(times: Array, zone: str) -> Array:
    """By how much the clock in a time zone is ahead at times in UTC."""
    # Offsets change at most every quarter of an hour.
    quarters = times.astype("datetime64[us]").astype("datetime64[m]").astype(np.int64) // 15
    distinct, places = np.unique(np.where(np.isnat(times), 0, quarters), return_inverse=True)
    clock = _time_zone(zone)
    offsets = np.array([_offset(int(one) * 900, clock) for one in distinct], "timedelta64[s]")
    return np.asarray(offsets[places])


def _offset(second: int, zone: dt.tzinfo) -> dt.timedelta:
    try:
        utc = dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(seconds=second)
        return utc.astimezone(zone).utcoffset() or dt.timedelta(0)
    except (OverflowError, ValueError):
        return dt.timedelta(0)


def _time_zone(name: str) -> dt.tzinfo:
    try:
        return ZoneInfo(name)
    except (LookupError, ValueError, OSError):
        # A fixed offset such as +02:00, or a name that this machine does not know.
        try:
            return dt.datetime.strptime(name.removeprefix("UTC"), "%z").tzinfo or dt.UTC
        except ValueError:
            return dt.UTC
