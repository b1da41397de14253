"""Parsers of the values of Spark's options, which are strings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from ..base.errors import WireloomError
from ..base.nearest import unknown

_UNITS = {"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_SPANS = {"s": timedelta(seconds=1), "m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}


def one_of(name: str, value: str, known: Iterable[str]) -> str:
    """Return the value if it is one of ``known``. Raises ``UnknownNameError`` otherwise, which suggests the nearest
    one.
    """
    if value not in known:
        raise unknown(f"value of option {name}", value, known)
    return value


def flag(name: str, value: str) -> bool:
    """Return the boolean of ``true`` or ``false``."""
    return one_of(name, value.strip().lower(), ("true", "false")) == "true"


def size(name: str, value: str, *, least: int = 1) -> int:
    """Return a size in bytes, or a number; units are those of Spark's settings.

    >>> size("maxPartitionBytes", "128m"), size("maxPartitionBytes", "1GB"), size("batchRows", "4000")
    (134217728, 1073741824, 4000)
    """
    text = value.strip().lower()
    digits = text.rstrip("bkmgt")
    unit = text[len(digits) :]
    factor = _UNITS.get(unit.removesuffix("b") if len(unit) == 2 else unit)
    if not digits.isascii() or not digits.isdecimal() or factor is None or int(digits) * factor < least:
        raise WireloomError(f"option {name} is {value!r}: expected a number of at least {least}, such as 65536 or 64m")
    return int(digits) * factor


def duration(name: str, value: str) -> timedelta:
    """Return the time span of a number with a unit.

    >>> duration("fullListingInterval", "10m"), duration("fullListingInterval", "2 hours")
    (datetime.timedelta(seconds=600), datetime.timedelta(seconds=7200))
    """
    found = re.fullmatch(r"(\d{1,9}) ?(s|seconds?|m|min|minutes?|h|hours?|d|days?)", value.strip().lower(), re.ASCII)
    if found is None:
        raise WireloomError(f"option {name} is {value!r}: expected a time, such as 30s, 10m or 2h")
    return int(found[1]) * _SPANS[found[2][0]]


def integer(name: str, value: str) -> int:
    """Return an integer. Raises ``WireloomError``."""
    try:
        return int(value)
    except ValueError:
        raise WireloomError(f"option {name} is {value!r}: expected a number") from None


def time_of(name: str, value: str | None) -> datetime | None:
    """Return a time, in UTC unless it names a time zone; ``None`` for ``None``. Raises ``WireloomError``."""
    if value is None:
        return None
    try:
        found = datetime.fromisoformat(value)
    except ValueError:
        raise WireloomError(f"option {name} is {value!r}: expected a time such as 2026-03-01T00:00:00") from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
