"""Field values as a single line of text without control characters, for terminals and pages."""

from __future__ import annotations

from enum import Enum
from typing import Any

from ..base.iso_times import iso_time, time_range
from ..base.limits import MAX_DECIMAL_BITS
from ..format.description import Format
from ..objects.structs import Struct
from .field import Field

LONGEST = 60


Times = dict[str, tuple[str, int | None]]
"""By attribute that is a timestamp: its unit, and the count that means that there is no time."""


def timestamps(format: Format) -> Times:
    """Return the attributes that are timestamps."""
    found = {}
    for column in format.columns:
        if column.type.startswith("timestamp["):
            unit = column.type[len("timestamp[") :].split(",")[0].rstrip("]")
            found[column.attribute or column.name] = unit, dict(column.absent).get("")
    return found


def shown(field: Field, times: Times | None = None, longest: int = LONGEST) -> str:
    """Return the text of a field's value: at most about ``longest`` characters, all printable."""
    value: Any = field.value
    if isinstance(value, Struct):
        return "…" if value._fields and not field.children else ""
    if value is None and (field.children or field.problem or field.size > 0):
        return ""
    if value is None:
        return "absent"
    if isinstance(value, Enum):
        return f"{value.name.lower()} ({value.value})"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if times and field.name in times:
            return _time(value, *times[field.name])
        if field.checked is not None and (value >= 0 or field.size):
            # Signed fields are shown with the same digits as unsigned ones.
            return f"{value if value >= 0 else value + (1 << 8 * field.size):#010x}"
        # Python refuses to convert longer integers to decimals.
        return _cut(str(value) if value.bit_length() <= MAX_DECIMAL_BITS else hex(value), False, longest)
    if isinstance(value, bytes):
        return _cut(repr(value[:longest])[1:], len(value) > longest, longest)
    if isinstance(value, str):
        return _cut(_printable(value[:longest]), len(value) > longest, longest)
    if isinstance(value, list):
        return f"{len(value):,} items"
    return _cut(repr(value), False, longest)


def _time(count: int, unit: str, absent: int | None) -> str:
    if count == absent:
        return f"{count} (no time: null in the table)"
    least, largest = time_range(unit)
    if least <= count <= largest:
        return f"{iso_time(count, unit)}Z"
    return f"{count} (outside of the range of timestamps: null in the table)"


def _printable(text: str) -> str:
    return repr(text) if text.isprintable() else ascii(text)


def _cut(text: str, more: bool, longest: int) -> str:
    return f"{text[:longest]}…" if more or len(text) > longest else text
