"""Binary logs without checksums in which one bit of a length or a count is another: what no reader notices."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

import pytest
import zstandard

from ..unit.reading.running import ROW_READERS, read
from .test_binlog_events import HEAD, QUERY_HEAD, XID, Log, description


@dataclass
class Field(bytes):
    """Bytes of a length or a count."""

    name: str

    def __new__(cls, content: bytes, name: str) -> Field:
        return super().__new__(cls, content)

    def __init__(self, content: bytes, name: str) -> None:
        self.name = name


def u1(number: int, name: str) -> Field:
    return Field(bytes([number]), name)


def u2(number: int, name: str) -> Field:
    return Field(struct.pack("<H", number), name)


def u4(number: int, name: str) -> Field:
    return Field(struct.pack("<I", number), name)


def u8(number: int, name: str) -> Field:
    return Field(struct.pack("<Q", number), name)


Parts = list[bytes]
STATUS: Parts = [
    *(b"\0abcd", b"\1abcdefgh", b"\3abcdef"[:5], b"\4abcdef", b"\6", u1(3, "catalog"), b"std"),
    *(b"\5", u1(3, "time zone"), b"UTC", b"\x0b", u1(4, "user"), b"root", u1(4, "host"), b"here"),
    *(b"\x0c", u1(2, "databases"), b"shop\0else\0", b"\x0dabc", b"\x80abc"),
]


def query(*statement: bytes) -> Parts:
    sizes = [u1(4, "len_schema"), b"\0\0", u2(sum(map(len, STATUS)), "len_status")]
    return [bytes(8), *sizes, *STATUS, b"shop\0", *(statement or (b"insert into item values (1)",))]


def rows(version: int, is_update: bool, *images: bytes) -> Parts:
    extra = [u2(6, "len_extra"), b"\1\2\3\4"] if version == 2 else []
    return [
        b"\7" + bytes(7),
        *extra,
        u1(11, "num_columns"),
        b"\xff\7" * (1 + is_update),
        *(images or (b"\0\0" + b"row " * 8,)),
    ]


def squeezed(content: bytes) -> Parts:
    """What MariaDB compresses."""
    size = struct.pack(">H", len(content))
    return [Field(b"\x82", "len_len"), Field(size, "len_content"), zlib.compress(content)]


def inner(*events: tuple[int, bytes]) -> Parts:
    parts: Parts = []
    for kind, data in events:
        head = HEAD.pack(5, kind, 1, HEAD.size + len(data), 0, 0)
        parts += [head[:9], Field(head[9:13], "event_size"), head[13:] + data]
    return parts


def payload(is_compressed: bool) -> Parts:
    """A transaction of MySQL."""
    parts = inner((2, QUERY_HEAD + b"begin"), (2, QUERY_HEAD + b"insert" * 50), (XID, bytes(8)))
    content = b"".join(parts)
    events = [zstandard.compress(content)] if is_compressed else parts
    size = sum(map(len, events))
    sizes: Parts = [b"\2", u1(1 if is_compressed else 3, "len_algorithm"), b"\0" if is_compressed else b"\xfc\xff\0"]
    if is_compressed:
        sizes += [b"\3", u1(3, "len_len_content"), Field(b"\xfc" + struct.pack("<H", len(content)), "len_content")]
        packed = bytes([size])
    else:
        packed = b"\xfc" + struct.pack("<H", size)
    return [*sizes, b"\1", u1(len(packed), "len_len_payload"), Field(packed, "len_payload"), b"\0", *events]


EVENTS: dict[str, tuple[int, Parts]] = {
    "query": (2, query()),
    "query_compressed": (165, query(*squeezed(b"create table other (a int)" * 20))),
    "table_map": (
        19,
        [
            *(bytes(8), u1(4, "len_schema"), b"shop\0", u1(4, "len_table"), b"item\0", u1(5, "num_columns")),
            *(b"\x03\x0f\xf6\xfc\x08", u1(5, "len_metadata"), b"\x40\0\x0a\x02\x02", b"\x1e"),
            *(b"\1", u1(1, "len_field"), b"\0", b"\4", u1(6, "len_field"), b"\2id\2is"),
        ],
    ),
    "write_rows_v1": (23, rows(1, False)),
    "update_rows_v1": (24, rows(1, True)),
    "write_rows": (30, rows(2, False)),
    "update_rows": (31, rows(2, True)),
    "write_rows_compressed_v1": (166, rows(1, False, *squeezed(b"\0\0" + b"row " * 90))),
    "update_rows_compressed": (170, rows(2, True, *squeezed(b"\0\0" + b"row " * 90))),
    "transaction_payload": (40, payload(True)),
    "transaction_payload, not compressed": (40, payload(False)),
    "user_var": (
        14,
        [u4(1, "len_name"), b"u", b"\0\0" + struct.pack("<I", 33), u4(13, "len_value"), b"user variable"],
    ),
    "incident": (26, [b"\1\0", u1(4, "len_message"), b"lost"]),
    "previous_gtids": (
        35,
        [u8(1, "num_sources"), bytes(range(16)), u8(2, "num_intervals"), *[struct.pack("<QQ", 1, 9)] * 2],
    ),
    "binlog_checkpoint": (161, [u4(10, "len_name"), b"log.000001"]),
    "gtid": (162, [bytes(12) + b"\x40" + bytes(4), u1(4, "len_global"), u1(3, "len_branch"), b"name" + b"own", b"\0"]),
    "gtid_list": (163, [u4(3, "count"), *[bytes(16)] * 3]),
}


def damaged(parts: Parts) -> dict[tuple[str, int], bytes]:
    """The data of an event with another bit, by field and bit."""
    made: dict[tuple[str, int], bytes] = {}
    before = b""
    for number, part in enumerate(parts):
        after = b"".join(parts[number + 1 :])
        for bit in range(8 * len(part)) if isinstance(part, Field) else ():
            flipped = (int.from_bytes(part, "little") ^ 1 << bit).to_bytes(len(part), "little")
            made[part.name, bit] = before + flipped + after
        before += part
    return made


def unseen(row_reader: str) -> dict[tuple[str, str], set[int]]:
    """Return the bits of which no damage is reported, by event and field."""
    log, places = Log(), dict[int, tuple[str, str, int]]()
    log.add(15, description(0))
    for name, (kind, parts) in EVENTS.items():
        log.add(kind, b"".join(parts))
        for (field, bit), data in damaged(parts).items():
            places[len(log.content)] = (name, field, bit)
            log.add(kind, data)
        log.add(XID, bytes(8))
    table, report = read(row_reader, "mysql_binlog", log.content, columns=["_offset"])
    offsets = set(table["_offset"].to_pylist())
    reported = {begin for begin, _, _ in report["damaged"]}
    whole = {offset for offset, _, _ in log.events if offset not in places}
    assert whole <= offsets
    assert offsets.isdisjoint(reported)
    assert offsets | reported == {offset for offset, _, _ in log.events}
    found: dict[tuple[str, str], set[int]] = {}
    for place in sorted(offsets - whole):
        name, field, bit = places[place]
        found.setdefault((name, field), set()).add(bit)
    return found


MORE = "what follows the known fields is of newer servers, as it seems"
ROWS = "rows are not read: what is known of their columns is in another event"
SETTINGS = "a setting with an unknown code, and all after it, may have any bytes"
FLAGS = "the other bits of the count say which form the data has"
UNSEEN = {
    MORE: {
        ("user_var", "len_name"): {0, 1, 4},
        ("user_var", "len_value"): {0, 2, 3},
        ("incident", "len_message"): {2},
        ("binlog_checkpoint", "len_name"): {1, 3},
        ("gtid", "len_global"): {0},
        ("table_map", "len_field"): {2},
    },
    ROWS: {
        **{
            (name, "num_columns"): {*range(8)}
            for name in ("write_rows_v1", "update_rows_v1", "write_rows", "update_rows")
        },
        **{(name, "num_columns"): {0, 1, 2} for name in ("write_rows_compressed_v1", "update_rows_compressed")},
        ("write_rows", "len_extra"): {1, 2, 3, 4, 5},
        ("update_rows", "len_extra"): {1, 2, 3},
    },
    SETTINGS: {
        (name, field): bits
        for name in ("query", "query_compressed")
        for field, bits in (("catalog", {4, 5}), ("user", {4}), ("host", {4}))
    },
    FLAGS: {("previous_gtids", "num_sources"): {*range(56, 64)}, ("gtid_list", "count"): {*range(28, 32)}},
}
"""What goes unnoticed, by reason: bits of a field of an event."""


@pytest.mark.slow
@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_what_a_bit_of_a_length_hides(row_reader: str) -> None:
    assert unseen(row_reader) == {place: bits for places in UNSEEN.values() for place, bits in places.items()}


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_what_a_bit_of_an_events_size_hides(row_reader: str) -> None:
    log = Log()
    log.add(15, description(0))
    # A statement of 64 bytes and an event of 32, whose bytes may belong to the statement.
    log.add(2, QUERY_HEAD + b"s" * (64 - HEAD.size - len(QUERY_HEAD)))
    log.add(4, bytes(8) + b"log.2")
    log.add(XID, bytes(8))
    place = log.events[1][0] + 9
    clean = set()
    for bit in range(32):
        content = bytearray(log.content)
        content[place + bit // 8] ^= 1 << bit % 8
        _, report = read(row_reader, "mysql_binlog", bytes(content))
        if not report["damaged"] and report["tail"] == "clean":
            clean.add(bit)
    assert clean == {5}
