"""Events of MySQL's binary log, compared with ``mysql-replication``, and blocks of Avro files, compared with
``fastavro``."""

from __future__ import annotations

import io
import random
import struct
import zlib
from collections.abc import Iterator
from functools import partial
from types import SimpleNamespace

from .data import drain
from .measure import Comparison, Work, missing

DESCRIPTION = struct.pack("<H50sIB", 4, b"8.0.40", 0, 19) + bytes(41) + b"\1"
BLOCK = 16 * 1024


def comparisons(size: int) -> Iterator[Comparison]:
    content = _events(size)
    work = Work("mysql_binlog", len(content), partial(_drained, "mysql_binlog", content))
    title = "MySQL binary log, statements of 100 bytes, CRC-32 verified, beside mysql-replication"
    absent = missing("pymysqlreplication")
    against = Work("mysql-replication", len(content) // 16, partial(_packets, content[: len(content) // 16]))
    yield Comparison(title, work, against, target=20, absent=absent)
    for codec in ("null", "deflate"):
        content = container(size, codec)
        work = Work(f"avro_blocks, {codec}", len(content), partial(_drained, "avro_blocks", content))
        against = Work(f"fastavro, {codec}", len(content), partial(_blocks, content))
        yield Comparison(f"Avro, blocks of 16 KB, {codec}, beside fastavro's block reader", work, against)


def _drained(name: str, content: bytes) -> None:
    drain(name, content)


def _event(kind: int, begin: int, body: bytes) -> bytes:
    size = 19 + len(body) + 4
    event = struct.pack("<IBIIIH", 1_700_000_000, kind, 1, size, (begin + size) & 0xFFFFFFFF, 0) + body
    return event + struct.pack("<I", zlib.crc32(event))


def _events(size: int) -> bytes:
    source = random.Random(5)
    first = b"\xfebin" + _event(15, 4, DESCRIPTION)
    head = struct.pack("<IIBHH", 9, 0, 4, 0, 0) + b"shop\0"
    block = b"".join(_event(2, 0, head + bytes(source.choices(b"abc, ", k=82))) for _ in range(10_000))
    return first + block * max(1, size // 4 // len(block))


def _packets(content: bytes) -> None:
    from pymysqlreplication.event import QueryEvent
    from pymysqlreplication.packet import BinLogPacketWrapper

    connection = SimpleNamespace(charset="utf8mb4", _get_dbms=lambda: "mysql")
    none = [None] * 4
    begin = 4 + int.from_bytes(content[13:17], "little")
    while len(content) - begin > 19:
        size = int.from_bytes(content[begin + 9 : begin + 13], "little")
        stream = io.BytesIO(b"\0" + content[begin : begin + size])
        packet = SimpleNamespace(read=stream.read, advance=stream.read)
        BinLogPacketWrapper(packet, {}, connection, (8, 0), True, (QueryEvent,), *none, False, True, False, None, False)
        begin += size


def container(size: int, codec: str) -> bytes:
    """Return an Avro file of blocks of about 16 KB."""
    import fastavro

    source = random.Random(6)
    objects = [bytes(source.choices(b"abcdefgh", k=500)) for _ in range(max(1, size // 8 // 500))]
    file = io.BytesIO()
    fastavro.writer(file, "bytes", objects, codec=codec, sync_interval=BLOCK)
    return file.getvalue()


def _blocks(content: bytes) -> None:
    import fastavro

    for block in fastavro.block_reader(io.BytesIO(content)):
        block.bytes_.getvalue()
