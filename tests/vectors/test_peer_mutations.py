"""Random files of formats' own implementations, taken apart, changed, and put together again with sizes and checksums
that hold: what the implementation reads is read, and what it refuses is damage."""

from __future__ import annotations

import bz2
import functools
import gzip
import io
import lzma
import struct
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import crc32c
import fastavro
import lz4.frame
import plyvel
import pytest
import wireloom
from backports import zstd
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.errors import UnsatisfiedAssumption
from kafka.record.default_records import DefaultRecordBatch, DefaultRecordBatchBuilder
from kafka.record.legacy_records import LegacyRecordBatch, LegacyRecordBatchBuilder
from kafka.record.util import decode_varint, encode_varint
from wireloom import engine

from ..examples import examples
from ..unit.reading.running import read
from .message_peers import MESSAGE_PEERS
from .mutations import CHANGES, Peer, Unit, changed, merged, packed
from .peers import plain, plain_rows
from .record_peers import RECORD_PEERS

Row = dict[str, Any]
BLOBS = st.none() | st.sampled_from((b"", b"a", b"some text " * 9)) | st.binary(max_size=9)
TIMES = st.integers(-2, 5000) | st.sampled_from((-1, 1_700_000_000_000))


def varint(number: int) -> bytes:
    """A signed integer of Kafka and Avro."""
    made = bytearray()
    encode_varint(number, made.append)
    return bytes(made)


KAFKA_CODECS: dict[int, Callable[[bytes], bytes]] = {
    0: bytes,
    1: functools.partial(gzip.compress, mtime=0),
    3: lz4.frame.compress,
    4: zstd.compress,
}
LATEST = 9223372036854775
"""Milliseconds up to which times have columns; later ones are null."""
KAFKA_COLUMNS = ("offset", "timestamp", "key", "value", "headers")
HEADERS = st.lists(st.tuples(st.sampled_from(("", "name", "größer")), BLOBS), max_size=2)


@st.composite
def kafka_batches(draw: Any) -> list[Unit]:
    made = []
    for records in draw(st.lists(st.lists(st.tuples(TIMES, BLOBS, BLOBS, HEADERS), max_size=3), max_size=3)):
        builder = DefaultRecordBatchBuilder(2, 0, draw(st.booleans()), 5, 1, 0, 1 << 20)
        for number, (at, key, value, headers) in enumerate(records):
            builder.append(number, at, key, value, headers)
        content = bytes(builder.build())
        pieces, place = [], DefaultRecordBatch.HEADER_STRUCT.size
        while place < len(content):
            size, place = decode_varint(content, place)
            pieces.append(content[place : place + size])
            place += size
        head = content[DefaultRecordBatch.ATTRIBUTES_OFFSET : DefaultRecordBatch.HEADER_STRUCT.size]
        codec = draw(st.sampled_from(sorted(KAFKA_CODECS)))
        made.append(Unit(head[:1] + bytes((head[1] | codec,)) + head[2:], tuple(pieces)))
    return made


def sealed_kafka_batch(number: int, unit: Unit) -> bytes:
    codec = unit.head[1] & 7 if len(unit.head) > 1 else 0
    assume(codec != 2)  # kafka-python has none without a package.
    # Of several frames of lz4 Kafka reads the first one, and kafka-python too; readers of lz4 read all, as here.
    members = 1 if codec == 3 else unit.members
    # The attributes of a record are a byte, which kafka-python reads as an integer of several.
    records = [bytes(byte & 127 for byte in each[:1]) + each[1:] for each in unit.pieces]
    content = packed([varint(len(each)) + each for each in records], KAFKA_CODECS.get(codec, bytes), members)
    covered = unit.head + content
    return struct.pack(">qiibI", 100 * number, 9 + len(covered), number, 2, crc32c.crc32c(covered)) + covered


class Messages(LegacyRecordBatch):  # type: ignore[misc]
    """Messages as Kafka reads them, where kafka-python is lenient: it cuts keys and values that are longer than the
    message, and goes back by negative sizes, which are nulls (``Utils.sizeDelimited``); it looks neither at versions of
    messages in a set nor at whether there are any."""

    _buffer: memoryview

    def _decompress(self, key_offset: int) -> Any:
        _, value = self._read_key_value(key_offset)
        assert value is not None
        self._buffer = memoryview(bytes(self._buffer[:key_offset]) + struct.pack(">ii", -1, len(value)) + value)
        return super()._decompress(key_offset)

    def _read_header(self, pos: int) -> Any:
        found = super()._read_header(pos)
        assert found[3] == self._magic
        return found

    def _read_all_headers(self) -> Any:
        found = super()._read_all_headers()
        assert found
        return found

    def _read_key_value(self, pos: int) -> Any:
        start = pos - (self.KEY_OFFSET_V1 if self._magic else self.KEY_OFFSET_V0)
        message = self._buffer[pos : start + self.LOG_OVERHEAD + self._read_header(start)[1]]
        found: list[bytes | None] = []
        for _ in range(2):
            size = struct.unpack_from(">i", message)[0]
            end = 4 + max(size, 0)
            assert end <= len(message)
            found.append(None if size < 0 else bytes(message[4:end]))
            message = message[end:]
        return found


def kafka_rows(content: bytes) -> Iterator[Row]:
    magic = content[16]
    # Kafka refuses a negative number of records, which kafka-python takes for 0.
    assert magic != 2 or struct.unpack_from(">i", content, 57)[0] >= 0
    batch = DefaultRecordBatch(content) if magic == 2 else Messages(content, magic)
    assert batch.validate_crc()
    for record in batch:
        assert record.validate_crc()
        headers = [{"key": key, "value": plain(value)} for key, value in record.headers]
        at = record.timestamp
        row = {
            "offset": record.offset,
            "timestamp": None if at in (None, -1) or abs(at) > LATEST else at,
            "key": plain(record.key),
        }
        yield row | {"value": plain(record.value), "headers": headers}


@st.composite
def kafka_messages(draw: Any) -> list[Unit]:
    """Messages, and sets of them, of version 0 or 1."""
    made = []
    magic = draw(st.integers(0, 1))
    for records in draw(st.lists(st.lists(st.tuples(TIMES, BLOBS, BLOBS), min_size=1, max_size=3), max_size=3)):
        pieces = []
        for at, key, value in records:
            builder = LegacyRecordBatchBuilder(magic, 0, 1 << 20)
            builder.append(0, at, key, value)
            pieces.append(bytes(builder.build())[16:])
        codec = draw(st.sampled_from((0, 1, 3)[: 2 + magic]))
        if codec:
            attributes = codec | draw(st.sampled_from((0, 8 * magic)))
            head = bytes((magic, attributes)) + (1000).to_bytes(8, "big") * magic + b"\xff" * 4
            made.append(Unit(head, tuple(pieces)))
        else:
            made += [Unit(each) for each in pieces]
    return made


def sealed_kafka_messages(number: int, unit: Unit) -> bytes:
    def message(offset: int, body: bytes) -> bytes:
        return struct.pack(">qiI", offset, 4 + len(body), zlib.crc32(body)) + body

    if not unit.pieces:
        return message(100 * number, unit.head)
    codec = unit.head[1] & 7 if len(unit.head) > 1 else 0
    assume(codec != 2 and (codec != 3 or unit.head[0] == 1))
    messages = [message(index, each) for index, each in enumerate(unit.pieces)]
    value = packed(messages, KAFKA_CODECS.get(codec, bytes), 1 if codec == 3 else unit.members)
    return message(100 * number + len(messages) - 1, unit.head + struct.pack(">i", len(value)) + value)


@functools.cache
def leveldb_store() -> dict[str, bytes]:
    """The files of an empty store."""
    with tempfile.TemporaryDirectory() as folder:
        plyvel.DB(folder, create_if_missing=True).close()
        return {each.name: each.read_bytes() for each in Path(folder).iterdir()}


@st.composite
def leveldb_batches(draw: Any) -> list[Unit]:
    made = []
    keys = st.binary(max_size=3)
    changes = st.lists(st.lists(st.tuples(keys, BLOBS), max_size=4), max_size=3)
    for batch in draw(changes):
        pieces = []
        for key, value in batch:
            tag = b"\0" if value is None else b"\1"
            pieces.append(tag + b"".join(bytes((len(each),)) + each for each in (key, value) if each is not None))
        made.append(Unit(len(pieces).to_bytes(4, "little"), tuple(pieces)))
    return made


def sealed_leveldb_batch(number: int, unit: Unit) -> bytes:
    def record(kind: int, data: bytes) -> bytes:
        sum = crc32c.crc32c(bytes((kind,)) + data)
        masked = ((sum >> 15 | sum << 17) + 0xA282EAD8) & 0xFFFFFFFF
        return struct.pack("<IHB", masked, len(data), kind) + data

    batch = (100 * number + 1).to_bytes(8, "little") + unit.head + b"".join(unit.pieces)
    if unit.members == 1:
        return record(1, batch)
    return record(2, batch[:9]) + record(4, batch[9:])


def leveldb_rows(content: bytes) -> Iterator[Any]:
    with tempfile.TemporaryDirectory() as folder:
        for name, empty in leveldb_store().items():
            Path(folder, name).write_bytes(content if name.endswith(".log") else empty)
        opened = plyvel.DB(folder, paranoid_checks=True)
        found = dict(opened)
        opened.close()
    yield from found.items()


def replayed(rows: list[Row]) -> list[Any]:
    """The content of a store after the changes."""
    found: dict[bytes, bytes] = {}
    for row in rows:
        if row["type"] == "put":
            found[bytes.fromhex(row["key"])] = bytes.fromhex(row["value"])
        else:
            found.pop(bytes.fromhex(row["key"]), None)
    return sorted(found.items())


def deflated(data: bytes) -> bytes:
    made = zlib.compressobj(wbits=-15)
    return made.compress(data) + made.flush()


AVRO_CODECS: dict[str, Callable[[bytes], bytes]] = {
    "null": bytes,
    "deflate": deflated,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstandard": zstd.compress,
}
MARKER = bytes(range(16))


def avro_text(data: bytes) -> bytes:
    return varint(len(data)) + data


@st.composite
def avro_files(draw: Any) -> list[Unit]:
    file = io.BytesIO()
    codec = draw(st.sampled_from(sorted(AVRO_CODECS)))
    blobs = draw(st.lists(st.binary(max_size=20), max_size=5))
    metadata = draw(st.dictionaries(st.sampled_from(("", "a", "größer")), st.sampled_from(("", "text")), max_size=2))
    writer = fastavro.write.Writer(file, "bytes", "null", metadata=dict(metadata), sync_marker=MARKER)
    for blob in blobs:
        writer.write(blob)
        if draw(st.booleans()):
            writer.flush()
    writer.flush()
    file.seek(0)
    blocks: Any = fastavro.block_reader(file)
    entries = [avro_text(key.encode()) + avro_text(value.encode()) for key, value in metadata.items()]
    entries.append(avro_text(b"avro.codec") + avro_text(codec.encode()))
    return [
        Unit(b"", tuple(entries)),
        *(Unit(varint(each.num_records), (each.bytes_.getvalue(),), codec) for each in blocks),
    ]


def sealed_avro(number: int, unit: Unit) -> bytes:
    if unit.codec is None:
        schema = avro_text(b"avro.schema") + avro_text(b'"bytes"')
        entries = b"".join(unit.pieces) + schema
        # Values of entries are bytes, which fastavro takes for text.
        assume(entries.decode(errors="ignore").encode() == entries)
        return b"Obj\1" + varint(1 + len(unit.pieces)) + entries + b"\0" + MARKER
    # What follows a stream of deflate is damage; fastavro ignores it.
    data = packed(unit.pieces, AVRO_CODECS[unit.codec], 1 if unit.codec == "deflate" else unit.members)
    return unit.head + varint(len(data)) + data + MARKER


def avro_rows(content: bytes) -> Iterator[Row]:
    file = io.BytesIO(content)
    blocks: Any = fastavro.block_reader(file)
    if file.tell() == len(content):
        # It refuses unknown codecs there too.
        return
    for block in blocks:
        # Which fastavro takes for 0.
        assert block.num_records >= 0
        yield {"count": block.num_records, "data": plain(block.bytes_.read())}


PEERS = {
    "kafka": Peer("kafka_log", KAFKA_COLUMNS, kafka_batches(), sealed_kafka_batch, kafka_rows),
    "kafka_messages": Peer("kafka_log", KAFKA_COLUMNS, kafka_messages(), sealed_kafka_messages, kafka_rows),
    "leveldb": Peer(
        "leveldb_log",
        ("type", "key", "value"),
        leveldb_batches(),
        sealed_leveldb_batch,
        leveldb_rows,
        whole=True,
        examples=200,
        options={"table": "changes"},
        view=replayed,
    ),
    "avro": Peer("avro_blocks", ("count", "data"), avro_files(), sealed_avro, avro_rows, whole=True),
    **MESSAGE_PEERS,
    **RECORD_PEERS,
}
WITHOUT = {
    "edgemq_segment": "a format of one service",
    "etcd_wal": "its packages are Go's, which wrote the vectors",
    "kpl_aggregated_record": "Java's client library decides, which read the vectors; aws-kinesis-agg takes the first "
    "explicit hash key of an aggregate for that of records without one",
    "mysql_binlog": "mysql-replication reads connections to a server: see test_binlog_events.py",
    "prometheus_wal": "its packages are Go's, which wrote the vectors",
    "s2_messages": "s2-sdk excludes the protobuf of grpcio-tools; its messages are in the vectors",
    "s2_session": "s2-sdk excludes the protobuf of grpcio-tools; its messages are in the vectors",
    "tf_example": "its messages are protobuf's own: see test_live_peers.py",
    "word_stuffed_log": "its library is in C",
}
"""Formats without a peer on PyPI, each with the reason."""


def test_each_format_has_a_peer_or_a_reason() -> None:
    assert sorted([*{each.format for each in PEERS.values()}, *WITHOUT]) == wireloom.formats()


def read_by_peer(peer: Peer, content: bytes) -> tuple[list[Any], bool]:
    """Return the rows, and whether it refuses what follows them."""
    rows: list[Any] = []
    try:
        rows.extend(peer.rows(content))
    except UnsatisfiedAssumption:
        # What the peer says of such an input is not compared.
        raise
    except Exception:
        return rows, True
    return rows, False


@pytest.mark.slow
@pytest.mark.parametrize("name", PEERS)
def test_a_peer_reads_or_refuses_the_same(name: str) -> None:
    peer = PEERS[name]

    @given(units=peer.units, changes=CHANGES)
    @settings(max_examples=examples(peer.examples))
    def check(units: list[Unit], changes: Any) -> None:
        made = [peer.seal(number, unit) for number, unit in enumerate(changed(units, changes))]
        content = b"".join(made)
        options: dict[str, Any] = {"recover": not peer.whole, **peer.options}
        refused: list[tuple[int, int]] = []
        read_units: list[tuple[int, int, list[Any]]] = []
        place = 0
        for unit in [content] if peer.whole else made:
            rows, refuses = read_by_peer(peer, unit)
            if refuses:
                begin = refused.pop()[0] if refused and refused[-1][1] == place else place
                refused.append((begin, place + len(unit)))
            else:
                read_units.append((place, place + len(unit), rows))
            place += len(unit)
        refused = merged(refused, [each[:2] for each in read_units], peer.consecutive)
        outside = (rows for a, _, rows in read_units if not any(begin <= a < end for begin, end in refused))
        expected = [row for rows in outside for row in rows]
        for row_reader in ("columns", "objects") if engine.available else ("objects",):
            table, report = read(row_reader, peer.format, content, columns=("_offset", *peer.columns), **options)
            damaged = [(begin, begin + size) for begin, size, _ in report["damaged"]]
            damaged += [] if report["tail"] == "clean" else [(report["tail_offset"], len(content))]
            if peer.whole and refused:
                assert damaged
                continue
            for begin, end in refused:
                assert any(begin <= start and stop <= end for start, stop in damaged)
            for start, stop in damaged:
                assert any(begin <= start and stop <= end for begin, end in refused)
            intact = [row for row in plain_rows(table) if not any(a <= row["_offset"] < b for a, b in refused)]
            assert peer.view([{name: row[name] for name in peer.columns} for row in intact]) == expected

    check()
