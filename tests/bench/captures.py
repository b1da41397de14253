"""Captured packets in both formats, compared with ``dpkt``."""

from __future__ import annotations

import io
import random
import struct
from collections.abc import Iterator
from functools import partial

from .data import drain
from .measure import Comparison, Work, missing

PACKET = 200
"""Bytes of a packet."""


def comparisons(size: int) -> Iterator[Comparison]:
    for name, content in (("pcap", pcap(size // 4)), ("pcapng", pcapng(size // 4))):
        work = Work(name, len(content), partial(drain, name, content))
        part = content[: _whole(name, len(content) // 8)]
        against = Work(f"dpkt, {name}", len(part), partial(_packets, name, part))
        title = f"{name}, packets of {PACKET} bytes, beside dpkt"
        yield Comparison(title, work, against, target=20, absent=missing("dpkt"))


def _whole(name: str, size: int) -> int:
    """Return the number of bytes of the whole packets that fit."""
    head, each = (24, 16 + PACKET) if name == "pcap" else (48, 32 + PACKET)
    return head + (size - head) // each * each


def _data() -> list[bytes]:
    source = random.Random(7)
    return [source.randbytes(PACKET) for _ in range(1000)]


def pcap(size: int) -> bytes:
    head = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65_535, 1)
    packets = [struct.pack("<IIII", 1_700_000_000, 7, PACKET, PACKET) + each for each in _data()]
    block = b"".join(packets)
    return head + block * max(1, size // len(block))


def pcapng(size: int) -> bytes:
    head = struct.pack("<IIIHHqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28)
    head += struct.pack("<IIHHII", 1, 20, 1, 0, 65_535, 20)
    at = 1_700_000_000_000_007
    packets = [
        struct.pack("<7I", 6, 32 + PACKET, 0, at >> 32, at & 0xFFFFFFFF, PACKET, PACKET)
        + each
        + struct.pack("<I", 32 + PACKET)
        for each in _data()
    ]
    block = b"".join(packets)
    return head + block * max(1, size // len(block))


def _packets(name: str, content: bytes) -> None:
    import dpkt

    reader = dpkt.pcap.Reader if name == "pcap" else dpkt.pcapng.Reader
    for _ in reader(io.BytesIO(content)):
        pass
