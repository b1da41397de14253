"""Decimal numbers of COBOL: from bytes that were validated, and to them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa

from .. import engine

NEGATIVE = (0xB, 0xD)
"""The signs of negative numbers; all others are positive."""


def unscaled(data: bytes) -> int:
    """Return a number without its decimal point. The last half of a byte says whether it is packed: a sign is above 9.

    >>> unscaled(bytes.fromhex("12345d")), unscaled(bytes.fromhex("f1f2c3")), unscaled(bytes.fromhex("f1d2"))
    (-12345, 123, -12)
    """
    packed = data[-1] & 15 > 9
    digits = data.hex()
    number = int(digits[:-1] if packed else digits[1::2])
    return -number if (data[-1] & 15 if packed else data[-1] >> 4) in NEGATIVE else number


def decimal_value(data: bytes, scale: int) -> Decimal:
    """Return a number. ``scale``: how many of its digits are after the point."""
    number = unscaled(data)
    # Not by arithmetic, which rounds to the digits of the current context.
    return Decimal((int(number < 0), tuple(map(int, str(abs(number)))), -scale))


def decimal_bytes(value: Decimal, digits: int, form: str) -> bytes:
    """Return the bytes of a number.

    Args:
        value: The number, with the scale of the column.
        digits: How many digits it has in bytes.
        form: ``packed`` or ``zoned``, with `` unsigned`` after it for one without a sign.

    Raises:
        ValueError: The number is negative, and has no sign.
    """
    shape, _, unsigned = form.partition(" ")
    sign, figures, _ = value.as_tuple()
    if unsigned and sign and any(figures):
        raise ValueError(f"{value} is negative, and the field has no sign")
    text = "".join(map(str, figures)).rjust(digits, "0")
    mark = "f" if unsigned else "d" if sign else "c"
    if shape == "packed":
        return bytes.fromhex(text + mark)
    return bytes.fromhex("".join(f"f{each}" for each in text[:-1]) + mark + text[-1])


def decimal_array(stored: pa.Array, kind: Any) -> pa.Array:
    """Return an array of bytes, which the engine has filled, as one of decimals of the type ``kind``."""
    _, offsets, data = stored.buffers()
    offsets = memoryview(offsets or b"")[4 * stored.offset : 4 * (stored.offset + len(stored) + 1)]
    numbers = engine._engine.decimals(offsets, data or b"")
    validity = stored.is_valid().buffers()[1] if stored.null_count else None
    return pa.Array.from_buffers(kind, len(stored), [validity, pa.py_buffer(numbers)], stored.null_count)
