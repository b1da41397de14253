"""Converts values of a table to short texts for a page."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from ..base.iso_times import iso_time
from ..inspecting import Field, shown

LONGEST = 160
"""Maximum number of characters of a cell."""


def cells(column: pa.Array) -> list[str | None]:
    """Return the values of a column as texts; nulls remain null."""
    if pa.types.is_timestamp(column.type):
        unit, zone = column.type.unit, "Z" if column.type.tz else ""
        return [None if each is None else iso_time(each, unit) + zone for each in column.cast(pa.int64()).to_pylist()]
    return [None if each is None else _text(each) for each in column.to_pylist()]


def _text(value: Any) -> str:
    if isinstance(value, list | dict | tuple):
        text = repr(value)
        text = text if text.isprintable() else ascii(value)
        return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
    return shown(Field("", value), None, LONGEST)
