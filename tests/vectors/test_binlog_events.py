"""Events of MySQL and MariaDB after any number of descriptions of the format, as in relay logs: with and without
checksums, compressed or not."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ..examples import examples, strided
from ..unit.reading.running import ROW_READERS, read

HEAD = struct.Struct("<IBIIIH")
QUERY, DESCRIPTION, XID, TABLE_MAP, PAYLOAD = 2, 15, 16, 19, 40
ROWS = (*range(20, 26), *range(30, 33), 39, *range(166, 172))
QUERY_HEAD = struct.pack("<IIBHH", 9, 0, 4, 0, 5) + b"\0\1\2\3\4" + b"shop\0"
ROWS_HEADS = {
    (version, is_update): bytes(8) + b"\2\0" * (version == 2) + b"\3" + b"\7" * (1 + is_update)
    for version in (1, 2)
    for is_update in (False, True)
}
HEADS = {
    **dict.fromkeys((QUERY, 165), QUERY_HEAD),
    4: bytes(8),
    XID: bytes(8),
    # A column with a size, one that may be null, and the field of a name.
    TABLE_MAP: bytes(8) + b"\4shop\0\4item\0" + b"\2\3\x0f" + b"\2\x40\0" + b"\2" + b"\4\3\2id",
    162: bytes(19),
    # No compression, and no events.
    PAYLOAD: b"\2\3\xfc\xff\0" + b"\1\1\0" + b"\0",
    **{
        each: ROWS_HEADS[1 + (each in (*range(30, 40), 169, 170, 171)), each in (21, 24, 31, 39, 167, 170)]
        for each in ROWS
    },
}
"""What the data of the types begin with; they are damage without it."""
TABLES = {"events": None, "queries": (QUERY, 165), "rows": ROWS, "table_maps": (TABLE_MAP,), "xids": (XID,)}
"""The types of each table; in ``events`` all."""
OLD = struct.pack("<H50sIB", 4, b"5.5.62-log", 0, 19) + bytes(27)
"""The description of a server that knows no checksums."""


@dataclass
class Log:
    """A log, and its events: the offset, the type and what they say of each."""

    content: bytes = b"\xfebin"
    checked: bool = False

    def __post_init__(self) -> None:
        self.events: list[tuple[int, int, bytes]] = []

    def add(self, kind: int, data: bytes, flags: int = 0) -> None:
        """Append an event."""
        if kind == DESCRIPTION:
            has_sum = data != OLD
            self.checked = has_sum and data[-1] == 1
        else:
            has_sum = self.checked
        head = (5, kind, 1, HEAD.size + len(data) + 4 * has_sum, 0)
        self.events.append((len(self.content), kind, data))
        # The server marks the file that it writes in the description, without its checksum.
        covered = HEAD.pack(*head, flags & ~1 if kind == DESCRIPTION else flags) + data
        self.content += HEAD.pack(*head, flags) + data + struct.pack("<I", zlib.crc32(covered)) * has_sum


def description(algorithm: int) -> bytes:
    return struct.pack("<H50sIB", 4, b"8.0.40", 0, 19) + bytes(41) + bytes([algorithm])


DESCRIPTIONS = st.sampled_from((OLD, *map(description, (0, 1, 1, 255))))
BODIES = st.none() | st.binary(max_size=40) | st.integers(0, 40)
"""What follows what is required: nothing, bytes; or how much of it there is."""
EVENTS = st.tuples(st.sampled_from(tuple(HEADS)), BODIES)
STEPS = st.lists(DESCRIPTIONS | EVENTS | EVENTS, max_size=12)


@pytest.mark.parametrize("row_reader", ROW_READERS)
@given(first=DESCRIPTIONS, in_use=st.booleans(), steps=STEPS, chunk=st.sampled_from((None, 60, 700)))
@settings(max_examples=examples(200))
def test_the_latest_description_counts(
    row_reader: str, first: bytes, in_use: bool, steps: list[Any], chunk: int | None
) -> None:
    log, cut = Log(), list[int]()
    log.add(DESCRIPTION, first, flags=in_use)
    for step in steps:
        if isinstance(step, bytes):
            log.add(DESCRIPTION, step)
            continue
        kind, body = step
        head = HEADS.get(kind, b"")
        if not isinstance(body, int):
            rest = b"" if body is None else body
            # Fields of tables and transactions have a size, too, and so has what is compressed.
            sized = bytes([len(rest)]) + rest
            if kind >= 165:
                head += b"\x81" + sized[:1] + zlib.compress(rest)
            elif kind == PAYLOAD:
                head = b"\x09" + sized + head
            else:
                head += b"\1" + sized if kind == TABLE_MAP else rest
            log.add(kind, head)
        elif head:
            cut.append(len(log.content))
            log.add(kind, head[: body % len(head)])
            if kind == TABLE_MAP and len(log.events[-1][2]) == len(head) - 5:
                # It ends before the field.
                cut.pop()
    for table, kinds in TABLES.items():
        wanted = [each for each in log.events if each[0] not in cut and (kinds is None or each[1] in kinds)]
        columns = ["_offset", "data"]
        rows, report = read(row_reader, "mysql_binlog", log.content, table=table, columns=columns, chunk=chunk)
        found = [(each["_offset"], each["data"]) for each in rows.to_pylist()]
        assert found == [(offset, data) for offset, _, data in wanted], table
        damaged = [(offset, reason) for offset, _, reason in report["damaged"]]
        assert damaged == [(each, "length") for each in cut], table
        assert report["tail"] == "clean"


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("first", [OLD, description(0), description(1)], ids=["old", "none", "crc32"])
def test_a_wrong_type_of_the_first_event_is_damage(row_reader: str, first: bytes) -> None:
    """The events after it have checksums, or are damaged: none has a checksum in its data."""
    log = Log()
    log.add(DESCRIPTION, first)
    for number in range(3):
        log.add(XID, struct.pack("<Q", number))
    after = [(offset, data) for offset, _, data in log.events[1:]]
    for bit in range(8):
        content = bytearray(log.content)
        content[8] ^= 1 << bit
        for chunk in (None, 60):
            columns = ["_offset", "data"]
            rows, report = read(row_reader, "mysql_binlog", bytes(content), columns=columns, chunk=chunk, recover=True)
            assert report["damaged"][0][0] == 4
            assert [(each["_offset"], each["data"]) for each in rows.to_pylist()] == (after if log.checked else [])


@pytest.mark.slow
@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("in_use", [False, True])
@pytest.mark.parametrize("number", [0, 2])
def test_a_bit_of_a_description_costs_that_alone(row_reader: str, number: int, in_use: bool) -> None:
    """The events after it have the checksums that those before it have, whatever a damaged one says."""
    log = Log()
    for place in (0, 1, 2, 3, 4):
        if place == number:
            log.add(DESCRIPTION, description(1), flags=in_use)
        elif place == 0:
            log.add(DESCRIPTION, description(1))
        else:
            log.add(XID, struct.pack("<Q", place))
    begin, end = log.events[number][0], log.events[number + 1][0]
    others = [(offset, data) for offset, _, data in log.events if offset != begin]
    algorithm, flags = 8 * (end - begin - 5), 8 * 17
    for bit in {
        *strided(range(8 * (end - begin)), 13),
        *range(algorithm, algorithm + 8),
        *range(flags + 1, flags + 8),
    } - {flags}:
        content = bytearray(log.content)
        content[begin + bit // 8] ^= 1 << bit % 8
        columns = ["_offset", "data"]
        rows, report = read(row_reader, "mysql_binlog", bytes(content), columns=columns, recover=True)
        assert [each[0] for each in report["damaged"]] == [begin], bit
        assert [(each["_offset"], each["data"]) for each in rows.to_pylist()] == others, bit


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_a_description_with_an_unknown_checksum_ends_the_reading(row_reader: str) -> None:
    log = Log()
    for kind, data in ((DESCRIPTION, description(1)), (DESCRIPTION, description(2)), (QUERY, QUERY_HEAD)):
        log.add(kind, data)
    rows, report = read(row_reader, "mysql_binlog", log.content)
    assert (len(rows), report["tail"], report["tail_offset"]) == (1, "invalid_value", log.events[1][0])
