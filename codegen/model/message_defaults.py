"""``default`` of a proto2 field → a value of the field's type."""

from __future__ import annotations

import math
import struct

from ..expression.types import FloatType, IntegerType
from ..spec.diagnostics import Diagnostics
from ..spec.syntax import Integer, Items, Text, Value
from ..wire import Enum
from ..words import shown, suggestion
from .message_kinds import SCALARS

Default = int | float | bool | str | bytes

_WORDS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


def default_value(value: Value, kind: str, enum: Enum | None, diagnostics: Diagnostics) -> Default | None:
    """Return the value; ``None`` if it is not of the type, which is reported. ``enum``: the enum of a field of that
    kind."""
    if isinstance(value, Items):
        if kind == "bytes":
            return bytes(each.value for each in value.items if isinstance(each, Integer))
        diagnostics.error(
            value.position,
            f"only a field of type bytes can have a list of bytes as its default, but this field has type {kind}",
        )
        return None
    if not isinstance(value, Text):
        return None
    if kind == "enum":
        return _label(value, enum, diagnostics)
    found = _scalar(value, kind)
    if found is None:
        diagnostics.error(value.position, f"the default must be {_wanted(kind)}, found {shown(value.value)}")
    return found


def _scalar(value: Text, kind: str) -> Default | None:
    written = value.scalar.value
    type = SCALARS[kind]
    if kind == "string":
        return value.value
    if kind == "bytes":
        return value.value.encode("utf-8", "surrogatepass")
    if kind == "bool":
        return written if isinstance(written, bool) else None
    if isinstance(type, FloatType):
        return _float(value, type)
    if isinstance(type, IntegerType) and isinstance(written, int) and not isinstance(written, bool):
        least, most = _range(type)
        return written if least <= written <= most else None
    return None


def _float(value: Text, type: FloatType) -> float | None:
    written = value.scalar.value
    if value.value in _WORDS:
        return _WORDS[value.value]
    if not isinstance(written, (int, float)) or isinstance(written, bool):
        return None
    try:
        number = float(written)
        # As protoc does, the default is what the field can hold.
        return float(struct.unpack("<f", struct.pack("<f", number))[0]) if type.size == 4 else number
    except OverflowError:
        return None


def _label(value: Text, enum: Enum | None, diagnostics: Diagnostics) -> int | None:
    labels = {each.label: each.value for each in enum.labels} if enum is not None else {}
    if value.value not in labels:
        hint = suggestion(value.value, labels)
        message = f"the default must be a member of the enum, which has no {shown(value.value)}{hint}"
        diagnostics.error(value.position, message)
        return None
    return labels[value.value]


def _range(type: IntegerType) -> tuple[int, int]:
    bits = type.size * 8
    return (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if type.signed else (0, 2**bits - 1)


def _wanted(kind: str) -> str:
    type = SCALARS[kind]
    if isinstance(type, IntegerType):
        least, most = _range(type)
        return f"an integer from {least} to {most}"
    return {"bool": "true or false", "float": "a number of 32 bits", "double": "a number"}[kind]
