"""Small parts that other formats have in common."""

from __future__ import annotations

import struct

from tests.conformance.gallery.samples import Sample, Samples, makes


@makes("dos_datetime")
def dos_times() -> Samples:
    for year, month, day, hour, minute, second in (
        (2026, 7, 21, 12, 34, 56),
        (1980, 1, 1, 0, 0, 0),
        (2107, 12, 31, 23, 59, 58),
    ):
        yield struct.pack("<HH", hour << 11 | minute << 5 | second // 2, (year - 1980) << 9 | month << 5 | day)


@makes("utf16_with_bom")
def marked_texts() -> Samples:
    for encoding in ("utf-16-be", "utf-16-le"):
        yield "\ufeffgrößer 🙂".encode(encoding)


@makes("utf8_string")
def code_points() -> Samples:
    yield "größer → 🙂".encode()


@makes("vlq_base128_be")
def high_first() -> Samples:
    yield from (b"\0", b"\x7f", b"\x81\0", b"\xff\xff\x7f", b"\x81" * 7 + b"\1")


@makes("vlq_base128_le")
def low_first() -> Samples:
    yield from (b"\0", b"\x7f", b"\x80\1", b"\xff" * 8 + b"\x7f", b"\xff" * 9 + b"\1", b"\xff" * 9 + b"\2")


@makes("bcd")
def decimals() -> Samples:
    for little in (False, True):
        for bits, data in ((4, b"\x12\x34\x56\x78"), (8, bytes(range(1, 9)))):
            for digits in (1, 3, 8):
                yield Sample(data, (digits, bits, little))


@makes("bytes_with_io")
def plain_bytes() -> Samples:
    yield b"anything"
    yield b""


@makes("windows_systemtime")
def system_times() -> Samples:
    yield struct.pack("<8H", 2026, 7, 2, 21, 12, 34, 56, 789)


@makes("code_6502")
def machine_code() -> Samples:
    yield bytes.fromhex("a9018d0002a2ffca d0fd4c000820341260 0ad1052a".replace(" ", ""))
