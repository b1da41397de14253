"""Formats in the box and their own implementations, here and now: each reads what the other writes."""

from __future__ import annotations

import gzip
import io
import random
import zlib
from pathlib import Path
from typing import Any

import pytest
import wireloom
from wireloom import engine

from ..examples import examples
from ..writing import bytes_of
from .peers import plain, plain_rows

COUNT = examples(200) if engine.available else 40
SOURCE = random.Random(5)
BLOBS = [SOURCE.randbytes(SOURCE.choice((0, 1, 5, 60, 300, 5000))) for _ in range(COUNT)]


def written(format: str, rows: Any, folder: Path, **options: Any) -> Path:
    path = folder / "ours"
    wireloom.write(format, rows, path, **options)
    return path


def test_tfrecord(tmp_path: Path) -> None:
    from tfrecord.reader import tfrecord_iterator
    from tfrecord.writer import TFRecordWriter

    theirs = tmp_path / "theirs.tfrecord"
    writer = TFRecordWriter(str(theirs))
    features = [{"data": (blob, "byte"), "number": (index, "int")} for index, blob in enumerate(BLOBS)]
    for each in features:
        writer.write(each)
    writer.close()
    expected = [TFRecordWriter.serialize_tf_example(each) for each in features]
    assert wireloom.read("tfrecord", theirs, mode="failfast")["data"].to_pylist() == expected
    for codec, kind in (("none", None), ("gzip", "gzip")):
        ours = written("tfrecord", [{"data": each} for each in BLOBS], tmp_path, codec=codec)
        assert [bytes(each) for each in tfrecord_iterator(str(ours), compression_type=kind)] == BLOBS


def test_examples(tmp_path: Path) -> None:
    """The features of examples, in records and by themselves."""
    from tfrecord import example_pb2
    from tfrecord.writer import TFRecordWriter

    messages = [
        TFRecordWriter.serialize_tf_example(
            {
                "data": (blob, "byte"),
                "numbers": ([SOURCE.getrandbits(63), -index], "int"),
                "weights": ([index / 4, -0.5] * (index % 3), "float"),
            }
        )
        for index, blob in enumerate(BLOBS)
    ]
    path = written("tfrecord", [{"data": each} for each in messages], tmp_path)
    records = wireloom.read("tfrecord", path, mode="failfast")
    found = wireloom.explode(records, "data", "tf_example", mode="failfast").to_pylist()
    assert len(found) == len(messages)
    for row, message in zip(found, messages, strict=True):
        features = example_pb2.Example.FromString(message).features.feature
        read = {each["key"]: each["value"] for each in row["features"]["feature"]}
        assert {
            name: {kind: each["value"] for kind, each in value.items() if each} for name, value in read.items()
        } == {
            name: {each.name: list(values.value) for each, values in feature.ListFields()}
            for name, feature in features.items()
        }
    [first, *_] = wireloom.to_wire(
        [{key: row[key] for key in ("features",)} for row in found], "tf_example"
    ).to_pylist()
    assert example_pb2.Example.FromString(first) == example_pb2.Example.FromString(messages[0])


@pytest.mark.slow
def test_kafka_log(tmp_path: Path) -> None:
    from kafka.record.default_records import DefaultRecordBatchBuilder

    batches: list[bytes] = []
    expected: list[dict[str, Any]] = []
    for codec in (0, 1, 3, 4):
        first = len(expected)
        batch = DefaultRecordBatchBuilder(2, codec, True, 9, 2, 5, 1 << 20)
        for index, blob in enumerate(BLOBS):
            key = None if index % 3 == 0 else blob[:9]
            headers = [(f"h{number}", None if number == 1 else blob[:number]) for number in range(index % 4)]
            at = 1_700_000_000_000 + SOURCE.randrange(-5000, 5000)
            batch.append(index, at, key, blob, headers)
            row = {
                "offset": index,
                "timestamp": at,
                "key": key,
                "value": blob,
                "producer_id": 9,
                "is_transactional": True,
            }
            expected.append(row | {"headers": [{"key": name, "value": value} for name, value in headers]})
        batches.append(bytes(batch.build()))
        assert len(expected) - first == len(BLOBS)
    table = wireloom.read("kafka_log", b"".join(batches), columns=list(expected[0]), mode="failfast")
    assert plain_rows(table) == [plain(each) for each in expected]


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("codec", [0, 1, 3])
def test_kafka_log_of_older_versions(magic: int, codec: int) -> None:
    from kafka.record.legacy_records import LegacyRecordBatchBuilder

    batch = LegacyRecordBatchBuilder(magic, codec, 1 << 20)
    expected = []
    for index, blob in enumerate(BLOBS):
        key = None if index % 3 == 0 else blob[:9]
        at = 1_700_000_000_000 + SOURCE.randrange(-5000, 5000)
        batch.append(index, at, key, blob)
        expected.append({"offset": index, "timestamp": at if magic else None, "key": key, "value": blob})
    table = wireloom.read("kafka_log", bytes(batch.build()), columns=list(expected[0]), mode="failfast")
    assert plain_rows(table) == [plain(each) for each in expected]


@pytest.mark.parametrize("magic", [0, 1])
def test_kafka_log_refuses_sets_of_no_messages_and_sets_in_sets(magic: int) -> None:
    """As Kafka does: "Inner messages must not be compressed", "Found invalid compressed record set with no inner
    records"; and kafka-python, which knows the first."""
    from kafka.record.legacy_records import LegacyRecordBatch, LegacyRecordBatchBuilder

    def message(offset: int) -> bytes:
        batch = LegacyRecordBatchBuilder(magic, 0, 1 << 20)
        batch.append(offset, 1000, None, b"some text")
        return bytes(batch.build())

    def marked(content: bytes, attributes: int) -> bytes:
        """Return a message with other attributes, and a checksum that holds."""
        body = content[16:17] + bytes((attributes,)) + content[18:]
        return content[:12] + zlib.crc32(body).to_bytes(4, "big") + body

    def compressed(content: bytes) -> bytes:
        value = gzip.compress(content, mtime=0)
        body = (
            bytes((magic, 1)) + (1000).to_bytes(8, "big") * magic + b"\xff" * 4 + len(value).to_bytes(4, "big") + value
        )
        return (1).to_bytes(8, "big") + (4 + len(body)).to_bytes(4, "big") + zlib.crc32(body).to_bytes(4, "big") + body

    inner, good = message(0) + message(1), message(7)
    for content, is_right in (
        (inner, True),
        (marked(message(0), 8) + message(1), True),
        (compressed(inner), False),
        (marked(message(0), 4) + message(1), False),
        (marked(message(0), 5) + message(1), False),
        (b"", False),
    ):
        unit = compressed(content)
        table, report = wireloom.read_with_report("kafka_log", good + unit + good, columns=["offset", "value"])
        assert table.column("offset").to_pylist() == ([7, 0, 1, 7] if is_right else [7, 7])
        damaged = [] if is_right else [[len(good), len(unit), "value"]]
        assert [[each.offset, each.length, each.reason] for each in report.files[0].damaged] == damaged
        if is_right:
            assert len(list(LegacyRecordBatch(unit, magic))) == 2
        elif content:
            with pytest.raises(AssertionError, match="double-compressed"):
                list(LegacyRecordBatch(unit, magic))


def test_leveldb_log(tmp_path: Path) -> None:
    import plyvel

    def store() -> Any:
        return plyvel.DB(str(tmp_path / "store"), create_if_missing=True)

    changes = {b"key%d" % index: blob for index, blob in enumerate(BLOBS)}
    opened = store()
    for key, value in changes.items():
        opened.put(key, value)
    [log] = (tmp_path / "store").glob("*.log")
    table, report = wireloom.read_with_report("leveldb_log", log, mode="failfast")
    opened.close()
    assert report.clean
    for index, (data, (key, value)) in enumerate(zip(table["data"].to_pylist(), changes.items(), strict=True), 1):
        assert data[:12] == index.to_bytes(8, "little") + b"\1\0\0\0"
        assert key in data
        assert data.endswith(value)
    # What we write in its place is what the store recovers.
    wireloom.write("leveldb_log", table.slice(0, len(changes) // 2), log)
    opened = store()
    assert dict(opened) == dict(list(changes.items())[: len(changes) // 2])
    opened.close()


@pytest.mark.parametrize("codec", ["null", "deflate", "bzip2", "xz"])
def test_avro_blocks(codec: str) -> None:
    import fastavro

    schema = {"type": "record", "name": "r", "fields": [{"name": "n", "type": "long"}, {"name": "b", "type": "bytes"}]}
    records = [{"n": index * -7, "b": blob} for index, blob in enumerate(BLOBS)]
    file = io.BytesIO()
    fastavro.writer(file, schema, records, codec=codec, sync_interval=6000)
    table = wireloom.read("avro_blocks", file.getvalue(), columns=["_offset", "count", "data"], mode="failfast")
    file.seek(0)
    assert table.select(["_offset", "count"]).to_pylist() == [
        {"_offset": each.offset, "count": each.num_records} for each in fastavro.block_reader(file)
    ]
    found = []
    for count, data in zip(table["count"].to_pylist(), table["data"].to_pylist(), strict=True):
        block = io.BytesIO(data)
        found += [fastavro.schemaless_reader(block, schema, None) for _ in range(count)]
        assert not block.read()
    assert found == records


@pytest.mark.parametrize("codec", ["deflate", "snappy", "bzip2", "xz", "zstandard"])
def test_avro_blocks_of_no_bytes(codec: str) -> None:
    """They are read if fastavro or Avro's Java reads them, which both do with deflate: Java reads those of zstandard
    as well, fastavro those of bzip2."""
    import fastavro

    file = io.BytesIO()
    fastavro.writer(file, "null", [], codec="null", sync_marker=bytes(16))
    head = file.getvalue().replace(b"\x08null", bytes((2 * len(codec),)) + codec.encode())
    data = head + b"\6\0" + bytes(16)
    table, report = wireloom.read_with_report("avro_blocks", data, columns=["count", "data"], check_format=False)
    if codec in ("snappy", "xz"):
        assert [each.reason for each in report.files[0].damaged] == ["codec"]
    else:
        assert table.to_pylist() == [{"count": 3, "data": b""}]
        assert report.clean
    if codec in ("deflate", "bzip2"):
        assert list(fastavro.reader(io.BytesIO(data))) == [None] * 3


def test_avro_blocks_of_an_unknown_codec(tmp_path: Path) -> None:
    """Not damaged: fastavro says "Unrecognized codec: lzo"."""
    import fastavro

    path = tmp_path / "a.avro"
    with path.open("wb") as file:
        fastavro.writer(file, "long", [1, 2, 3], codec="null")
    path.write_bytes(path.read_bytes().replace(b"\x08null", b"\6lzo"))
    table, report = wireloom.read_with_report("avro_blocks", path)
    assert (table.num_rows, [each.reason for each in report.files[0].damaged]) == (0, ["unsupported"])
    with pytest.raises(
        wireloom.DamagedInputError, match=r"field data: the codec 255 is not supported, .* \(unsupported\)"
    ):
        wireloom.read("avro_blocks", path, mode="failfast")
    entries = wireloom.read("avro_blocks", path, table="metadata").to_pylist()
    assert {"key": "avro.codec", "value": b"lzo"} in entries
    with path.open("rb") as file, pytest.raises(ValueError, match="lzo"):
        list(fastavro.reader(file))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["otlp_logs", "otlp_spans", "otlp_metrics"])
def test_otlp(name: str) -> None:
    from . import otlp

    makers: Any = {
        "otlp_logs": (otlp.logs, otlp.log_rows),
        "otlp_spans": (otlp.spans, otlp.span_rows),
        "otlp_metrics": (otlp.metrics, otlp.metric_rows),
    }
    make, rows_of = makers[name]
    messages = [make(SOURCE) for _ in range(COUNT)]
    wires = [each.SerializeToString() for each in messages]
    expected = [row for each in messages for row in rows_of(each)]
    columns = list(expected[0])
    framed = b"".join(len(each).to_bytes(4, "big") + each for each in wires)
    table = wireloom.read(name, framed, columns=columns, mode="failfast")
    # As text, in which a float that is no number is like itself.
    assert str(table.to_pylist()) == str([{column: row[column] for column in columns} for row in expected])
    lists = wireloom.from_wire(wires, name, columns=columns, mode="failfast")
    assert str([row for each in lists.to_pylist() for row in each]) == str(table.to_pylist())
    # What we write has all of it, save for messages without rows and unknown fields.
    content, found = bytes_of(name, table), []
    while content:
        end = 4 + int.from_bytes(content[:4], "big")
        found += rows_of(type(messages[0]).FromString(content[4:end]))
        content = content[end:]
    assert str(found) == str(expected)


def test_pcapng() -> None:
    import dpkt

    file = io.BytesIO()
    # The one with nanoseconds is not the first.
    units = [6, 9]
    interfaces = [
        dpkt.pcapng.InterfaceDescriptionBlockLE(
            snaplen=70_000,
            linktype=dpkt.pcap.DLT_RAW,
            opts=[
                dpkt.pcapng.PcapngOptionLE(code=dpkt.pcapng.PCAPNG_OPT_IF_TSRESOL, data=bytes([unit])),
                dpkt.pcapng.PcapngOptionLE(code=dpkt.pcapng.PCAPNG_OPT_ENDOFOPT, len=0),
            ],
        )
        for unit in units
    ]
    dpkt.pcapng.Writer(file, idb=interfaces)
    expected = []
    for index, blob in enumerate(BLOBS):
        at = 1_700_000_000_000_000_000 + index * 125_000_000
        ticks = at // 10 ** (9 - units[index % 2])
        packet = dpkt.pcapng.EnhancedPacketBlockLE(
            iface_id=index % 2,
            ts_high=ticks >> 32,
            ts_low=ticks & 0xFFFFFFFF,
            caplen=len(blob),
            pkt_len=len(blob),
            pkt_data=blob,
        )
        file.write(bytes(packet))
        row = {"interface_id": index % 2, "ts": at, "captured_len": len(blob), "original_len": len(blob)}
        expected.append(row | {"data": plain(blob)})
    assert plain_rows(wireloom.read("pcapng", file.getvalue(), mode="failfast")) == expected


def test_pcap(tmp_path: Path) -> None:
    import dpkt

    for nano in (False, True):
        file = io.BytesIO()
        writer = dpkt.pcap.Writer(file, snaplen=70_000, linktype=dpkt.pcap.DLT_RAW, nano=nano)
        for index, blob in enumerate(BLOBS):
            writer.writepkt(blob, ts=1_700_000_000 + index / 8)
        columns = ["ts", "orig_len", "data", "network", "snaplen"]
        table = wireloom.read("pcap", file.getvalue(), columns=columns, mode="failfast")
        known = {"network": dpkt.pcap.DLT_RAW, "snaplen": 70_000}
        assert plain_rows(table) == [
            {"ts": 1_700_000_000_000_000_000 + index * 125_000_000, "orig_len": len(blob), "data": plain(blob)} | known
            for index, blob in enumerate(BLOBS)
        ]
        ours = written("pcap", table, tmp_path)
        with ours.open("rb") as opened:
            reader = dpkt.pcap.Reader(opened)
            assert (reader.datalink(), reader.snaplen) == (dpkt.pcap.DLT_RAW, 70_000)
            assert [(round(ts * 8), data) for ts, data in reader] == [
                (8 * 1_700_000_000 + index, blob) for index, blob in enumerate(BLOBS)
            ]


def test_mcap() -> None:
    from mcap.reader import make_reader
    from mcap.writer import CompressionType, Writer

    for chunked in (True, False):
        for compression in CompressionType if chunked else [CompressionType.NONE]:
            file = io.BytesIO()
            writer = Writer(file, chunk_size=9000, compression=compression, use_chunking=chunked)
            writer.start()
            schema = writer.register_schema("blob", "", b"")
            channels = [writer.register_channel(f"/{number}", "raw", schema * (number % 2)) for number in range(7)]
            for index, blob in enumerate(BLOBS):
                writer.add_message(channels[index % 7], 1_700_000_000_000_000_000 - index, blob, index, index)
            writer.finish()
            columns = ["topic", "schema_name", "sequence", "log_time", "publish_time", "data"]
            table = wireloom.read("mcap", file.getvalue(), columns=columns, mode="failfast")
            assert plain_rows(table) == [
                {
                    "topic": channel.topic,
                    "schema_name": None if schema is None else schema.name,
                    "sequence": message.sequence,
                    "log_time": message.log_time,
                    "publish_time": message.publish_time,
                    "data": plain(message.data),
                }
                for schema, channel, message in make_reader(io.BytesIO(file.getvalue())).iter_messages(
                    log_time_order=False
                )
            ]
            found = wireloom.read("mcap", file.getvalue(), table="statistics", mode="failfast")
            assert found["message_count"].to_pylist() == [len(BLOBS)]
