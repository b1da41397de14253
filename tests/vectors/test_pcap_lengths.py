"""Files of old versions, whose packets have their lengths in the other order, as libpcap reads them (sf-pcap.c)."""

from __future__ import annotations

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
