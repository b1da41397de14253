"""Text of others, such as the name of a file, on a terminal or a page: what is no sign that is seen is spelled out."""

from __future__ import annotations


def printable(text: str) -> str:
    """The text on one line, without anything that a terminal would obey.

    >>> printable("day \\x1b[2J\\n.log")
    'day \\\\x1b[2J\\\\x0a.log'
    """
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else _spelled(ord(each)) for each in text)


def _spelled(code: int) -> str:
    if 0xDC80 <= code <= 0xDCFF:
        # A byte of a name that is not UTF-8, as Python keeps it.
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
