"""CRC-32, as in zlib, zip and Ethernet."""

from __future__ import annotations

import zlib

from .checksum import Crc

CRC32 = Crc(
    name="crc32",
    width=32,
    polynomial=0x04C11DB7,
    initial=0xFFFFFFFF,
    final_xor=0xFFFFFFFF,
    update=zlib.crc32,
    engine_number=2,
)
