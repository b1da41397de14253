"""Lengths of packets: of old versions, in the other order, as libpcap reads them (sf-pcap.c), and damaged ones."""

from __future__ import annotations

import random
import struct

import pytest

from ..unit.reading.running import ROW_READERS, read

PACKETS = [(6, 60), (4, 4), (0, 9), (3, 3)]
VERSIONS = {(2, 4): False, (2, 3): None, (2, 2): True, (2, 0): True, (543, 0): True}
"""By version: whether lengths are swapped; ``None``: where the first one is larger."""


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("magic", [0xA1B2C3D4, 0xA1B23C4D, 0xA1B2CD34])
@pytest.mark.parametrize("order", "<>")
def test_lengths_by_version(order: str, magic: int, row_reader: str, subtests: pytest.Subtests) -> None:
    more = bytes(8) if magic == 0xA1B2CD34 else b""
    for (major, minor), swaps in VERSIONS.items():
        content = struct.pack(order + "IHHiIII", magic, major, minor, 0, 0, 65535, 1)
        for number, (captured, original) in enumerate(PACKETS):
            is_swapped = number % 2 == 0 if swaps is None else swaps
            lengths = (original, captured) if is_swapped else (captured, original)
            content += struct.pack(order + "4I", number, 0, *lengths) + more + b"x" * captured
        with subtests.test(version=(major, minor)):
            for options in ({}, {"recover": True}, {"mode": "failfast"}):
                table, file = read(row_reader, "pcap", content, columns=["incl_len", "orig_len", "data"], **options)
                rows = [(each["incl_len"], each["orig_len"], len(each["data"])) for each in table.to_pylist()]
                assert rows == [(captured, original, captured) for captured, original in PACKETS]
                assert (file["damaged"], file["tail"]) == ([], "clean")


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("snaplen", [96, 262144])
def test_reading_goes_on_at_a_packet_after_a_damaged_length(order: str, snaplen: int, row_reader: str) -> None:
    """Four bytes later, the microseconds and both lengths look like a header too, whose length ends at the next one."""
    content = bytearray(struct.pack(order + "IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, snaplen, 1))
    source, offsets = random.Random(1), []
    for number in range(60):
        data = bytes([0, 17, 34, 51]) + source.randbytes(source.choice([10, 60, 200]))
        captured = min(len(data), snaplen)
        offsets.append(len(content))
        content += struct.pack(order + "4I", 1700000000 + number, number * 13007, captured, len(data)) + data[:captured]
    columns = ["_offset", "ts", "orig_len", "data"]
    written = read(row_reader, "pcap", bytes(content), columns=columns)[0].to_pylist()
    for bit in range(32):
        damaged, place = bytearray(content), offsets[3] + 8 + (bit // 8 if order == "<" else 3 - bit // 8)
        damaged[place] ^= 1 << bit % 8
        length = struct.unpack_from(order + "I", damaged, offsets[3] + 8)[0]
        if length == struct.unpack_from(order + "I", content, offsets[3] + 8)[0] + 4:
            # The next header is read four bytes late, without damage.
            continue
        rows = read(row_reader, "pcap", bytes(damaged), columns=columns, recover=True)[0].to_pylist()
        assert [each["_offset"] for each in rows if each not in written] in ([], [offsets[3]]), bit
        covers_last = offsets[-1] < offsets[3] + 16 + length <= len(content)
        assert covers_last or rows[-1] == written[-1], bit
