"""JSON as people give it: what Python's own parser would take, change or fail on is refused in a sentence."""

from __future__ import annotations

import json
from typing import Any

MOST_DIGITS = 4000
"""Digits of an integer in JSON; Python's own limit is only a little higher."""


def parse_json(text: str) -> Any:
    """Return the value of a text. Raises ``ValueError``, also where an object has a key twice, a number has more digits
    than any column could hold, or parts are nested too deeply."""
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_int=_integer)
    except RecursionError as error:
        raise ValueError("lists and objects are nested too deeply") from error


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of these keys and values. Raises ``ValueError`` if a key stands twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the key {next(each for each in names if names.count(each) > 1)!r:.60} occurs twice in it")
    return found


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"a number of {len(digits):,} digits, at most {MOST_DIGITS:,} are read")
    return int(digits)
