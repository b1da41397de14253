"""Files that other implementations wrote, read and written again; and what these implementations read of ours."""

from __future__ import annotations

import io
import json
import random
import re
import zlib
from pathlib import Path
from typing import Any

import crc32c
import pyarrow as pa
import pytest
import wireloom
from wireloom import engine

from ..examples import examples
from .peers import plain_rows

HERE = Path(__file__).parent
SOURCE = random.Random(6)
BLOBS = [
    SOURCE.randbytes(SOURCE.choice((0, 1, 5, 60, 300, 5000))) for _ in range(examples(100) if engine.available else 30)
]

KAFKA = [
    *("offset", "timestamp", "key", "value", "headers", "timestamp_type", "codec", "is_transactional", "is_control"),
    *("producer_id", "producer_epoch", "base_sequence", "leader_epoch", "base_offset"),
]


@pytest.mark.parametrize("name", ["none", "gzip", "snappy", "lz4", "zstd", "mixed", "v1"])
def test_a_segment_of_kafka_is_written_again(name: str, tmp_path: Path) -> None:
    theirs, ours = HERE / "kafka_log" / f"{name}.log", tmp_path / "ours.log"
    table = wireloom.read("kafka_log", theirs, columns=KAFKA, mode="failfast")
    wireloom.write("kafka_log", table, ours)
    assert wireloom.read("kafka_log", ours, columns=KAFKA, mode="failfast").equals(table)
    if name == "none":
        # Without a compressor, the format says what each byte is.
        assert ours.read_bytes() == theirs.read_bytes()
    if name not in ("mixed", "v1"):
        batches = [wireloom.read("kafka_log", each, table="batches").to_pylist() for each in (theirs, ours)]
        assert batches[0] == batches[1]


@pytest.mark.parametrize("codec", ["none", "gzip", "lz4", "zstd"])
def test_kafka_reads_our_batches(codec: str, tmp_path: Path) -> None:
    from kafka.record.memory_records import MemoryRecords

    rows: list[dict[str, Any]] = [
        {
            "offset": 70 + index + index // 40 * 1000,
            "timestamp": 1_700_000_000_000 + SOURCE.randrange(-5000, 5000),
            "key": None if index % 3 == 0 else blob[:9],
            "value": blob if index % 7 else None,
            "headers": [
                {"key": f"h{number}", "value": blob[:number] if number != 1 else None} for number in range(index % 4)
            ],
            "codec": codec,
            "is_transactional": index >= 50,
            "producer_id": 9 if index >= 50 else -1,
        }
        for index, blob in enumerate(BLOBS)
    ]
    ours = tmp_path / "ours.log"
    wireloom.write("kafka_log", rows, ours, unit_rows=30)
    found: list[dict[str, Any]] = []
    records = MemoryRecords(ours.read_bytes())
    while (batch := records.next_batch()) is not None:
        assert batch.validate_crc()
        for each in batch:
            found.append(
                {
                    "offset": each.offset,
                    "timestamp": each.timestamp,
                    "key": each.key,
                    "value": each.value,
                    "headers": [{"key": key, "value": value} for key, value in each.headers],
                    "codec": codec,
                    "is_transactional": batch.is_transactional,
                    "producer_id": batch.producer_id,
                }
            )
    assert found == rows
    assert plain_rows(wireloom.read("kafka_log", ours, columns=list(rows[0]), mode="failfast")) == plain_rows(
        wireloom.read("kafka_log", ours, columns=list(rows[0]))
    )


def test_kafka_reads_our_batches_without_records_and_markers(tmp_path: Path) -> None:
    """What compaction leaves of a batch, and the marker with which a transaction ends."""
    from kafka.record.memory_records import MemoryRecords
    from wireloom.formats.kafka_log.parser import KafkaLog

    empty = KafkaLog.Current(
        attributes=0, last_offset_delta=4, base_timestamp=-1, max_timestamp=1_700_000_000_000, producer_id=7,
        body=KafkaLog.Body(records=[]),
    )  # fmt: skip
    emptied = KafkaLog(batches=[KafkaLog.Batch(offset=9, current=empty)]).to_bytes()
    control = {"is_transactional": True, "is_control": True, "producer_id": 7, "producer_epoch": 1, "headers": []}
    marker = {"offset": 14, "timestamp": 1_700_000_000_001, "key": b"\0\0\0\1", "value": bytes(6), **control}
    wireloom.write("kafka_log", [marker], tmp_path / "marker.log")
    ours = emptied + (tmp_path / "marker.log").read_bytes()
    records = MemoryRecords(ours)
    first, second = records.next_batch(), records.next_batch()
    assert first.validate_crc()
    assert second.validate_crc()
    assert (first.base_offset, first.last_offset_delta, first.producer_id, list(first)) == (9, 4, 7, [])
    assert (second.is_control_batch, second.is_transactional, second.producer_epoch) == (True, True, 1)
    assert [each.abort for each in second] == [False]
    assert not records.has_next()
    assert wireloom.read("kafka_log", ours, mode="failfast")["offset"].to_pylist() == [14]
    batches = wireloom.read("kafka_log", ours, table="batches", mode="failfast").to_pylist()
    assert [(each["base_offset"], each["last_offset"], each["count"]) for each in batches] == [(9, 13, 0), (14, 14, 1)]


def test_a_delete_horizon(tmp_path: Path) -> None:
    """Compaction sets a bit, and the horizon in place of the first record's time, from which all times still count."""
    wireloom.write("kafka_log", [{"offset": 5, "timestamp": 1_700_000_000_123, "value": b"v"}], tmp_path / "a.log")
    batch = bytearray((tmp_path / "a.log").read_bytes())
    batch[22] |= 0x40
    batch[17:21] = crc32c.crc32c(batch[21:]).to_bytes(4, "big")
    for content, horizon in (((tmp_path / "a.log").read_bytes(), None), (bytes(batch), 1_700_000_000_123)):
        found = wireloom.read("kafka_log", content, table="batches", columns=["base_offset", "delete_horizon"])
        assert found.cast(pa.schema([("base_offset", pa.int64()), ("delete_horizon", pa.int64())])).to_pylist() == [
            {"base_offset": 5, "delete_horizon": horizon}
        ]
        assert wireloom.read("kafka_log", content)["value"].to_pylist() == [b"v"]


@pytest.mark.parametrize("name", ["null", "deflate", "snappy", "bzip2", "xz", "zstandard", "sized_header"])
def test_a_file_of_avro_is_written_again(name: str, tmp_path: Path) -> None:
    columns = ["count", "data", "codec", "schema"]
    table = wireloom.read("avro_blocks", HERE / "avro_blocks" / f"{name}.avro", columns=columns, mode="failfast")
    ours = tmp_path / "ours.avro"
    wireloom.write("avro_blocks", table, ours)
    assert wireloom.read("avro_blocks", ours, columns=columns, mode="failfast").equals(table)
    entries = wireloom.read("avro_blocks", ours, table="metadata").to_pylist()
    assert [each["key"] for each in entries] == ["avro.schema", "avro.codec"]
    # The marker is another one in each file.
    wireloom.write("avro_blocks", table, tmp_path / "again.avro")
    markers = {
        wireloom.read("avro_blocks", tmp_path / f"{each}.avro", columns=["sync"])["sync"][0].as_py()
        for each in ("ours", "again")
    }
    assert len(markers) == 2


@pytest.mark.parametrize("codec", [None, "null", "deflate", "bzip2", "xz", "snappy", "zstandard"])
def test_avro_reads_our_blocks(codec: str | None, tmp_path: Path) -> None:
    import fastavro

    schema = {"type": "record", "name": "r", "fields": [{"name": "n", "type": "long"}, {"name": "b", "type": "bytes"}]}
    records = [{"n": index * -7, "b": blob} for index, blob in enumerate(BLOBS)]
    rows = []
    for start in range(0, len(records), 9):
        file = io.BytesIO()
        for each in records[start : start + 9]:
            fastavro.schemaless_writer(file, schema, each)
        rows.append({"count": len(records[start : start + 9]), "data": file.getvalue(), "schema": json.dumps(schema)})
    ours = tmp_path / "ours.avro"
    wireloom.write("avro_blocks", [each | ({"codec": codec} if codec else {}) for each in rows], ours)
    assert plain_rows(
        wireloom.read("avro_blocks", ours, columns=["count", "data", "schema"], mode="failfast")
    ) == plain_rows(wireloom.read("avro_blocks", ours, columns=["count", "data", "schema"]))
    needed = {"snappy": "cramjam", "zstandard": "backports.zstd"}.get(codec or "")
    if needed is not None:
        pytest.importorskip(needed, reason=f"fastavro has no {codec} without {needed}")
    with ours.open("rb") as opened:
        assert list(fastavro.reader(opened)) == records


def test_a_file_of_avro_without_objects(tmp_path: Path) -> None:
    """It has a block of no objects, which has the schema."""
    import fastavro

    ours = tmp_path / "ours.avro"
    wireloom.write("avro_blocks", [{"count": 0, "data": b"", "schema": '"long"', "codec": "deflate"}], ours)
    with ours.open("rb") as opened:
        found = fastavro.reader(opened)
        assert (list(found), found.writer_schema, found.codec) == ([], "long", "deflate")
    assert wireloom.read("avro_blocks", ours, mode="failfast").to_pylist() == [{"count": 0, "data": b""}]


def test_what_the_header_of_avro_needs(tmp_path: Path) -> None:
    for rows, said in (
        ([], "without a row: it begins with values of schema; write one row with these and no content"),
        ([{"count": 1, "data": b"\2"}], "cannot be written without the column schema"),
        (
            [{"count": 1, "data": b"\2", "schema": each} for each in ('"long"', '"int"')],
            "row 1, column schema: '\"int\"' after '\"long\"', and a file has one value of it",
        ),
        ([{"count": 1, "data": b"", "schema": "x", "codec": "lz4"}], "unknown label in row 0, column codec: 'lz4'"),
    ):
        with pytest.raises(wireloom.WireloomError, match=re.escape(said)):
            wireloom.write("avro_blocks", rows, tmp_path / "none.avro")


MCAP = [
    *("channel_id", "topic", "sequence", "log_time", "publish_time", "data", "message_encoding", "schema_id"),
    *("schema_name", "schema_encoding", "schema_data", "channel_metadata"),
]


def messages_of(path: Path) -> list[Any]:
    """What the library reads of a file, with all checksums verified."""
    from mcap.reader import make_reader

    with path.open("rb") as file:
        return [
            (schema and vars(schema), vars(channel), vars(message))
            for schema, channel, message in make_reader(file, validate_crcs=True).iter_messages(log_time_order=False)
        ]


@pytest.mark.parametrize("name", ["bare", "lz4", "none", "plain", "unchecked", "zstd"])
def test_a_file_of_mcap_is_written_again(name: str, tmp_path: Path) -> None:
    theirs, ours = HERE / "mcap" / f"{name}.mcap", tmp_path / "ours.mcap"
    table = wireloom.read("mcap", theirs, columns=MCAP, mode="failfast")
    wireloom.write("mcap", table, ours)
    assert wireloom.read("mcap", ours, columns=MCAP, mode="failfast").equals(table)
    assert messages_of(ours) == messages_of(theirs)
    kinds = wireloom.read("mcap", ours, table="records")["opcode"].to_pylist()
    assert (kinds[0], kinds[-2:]) == ("header", ["message_index", "data_end"])


@pytest.mark.parametrize("compression", ["", "lz4", "zstd", None])
def test_mcap_reads_our_messages(compression: str | None, tmp_path: Path) -> None:
    rows = [
        {
            "channel_id": index % 3,
            # A channel is declared anew where something about it changes.
            "topic": f"/topic/{index % 3}",
            "message_encoding": "json",
            "schema_id": index % 3,
            "schema_name": f"name{index % 3}" if index % 3 else None,
            "schema_encoding": "jsonschema" if index % 3 else None,
            "schema_data": b"{}" if index % 3 else None,
            "sequence": index,
            "log_time": 1_700_000_000_000_000_000 + index * 7,
            "publish_time": index,
            "data": blob,
            "channel_metadata": [("a", "b")] if index % 3 == 1 else [],
        }
        for index, blob in enumerate(BLOBS)
    ]
    ours = tmp_path / "ours.mcap"
    more = {} if compression is None else {"compression": compression}
    wireloom.write("mcap", [each | more for each in rows], ours, unit_rows=11)
    found = messages_of(ours)
    assert [
        {
            "channel_id": channel["id"],
            "topic": channel["topic"],
            "message_encoding": channel["message_encoding"],
            "schema_id": channel["schema_id"],
            "schema_name": schema and schema["name"],
            "schema_encoding": schema and schema["encoding"],
            "schema_data": schema and schema["data"],
            "sequence": message["sequence"],
            "log_time": message["log_time"],
            "publish_time": message["publish_time"],
            "data": message["data"],
            "channel_metadata": list(channel["metadata"].items()),
        }
        for schema, channel, message in found
    ] == rows
    chunks = wireloom.read("mcap", ours, table="chunks").to_pylist()
    assert {each["compression"] for each in chunks} == {"zstd" if compression is None else compression}
    assert len(chunks) == -(-len(rows) // 11)
    assert len(wireloom.read("mcap", ours, table="channels")) == 3


@pytest.mark.parametrize("compression", ["", "lz4", "zstd"])
def test_mcap_reads_the_indexes_of_our_file(compression: str, tmp_path: Path) -> None:
    """Its reader looks for the summary at the end first: the messages of a topic, those of a range of times, and all by
    their times. Another one goes through the file. Their own writer says the same of these messages."""
    from mcap.reader import NonSeekingReader, SeekingReader
    from mcap.records import Footer, SummaryOffset
    from mcap.stream_reader import StreamReader
    from mcap.writer import Writer

    times = [50, 10, 40, 20, 30, 20, 0, 60]
    rows = [
        {
            "channel_id": 1 + place % 3,
            "topic": f"/{1 + place % 3}",
            "message_encoding": "json",
            "log_time": each,
            "data": b"%d" % each * place,
            "schema_id": 1,
            "schema_name": "numbers",
            "compression": compression,
        }
        for place, each in enumerate(times)
    ]
    ours, theirs = tmp_path / "ours.mcap", tmp_path / "theirs.mcap"
    wireloom.write("mcap", rows, ours, unit_rows=3)
    writer = Writer(str(theirs))
    writer.start()
    writer.register_schema("numbers", "", b"")
    for channel in (1, 2, 3):
        writer.register_channel(f"/{channel}", "json", 1)
    for row in rows:
        writer.add_message(row["channel_id"], row["log_time"], row["data"], row["log_time"])
    writer.finish()
    content = ours.read_bytes()
    for reader_of in (SeekingReader, NonSeekingReader):

        def read(reader_of: Any = reader_of, **options: Any) -> list[int]:
            reader = reader_of(io.BytesIO(content), validate_crcs=True)
            return [message.log_time for _, _, message in reader.iter_messages(**options)]

        assert read() == sorted(times)
        assert read(reverse=True) == sorted(times, reverse=True)
        assert read(log_time_order=False) == times
        assert read(topics=["/1"], log_time_order=False) == times[::3]
        assert read(starting_at=20, ending_before=40) == [20, 20, 30]
    found, wanted = (SeekingReader(io.BytesIO(each.read_bytes())).get_summary() for each in (ours, theirs))
    assert found is not None
    assert wanted is not None
    assert (found.channels, found.schemas) == (wanted.channels, wanted.schemas)
    assert vars(found.statistics) == vars(wanted.statistics) | {"chunk_count": 3}
    statistics = wireloom.read("mcap", ours, table="statistics")
    assert statistics["channel_message_counts"].to_pylist() == [
        list(vars(wanted.statistics)["channel_message_counts"].items())
    ]
    for index, channels in zip(found.chunk_indexes, ([1, 2, 3], [1, 2, 3], [1, 2]), strict=True):
        assert list(index.message_index_offsets) == channels
        assert min(index.message_index_offsets.values()) == index.chunk_start_offset + index.chunk_length
        end = index.chunk_start_offset + index.chunk_length + index.message_index_length
        # What follows is another chunk, or the end of the data.
        assert content[end] in (6, 15)
    records = list(StreamReader(io.BytesIO(content)).records)
    footer = records[-1]
    assert isinstance(footer, Footer)
    assert footer.summary_crc == zlib.crc32(content[footer.summary_start : -12])
    offsets = [each for each in records if isinstance(each, SummaryOffset)]
    assert [content[each.group_start] for each in offsets] == [each.group_opcode for each in offsets] == [3, 4, 11, 8]
    ends = [each.group_start + each.group_length for each in offsets]
    assert ends == [*(each.group_start for each in offsets[1:]), footer.summary_offset_start]


@pytest.mark.slow
def test_other_tables_of_mcap(tmp_path: Path) -> None:
    from mcap.reader import make_reader

    rows = [{"log_time": 5, "create_time": 0, "name": "a.txt", "media_type": "text/plain", "data": b"hello"}]
    ours = tmp_path / "ours.mcap"
    wireloom.write("mcap", rows, ours, table="attachments")
    with ours.open("rb") as file:
        [found] = make_reader(file, validate_crcs=True).iter_attachments()
    assert (found.name, found.media_type, found.data, found.log_time) == ("a.txt", "text/plain", b"hello", 5)
    wireloom.write("mcap", [{"name": "m", "metadata": {"k": "v"}}], ours, table="metadata")
    with ours.open("rb") as file:
        [entry] = make_reader(file, validate_crcs=True).iter_metadata()
    assert (entry.name, entry.metadata) == ("m", {"k": "v"})


@pytest.mark.slow
def test_what_messages_of_mcap_need(tmp_path: Path) -> None:
    message = {"channel_id": 1, "log_time": 5, "data": b"x"}
    for row, said in (
        (message, "without the column topic, from which rows of its table channels are created"),
        (
            message | {"topic": "/a", "schema_id": 3},
            "without the column schema_name, from which rows of",
        ),
        (message | {"topic": "/a", "compression": "br"}, "no case of 'codec' matches"),
        (message | {"topic": "/a", "compresion": "lz4"}, "unknown column of mcap 'compresion'"),
    ):
        with pytest.raises(wireloom.WireloomError, match=re.escape(said)):
            wireloom.write("mcap", [row], tmp_path / "none.mcap")
