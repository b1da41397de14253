"""Strict parsing of JSON input: values that Python's parser would accept, change or fail on get a clear error."""

from __future__ import annotations

import json
from typing import Any

MOST_DIGITS = 4000
"""Maximum number of digits of an integer in JSON; Python's own limit is only slightly higher."""


def parse_json(text: str) -> Any:
    """Return the value of a text. Raises ``ValueError`` with the number of the character at which the text is not JSON,
    also for an object with duplicate keys, a number with more digits than any column could hold, or values that are
    nested too deeply."""
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_int=_integer)
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg.removesuffix(' at')} at character {error.pos + 1}") from error
    except RecursionError as error:
        raise ValueError("lists and objects are nested too deeply") from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of these keys and values. Raises ``ValueError`` for duplicate keys."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the key {next(each for each in names if names.count(each) > 1)!r:.60} occurs twice")
    return found


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"a number of {len(digits):,} digits, at most {MOST_DIGITS:,} are read")
    return int(digits)
