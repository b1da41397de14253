"""CRC-32C (Castagnoli), as in iSCSI and ext4."""

from __future__ import annotations

import crc32c

from .. import engine
from .checksum import Crc

NUMBER = 1

CRC32C = Crc(
    name="crc32c",
    width=32,
    polynomial=0x1EDC6F41,
    initial=0xFFFFFFFF,
    final_xor=0xFFFFFFFF,
    # The engine's function costs less to call.
    update=engine.checksums.get(NUMBER, crc32c.crc32c),
    engine_number=NUMBER,
)
