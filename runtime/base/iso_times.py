"""Times in ISO 8601 in any year that int64 can express; the ranges of Python and Arrow are smaller."""

from __future__ import annotations

import re

UNITS = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
"""Units per second, by Arrow's name of the unit."""
_INT64_MAX = (1 << 63) - 1
_TIME = re.compile(
    r"(\d{4}|[+-]\d{4,12})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|[+]00:00)?", re.ASCII
)
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def time_range(unit: str) -> tuple[int, int]:
    """Return the least and the largest count of a unit that a timestamp column has; others are null.

    Counts of seconds and milliseconds have to fit into 64 bits as microseconds too, the unit of Spark.

    >>> time_range("ms")
    (-9223372036854775, 9223372036854775)
    """
    coarser = UNITS["us"] // UNITS[unit]
    return (-(_INT64_MAX // coarser), _INT64_MAX // coarser) if coarser > 1 else (-_INT64_MAX - 1, _INT64_MAX)


def iso_time(count: int, unit: str) -> str:
    """Return the time ``count`` units after 1970 in ISO 8601, in the Gregorian calendar.

    >>> iso_time(1_795_227_651_123, "ms"), iso_time(9_223_372_036_854_775, "ms")
    ('2026-11-21T02:20:51.123', '+294247-01-10T04:00:54.775')
    """
    seconds, fraction = divmod(count, UNITS[unit])
    days, second = divmod(seconds, 86_400)
    # Years begin in March here, so that the leap day is the last day of a year.
    era, day = divmod(days + 719_468, 146_097)
    year = (day - day // 1_460 + day // 36_524 - day // 146_096) // 365
    day -= 365 * year + year // 4 - year // 100
    month = (5 * day + 2) // 153
    day -= (153 * month + 2) // 5
    month += 3 if month < 10 else -9
    year += 400 * era + (month <= 2)
    digits = len(str(UNITS[unit])) - 1
    shown = f"{year:04d}" if 0 <= year <= 9999 else f"{year:+05d}"
    text = f"{shown}-{month:02d}-{day + 1:02d}T{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
    return f"{text}.{fraction:0{digits}d}" if digits else text


def time_count(text: str, unit: str) -> int:
    """Return the number of units since 1970 of a time as ``iso_time`` writes it, with or without ``Z``.

    >>> time_count("+294247-01-10T04:00:54.775Z", "ms"), time_count("1677-09-21T00:12:43.145224193", "ns")
    (9223372036854775, -9223372036854775807)

    Raises ``ValueError`` for other text, and for a time between two counts.
    """
    found = _TIME.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not a time")
    year, month, day, hour, minute, second = (int(each) for each in found.groups()[:6])
    fraction, rest = divmod(int((found[7] or "").ljust(9, "0")) * UNITS[unit], 1_000_000_000)
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if not 1 <= month <= 12 or not 1 <= day <= _DAYS[month - 1] - (month == 2 and not leap):
        raise ValueError(f"{text!r} is no day")
    if hour > 23 or minute > 59 or second > 59 or rest:
        raise ValueError(f"{text!r} is not a valid time in that unit")
    # The year begins in March here as well.
    era, past = divmod(year - (month <= 2), 400)
    before = 146_097 * era + 365 * past + past // 4 - past // 100 - 719_468
    days = before + (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return (days * 86_400 + hour * 3600 + minute * 60 + second) * UNITS[unit] + fraction
