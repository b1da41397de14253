"""HTML tables for notebooks. Text is escaped and shortened; the size of a table is bounded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum

from .text import markup

LONGEST_TEXT = 120
"""Maximum number of characters of one value."""
SHOWN_BYTES = 24
SHOWN_ITEMS = 20
"""Maximum number of items of a list, files of a report and ranges of a file."""

LEFT = "text-align:left"


def shortened(text: str) -> str:
    """Return the first ``LONGEST_TEXT`` characters of ``text``, escaped.

    >>> shortened("a < b")
    'a &lt; b'
    """
    return markup(text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}…")


def grid(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; the cells of ``rows`` are HTML."""
    top = "".join(f'<th style="{LEFT}">{markup(each)}</th>' for each in head)
    body = "".join(
        "<tr>" + "".join(f'<td style="{LEFT};vertical-align:top">{cell}</td>' for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def more(count: int, what: str) -> str:
    """Return a line with the number of items that are not shown; empty if all are shown."""
    return f"<div>and {count:,} more {markup(what)}</div>" if count > 0 else ""


def plain(value: object) -> str:
    """Return a single value as HTML: bytes in hexadecimal with their number, an enum with its name.

    >>> plain(b"ab")
    '<code>61 62</code> (2 bytes)'
    """
    if isinstance(value, bytes | bytearray):
        dots = " …" if len(value) > SHOWN_BYTES else ""
        count = f"{len(value):,} byte{'' if len(value) == 1 else 's'}"
        return f"<code>{bytes(value[:SHOWN_BYTES]).hex(' ')}{dots}</code> ({count})"
    if isinstance(value, Enum):
        return shortened(f"{value.name} ({value.value!r})")
    if isinstance(value, str):
        return shortened(repr(value[: LONGEST_TEXT + 1]))
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 256:
        return f"an integer of {value.bit_length():,} bits"
    return shortened(repr(value))
