"""Files of the package `mcap`, made with random options, with unknown records and fields: read as the package reads
them."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcap.records import Attachment, Channel, McapRecord, Message, Metadata, Schema, Statistics
from mcap.stream_reader import StreamReader
from mcap.writer import CompressionType, IndexType, Writer

from ..examples import examples
from ..unit.reading.running import ROW_READERS, read

HEAD = struct.Struct("<BQ")
MAGIC = 8
MESSAGE, CHUNK, DATA_END = 5, 6, 15
FIELDS: dict[str, tuple[type, tuple[str, ...]]] = {
    "messages": (Message, ("channel_id", "sequence", "log_time", "publish_time", "data")),
    "schemas": (Schema, ("id", "name", "encoding", "data")),
    "channels": (Channel, ("id", "topic", "message_encoding", "schema_id", "metadata")),
    "attachments": (Attachment, ("log_time", "create_time", "name", "media_type", "data")),
    "metadata": (Metadata, ("name", "metadata")),
    "statistics": (Statistics, ("message_count", "channel_count", "chunk_count", "channel_message_counts")),
}
OPTIONS = st.fixed_dictionaries(
    {
        "chunk_size": st.sampled_from((1, 100, 1000)),
        "compression": st.sampled_from(CompressionType),
        "index_types": st.sampled_from((IndexType.ALL, IndexType.NONE, IndexType.CHUNK)),
        **{
            name: st.booleans()
            for name in (
                *("repeat_channels", "repeat_schemas", "use_chunking", "use_statistics", "use_summary_offsets"),
                *("enable_crcs", "enable_data_crcs"),
            )
        },
    }
)
STEPS = st.lists(st.sampled_from(("schema", "channel", "message", "message", "attachment", "metadata")), max_size=12)
FIELD = st.binary(min_size=1, max_size=20) | st.sampled_from((bytes(300), b"\1" * 300, b"field" * 100))
"""Fields of a later version."""
UNKNOWN = st.tuples(st.integers(16, 255), st.binary(max_size=30) | st.just(bytes(700)))
"""Opcodes and bodies of records of later versions, and of private ones."""
CHANGES = st.lists(st.none() | FIELD | UNKNOWN, max_size=30)
"""What is added, record by record: nothing, a field, or a record before it."""


def written(options: dict[str, Any], steps: list[str]) -> bytes:
    file = io.BytesIO()
    writer = Writer(file, **options)
    writer.start()
    schemas, channels = [0], list[int]()
    for number, step in enumerate(steps):
        if step == "schema":
            schemas.append(writer.register_schema(f"schema {number}", "jsonschema", b"{}" * number))
        elif step == "channel" or (step == "message" and not channels):
            channels.append(writer.register_channel(f"/{number}", "json", schemas[-1], {"number": f"{number}"}))
        elif step == "message":
            channel = channels[number % len(channels)]
            writer.add_message(channel, number, b"%d " % number * 20, number + 1, number)
        elif step == "attachment":
            writer.add_attachment(number, number + 1, f"{number}", "text/plain", b"text")
        else:
            writer.add_metadata(f"{number}", {"number": f"{number}"})
    writer.finish()
    return file.getvalue()


def records(content: bytes) -> Iterator[bytes]:
    """Yield the records of a file."""
    place = MAGIC
    while place < len(content) - MAGIC:
        end = place + HEAD.size + HEAD.unpack_from(content, place)[1]
        yield content[place:end]
        place = end


def changed(content: bytes, changes: list[bytes | tuple[int, bytes] | None]) -> bytes:
    """Return a file with unknown records and fields. Its first record is the header, its last one the footer."""
    made = [content[:MAGIC]]
    for number, record in enumerate(records(content)):
        change = changes[number] if number < len(changes) else None
        if isinstance(change, tuple) and number:
            made.append(HEAD.pack(change[0], len(change[1])) + change[1])
        elif isinstance(change, bytes) and record[0] != MESSAGE:
            record = HEAD.pack(record[0], len(record) - HEAD.size + len(change)) + record[HEAD.size :] + change
        made.append(record)
    return b"".join((*made, content[-MAGIC:]))


def expected(content: bytes) -> dict[str, list[McapRecord]]:
    """Return the records by table, as ``mcap`` reads them, each once: the summary has the statistics, and schemas and
    channels that may be there alone."""
    found: dict[str, list[McapRecord]] = {name: [] for name in FIELDS}
    summary = False
    for record in StreamReader(io.BytesIO(content)).records:
        summary = summary or type(record).__name__ == "DataEnd"
        for name, (kind, _) in FIELDS.items():
            if name in ("schemas", "channels") and isinstance(record, kind):
                found[name] += [record] if record not in found[name] else []
            elif isinstance(record, kind) and summary == (name == "statistics"):
                found[name].append(record)
    return found


def values(record: McapRecord, names: tuple[str, ...]) -> dict[str, Any]:
    """Return the fields of a record; of pairs, a list."""
    found = ((name, getattr(record, name)) for name in names)
    return {name: list(value.items()) if isinstance(value, dict) else value for name, value in found}


def as_numbers(table: pa.Table) -> list[dict[str, Any]]:
    """Return the rows, with times as numbers."""
    for number, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type):
            table = table.set_column(number, field.name, table.column(number).cast(pa.int64()))
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows


@pytest.mark.parametrize("row_reader", ROW_READERS)
@given(options=OPTIONS, steps=STEPS, changes=CHANGES)
@settings(max_examples=examples(200))
def test_unknown_records_and_fields(row_reader: str, options: Any, steps: list[str], changes: list[Any]) -> None:
    content = changed(written(options, steps), changes)
    for table, found in expected(content).items():
        _, names = FIELDS[table]
        rows, report = read(row_reader, "mcap", content, table=table, columns=names, mode="failfast")
        assert as_numbers(rows) == [values(each, names) for each in found], table
        assert (report["damaged"], report["tail"]) == ([], "clean"), table
    kinds = read(row_reader, "mcap", content, table="records", columns=["len_body"])[0]["len_body"].to_pylist()
    sizes = [len(each) - HEAD.size for each in records(content)]
    assert kinds == sizes[: len(kinds)]
