"""Logs, spans and metrics of OpenTelemetry, made with the package ``opentelemetry-proto``, and their rows."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, LogsData
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric, MetricsData
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span, TracesData

TEXTS = ("", "started", 'a "quoted"\tline\n', "\0\x1f\x7f", "größer 中文 \U0001f600", "\\u0041/", "x" * 300)
INTEGERS = (0, 1, -1, 200, 2**53 + 1, -(2**63), 2**63 - 1)
FLOATS = (0.0, -0.0, 0.1, 1.0, -2.5, 1e16, 1e-7, 5e-324, 1.7976931348623157e308, 2 / 3, float("inf"), float("nan"))
KINDS = ("gauge", "sum", "histogram", "exponential_histogram", "summary")
"""The kinds of metrics, which are tables of their data points."""
UNKNOWN = b"\xfa\x7f\x03new\xc0\x3e\x05"
"""Fields 2047 and 1000, which no message has."""


def any_value(source: random.Random, depth: int = 0) -> AnyValue:
    """A value of any kind."""
    value = AnyValue()
    kind = source.randrange(8 if depth < 4 else 6)
    if kind == 1:
        value.string_value = source.choice(TEXTS)
    elif kind == 2:
        value.bool_value = source.random() < 0.5
    elif kind == 3:
        value.int_value = source.choice(INTEGERS)
    elif kind == 4:
        value.double_value = source.choice((*FLOATS, source.random(), source.uniform(-1e9, 1e9)))
    elif kind == 5:
        value.bytes_value = source.randbytes(source.choice((0, 1, 2, 3, 40)))
    elif kind == 6:
        value.array_value.SetInParent()
        value.array_value.values.extend(any_value(source, depth + 1) for _ in range(source.randrange(4)))
    elif kind == 7:
        value.kvlist_value.SetInParent()
        pairs(source, value.kvlist_value.values, source.randrange(4), depth + 1)
    return value


def pairs(source: random.Random, to: Any, count: int, depth: int = 0) -> None:
    """Append keys with values."""
    for number in range(count):
        pair = to.add(key=source.choice(("", "key", f"http.{number}", "größe")))
        if source.random() < 0.9:
            pair.value.CopyFrom(any_value(source, depth))


def log_record(source: random.Random) -> LogRecord:
    """A record; one in four has little in it."""
    record = LogRecord()
    if source.random() < 0.25:
        return record
    record.time_unix_nano = source.choice((0, 1_700_000_000_000_000_000, 2**64 - 1))
    record.observed_time_unix_nano = 1_700_000_000_000_000_001
    record.severity_number = source.choice((0, 9, 24, 99))
    record.severity_text = source.choice(TEXTS)
    record.body.CopyFrom(any_value(source))
    pairs(source, record.attributes, source.randrange(5))
    record.dropped_attributes_count = source.choice((0, 7, 2**32 - 1))
    record.flags = source.choice((0, 1, 2**32 - 1))
    record.trace_id = source.randbytes(16)
    record.span_id = source.randbytes(8)
    record.event_name = source.choice(TEXTS)
    if source.random() < 0.2:
        record.MergeFromString(UNKNOWN)
    return record


def span(source: random.Random) -> Span:
    """A span; one in four has little in it."""
    made = Span(trace_id=source.randbytes(16), span_id=source.randbytes(8), name=source.choice(TEXTS))
    if source.random() < 0.25:
        return made
    made.parent_span_id = source.randbytes(8)
    made.trace_state = "rojo=00f067aa0ba902b7"
    made.flags = 0x101
    made.kind = source.randrange(6)
    made.start_time_unix_nano, made.end_time_unix_nano = 1_700_000_000_000_000_000, 1_700_000_000_123_456_789
    pairs(source, made.attributes, source.randrange(4))
    for _ in range(source.randrange(3)):
        event = made.events.add(time_unix_nano=5, name=source.choice(TEXTS), dropped_attributes_count=1)
        pairs(source, event.attributes, source.randrange(3))
    for _ in range(source.randrange(3)):
        link = made.links.add(trace_id=source.randbytes(16), span_id=source.randbytes(8), trace_state="a=b", flags=1)
        pairs(source, link.attributes, source.randrange(3))
    made.dropped_attributes_count, made.dropped_events_count, made.dropped_links_count = 1, 0, 3
    if source.random() < 0.7:
        made.status.message = source.choice(TEXTS)
        made.status.code = source.randrange(3)
    return made


def metric(source: random.Random) -> Metric:
    """A metric of any kind, or of none."""
    made = Metric(name=source.choice(("", "http.server.duration")), description=source.choice(TEXTS), unit="ms")
    pairs(source, made.metadata, source.randrange(2))
    kind = source.choice(("", *KINDS))
    if kind:
        data = getattr(made, kind)
        data.SetInParent()
        _points(source, kind, data.data_points)
        if kind not in ("gauge", "summary"):
            data.aggregation_temporality = source.randrange(3)
        if kind == "sum":
            data.is_monotonic = source.random() < 0.5
    return made


def _points(source: random.Random, kind: str, points: Any) -> None:
    for _ in range(source.randrange(4)):
        point = points.add(start_time_unix_nano=5, time_unix_nano=1_700_000_000_000_000_000, flags=source.randrange(2))
        pairs(source, point.attributes, source.randrange(3))
        if kind in ("gauge", "sum"):
            _number(source, point)
        else:
            point.count, point.sum = source.choice((0, 2**64 - 1)), source.choice(FLOATS)
        if kind in ("histogram", "exponential_histogram") and source.random() < 0.5:
            point.min, point.max = source.choice(FLOATS), 0.0
        if kind == "histogram":
            point.bucket_counts.extend((1, 0, 2**64 - 1))
            point.explicit_bounds.extend((-0.5, 1e9))
        elif kind == "exponential_histogram":
            point.scale, point.zero_count, point.zero_threshold = source.choice((-10, 0, 20)), 3, 1e-9
            for buckets in (point.positive, point.negative)[source.randrange(3) :]:
                buckets.offset = source.choice((-(2**31), 0, 7))
                buckets.bucket_counts.extend((1, 2**64 - 1)[source.randrange(3) :])
        elif kind == "summary":
            for quantile in (0.0, 0.5, 1.0)[source.randrange(4) :]:
                point.quantile_values.add(quantile=quantile, value=source.choice(FLOATS))
        if kind != "summary" and source.random() < 0.5:
            exemplar = point.exemplars.add(time_unix_nano=9, span_id=source.randbytes(8), trace_id=source.randbytes(16))
            pairs(source, exemplar.filtered_attributes, source.randrange(2))
            _number(source, exemplar)


def _number(source: random.Random, to: Any) -> None:
    if source.random() < 0.5:
        to.as_int = source.choice(INTEGERS)
    elif source.random() < 0.7:
        to.as_double = source.choice(FLOATS)


def _fill(source: random.Random, resource: Resource, scope: InstrumentationScope) -> None:
    pairs(source, resource.attributes, source.randrange(4))
    resource.dropped_attributes_count = source.randrange(3)
    for _ in range(source.randrange(2)):
        entity = resource.entity_refs.add(schema_url="https://schema", type="host", id_keys=["host.id"])
        entity.description_keys.extend(("a", ""))
    scope.name, scope.version = source.choice(TEXTS), "1.2.3"
    pairs(source, scope.attributes, source.randrange(2))


def logs(source: random.Random) -> LogsData:
    """A message with the records of some resources and scopes, some of which have none."""
    data = LogsData()
    for _ in range(1 + source.randrange(2)):
        outer = data.resource_logs.add(schema_url=source.choice(("", "https://resource")))
        for _ in range(source.randrange(3)):
            inner = outer.scope_logs.add(schema_url=source.choice(("", "https://scope")))
            if source.random() < 0.8:
                _fill(source, outer.resource, inner.scope)
            inner.log_records.extend(log_record(source) for _ in range(source.randrange(5)))
    return data


def spans(source: random.Random) -> TracesData:
    """As ``logs``."""
    data = TracesData()
    for _ in range(1 + source.randrange(2)):
        outer = data.resource_spans.add(schema_url=source.choice(("", "https://resource")))
        for _ in range(source.randrange(3)):
            inner = outer.scope_spans.add(schema_url=source.choice(("", "https://scope")))
            if source.random() < 0.8:
                _fill(source, outer.resource, inner.scope)
            inner.spans.extend(span(source) for _ in range(source.randrange(4)))
    return data


def metrics(source: random.Random) -> MetricsData:
    """As ``logs``."""
    data = MetricsData()
    for _ in range(1 + source.randrange(2)):
        outer = data.resource_metrics.add(schema_url=source.choice(("", "https://resource")))
        for _ in range(source.randrange(3)):
            inner = outer.scope_metrics.add(schema_url=source.choice(("", "https://scope")))
            if source.random() < 0.8:
                _fill(source, outer.resource, inner.scope)
            inner.metrics.extend(metric(source) for _ in range(source.randrange(6)))
    return data


# The rows ------------------------------------------------------------------------------------------------------------


def text(message: Any) -> str:
    """A message as protobuf's own JSON."""
    return json.dumps(MessageToDict(message), ensure_ascii=False, separators=(",", ":"))


def _plain(message: Any) -> Any:
    """A message as a table has it: values in values as text."""
    if isinstance(message, AnyValue):
        kind = message.WhichOneof("value")
        made: dict[str, Any] = dict.fromkeys(("string_value", "bool_value", "int_value", "double_value"))
        made |= dict.fromkeys(("array_value", "kvlist_value", "bytes_value"))
        if kind is not None:
            value = getattr(message, kind)
            made[kind] = text(value) if kind in ("array_value", "kvlist_value") else value
        return made
    found = {}
    for field in message.DESCRIPTOR.fields:
        if field.name == "key_strindex":
            continue
        value = getattr(message, field.name)
        if field.is_repeated:
            value = [_plain(each) if field.message_type else each for each in value]
        elif field.message_type:
            value = _plain(value) if message.HasField(field.name) else None
        elif field.has_presence and not message.HasField(field.name):
            value = None
        found[field.name] = value
    return found


def _above(outer: Any, inner: Any) -> dict[str, Any]:
    return {
        "resource": _plain(outer.resource) if outer.HasField("resource") else None,
        "scope": _plain(inner.scope) if inner.HasField("scope") else None,
        "resource_schema_url": outer.schema_url,
        "scope_schema_url": inner.schema_url,
    }


def log_rows(data: LogsData) -> Iterator[dict[str, Any]]:
    """The rows of a message, in all columns that hold its fields."""
    for outer in data.resource_logs:
        for inner in outer.scope_logs:
            for record in inner.log_records:
                body = text(record.body) if record.HasField("body") else None
                yield _plain(record) | {"body": body} | _above(outer, inner)


def span_rows(data: TracesData) -> Iterator[dict[str, Any]]:
    """As ``log_rows``."""
    for outer in data.resource_spans:
        for inner in outer.scope_spans:
            for each in inner.spans:
                yield _plain(each) | _above(outer, inner)


def metric_rows(data: MetricsData, table: str = "metrics") -> Iterator[dict[str, Any]]:
    """As ``log_rows``, of one table."""
    for outer in data.resource_metrics:
        for inner in outer.scope_metrics:
            for each in inner.metrics:
                row = _plain(each) | _above(outer, inner)
                if table == "metrics":
                    yield row
                elif each.HasField(table):
                    points = row[table].pop("data_points")
                    above = {name: value for name, value in row.items() if name not in KINDS} | row[table]
                    yield from (point | above for point in points)
