"""Events that MySQL compresses together, and those that MariaDB compresses one by one, are rows like all others.

No package of PyPI reads MySQL's compressed transactions: they are made of the events of a server's file, which are the
rows that ``mysql-replication`` and ``mariadb-binlog`` find in it (``mysql_binlog/cases.jsonl``).
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import pytest
import wireloom
import zstandard

from ..unit.reading.running import ROW_READERS, read
from .test_binlog_events import DESCRIPTION, HEAD, PAYLOAD, QUERY, QUERY_HEAD, Log, description

HERE = Path(__file__).parent / "mysql_binlog"
QUERY_EVENT = HEAD.pack(5, QUERY, 1, HEAD.size + len(QUERY_HEAD) + 1, 0, 0) + QUERY_HEAD + b"x"
STATEMENT = b"create table other (a int, b varchar(200)) comment = 'long enough: compressed, compressed, compressed'"
ZSTD, NONE = 0, 255


def packed(number: int) -> bytes:
    """Return a number as the fields of a transaction have it."""
    return bytes([number]) if number < 251 else b"\xfc" + struct.pack("<H", number)


def payload(events: bytes, algorithm: int = ZSTD, stored: bytes | None = None) -> bytes:
    """Return the data of an event with events. ``stored``: what takes the place of the compressed ones."""
    if stored is None:
        stored = zstandard.compress(events) if algorithm == ZSTD else events
    fields = [(2, algorithm), (3, len(events)), (1, len(stored))]
    heads = [bytes([kind, len(packed(number))]) + packed(number) for kind, number in fields]
    return b"".join(heads) + b"\0" + stored


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("algorithm", [ZSTD, NONE], ids=["zstd", "none"])
@pytest.mark.parametrize("file", ["row.bin", "unchecked.bin", "compressed.bin"])
def test_events_in_a_transaction_are_the_rows_that_they_are_outside(row_reader: str, algorithm: int, file: str) -> None:
    content = (HERE / file).read_bytes()
    columns = ["_offset", "event_size", "data"]
    first, *events = read(row_reader, "mysql_binlog", content, columns=columns)[0].to_pylist()
    log, offsets = Log(), []
    log.add(DESCRIPTION, first["data"])
    for number in range(0, len(events), 8):
        offsets.append(len(log.content))
        inside = b""
        for event in events[number : number + 8]:
            head = bytearray(content[event["_offset"] : event["_offset"] + HEAD.size])
            head[9:13] = struct.pack("<I", HEAD.size + len(event["data"]))
            inside += bytes(head) + event["data"]
        log.add(PAYLOAD, payload(inside, algorithm))
    for table in ("queries", "table_maps", "rows", "xids"):
        wanted, _ = read(row_reader, "mysql_binlog", content, table=table)
        found, report = read(row_reader, "mysql_binlog", log.content, table=table, columns=[*wanted.schema.names])
        assert (report["damaged"], report["tail"]) == ([], "clean")
        assert found.equals(wanted), table
        places, _ = read(row_reader, "mysql_binlog", log.content, table=table, columns=["_offset"])
        assert {*places["_offset"].to_pylist()} <= {*offsets}


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_what_mariadb_compresses_is_what_it_was(row_reader: str) -> None:
    content = (HERE / "compressed.bin").read_bytes()
    [query] = read(row_reader, "mysql_binlog", content, table="queries")[0].to_pylist()
    assert (query["type"], query["schema"], query["statement"]) == ("query_compressed", b"shop", STATEMENT)
    rows = read(row_reader, "mysql_binlog", content, table="rows")[0].to_pylist()
    added, updated, deleted = (each["images"] for each in rows)
    assert added.endswith(b"squeezed" + struct.pack("<H", 1200) + b"abc" * 400)
    assert updated == added + deleted
    assert deleted.endswith(b"squeezed" + struct.pack("<H", 900) + b"def" * 300)
    assert [each["data"].endswith(zlib.compress(each["images"])) for each in rows] == [True, True, True]
    [plain, *_] = read(row_reader, "mysql_binlog", (HERE / "row.bin").read_bytes(), table="rows")[0].to_pylist()
    assert plain["data"].endswith(plain["images"])
    assert b"apple" in plain["images"]


DAMAGED = {
    "frame": (payload(QUERY_EVENT, stored=b"\x28\xb5\x2f\xfdgarbage"), 0, "codec"),
    "more after the events": (payload(QUERY_EVENT) + b"?", 0, "length"),
    "an event that is cut off": (payload(QUERY_EVENT + QUERY_EVENT[:-5]), 1, "length"),
    "an event with a wrong field": (payload(QUERY_EVENT + HEAD.pack(5, QUERY, 1, 22, 0, 0) + b"abc" + QUERY_EVENT), 2,
                                    "length"),
    "a transaction in it": (payload(QUERY_EVENT + HEAD.pack(5, PAYLOAD, 1, 19, 0, 0)), 1, "length"),
}  # fmt: skip


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("name", DAMAGED)
def test_damage_in_a_transaction_names_its_event(row_reader: str, name: str) -> None:
    data, kept, reason = DAMAGED[name]
    log = Log()
    for kind, each in ((DESCRIPTION, description(1)), (QUERY, QUERY_HEAD), (PAYLOAD, data), (QUERY, QUERY_HEAD)):
        log.add(kind, each)
    [_, before, inside, after] = [offset for offset, _, _ in log.events]
    rows, report = read(row_reader, "mysql_binlog", log.content, table="queries", columns=["_offset"])
    assert rows["_offset"].to_pylist() == [before, *[inside] * kept, after]
    assert report["damaged"] == [[inside, after - inside, reason]]
    with pytest.raises(wireloom.WireloomError, match=reason):
        wireloom.read("mysql_binlog", log.content, table="queries", mode="failfast")
