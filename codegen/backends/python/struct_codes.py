"""Numbers and byte orders as format characters of Python's ``struct`` module."""

from __future__ import annotations

from ...expression.types import FloatType, IntegerType

CODES = {(1, False): "B", (2, False): "H", (4, False): "I", (8, False): "Q"}
CODES |= {(size, True): code.lower() for (size, _), code in CODES.items()}
FLOAT_CODES = {4: "f", 8: "d"}


def number_code(kind: IntegerType | FloatType) -> str:
    """Return the format character of a number in Python's ``struct`` module, without byte order."""
    return FLOAT_CODES[kind.size] if isinstance(kind, FloatType) else CODES[kind.size, kind.signed]


def byte_order(endian: str | None) -> str:
    """Return the byte order character of Python's ``struct`` module; little-endian if the type has no byte order."""
    return ">" if endian == "be" else "<"
