"""Parts of blocks of pcapng that readers pass over, as draft-ietf-opsawg-pcapng demands: what follows the end of the
options, unknown options, records of names and blocks, and options that are not there."""

from __future__ import annotations

import struct
from itertools import product

import pytest

from ..unit.reading.running import ROW_READERS, read

NAMES = {1: b"\1\2\3\4", 2: bytes(range(16)), 3: b"\2\xca\xfe\xee\xf0\x0d", 4: bytes(range(8))}
OPTIONS = {
    "absent": [],
    "end": [(0, b"")],
    "no end": [(1, b"a comment")],
    "unknown": [(0x7FFF, b"12345"), (2988, b"\0\0\0\1x"), (0x8001, b""), (0, b"")],
    "empty": [(1, b""), (0, b"")],
}


class File:
    """The blocks of a file in a byte order."""

    def __init__(self, order: str) -> None:
        self.order = order

    def block(self, kind: int, *parts: bytes) -> bytes:
        body = b"".join(parts)
        size = struct.pack(self.order + "I", len(body) + 12)
        return struct.pack(self.order + "I", kind) + size + body + size

    def items(self, items: list[tuple[int, bytes]]) -> bytes:
        return b"".join(
            struct.pack(self.order + "HH", code, len(value)) + value + bytes(-len(value) % 4) for code, value in items
        )

    def blocks(self, options: bytes, names: bytes, others: bytes = b"", len_section: int = -1) -> bytes:
        """A section, an interface, names, statistics and four packets, all with the options."""
        pack, data = struct.pack, b"packet" + bytes(2)
        enhanced = pack(self.order + "5I", 0, 0, 5_000_000, 6, 6) + data + options
        obsolete = pack(self.order + "HH4I", 0, 0, 0, 5_000_000, 6, 6) + data + options
        rest = b"".join(
            (
                self.block(1, pack(self.order + "HHI", 1, 0, 0), options),
                self.block(4, names, options),
                self.block(5, pack(self.order + "3I", 0, 0, 7_000_000), options),
                self.block(6, enhanced),
                others,
                self.block(2, obsolete),
                self.block(3, pack(self.order + "I", 6) + data),
                self.block(6, enhanced),
            )
        )
        size = len(rest) if len_section >= 0 else -1
        return self.block(0x0A0D0D0A, pack(self.order + "IHHq", 0x1A2B3C4D, 1, 0, size), options) + rest


def check(row_reader: str, content: bytes, names: list[dict[str, object]]) -> None:
    tables = {"packets": 4, "interfaces": 1, "sections": 1, "statistics": 1, "names": len(names)}
    for table, rows in tables.items():
        found, file = read(row_reader, "pcapng", content, table=table)
        assert (table, found.num_rows, file["damaged"], file["tail"]) == (table, rows, [], "clean")
        if table == "names":
            assert found.to_pylist() == names
        if table == "packets":
            assert found["data"].to_pylist() == [b"packet"] * 4


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_the_first_block_begins_a_section(row_reader: str) -> None:
    file = File("<")
    content, first = file.blocks(b"", b""), file.block(0x0BAD, b"data")
    for before, damaged in ((b"", []), (first, [[0, len(first), "value"]])):
        table, report = read(row_reader, "pcapng", before + content)
        assert (table.num_rows, report["damaged"], report["tail"]) == (4, damaged, "clean")


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("order", "<>")
def test_options(order: str, row_reader: str, subtests: pytest.Subtests) -> None:
    file = File(order)
    end = file.items([(0, b"")])
    for name, options in OPTIONS.items():
        for after in (b"", b"\xff\xff\xff\xff\xff\xff\xff\xff"):
            if after and not (options and options[-1][0] == 0):
                continue
            for size in (-1, 0):
                with subtests.test(options=name, after=after, size=size):
                    check(row_reader, file.blocks(file.items(options) + after, end, len_section=size), [])


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("order", "<>")
def test_records_of_names(order: str, row_reader: str, subtests: pytest.Subtests) -> None:
    file, end, texts = File(order), (0, b""), b"a.example\0b\0"
    known = [(kind, address + texts) for kind, address in NAMES.items()]
    rows = [{"kind": kind, "address": address, "names": ["a.example", "b"]} for kind, address in NAMES.items()]
    unknown = [(5, b"\xff\xfe\xfd"), (0x8000, b"no zero after it"), (77, b"")]
    cases = {
        "known": [*known, end],
        "unknown": [unknown[0], *known, *unknown[1:], end],
        "no end": [*unknown, *known],
    }
    for name, records in cases.items():
        for options in (b"", file.items([(2, b"dns"), end]) + b"\xff" * 4):
            if options and records[-1] != end:
                continue
            with subtests.test(records=name, options=options):
                check(row_reader, file.blocks(options, file.items(records)), rows)
    with subtests.test(records="none"):
        check(row_reader, file.blocks(b"", b""), [])


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("order", "<>")
def test_unknown_blocks(order: str, row_reader: str) -> None:
    file = File(order)
    others = b"".join(file.block(kind, b"\xff" * 8) for kind in (11, 0xBAD, 0x40000BAD, 0x80000001, 0xFFFFFFFF))
    check(row_reader, file.blocks(b"", b"", others), [])


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize(
    ("kind", "body"), [(9, b"NAME\n" + b"\xff" * 11), (9, b"A\n1234"), (10, b"\xff" * 8), (10, b"")]
)
def test_what_other_blocks_hold_is_damaged(order: str, row_reader: str, kind: int, body: bytes) -> None:
    """It costs its own block."""
    file = File(order)
    others = file.block(kind, body + bytes(-len(body) % 4))
    content = file.blocks(b"", b"", others)
    for table, count in (("packets", 4), ("journal", 0), ("secrets", 0), ("statistics", 1)):
        found, report = read(row_reader if table != "journal" else "objects", "pcapng", content, table=table)
        [[begin, size, reason]] = report["damaged"]
        assert (found.num_rows, begin, reason) == (count, content.index(others), "length")
        assert size <= len(others)


def lost_blocks() -> tuple[bytes, list[int]]:
    """Two sections of interfaces with different units of times, each before its packets, and where the blocks begin."""
    file = File("<")
    packet = b"packet" + bytes(2)
    interfaces = [
        file.block(1, struct.pack("<HHI", link, 0, 0), file.items([(9, bytes([unit])), (0, b"")]))
        for link, unit in ((1, 6), (101, 9), (113, 3))
    ]
    packets = [file.block(6, struct.pack("<5I", number, 0, 5_000_000, 6, 6), packet) for number in range(3)]
    section = file.block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    blocks = [section, *sum(zip(interfaces, packets, strict=True), ()), packets[0], section, interfaces[1], packets[0]]
    places = [sum(map(len, blocks[:number])) for number in range(len(blocks))]
    return b"".join(blocks), places


@pytest.mark.parametrize("recover", [False, True])
@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_interfaces_after_a_lost_block_have_no_number(row_reader: str, recover: bool) -> None:
    """A lost block may have declared an interface: packets of those after it must not get the times of others."""
    content, places = lost_blocks()
    columns = ["_offset", "interface_id", "ts", "linktype"]
    right = read(row_reader, "pcapng", content, columns=columns)[0].to_pylist()
    without_times = [{**each, "ts": None, "linktype": None} for each in right]
    without_time = 0
    for place, bit in product(places[1:7], (2, 3, 5, 8, 16, 31)):
        damaged = bytearray(content)
        damaged[place + 4 + bit // 8] ^= 1 << bit % 8
        table, report = read(row_reader, "pcapng", bytes(damaged), columns=columns, recover=recover)
        assert report["damaged"] or report["tail"] != "clean", (place, bit)
        for each in table.to_pylist():
            assert each in right or {**each, "ts": None, "linktype": None} in without_times, (place, bit)
            assert (each in right) == (each["ts"] is not None), (place, bit)
            without_time += each["ts"] is None
        # The interfaces of the next section are known again.
        assert not recover or table.to_pylist()[-1] == right[-1], (place, bit)
    assert without_time > 0


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("order", "<>")
def test_a_packet_of_no_interface_is_damage_unless_one_may_be_lost(order: str, row_reader: str) -> None:
    file = File(order)
    section = file.block(0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1))
    interface = file.block(1, struct.pack(order + "HHI", 1, 0, 0))

    def packets(number: int) -> tuple[bytes, ...]:
        enhanced = file.block(6, struct.pack(order + "5I", number, 0, 5, 4, 4), b"data")
        obsolete = file.block(2, struct.pack(order + "HH4I", number, 0, 0, 5, 4, 4), b"data")
        return enhanced, obsolete, *((file.block(3, struct.pack(order + "I", 4), b"data"),) if number == 0 else ())

    for before, numbers in ((section, ()), (section + interface, (0,)), (section + 2 * interface + section, ())):
        for number in (0, 1, 7):
            for packet in packets(number):
                for lost in (b"", interface[:-4] + bytes(4)):
                    content = before + lost + packet + section
                    table, report = read(row_reader, "pcapng", content, columns=["interface_id", "data", "ts"])
                    rows, is_lost = table.to_pylist(), bool(lost)
                    damaged = [len(before)] * is_lost + [len(before + lost)] * (number not in numbers and not lost)
                    assert [each[0] for each in report["damaged"]] == damaged, (number, numbers, lost)
                    assert len(rows) == (number in numbers or is_lost)


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_packets_of_a_damaged_interface_have_no_time(row_reader: str) -> None:
    """Its options are not all read: they may say the unit of its times. It keeps its number."""
    content, places = lost_blocks()
    columns = ["_offset", "interface_id", "ts", "linktype"]
    right = read(row_reader, "pcapng", content, columns=columns)[0].to_pylist()
    for bit in range(4, 16):
        damaged = bytearray(content)
        # The length of the first option of the second interface is larger than the block.
        damaged[places[3] + 18 + bit // 8] ^= 1 << bit % 8
        table, report = read(row_reader, "pcapng", bytes(damaged), columns=columns)
        assert report["damaged"], bit
        unknown = [each | {"ts": None, "linktype": None} if each["_offset"] == places[4] else each for each in right]
        assert table.to_pylist() == unknown, bit


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_a_length_that_covers_the_next_block_may_cover_an_interface(row_reader: str) -> None:
    """The interfaces after it have no number: packets must not get the times of others."""
    content, places = lost_blocks()
    # A packet of the second interface follows the third one.
    content = content[: places[8]] + content[places[4] : places[5]] + content[places[8] :]
    columns = ["_offset", "interface_id", "ts", "linktype"]
    right = read(row_reader, "pcapng", content, columns=columns)[0].to_pylist()
    without_times = [{**each, "ts": None, "linktype": None} for each in right]
    for place, after in zip(places[1:6], places[3:], strict=False):
        damaged = content[: place + 4] + struct.pack("<I", after - place) + content[place + 8 :]
        table, report = read(row_reader, "pcapng", damaged, columns=columns)
        assert report["damaged"] == [[place, after - place, "value"]]
        for each in table.to_pylist():
            assert each in right or each in without_times, place
        assert table.to_pylist()[-1] == right[-1], place


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("order", "<>")
def test_a_section_whose_kind_is_damaged(order: str, row_reader: str) -> None:
    file = File(order)
    first, second = file.blocks(b"", b""), file.blocks(b"", b"")
    for bit in range(32):
        damaged = bytearray(first + second)
        damaged[len(first) + bit // 8] ^= 1 << bit % 8
        _, report = read(row_reader, "pcapng", bytes(damaged))
        assert report["damaged"][0][0] == len(first), bit
