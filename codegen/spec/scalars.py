"""The meaning of plain scalars, as in YAML 1.2: only ``true`` and ``false`` are booleans (``on``, ``yes`` are text).

Integers may be ``0x…``, ``0b…``, ``0o…`` and may have underscores, as everywhere in Kaitai's language. A number with
leading zeros is text, since YAML 1.1 reads ``010`` as eight and YAML 1.2 as ten.
"""

from __future__ import annotations

import re

from .tree import ScalarValue

MAX_DIGITS = 1000
"""Maximum number of digits; longer numbers are text. Python itself refuses to parse decimal ones of more than 4300
digits."""

_INTEGER = re.compile(r"[-+]?(?:0x[0-9a-fA-F_]+|0o[0-7_]+|0b[01_]+|0|[1-9][0-9_]*)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NUMBER_STARTS = frozenset("+-.0123456789")
_SPECIAL = {".inf": "inf", "+.inf": "inf", "-.inf": "-inf", ".nan": "nan"}


def plain_value(text: str) -> ScalarValue:
    """Return the value of a plain scalar.

    >>> plain_value("0x1_0"), plain_value("on"), plain_value("true"), plain_value("010"), plain_value("~")
    (16, 'on', True, '010', None)
    """
    if text in ("", "~", "null", "Null", "NULL"):
        return None
    if text in ("true", "True", "TRUE"):
        return True
    if text in ("false", "False", "FALSE"):
        return False
    if text[0] not in _NUMBER_STARTS or len(text) > MAX_DIGITS:
        return text
    if _INTEGER.fullmatch(text):
        return integer_value(text, text)
    if _FLOAT.fullmatch(text):
        return float(text)
    if text.lower() in _SPECIAL:
        return float(_SPECIAL[text.lower()])
    return text


def integer_value(text: str, otherwise: ScalarValue) -> ScalarValue:
    """Return the integer, or ``otherwise`` if there are no digits after the prefix (``0x_``)."""
    sign, digits = (-1, text[1:]) if text[:1] == "-" else (1, text.lstrip("+"))
    base = {"0x": 16, "0o": 8, "0b": 2}.get(digits[:2].lower(), 10)
    body = (digits if base == 10 else digits[2:]).replace("_", "")
    return sign * int(body, base) if body else otherwise
