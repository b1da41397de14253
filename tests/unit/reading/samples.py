"""Bytes of the three formats, made here without wireloom's own writers."""

import random
import struct
from collections.abc import Callable
from typing import Any

import crc32c
import pyarrow as pa


def frame(payload: bytes, tenant: int = 7, ts: int = 1_790_000_000_000, fmt: int = 0) -> bytes:
    return struct.pack(">IIBIQ", len(payload) + 13, crc32c.crc32c(payload), fmt, tenant, ts) + payload


def frames(payloads: list[bytes], padding: bytes = b"") -> bytes:
    return b"".join(frame(payload, tenant=number) + padding for number, payload in enumerate(payloads))


def stuff_words(data: bytes) -> bytes:
    out, position, first = bytearray(), 0, True
    while True:
        limit = 252 if first else 64008
        window = data[position : position + limit]
        found = window.find(b"\xfe\xfd")
        run = len(window) if found < 0 else found
        out += bytes([run]) if first else bytes([run % 253, run // 253])
        out += window[:run]
        position += run
        if run < limit:
            if position == len(data):
                return bytes(out)
            position += 2
        first = False


def word_record(payload: bytes, generation: int = 1) -> bytes:
    body = struct.pack("<I", generation) + payload
    crc = crc32c.crc32c(b"\0\0\0\0" + body) ^ 0xFFFFFFFF
    return stuff_words(struct.pack("<I", crc) + body)


def word_log(payloads: list[bytes]) -> bytes:
    return b"".join(word_record(payload, number) + b"\xfe\xfd" for number, payload in enumerate(payloads))


def stuff_cobs(data: bytes) -> bytes:
    out = bytearray()
    for number, part in enumerate(parts := data.split(b"\0")):
        while len(part) > 254 or (len(part) == 254 and number + 1 < len(parts)):
            out += b"\xff" + part[:254]
            part = part[254:]
        out += bytes([len(part) + 1]) + part
    return bytes(out)


def cobs_log(payloads: list[bytes]) -> bytes:
    return b"".join(stuff_cobs(payload) + b"\0" for payload in payloads)


def in_blocks(records: list[bytes], block: int, header: int, piece: Callable[[int, int, bytes], bytes]) -> bytes:
    """Return a log whose records are in pieces. ``piece`` makes a piece from its kind (0: whole, 1: first, 2: middle,
    3: last), where it begins, and its data."""
    out = bytearray()
    for record in records:
        rest, is_first = record, True
        while is_first or rest:
            left = block - len(out) % block
            if left < header:
                out += bytes(left)
                left = block
            data, rest = rest[: left - header], rest[left - header :]
            kind = (1 if is_first else 2) if rest else (0 if is_first else 3)
            out += piece(kind, len(out), data)
            is_first = False
    return bytes(out)


def payloads(count: int, seed: int = 1, largest: int = 120) -> list[bytes]:
    source = random.Random(seed)
    kinds = [b"\xfe\xfd", b"\0", b"\n", b"abc", bytes(range(256))]
    made = []
    for _ in range(count):
        size = source.randrange(largest + 1)
        made.append((source.choice(kinds) * size)[:size] if source.random() < 0.3 else source.randbytes(size))
    return made


def rows_of(table: pa.Table) -> list[dict[str, Any]]:
    """Return the rows, with times as numbers, since Python cannot represent such late ones."""
    for number, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type):
            table = table.set_column(number, field.name, table[number].cast(pa.int64()))
    return list(table.to_pylist())
