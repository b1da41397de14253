"""Untrusted text, such as a file's name, on a terminal or a page: invisible characters are escaped."""

from __future__ import annotations

import re
import unicodedata
from json.encoder import encode_basestring

_KEPT = "\n\t\u200c\u200d"
"""Line breaks, tabs, and the invisible characters that words of some scripts are spelled with."""

_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
"""Characters that JSON allows in a string, but a terminal, YAML or UTF-8 does not."""


def printable(text: str) -> str:
    """Return the text on one line, with control characters escaped.

    >>> printable("day \\x1b[2J\\n.log")
    'day \\\\x1b[2J\\\\x0a.log'
    """
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else _spelled(ord(each)) for each in text)


def legible(text: str) -> str:
    """Return the text with control and other invisible characters escaped, except line breaks.

    >>> print(legible("a\\x1b[1m\\r\\nb"))
    a\\x1b[1m
    b
    """
    lines = text.replace("\r\n", "\n")
    return lines if lines.isprintable() else "".join(each if is_legible(each) else printable(each) for each in lines)


def is_legible(character: str) -> bool:
    """Return whether a character is allowed in multi-line text."""
    return character.isprintable() or character in _KEPT or unicodedata.category(character) == "Zs"


def markup(text: str) -> str:
    """Return text for an element or an attribute of HTML or XML; characters that are not allowed in XML are escaped.

    >>> markup("<b>\\x1b")
    '&lt;b&gt;\\\\x1b'
    """
    # Imported here: it loads a table of entities, and most programs show no page.
    from html import escape

    return escape(legible(text))


def json_string(value: str) -> str:
    """Return a JSON string in which control characters, and those that some tools treat as line breaks, are escaped.

    >>> json_string("caf\xe9 \x9b2J")
    '"café \\\\u009b2J"'
    """
    text = encode_basestring(value)
    return text if text.isprintable() else _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _spelled(code: int) -> str:
    if 0xDC80 <= code <= 0xDCFF:
        # A byte of a name that is not UTF-8, as Python represents it.
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else chr(code).encode("unicode_escape").decode()
