"""A streaming read as Spark uses it, without Spark: offsets as text, processes that end, tasks that are sent."""

from __future__ import annotations

import base64
import json
import os
import struct
import zlib
from pathlib import Path
from typing import Any

import pyarrow as pa
import wireloom
from pyspark.sql.streaming.datasource import ReadAllAvailable
from wireloom.spark.stream.offset import GIVEN_UP, StreamOffset
from wireloom.spark.versions import to_arrow_schema

from .driver import schema_of, sent, source

WAL = "edgemq_segment"
LOG = "cobs_log"

Batch = tuple[str, str]
"""Offsets before and after, as stored in the checkpoint."""


class Query:
    """One source of one query. ``batches``: the content of the checkpoint; the last batch may not have been read
    yet."""

    def __init__(self, name: str, schema: str | None = None, **options: Any) -> None:
        self._source = source(name, **options)
        self.schema = self._source.schema() if schema is None else schema_of(schema)
        self.batches: list[Batch] = []
        self.restart()

    def restart(self, **options: Any) -> None:
        """Begin a new process, which knows only the checkpoint."""
        for key, value in options.items():
            self._source.options[key] = str(value)
        self.reader = sent(self._source).streamReader(schema=self.schema)

    @property
    def offset(self) -> str:
        """Return where the next batch begins."""
        return self.batches[-1][1] if self.batches else json.dumps(self.reader.initialOffset())

    def plan(self, *, everything: bool = False) -> bool:
        """Plan the next batch; return whether there is one."""
        limit = ReadAllAvailable() if everything else self.reader.getDefaultReadLimit()
        before = self.offset
        after = json.dumps(self.reader.latestOffset(json.loads(before), limit))
        if after == before:
            return False
        self.batches.append((before, after))
        return True

    def read(self, number: int = -1) -> pa.Table:
        """Return the rows of a batch; every Arrow batch must be exactly in the form that Spark accepts."""
        before, after = (json.loads(each) for each in self.batches[number])
        partitions = [sent(each) for each in self.reader.partitions(before, after)]
        assert self.reader.partitions(after, after) == []
        expected = to_arrow_schema(self.schema)
        tasks = sent(sent(self._source).streamReader(schema=self.schema))
        batches = [batch for partition in partitions for batch in tasks.read(partition)]
        assert all(isinstance(batch, pa.RecordBatch) and batch.schema.equals(expected) for batch in batches)
        return pa.Table.from_batches(batches, expected)

    def next(self, **how: Any) -> pa.Table | None:
        """Plan a batch and read it; return ``None`` if there is nothing new."""
        return self.read() if self.plan(**how) else None

    def rest(self) -> list[pa.Table]:
        """Return all batches until there is nothing new."""
        found = []
        while (rows := self.next()) is not None:
            found.append(rows)
        return found


def first_version(offset: str) -> str:
    """Return an offset as the first version wrote it: only how far a file was read, and when it was written."""
    found = StreamOffset.from_json(json.loads(offset))
    entries = sorted(found.tracked.items())
    positions = [GIVEN_UP if each.abandoned else each.position for _, each in entries]
    columns = struct.pack(f">{2 * len(entries)}Q", *(number for number, _ in entries), *positions)
    times = struct.pack(f">{len(entries)}H", *(each.modified_hash for _, each in entries))
    shown = found.to_json()
    taken = [each[:6] for each in shown["taken"]]
    tracked = [len(entries), base64.b64encode(zlib.compress(columns)).decode()]
    return json.dumps(
        {**shown, "version": 1, "taken": taken, "tracked": tracked, "marks": base64.b64encode(times).decode()}
    )


def write(name: str, path: Path, *payloads: str, codec: str | None = None) -> bytes:
    """Append records to a file; return the bytes of the whole file."""
    columns: dict[str, pa.Array] = {_payload(name): pa.array([each.encode() for each in payloads], pa.binary())}
    rows = len(payloads)
    if name == "edgemq_segment":
        columns |= {each: pa.array([1] * rows, kind) for each, kind in (("fmt", pa.uint8()), ("tenant", pa.uint32()))}
        columns["ts"] = pa.array([1_790_000_000_000] * rows, pa.timestamp("ms", "UTC"))
    if name == "word_stuffed_log":
        columns["generation"] = pa.array([0] * rows, pa.uint32())
    with path.open("ab") as file:
        wireloom.write(name, pa.table(columns), file, codec=codec)
    return path.read_bytes()


def payloads(rows: pa.Table | None) -> list[str]:
    """Return what was written, in the order in which it arrived."""
    if rows is None:
        return []
    column = "payload" if "payload" in rows.column_names else "data"
    return [each.decode() for each in rows[column].to_pylist()]


def _payload(name: str) -> str:
    return "data" if name == "leveldb_log" else "payload"


def age(path: Path, seconds: float) -> None:
    """Set the modification time of a file, in seconds since 2026."""
    time = 1_767_225_600 + seconds
    os.utime(path, (time, time))


def together(query: Query) -> list[str]:
    """Return the content of all remaining batches."""
    return [text for batch in texts(query) for text in batch]


def texts(query: Query) -> list[list[str]]:
    """Return the content of each remaining batch."""
    return [payloads(each) for each in query.rest()]
