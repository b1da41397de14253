"""Literals as Python text."""

from __future__ import annotations


def integer_text(value: int, radix: int = 10) -> str:
    """Return an integer as a Python literal.

    >>> integer_text(202, 16), integer_text(0b1110_0000, 2), integer_text(3, 2), integer_text(7)
    ('0xca', '0b1110_0000', '0b11', '7')
    """
    return format(value, {16: "#x", 8: "#o", 2: "#_b"}.get(radix, "d"))
