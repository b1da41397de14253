"""Records as a self-contained HTML page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from ..base.report import FileReport
from ..base.text import markup, printable
from ..format.description import Format
from ..rows.selected_columns import explained
from .displayed_records import Record
from .field import Field
from .value_text import Times, shown, timestamps

MOST_RANGES = 400
"""Maximum number of damaged ranges on the map; if there are more, neighbours are merged."""
LONGEST = 400
"""Maximum number of characters of a value."""


def page_record(format: Format, record: Record, limit: int) -> dict[str, Any]:
    """Return the data of a record for the page, with at most ``limit`` of its bytes; 0 means all."""
    most = limit or max(len(record.content), len(record.data))
    stuffed = record.places is not None
    return {
        **record_head(record),
        "base": record.base,
        "size": len(record.content),
        "hex": record.content[:most].hex(),
        "raw": record.data[:most].hex() if stuffed else None,
        "rawSize": len(record.data),
        "places": record.places[:most] if record.places is not None else None,
        "fields": [described for _, described in described_fields(format, record)],
    }


def record_head(record: Record) -> dict[str, Any]:
    """Return the data of a record for the page except its bytes and fields."""
    return {
        "title": record.title,
        "kind": record.kind,
        "begin": record.begin,
        "end": record.end,
        "reason": record.reason,
        "verdict": record.verdict,
        "message": record.message,
    }


def described_fields(format: Format, record: Record) -> list[tuple[Field, dict[str, Any]]]:
    """Return the fields of a record, each after its parent, with its data for the page."""
    units = timestamps(format)
    found: list[tuple[Field, dict[str, Any]]] = []

    def add(each: Field, parent: int) -> None:
        number = len(found)
        found.append((each, _described(each, parent, record.base, units)))
        for child in each.children:
            add(child, number)

    for each in record.fields:
        add(each, -1)
    return found


def _described(each: Field, parent: int, base: int, units: Times) -> dict[str, Any]:
    begin, size = each.within(base)
    return {
        "name": each.name,
        "parent": parent,
        "begin": begin,
        "size": size,
        "value": shown(each, units, LONGEST),
        "kind": type(each.value).__name__ if each.value is not None else "",
        "computed": each.computed,
        "checked": each.checked,
        "problem": each.problem,
        "doc": each.doc,
    }


def page(format: Format, name: str, report: FileReport, records: Sequence[Mapping[str, Any]]) -> bytes:
    """Return the page, in UTF-8. It loads nothing from elsewhere, and content of the file is never interpreted as
    markup.
    """
    name = printable(name)
    data = {
        "format": format.name,
        "file": name,
        "bytes": report.bytes,
        "rows": report.rows,
        "damaged": len(report.damaged) + report.unlisted,
        "tail": report.tail,
        "error": report.error,
        "ranges": ranges(report),
        "records": records,
    }
    # In a script element only "<" could end it; JSON text can express it as an escape.
    text = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c").replace("&", "\\u0026")
    parts = {
        "TITLE": markup(f"{name} · {format.name}"),
        "STYLE": _part("palette.css") + _part("page.css"),
        "DATA": text,
        # The module that the studio uses too, in one script with the code that uses it.
        "SCRIPT": _part("field_tree.js").replace("export function", "function") + _part("page.js"),
    }
    # A single pass: inserted text is not searched again.
    made = []
    for piece in _part("page.html").split("{{"):
        key, found, rest = piece.partition("}}")
        made.append(parts[key] + rest if found else piece)
    return "".join(made).encode()


def ranges(report: FileReport) -> list[dict[str, Any]]:
    """Return the damage on the map, in order: begin, end, reasons, and number of merged ranges."""
    found = [(each.offset, each.offset + each.length, each.reason) for each in report.damaged]
    if report.tail not in ("clean", "unread"):
        found.append((report.tail_offset, max(report.bytes, report.tail_offset), report.tail))
    step = -(-len(found) // MOST_RANGES) or 1
    made = []
    for first in range(0, len(found), step):
        group = found[first : first + step]
        reasons = sorted({reason for _, _, reason in group})
        made.append(
            {
                "begin": group[0][0],
                "end": group[-1][1],
                "text": ", ".join(explained(each) for each in reasons),
                "count": len(group),
            }
        )
    return made


def _part(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")
