"""``python make.py``, from the root of the project as ``python -m tests.vectors.otlp_logs.make``: writes the files of
``otlp_logs``, ``otlp_spans`` and ``otlp_metrics`` with ``opentelemetry-proto``, and the rows that it reads from these
and from what ``make.go`` wrote."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain, count
from pathlib import Path
from typing import Any

from google.protobuf.internal.decoder import _DecodeVarint
from google.protobuf.internal.encoder import _VarintBytes
from opentelemetry.proto.logs.v1.logs_pb2 import LogsData
from opentelemetry.proto.metrics.v1.metrics_pb2 import MetricsData
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from .. import otlp
from ..peers import plain

VECTORS = Path(__file__).parents[1]


def by_length(data: bytes) -> Iterator[bytes]:
    """Four bytes of length before each message."""
    while data:
        end = 4 + int.from_bytes(data[:4], "big")
        yield data[4:end]
        data = data[end:]


def by_varint(data: bytes) -> Iterator[bytes]:
    """A varint before each message."""
    while data:
        size, begin = _DecodeVarint(data, 0)
        yield data[begin : begin + size]
        data = data[begin + size :]


READ: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    # The first is what the examples in a format's page read, also as a value of a column.
    "single.bin": lambda data: iter([data]),
    "collector.bin": by_length,
    "length.bin": by_length,
    "varint.bin": by_varint,
}


def is_plain(rows: list[Any]) -> bool:
    """Return whether there are several rows, which are equal to themselves."""
    return len(rows) > 1 and ": nan" not in str(rows)


def make(
    folder: Path,
    made: Callable[[random.Random], Any],
    kind: Any,
    rows: Callable[[Any], Any],
    tables: Mapping[str, Callable[[Any], Any]] | None = None,
) -> None:
    """The files of one format. ``tables``: the rows of further tables."""
    folder.mkdir(exist_ok=True)
    source = random.Random(folder.name)
    messages = [made(source).SerializeToString() for _ in range(5)]
    (folder / "length.bin").write_bytes(b"".join(len(each).to_bytes(4, "big") + each for each in messages))
    (folder / "varint.bin").write_bytes(b"".join(_VarintBytes(len(each)) + each for each in messages))
    more = (made(source).SerializeToString() for _ in count())
    single = (each for each in chain(messages, more) if is_plain(list(rows(kind.FromString(each)))))
    (folder / "single.bin").write_bytes(next(single))
    with open(folder / "cases.jsonl", "w") as cases:
        for name, read in READ.items():
            if not (folder / name).exists():
                continue
            found = [kind.FromString(each) for each in read((folder / name).read_bytes())]
            all_rows = [plain(row) for each in found for row in rows(each)]
            print(json.dumps({"file": name, "rows": all_rows}), file=cases)
            for table, rows_of in (tables or {}).items() if name == "length.bin" else ():
                all_rows = [plain(row) for each in found for row in rows_of(each)]
                print(json.dumps({"file": name, "table": table, "rows": all_rows}), file=cases)


make(VECTORS / "otlp_logs", otlp.logs, LogsData, otlp.log_rows)
make(VECTORS / "otlp_spans", otlp.spans, TracesData, otlp.span_rows)
make(
    VECTORS / "otlp_metrics",
    otlp.metrics,
    MetricsData,
    otlp.metric_rows,
    {kind: partial(otlp.metric_rows, table=kind) for kind in otlp.KINDS},
)
