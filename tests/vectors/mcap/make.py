"""``python make.py``: writes the files beside it with the ``mcap`` package, and what that reads from them."""

import io
import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mcap.data_stream import RecordBuilder
from mcap.reader import make_reader
from mcap.records import Attachment, Channel, DataEnd, Footer, Header, Message, Metadata, Schema
from mcap.stream_reader import StreamReader
from mcap.writer import CompressionType, IndexType, Writer

HERE = Path(__file__).parent
MAGIC = b"\x89MCAP0\r\n"
BEGIN = 1_700_000_000_000_000_000


def log(**options: Any) -> bytes:
    """A log of five channels, one of them without a schema; some messages are empty."""
    out = io.BytesIO()
    writer = Writer(out, **options)
    writer.start("profile", "a library")
    schemas = [writer.register_schema(f"pkg/Type{each}", "jsonschema", b'{"type":"object"}') for each in range(2)]
    schemas.append(writer.register_schema("", "", b""))
    writer.add_metadata("robot", {"name": "R2", "höhe": "1.09 m"})
    writer.add_attachment(BEGIN - 5, BEGIN, "map.txt", "text/plain", b"a map")
    channels = []
    for number in range(30):
        if number < 5:
            schema = 0 if number == 4 else schemas[number % 3]
            metadata = {"qos": "reliable", "": ""} if number == 1 else {}
            channels.append(writer.register_channel(f"/topic/{number}", "json", schema, metadata))
        at = BEGIN + number * 1_000_003
        writer.add_message(channels[number % len(channels)], at, b'{"n":%d}' % number * (number % 4), at - 7, number)
    writer.add_metadata("empty", {})
    writer.finish()
    return out.getvalue()


def odd() -> bytes:
    """Records that the writer does not write: unknown ones, with more than the known fields, without checksums, of one
    channel again; and times that a timestamp cannot hold."""
    made = RecordBuilder()
    Header("", "").write(made)
    Schema(id=1, data=b"", encoding="", name="first").write(made)
    Channel(id=9, topic="/one", message_encoding="", metadata={}, schema_id=1).write(made)
    records = [made.end(), struct.pack("<BQ", 0x80, 3) + b"own", struct.pack("<BQ", 0x89, 0)]
    Message(channel_id=9, log_time=0, data=b"before", publish_time=(1 << 64) - 1, sequence=(1 << 32) - 1).write(made)
    Attachment(create_time=0, log_time=1, name="", media_type="", data=b"").write(made)
    records.append(made.end())
    Channel(id=9, topic="/two", message_encoding="cbor", metadata={"k": "v"}, schema_id=0).write(made)
    channel = made.end()
    records.append(channel[:1] + struct.pack("<Q", len(channel) - 9 + 4) + channel[9:] + b"more")
    Message(channel_id=9, log_time=5, data=b"", publish_time=4, sequence=0).write(made)
    Metadata(name="m", metadata={"a": "", "": "b"}).write(made)
    DataEnd(0).write(made)
    Footer(summary_start=0, summary_offset_start=0, summary_crc=0).write(made)
    records.append(made.end())
    return MAGIC + b"".join(records) + MAGIC


def tables(content: bytes) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield the tables with their rows, as ``mcap`` reads them."""
    schemas: dict[int, str] = {}
    channels: dict[int, Channel] = {}
    rows: dict[str, list[dict[str, Any]]] = {}
    for record in StreamReader(io.BytesIO(content), validate_crcs=True).records:
        match record:
            case DataEnd():
                break
            case Schema():
                schemas[record.id] = record.name
                columns = {"id": record.id, "name": record.name, "encoding": record.encoding}
                rows.setdefault("schemas", []).append(columns | {"data": record.data.hex()})
            case Channel():
                channels[record.id] = record
                columns = {"id": record.id, "topic": record.topic, "message_encoding": record.message_encoding}
                more = {"schema_name": schemas.get(record.schema_id), "metadata": list(record.metadata.items())}
                rows.setdefault("channels", []).append(columns | {"schema_id": record.schema_id} | more)
            case Message():
                channel = channels[record.channel_id]
                columns = {"channel_id": record.channel_id, "topic": channel.topic, "sequence": record.sequence}
                times = {"log_time": time(record.log_time), "publish_time": time(record.publish_time)}
                more = {"data": record.data.hex(), "schema_name": schemas.get(channel.schema_id)}
                rows.setdefault("", []).append(columns | times | more)
            case Attachment():
                columns = {"log_time": time(record.log_time), "create_time": time(record.create_time)}
                more = {"name": record.name, "media_type": record.media_type, "data": record.data.hex()}
                rows.setdefault("attachments", []).append(columns | more)
            case Metadata():
                found = {"name": record.name, "metadata": list(record.metadata.items())}
                rows.setdefault("metadata", []).append(found)
    summary = make_reader(io.BytesIO(content)).get_summary()
    if summary is not None and summary.statistics is not None:
        found = vars(summary.statistics)
        rows["statistics"] = [found | {"channel_message_counts": list(found["channel_message_counts"].items())}]
    yield from rows.items()


def time(nanoseconds: int) -> int | None:
    return nanoseconds if nanoseconds < 1 << 63 else None


FILES = {
    "zstd.mcap": log(compression=CompressionType.ZSTD, chunk_size=400, enable_data_crcs=True),
    "lz4.mcap": log(compression=CompressionType.LZ4, chunk_size=1000),
    "none.mcap": log(compression=CompressionType.NONE, chunk_size=600),
    "unchecked.mcap": log(compression=CompressionType.ZSTD, enable_crcs=False, index_types=IndexType.NONE),
    "plain.mcap": log(use_chunking=False),
    "bare.mcap": log(
        use_chunking=False,
        repeat_channels=False,
        repeat_schemas=False,
        use_statistics=False,
        use_summary_offsets=False,
        index_types=IndexType.NONE,
    ),
    "odd.mcap": odd(),
}
with open(HERE / "cases.jsonl", "w") as cases:
    for name, content in FILES.items():
        (HERE / name).write_bytes(content)
        for table, rows in tables(content):
            print(json.dumps({"file": name, **({"table": table} if table else {}), "rows": rows}), file=cases)
