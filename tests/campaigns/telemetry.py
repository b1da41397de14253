"""Consecutive messages of OpenTelemetry, each after its length: logs and spans.

Messages have no checksums: the rows of a damaged one are compared with those that protobuf's own library reads there.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterator
from typing import Any

from google.protobuf.message import DecodeError
from opentelemetry.proto.logs.v1.logs_pb2 import LogsData
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from ..vectors import otlp
from .back_to_back import BackToBack, Values

Rows = Callable[[Any], Iterator[dict[str, Any]]]


def _subject(name: str, kind: Any, fill: Any, rows: Rows, columns: tuple[str, ...]) -> BackToBack:
    def values(message: Any) -> list[Values]:
        return [tuple(_plain(row[each]) for each in columns) for row in rows(message)]

    def make(source: random.Random, number: int) -> tuple[bytes, list[Values]]:
        message = fill(source)
        for count, each in enumerate(_items(message)):
            each.trace_id = struct.pack(">QQ", number, count)
        content: bytes = message.SerializeToString()
        return struct.pack(">I", len(content)) + content, values(message)

    def there(content: bytes, at: int, found: Values) -> bool:
        end = at + 4 + int.from_bytes(content[at : at + 4], "big")
        try:
            return found in values(kind.FromString(content[at + 4 : end]))
        except DecodeError:
            return False

    tokens = (bytes(4), bytes(40), b"\xff" * 4, b"\x0a\x00", b"\x12\x80\x80\x80\x80\x08")
    options = {"framing": "u4be"}
    return BackToBack(name, make, columns, tokens, there=there, single=False, options=options, cost=4)


def _items(message: Any) -> Iterator[Any]:
    for outer in getattr(message, "resource_logs", None) or getattr(message, "resource_spans", ()):
        for inner in getattr(outer, "scope_logs", None) or getattr(outer, "scope_spans", ()):
            yield from getattr(inner, "log_records", None) or getattr(inner, "spans", ())


def _plain(value: Any) -> Any:
    """Return a value that can be compared: messages as text."""
    return repr(value) if isinstance(value, list | dict | float) else value


LOGS = _subject(
    "otlp_logs",
    LogsData,
    otlp.logs,
    otlp.log_rows,
    ("trace_id", "span_id", "time_unix_nano", "severity_number", "severity_text", "flags", "event_name", "body"),
)
SPANS = _subject(
    "otlp_spans",
    TracesData,
    otlp.spans,
    otlp.span_rows,
    ("trace_id", "span_id", "parent_span_id", "name", "kind", "start_time_unix_nano", "trace_state", "flags"),
)
