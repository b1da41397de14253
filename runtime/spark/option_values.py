"""Options of Spark's sources, derived from dataclasses of options: their names, which are in camel case, their
documentation, and their values, which Spark passes as strings."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from types import MappingProxyType
from typing import Any

from ..base import options as base
from ..base.errors import WireloomError
from ..base.options import Option, camel_case, defaults_of, options_of
from ..base.text import unknown

_UNITS = {"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_SPANS = {"s": timedelta(seconds=1), "m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}
NO_NAMES: Mapping[str, str] = MappingProxyType({})


def documentation(kind: type, without: Collection[str] = ()) -> dict[str, str]:
    """Return the documentation of the options of a dataclass by their names in Spark; ``without``: names of fields that
    are left out."""
    defaults = defaults_of(kind)
    return {
        spelling: _described(each, defaults.get(name))
        for spelling, (name, each) in _spelled(kind).items()
        if name not in without
    }


def _described(option: Option, default: Any) -> str:
    """Return the documentation of an option with its default."""
    text = option.text
    if option.kind == base.FLAG and default:
        return f"true (default): {_lower(text)} false: {_lower(option.off)}"
    if option.kind == base.FLAG and default is False:
        return f"true: {_lower(text)} Default false."
    if option.kind == base.CHOICE:
        return f"{text} Default {default}."
    if option.kind == base.NUMBER and default is not None:
        return f"{text} Default {f'{default >> 20}m' if default % (1 << 20) == 0 else default}."
    return text


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


@cache
def _spelled(kind: type) -> dict[str, tuple[str, Option]]:
    """Return the names of fields and their options, by the names in Spark."""
    return {camel_case(name): (name, each) for name, each in options_of(kind).items() if not each.python}


def usual_names(
    given: Mapping[str, str],
    names: Iterable[str],
    internal: Iterable[str] = (),
    *,
    other_names: Mapping[str, str] = NO_NAMES,
    what: str = "option",
) -> dict[str, str]:
    """Return the options by their usual spelling. ``internal``: further names, which are not suggested;
    ``other_names``: alternatives, in lower case, for some of ``names``.

    Raises ``UnknownNameError`` for another option, with the nearest known one as a suggestion.
    """
    spelling = {**{name.lower(): name for name in (*names, *internal)}, **other_names}
    values = {}
    for key, value in given.items():
        name = spelling.get(key.lower())
        if name is None:
            raise unknown(what, key, dict.fromkeys(names))
        values[name] = value
    return values


def parsed(kind: type, values: Mapping[str, str]) -> dict[str, Any]:
    """Return the values of fields of a dataclass of options. ``values``: texts by the usual names, which may include
    those of other options. Raises ``WireloomError`` for an invalid one."""
    known = _spelled(kind)
    return {known[name][0]: _parsed(name, known[name][1], text) for name, text in values.items() if name in known}


def _parsed(name: str, option: Option, text: str) -> Any:
    match option.kind:
        case base.FLAG:
            return flag(name, text)
        case base.NUMBER:
            return size(name, text, least=option.least)
        case base.CHOICE:
            return one_of(name, text.strip().lower(), option.values)
        case base.NAMES:
            return tuple(each.strip() for each in text.split(",") if each.strip())
        case base.INTEGER:
            return integer(name, text)
        case base.TIME:
            return time_of(name, text)
        case base.DURATION:
            return duration(name, text)
        case base.WORD:
            return text.strip().lower()
    return text


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


def time_of(name: str, value: str) -> datetime:
    """Return a time, in UTC unless it names a time zone. Raises ``WireloomError``."""
    try:
        found = datetime.fromisoformat(value)
    except ValueError:
        raise WireloomError(f"option {name} is {value!r}: expected a time such as 2026-03-01T00:00:00") from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
