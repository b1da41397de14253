"""Numbers and byte orders as format characters of Python's ``struct`` module."""

from __future__ import annotations

from ...expression.types import FloatType, IntegerType

CODES = {(1, False): "B", (2, False): "H", (4, False): "I", (8, False): "Q"}
CODES |= {(size, True): code.lower() for (size, _), code in CODES.items()}
FLOAT_CODES = {4: "f", 8: "d"}


def number_codes(*kinds: IntegerType | FloatType) -> str:
    """Return the format characters of numbers in Python's ``struct`` module, without byte order."""
    return "".join(
        [FLOAT_CODES[each.size] if isinstance(each, FloatType) else CODES[each.size, each.signed] for each in kinds]
    )


def byte_order(endian: str | None) -> str:
    """Return the byte order character of Python's ``struct`` module; little-endian if the type has no byte order."""
    return ">" if endian == "be" else "<"
