"""Formats compared with what bounds them: a copy of the same bytes, the decompressor or the digest alone, or the C of a
peer."""

from __future__ import annotations

import hashlib
import io
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import pyarrow as pa
import wireloom
import zstandard

from . import binlogs, captures, data, etcd, in_pieces, kpl, mcap, otlp, record_logs, s2
from .measure import Comparison, Work, missing


@dataclass(frozen=True)
class Input:
    """Content that is read, and its parts on which the bound works: compressed blocks, messages, or all of it."""

    content: bytes
    parts: Sequence[bytes] = ()

    @property
    def pieces(self) -> Sequence[bytes]:
        return self.parts or [self.content]


Bound = Callable[[Input], Work]
Reads = Callable[[Input], Callable[[], object]]


# Bounds ---------------------------------------------------------------------------------------------------------------


def copy(input: Input) -> Work:
    """Copy the bytes at once into memory that was already written to: the bound of the memory itself."""
    return copy_of(input.content)


def copy_of(content: bytes) -> Work:
    target = memoryview(bytearray(len(content)))

    def run() -> None:
        target[:] = content

    return Work("memory copy, into used memory", len(content), run)


def fresh_copy(input: Input) -> Work:
    """Copy the bytes at once into new memory. Creating its pages costs more than the copy, so this is shown only for
    comparison, without a target."""
    return Work("memory copy, into new memory", len(input.content), lambda: bytearray(input.content))


def zstd_stream(input: Input) -> Work:
    """Read with python-zstandard's stream reader into one reused buffer, in the calling thread."""
    buffer = bytearray(1 << 20)

    def run() -> int:
        size = 0
        with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(input.content), read_size=1 << 17) as reader:
            while count := reader.readinto(buffer):
                size += count
        return size

    return Work("python-zstandard, stream", run(), run)


def alone(name: str, decompress: Callable[[bytes], bytes | pa.Buffer]) -> Bound:
    """Decompress the parts, one after the other."""

    def bound(input: Input) -> Work:
        def run() -> int:
            return sum(len(decompress(each)) for each in input.pieces)

        return Work(f"{name} alone", run(), run)

    return bound


def _zstd(part: bytes) -> bytes:
    return _DECOMPRESSOR.decompress(part, max_output_size=1 << 22)


def _lz4(part: bytes) -> bytes:
    import lz4.frame

    content: bytes = lz4.frame.decompress(part)
    return content


def _snappy(part: bytes) -> pa.Buffer:
    size = shift = 0
    for each in part:
        size |= (each & 127) << shift
        shift += 7
        if each < 128:
            break
    return pa.decompress(part, size, "snappy")


_DECOMPRESSOR = zstandard.ZstdDecompressor()
zstd = alone("python-zstandard", _zstd)
lz4_frames = alone("lz4", _lz4)
gzip = alone("zlib", lambda part: zlib.decompress(part, wbits=31))
deflate = alone("zlib", lambda part: zlib.decompressobj(-15).decompress(part))
snappy = alone("Arrow's snappy", _snappy)


def md5(input: Input) -> Work:
    """OpenSSL's MD5, one part after the other."""

    def run() -> None:
        for each in input.pieces:
            hashlib.md5(each, usedforsecurity=False).digest()

    return Work("OpenSSL's MD5 alone", sum(map(len, input.pieces)), run)


def upb(input: Input) -> Work:
    """Google's protobuf, without reading the values of its objects."""
    from opentelemetry.proto.logs.v1.logs_pb2 import LogsData

    def run() -> None:
        for each in input.pieces:
            LogsData.FromString(each)

    return Work("upb, parsing alone", sum(map(len, input.pieces)), run)


def pcap(input: Input) -> Work:
    """The same packets in the simpler format."""
    [content] = input.pieces
    return Work("wireloom, pcap", len(content), partial(data.drain, "pcap", content))


# Inputs ---------------------------------------------------------------------------------------------------------------


def _edgemq_zstd(size: int) -> Input:
    # The segment repeats a block that is larger than this level's window (2 MB), so the repetition does not improve
    # compression.
    return Input(zstandard.compress(data.segment(size), level=3))


def _s2(compression: str) -> Callable[[int], Input]:
    def make(size: int) -> Input:
        content = s2.session(size, 1000, compression)
        return Input(content, s2.bodies_of(content))

    return make


def _kafka_zstd(size: int) -> Input:
    content = record_logs.kafka_segment(size // 4, 4)
    parts, at = [], 0
    while at < len(content):
        end = at + 12 + int.from_bytes(content[at + 8 : at + 12], "big")
        parts.append(content[at + 61 : end])
        at = end
    return Input(content, parts)


def _mcap(compression: str) -> Callable[[int], Input]:
    def make(size: int) -> Input:
        from mcap.writer import CompressionType

        content = mcap.log(size // mcap.PART, CompressionType[compression.upper()])
        parts, at = [], 8
        while at < len(content) - 8:
            kind, length = struct.unpack_from("<BQ", content, at)
            end = at + 9 + length
            if kind == 6:
                parts.append(content[at + 9 + 28 + 4 + len(compression) + 8 : end])
            at = end
        return Input(content, parts)

    return make


def _avro(codec: str) -> Callable[[int], Input]:
    def make(size: int) -> Input:
        content = binlogs.container(size, codec)
        blocks = content.split(content[-16:])[1:-1]
        # A block begins with two numbers: of its objects, of one byte, and of its bytes.
        return Input(content, [each[next(n for n in range(2, 9) if each[n - 1] < 128) :] for each in blocks])

    return make


def _prometheus(*, compressed: bool) -> Callable[[int], Input]:
    def make(size: int) -> Input:
        size //= 16 if compressed else 4
        records = in_pieces.scrapes(snappy=compressed)
        parts: list[bytes] = []
        return Input(in_pieces.in_blocks(in_pieces.kept(records, parts), size, in_pieces.fragment), parts)

    return make


def _plain(make: Callable[[int], bytes], part: int = 1) -> Callable[[int], Input]:
    """Return what makes an input that has that part of the size."""
    return lambda size: Input(make(size // part))


def _level_db(changes: int) -> Callable[[int], Input]:
    return lambda size: Input(in_pieces.in_blocks(in_pieces.batches(changes), size // 4, in_pieces.level_piece))


def _pcapng(size: int) -> Input:
    return Input(captures.pcapng(size // 4), [captures.pcap(size // 4)])


def _otlp(size: int) -> Input:
    messages = otlp.messages(size // 4)
    return Input(b"".join(len(each).to_bytes(4, "big") + each for each in messages), messages)


def _blobs(record: int, blob: int = kpl.BLOB) -> Callable[[int], Input]:
    return lambda size: Input(b"", kpl.blobs(size, record, blob))


def _one_blob(size: int) -> Input:
    return Input(b"", kpl.blobs(8_000_000, 1000, 8_000_000)[:1])


# The table ------------------------------------------------------------------------------------------------------------


def reading(format: str, **options: object) -> Reads:
    return lambda input: partial(data.drain, format, input.content, **options)


def exploding(input: Input) -> Callable[[], object]:
    table = pa.table({"data": pa.array(input.pieces, pa.binary())})
    return partial(wireloom.explode, table, "data", kpl.FORMAT, keep=[])


@dataclass(frozen=True)
class Row:
    """A format and its bound, with the ratio of their speeds to reach."""

    title: str
    reads: Reads
    make: Callable[[int], Input]
    bound: Bound
    goal: float | None = None
    needs: tuple[str, ...] = ()
    """Modules of peers without which there is no input, or no bound."""


EDGEMQ, STUFFED = reading("edgemq_segment"), reading("word_stuffed_log")
KAFKA = reading("kafka_log", columns=["offset", "timestamp", "key", "value"])
MCAP = reading("mcap", columns=["channel_id", "topic", "sequence", "log_time", "publish_time", "data"])
WRITERS = ("aiokafka", "cramjam")
ROWS = [
    Row("EdgeMQ, frames of about 220 bytes, zstd", EDGEMQ, _edgemq_zstd, zstd_stream, 0.9),
    Row("S2 session, records of 1,000 bytes, zstd", reading(s2.FORMAT), _s2("zstd"), zstd, 0.9),
    Row("S2 session, records of 1,000 bytes, gzip", reading(s2.FORMAT), _s2("gzip"), gzip, 0.9),
    Row("MCAP, messages of 100 bytes, with the topic, zstd", MCAP, _mcap("zstd"), zstd, 0.9, ("mcap.writer",)),
    Row("MCAP, messages of 100 bytes, with the topic, lz4", MCAP, _mcap("lz4"), lz4_frames, 0.9, ("mcap.writer",)),
    Row("Kafka segment, records of 100 bytes, zstd", KAFKA, _kafka_zstd, zstd, 0.9, WRITERS),
    Row("Avro, blocks of 16 KB, deflate", reading("avro_blocks"), _avro("deflate"), deflate, 0.9, ("fastavro",)),
    Row(
        "Prometheus WAL, 200 samples a record, snappy", reading("prometheus_wal"), _prometheus(compressed=True), snappy,
        0.9,
    ),
    Row("pcapng, packets of 200 bytes", reading("pcapng"), _pcapng, pcap, 0.5),
    Row("etcd's log, entries of 500 bytes", reading("etcd_wal"), _plain(etcd.entries, 4), copy, 0.2),
    Row("LevelDB log, records of 141 bytes", reading("leveldb_log"), _level_db(1), copy, 0.4),
    Row("LevelDB log, changes, one a record", reading("leveldb_log", table="changes"), _level_db(1), copy, 0.2),
    Row("LevelDB log, changes, 50 a record", reading("leveldb_log", table="changes"), _level_db(50), copy, 0.2),
    Row("Prometheus WAL, 200 samples a record", reading("prometheus_wal"), _prometheus(compressed=False), copy, 0.2),
    Row(
        "OTLP logs, body, attributes and resource", reading("otlp_logs", columns=otlp.COLUMNS), _otlp, upb, 1.0,
        ("opentelemetry.proto.logs.v1.logs_pb2",),
    ),
    Row("KPL, blobs of 50 KB, records of 1,000 bytes", exploding, _blobs(1000), md5, 2.0),
    Row("KPL, blobs of 50 KB, records of 100 bytes", exploding, _blobs(100), md5, 1.5),
    Row("KPL, one blob of 8 MB", exploding, _one_blob, md5, 0.9),
    Row(
        "Kafka segment, records of 100 bytes", KAFKA, _plain(partial(record_logs.kafka_segment, codec=0), 4), copy,
        0.167, WRITERS,
    ),
    Row("S2 session, records of 1,000 bytes", reading(s2.FORMAT), _s2("none"), copy),
    *(
        Row(
            f"EdgeMQ, payloads of {payload:,} bytes", EDGEMQ,
            _plain(partial(data.segment_of, payload)), bound, goal,
        )
        for payload, target in ((64, None), (200, 0.75), (1000, 0.85), (65_000, 0.85))
        for bound, goal in ((copy, target), (fresh_copy, None))
    ),
    Row("word-stuffed log, records of 200 bytes", STUFFED, _plain(data.stuffed_log), copy, 0.6),
    *(
        Row(
            f"word-stuffed log, a delimiter every {every} bytes", STUFFED,
            _plain(partial(data.delimiters_log, every=every), 4), copy, 0.32,
        )
        for every in (2, 8, 20)
    ),
]  # fmt: skip


def comparisons(size: int) -> Iterator[Comparison]:
    """Yield a comparison for each row of the table, by the bytes on which the bound works."""
    for row in ROWS:
        absent = missing(*row.needs)
        if absent:
            nothing = Work("wireloom", 1, dict)
            yield Comparison(row.title, nothing, nothing, row.goal, absent)
            continue
        input = row.make(size)
        against = row.bound(input)
        # The bound of another format's bytes is compared by their speeds, and all others by the same bytes.
        counted = len(input.content) if row.bound is pcap else against.bytes
        yield Comparison(row.title, Work("wireloom", counted, row.reads(input)), against, row.goal)
