"""Consecutive packets in files of pcap and pcapng, neither of which has checksums."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable

from .back_to_back import BackToBack, Values, blob


def packet(source: random.Random, number: int) -> tuple[bytes, list[Values]]:
    """Return a packet of a pcap file."""
    data = blob(source, number)
    return struct.pack("<IIII", 7, 9, len(data), len(data)) + data, [(data,)]


def block(kind: int, body: bytes) -> bytes:
    """Return a block of a pcapng file."""
    body += bytes(-len(body) % 4)
    size = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + size + body + size


def enhanced_packet(source: random.Random, number: int) -> tuple[bytes, list[Values]]:
    """Return an enhanced packet block."""
    data = blob(source, number)
    return block(6, struct.pack("<IIIII", 0, 7, 9, len(data), len(data)) + data), [(data,)]


def _there(before: int) -> Callable[[bytes, int, Values], bool]:
    """Return whether the data is at a valid position: after at most that many bytes of a packet."""

    def stands(content: bytes, at: int, values: Values) -> bool:
        data = values[0]
        return isinstance(data, bytes) and data in content[at : at + before + 4 + len(data)]

    return stands


HEADER = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
SECTION = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)) + block(1, struct.pack("<HHI", 1, 0, 0))
PCAP = BackToBack(
    "pcap",
    packet,
    ("data",),
    (HEADER, HEADER[:4], bytes(16), b"\xff" * 4, b"\x40\0\0\0"),
    head=HEADER,
    there=_there(16),
    loose=range(8, 12),
)
PCAPNG = BackToBack(
    "pcapng",
    enhanced_packet,
    ("data",),
    (SECTION[:8], b"\6\0\0\0", bytes(12), b"\xff" * 4),
    head=SECTION,
    there=_there(28),
    cost=2,
)
