"""Field values as a single line of text without control characters, for terminals and pages."""

from __future__ import annotations

from enum import Enum
from typing import Any

from ..base.iso_times import UNITS, iso_time
from ..base.limits import MAX_DECIMAL_BITS
from ..format.description import Format
from ..objects.structs import Struct
from .field import Field

LONGEST = 60


def timestamps(format: Format) -> dict[str, str]:
    """Return the attributes that are timestamps, each with its unit."""
    found = {}
    for column in format.columns:
        if column.type.startswith("timestamp["):
            found[column.attribute or column.name] = column.type[len("timestamp[") :].split(",")[0].rstrip("]")
    return found


def shown(field: Field, units: dict[str, str] | None = None, longest: int = LONGEST) -> str:
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
        unit = (units or {}).get(field.name)
        if unit is not None and not held(value, unit):
            return f"{value} (outside of the range of timestamps: null in the table)"
        moment = _moment(value, unit) if unit else None
        if moment is not None:
            return moment
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


def held(count: int, unit: str) -> bool:
    """Return whether a timestamp column can represent a count of its unit; otherwise the value is null in the column.

    Counts of seconds and milliseconds have to fit into 64 bits as microseconds too, the unit of Spark.
    """
    coarser = max(1, UNITS["us"] // UNITS[unit])
    most = (2**63 - 1) // coarser
    return (-most if coarser > 1 else -(2**63)) <= count <= most


def _moment(value: int, unit: str) -> str | None:
    return f"{iso_time(value, unit)}Z" if unit in UNITS else None


def _printable(text: str) -> str:
    return repr(text) if text.isprintable() else ascii(text)


def _cut(text: str, more: bool, longest: int) -> str:
    return f"{text[:longest]}…" if more or len(text) > longest else text
