"""Consecutive blocks of Bitcoin, which have no checksums: a damaged block may be returned as it is stored."""

from __future__ import annotations

import hashlib
import random
import struct

from .back_to_back import BackToBack, Values

MAGIC = bytes.fromhex("f9beb4d9")
HEADER = struct.Struct("<i32s32sIII")


def block(source: random.Random, number: int) -> tuple[bytes, list[Values]]:
    """Return a block with its length, and with transactions that spend and pay."""
    count = source.choice((1, 2, 5))
    transactions = b"".join(transaction(source) for _ in range(count))
    previous, root = (hashlib.sha256(b"%d %d" % (number, each)).digest() for each in range(2))
    body = HEADER.pack(1, previous, root, 1_700_000_000, 0x1D00FFFF, number) + bytes([count]) + transactions
    return MAGIC + struct.pack("<I", len(body)) + body, [(previous, root, number, count)]


def transaction(source: random.Random) -> bytes:
    """Return a transaction with one input and several outputs."""
    script = source.randbytes(source.choice((0, 20, 110)))
    spent = source.randbytes(32) + struct.pack("<IB", 0, len(script)) + script + b"\xff" * 4
    outputs = [
        struct.pack("<qB", source.randrange(10**9), 25) + source.randbytes(25) for _ in range(source.choice((1, 3)))
    ]
    return struct.pack("<i", 1) + b"\1" + spent + bytes([len(outputs)]) + b"".join(outputs) + bytes(4)


def _there(content: bytes, at: int, values: Values) -> bool:
    """Return whether the header is at its required position, before the number of transactions."""
    _, previous, root, _, _, nonce = HEADER.unpack_from(content, at + 8)
    first = content[at + 8 + HEADER.size]
    count = {253: 2, 254: 4, 255: 8}.get(first, 0)
    number = int.from_bytes(content[at + 89 : at + 89 + count], "little") if count else first
    return (previous, root, nonce, number) == values


BITCOIN = BackToBack(
    "bitcoin_blocks",
    block,
    ("prev_hash", "merkle_root", "nonce", "num_transactions"),
    (MAGIC, bytes(8), bytes(88), b"\xfd", b"\xff" * 9, MAGIC + b"\x51\0\0\0"),
    there=_there,
    loose=range(4, 8),
    cost=2,
)
