"""Functions for value instances of message types, besides those of ``wireloom.objects``."""

from __future__ import annotations

from ..errors import ExpressionError

LARGEST_DIGIT = "\uffff"
"""Java's BigInteger, which decides for the Kinesis Client Library, takes the digits of all scripts up to here."""


def decode_replacing(data: bytes, encoding: str) -> str:
    """Return ``data`` as text, with U+FFFD for invalid bytes."""
    return data.decode(encoding, "replace")


def integer_text(text: str) -> str:
    """Return ``text``, which must be a decimal integer: an optional sign, and digits of any script. Raises
    ``ExpressionError`` (reason ``value``)."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not digits.isdecimal() or max(digits) > LARGEST_DIGIT:
        raise ExpressionError(f"{text[:40]!r} is not an integer")
    return text
