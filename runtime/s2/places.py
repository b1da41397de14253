"""Parses places in a stream in the notation of command-line options."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, datetime

from ..base.errors import WireloomError
from ..base.text import printable

_TAIL = re.compile(r"(?:tail|latest)(?:-(\d{1,18}))?")


def place_of(option: str, text: str) -> dict[str, int]:
    """Return a place in a stream as arguments of ``wireloom.s2.scan``: a sequence number, a time, ``tail`` (or
    ``latest``), or a number of records before that.

    >>> place_of("start", "tail-10"), place_of("start", "17"), place_of("start", "2026-09-21T14:13:20Z")
    ({'tail_offset': 10}, {'seq_num': 17}, {'timestamp': 1790000000000})

    Raises ``WireloomError`` for anything else.
    """
    if text.isascii() and text.isdecimal():
        return {"seq_num": int(text)}
    if found := _TAIL.fullmatch(text):
        return {"tail_offset": int(found[1] or 0)}
    with suppress(ValueError, OverflowError):
        time = datetime.fromisoformat(text)
        stamp = (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()
        if stamp >= 0:
            return {"timestamp": round(stamp * 1000)}
    raise WireloomError(
        f"{option} is {printable(text)[:80]!r}: expected a sequence number, a time such as 2026-03-01T00:00:00Z, "
        + ("tail, or tail-100" if option.startswith("-") else "latest, or latest-100")
    )
