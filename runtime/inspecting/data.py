"""Records as data that can be serialised to JSON, for scripts."""

from __future__ import annotations

from typing import Any

from ..format.description import Format
from .field import Field
from .records import Record
from .value_text import shown, timestamps

LONGEST = 4096
"""Maximum number of characters of a value."""


def record_data(format: Format, record: Record, limit: int) -> dict[str, Any]:
    """Return the position of a record in the decompressed input, its error, its bytes and fields.

    ``bytes`` and ``content`` are hexadecimal, at most ``limit`` bytes of each; 0 means all. Offsets of fields refer to
    ``content``, the bytes without delimiter and stuffing; ``at`` is -1 for computed fields and those inside
    decompressed bytes.
    """
    units = timestamps(format)
    fields: list[dict[str, Any]] = []

    def add(each: Field, before: str) -> None:
        path = f"{before}{each.name}" if each.name.startswith("[") or not before else f"{before}.{each.name}"
        begin, size = each.within(record.base)
        fields.append(
            {
                "field": path,
                "at": begin,
                "size": size,
                "value": shown(each, units, LONGEST),
                "checked": each.checked,
                "problem": each.problem,
            }
        )
        for child in each.children:
            add(child, path)

    for each in record.fields:
        add(each, "")
    return {
        "kind": record.kind,
        "record": record.number,
        "begin": record.begin,
        "end": record.end,
        "reason": record.reason,
        "message": record.message,
        "bytes": record.data[: limit or None].hex(),
        "content": record.content[: limit or None].hex(),
        "fields": fields,
    }
