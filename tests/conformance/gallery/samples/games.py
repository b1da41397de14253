"""Data files of games and toys."""

from __future__ import annotations

import struct

from tests.conformance.gallery.samples import Samples, makes


@makes("doom_wad")
def doom() -> Samples:
    lumps = {
        b"E1M1": b"",
        b"THINGS": struct.pack("<hhHHH", -32, 64, 90, 1, 7),
        b"LINEDEFS": struct.pack("<7H", 0, 1, 1, 0, 0, 0, 0xFFFF),
        b"SIDEDEFS": struct.pack("<hh8s8s8sh", 0, 0, b"-", b"-", b"STONE2", 0),
        b"VERTEXES": struct.pack("<4h", 0, 0, 64, -64),
        b"SECTORS": struct.pack("<hh8s8shhH", 0, 128, b"FLOOR4_8", b"CEIL3_5", 160, 0, 1),
        b"BLOCKMAP": struct.pack("<4hH3h", 0, 0, 1, 1, 5, 0, 0, -1),
        b"OTHER": b"bytes",
    }
    body, index = b"", b""
    for name, data in lumps.items():
        index += struct.pack("<ii8s", 12 + len(body), len(data), name)
        body += data
    yield struct.pack("<4sii", b"PWAD", len(lumps), 12 + len(body)) + body + index


@makes("quake_pak")
def quake() -> Samples:
    entry = struct.pack("<56sII", b"maps/made.bsp", 12, 4)
    yield struct.pack("<4sII", b"PACK", 16, len(entry)) + b"data" + entry


@makes("gltf_binary")
def model() -> Samples:
    text = b'{"asset":{"version":"2.0"}} '
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", 4, b"BIN\0") + b"data"
    yield struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


@makes("uimage")
def boot_image() -> Samples:
    yield struct.pack(">7I4B32s", 0x27051956, 1, 1_700_000_000, 4, 0x8000, 0x8000, 2, 5, 2, 2, 1, b"made") + b"data"


@makes("ines")
def cartridge() -> Samples:
    yield b"NES\x1a\1\1" + bytes((0x05, 0x00, 0, 0, 0)) + bytes(5) + bytes(512) + bytes(range(256)) * 64 + bytes(8192)


@makes("edid")
def display() -> Samples:
    head = (
        b"\0\xff\xff\xff\xff\xff\xff\0" + struct.pack(">H", 0b0_00100_00101_01100) + struct.pack("<HIBB", 1, 2, 3, 30)
    )
    basic = bytes((1, 4, 0xA5, 52, 29, 120, 0x3A)) + bytes(range(10)) + b"\x21\x08\0" + b"\xd1\xc0" * 8
    yield (head + basic + bytes(72)).ljust(126, b"\0") + b"\0\x55"
