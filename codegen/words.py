"""Text for messages: quoting, lists, and the nearest valid word."""

from __future__ import annotations

from collections.abc import Iterable

MAX_SHOWN = 60
"""Maximum number of characters of a spec's text that a message repeats."""


def shown(text: str) -> str:
    """Return ``text`` in quotes, truncated if it is long.

    >>> shown("len")
    "'len'"
    """
    return f"'{shortened(text)}'"


def shortened(text: str) -> str:
    """Return ``text``, truncated if it is long."""
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


def listed(words: Iterable[str]) -> str:
    """Return words as ``a, b or c``.

    >>> listed(["le", "be"])
    'le or be'
    """
    *most, last = list(words)
    return f"{', '.join(most)} or {last}" if most else last


MAX_CANDIDATES = 200
"""Maximum number of words that are compared with a wrong one: comparing is slow, and a spec may declare a hundred
thousand."""


def nearest(word: str, valid: Iterable[str]) -> str | None:
    """Return the valid word most similar to ``word``; ``None`` if there is none."""
    from difflib import get_close_matches

    size = len(word)
    close = sorted({each for each in valid if abs(len(each) - size) <= 2 + size // 2 and len(each) <= MAX_SHOWN})
    if len(close) > MAX_CANDIDATES:
        close = [each for each in close if each[:1] == word[:1]]
    found = get_close_matches(word[:MAX_SHOWN], close[:MAX_CANDIDATES], n=1, cutoff=0.6)
    return found[0] if found else None


def suggestion(word: str, valid: Iterable[str]) -> str:
    """Return ``; did you mean 'x'?``, or an empty string."""
    found = nearest(word, valid)
    return f"; did you mean '{found}'?" if found else ""


def no_attribute(word: str, valid: Iterable[str], instance: object) -> str:
    """Return what follows the sentence that there is no attribute ``word``: that it is an instance, if there is that
    ``instance``, otherwise the attribute that was probably meant."""
    if instance is not None:
        return f": {shown(word)} is an instance, which is no part of the bytes"
    return suggestion(word, valid)
