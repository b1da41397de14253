"""Log records of OpenTelemetry, compared with Google's protobuf (upb) with the classes of ``opentelemetry-proto``."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from typing import Any

from .data import drain
from .measure import Comparison, Work, missing

COLUMNS = ["body", "attributes", "resource"]
RECORDS = 100
"""Number of records of a message, of about 270 bytes each."""
MESSAGES = 200
"""Number of different messages; they are repeated."""


def comparisons(size: int) -> Iterator[Comparison]:
    absent = missing("opentelemetry.proto.logs.v1.logs_pb2")
    title = "OTLP logs, messages of 100 records, body, attributes and resource"
    if absent:
        nothing = Work("otlp_logs", 0, lambda: None)
        yield Comparison(f"{title}, beside protobuf's objects with their values", nothing, nothing, 3, absent)
        return
    made = messages(size // 4)
    content = b"".join(len(each).to_bytes(4, "big") + each for each in made)
    work = Work("otlp_logs", len(content), partial(_read, content))
    few = made[: max(1, len(made) // 8)]
    against = Work("upb, values", sum(map(len, few)), partial(_values, few))
    yield Comparison(f"{title}, beside protobuf's objects with their values", work, against, target=3)


def _read(content: bytes) -> None:
    drain("otlp_logs", content, columns=COLUMNS)


def _values(messages: list[bytes]) -> None:
    """Convert the columns to Python values, without creating rows."""
    from opentelemetry.proto.logs.v1.logs_pb2 import LogsData

    for each in messages:
        for outer in LogsData.FromString(each).resource_logs:
            _attributes(outer.resource.attributes)
            for inner in outer.scope_logs:
                for record in inner.log_records:
                    record.body.string_value  # noqa: B018
                    _attributes(record.attributes)


def _attributes(pairs: Any) -> list[tuple[str, Any]]:
    return [(each.key, getattr(each.value, each.value.WhichOneof("value"))) for each in pairs]


def messages(size: int) -> list[bytes]:
    """Return messages with log records, about ``size`` bytes in total."""
    from opentelemetry.proto.logs.v1.logs_pb2 import LogsData

    source, made, total = random.Random(19), [], 0
    while total < size and len(made) < MESSAGES:
        data = LogsData()
        outer = data.resource_logs.add()
        names = ("service.name", "service.version", "host.name", "k8s.pod.name", "k8s.namespace.name", "cloud.region")
        for name in names:
            outer.resource.attributes.add(key=name).value.string_value = f"{name} of {len(made)}"
        inner = outer.scope_logs.add()
        inner.scope.name, inner.scope.version = "io.opentelemetry.logback", "2.1.0"
        for _ in range(RECORDS):
            record = inner.log_records.add(severity_number=9, severity_text="INFO", flags=1)
            record.time_unix_nano = 1_700_000_000_000_000_000 + source.getrandbits(40)
            record.observed_time_unix_nano = record.time_unix_nano + 5
            record.body.string_value = (
                f"Order {source.getrandbits(30)} of customer {source.getrandbits(20)} was received"
            )
            record.trace_id, record.span_id = source.randbytes(16), source.randbytes(8)
            record.attributes.add(key="thread.name").value.string_value = f"http-nio-8080-exec-{source.randrange(20)}"
            record.attributes.add(key="http.request.method").value.string_value = "POST"
            record.attributes.add(key="http.response.status_code").value.int_value = 200
            record.attributes.add(key="order.items").value.int_value = source.randrange(9)
            record.attributes.add(key="latency").value.double_value = source.randrange(1_000_000) / 1000
        made.append(data.SerializeToString())
        total += len(made[-1])
    return made * max(1, size // total)
