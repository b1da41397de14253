"""``python make.py``, from the root of the project as ``python -m tests.vectors.otlp_logs.make``: writes the files of
``otlp_logs`` and ``otlp_spans`` with ``opentelemetry-proto``, and the rows that it reads from these and from what
``make.go`` wrote."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from google.protobuf.internal.decoder import _DecodeVarint
from google.protobuf.internal.encoder import _VarintBytes
from opentelemetry.proto.logs.v1.logs_pb2 import LogsData
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


def make(folder: Path, made: Callable[[random.Random], Any], kind: Any, rows: Callable[[Any], Any]) -> None:
    """The files of one format."""
    source = random.Random(folder.name)
    messages = [made(source).SerializeToString() for _ in range(5)]
    (folder / "length.bin").write_bytes(b"".join(len(each).to_bytes(4, "big") + each for each in messages))
    (folder / "varint.bin").write_bytes(b"".join(_VarintBytes(len(each)) + each for each in messages))
    (folder / "single.bin").write_bytes(next(each for each in messages if len(list(rows(kind.FromString(each)))) > 1))
    with open(folder / "cases.jsonl", "w") as cases:
        for name, read in READ.items():
            found = [kind.FromString(each) for each in read((folder / name).read_bytes())]
            all_rows = [plain(row) for each in found for row in rows(each)]
            print(json.dumps({"file": name, "rows": all_rows}), file=cases)


make(VECTORS / "otlp_logs", otlp.logs, LogsData, otlp.log_rows)
make(VECTORS / "otlp_spans", otlp.spans, TracesData, otlp.span_rows)
