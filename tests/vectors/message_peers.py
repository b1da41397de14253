"""Messages of OpenTelemetry as peers for mutations: the pieces are the fields of a log record or a span."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from hypothesis import strategies as st

from . import otlp
from .mutations import Peer, Unit
from .peers import plain


def fields(message: Any) -> tuple[bytes, ...]:
    """Return each field of a message as a message of its own."""
    found = []
    for field, _ in message.ListFields():
        alone = type(message)()
        alone.CopyFrom(message)
        for other, _ in message.ListFields():
            if other.name != field.name:
                alone.ClearField(other.name)
        found.append(alone.SerializeToString())
    return tuple(found)


def sized(number: int, data: bytes) -> bytes:
    """Return a message as a field of another."""
    made, rest = bytearray((number << 3 | 2,)), len(data)
    while rest > 127:
        made.append(rest & 127 | 128)
        rest >>= 7
    return bytes((*made, rest)) + data


def sealed_message(_number: int, unit: Unit) -> bytes:
    message = sized(1, sized(2, sized(2, unit.head + b"".join(unit.pieces))))
    return len(message).to_bytes(4, "big") + message


def messages(seeds: list[int], make: Any, outer: str, inner: str, name: str) -> list[Unit]:
    """Return some of the log records or spans of messages that are made by chance."""
    made = [make(random.Random(seed)) for seed in seeds]
    scopes = [scope for each in made for resource in getattr(each, outer) for scope in getattr(resource, inner)]
    return [Unit(b"", fields(each)) for scope in scopes for each in getattr(scope, name)][:3]


def telemetry(format: str, make: Any, rows: Any, kind: Any, *names: str) -> Peer:
    def found(content: bytes) -> Iterator[Any]:
        return (plain(each) for each in rows(kind.FromString(content[4:])))

    columns = tuple(next(row for seed in range(100) for row in rows(make(random.Random(seed)))))
    units = st.lists(st.integers(0, 1 << 20), max_size=2).map(lambda seeds: messages(seeds, make, *names))
    return Peer(format, columns, units, sealed_message, found, options={"framing": "u4be"})


MESSAGE_PEERS = {
    "logs": telemetry(
        "otlp_logs", otlp.logs, otlp.log_rows, otlp.LogsData, "resource_logs", "scope_logs", "log_records"
    ),
    "spans": telemetry(
        "otlp_spans", otlp.spans, otlp.span_rows, otlp.TracesData, "resource_spans", "scope_spans", "spans"
    ),
    "metrics": telemetry(
        "otlp_metrics",
        otlp.metrics,
        otlp.metric_rows,
        otlp.MetricsData,
        "resource_metrics",
        "scope_metrics",
        "metrics",
    ),
}
