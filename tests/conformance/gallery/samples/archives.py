"""Archives and compressed files."""

from __future__ import annotations

import gzip
import io
import struct
import tempfile
import zipfile
import zlib
from pathlib import Path

from tests.conformance.gallery.samples import Samples, makes, run

TEXT = b"The quick brown fox jumps over the lazy dog.\n" * 20
DOS_TIME = struct.pack("<HH", 12 << 11 | 34 << 5 | 28, 46 << 9 | 7 << 5 | 21)
"""21 July 2026, 12:34:56."""


@makes("zip")
def zip_of_python() -> Samples:
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", method) as archive:
            archive.comment = b"made by Python"
            archive.writestr("a.txt", TEXT)
            archive.writestr("größe/", b"")
        yield file.getvalue()


@makes("zip")
def zip_of_the_tool() -> Samples:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "a.txt").write_bytes(TEXT)
        Path(folder, "b.txt").write_bytes(b"")
        for options in ("-q", "-qX"):
            Path(folder, "out.zip").unlink(missing_ok=True)
            run("zip", options, "out.zip", "a.txt", "b.txt", folder=Path(folder))
            yield Path(folder, "out.zip").read_bytes()


@makes("zip")
def zip_of_windows() -> Samples:
    times = struct.pack("<HHIHHQQQ", 10, 32, 0, 1, 24, 132_000_000_000_000_000, 1, 2)
    imploded = struct.pack("<IHHH", 0x04034B50, 20, 6, 6) + DOS_TIME
    local = imploded + struct.pack("<IIIHH", 0, 3, 9, 5, len(times)) + b"a.txt" + times + b"abc"
    yield local + struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 0, 0, 0, 0, 0)


@makes("gzip")
def gzip_files() -> Samples:
    yield gzip.compress(TEXT, mtime=1_700_000_000)
    file = io.BytesIO()
    with gzip.GzipFile("a.txt", "wb", 1, file, 1) as archive:
        archive.write(TEXT)
    yield file.getvalue()
    extra = struct.pack("<HHH3s", 7, 0x4142, 3, b"xyz")
    packed = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = packed.compress(TEXT) + packed.flush()
    head = b"\x1f\x8b\x08\x1f\0\0\0\0\2\3" + extra + b"name\0comment\0\x12\x34"
    yield head + body + struct.pack("<II", zlib.crc32(TEXT), len(TEXT))


@makes("gzip")
def gzip_of_the_tool() -> Samples:
    yield run("gzip", "-9", "-c", given=TEXT)


@makes("rar")
def rar() -> Samples:
    def block(kind: int, flags: int, body: bytes, added: bytes = b"") -> bytes:
        more = struct.pack("<I", len(added)) if flags & 0x8000 else b""
        return struct.pack("<HBHH", 0x1234, kind, flags, 7 + len(more) + len(body)) + more + body + added

    def head(name: bytes) -> bytes:
        return (
            struct.pack("<IBI", len(TEXT), 3, zlib.crc32(TEXT))
            + DOS_TIME
            + struct.pack("<BBHI", 29, 48, len(name), 33188)
        )

    plain = block(0x74, 0x8000, head(b"a.txt") + b"a.txt", TEXT)
    salted = block(0x74, 0x8500, head(b"b.txt") + bytes(4) + b"b.txt" + bytes(8), b"secret")
    yield b"Rar!\x1a\x07\0" + block(0x73, 0, bytes(6)) + plain + salted + block(0x7B, 0x4000, b"")


@makes("cpio_old_le")
def cpio() -> Samples:
    def member(name: bytes, data: bytes) -> bytes:
        numbers = (0o070707, 1, 2, 33188, 0, 0, 1, 0, 0x5F5E, 0x1000, len(name) + 1, 0, len(data))
        return struct.pack("<13H", *numbers) + name + bytes(1 + (len(name) + 1) % 2) + data + bytes(len(data) % 2)

    yield member(b"a.txt", b"odd") + member(b"bb.txt", b"even") + member(b"TRAILER!!!", b"") + bytes(100)


@makes("lzh")
def lzh() -> Samples:
    def entry(level: int, name: bytes) -> bytes:
        head = b"\x55-lh0-" + struct.pack("<II", 4, 4) + DOS_TIME + bytes((0x20, level))
        head += bytes((len(name),)) + name if level == 0 else struct.pack("<HBH", 0x1234, 77, 0)
        return bytes((len(head) + 1,)) + head + (b"\x12\x34" if level == 0 else b"") + b"data"

    yield entry(0, b"a.txt") + entry(2, b"") + b"\0"


@makes("mozilla_mar")
def mozilla() -> Samples:
    section = struct.pack(">II", 104, 1) + b"release".ljust(64, b"\0") + b"100.0".ljust(32, b"\0")
    signed = struct.pack(">III", 1, 2, 5) + b"SIGN!"
    offset = 20 + len(signed) + 4 + len(section) - 4
    entries = struct.pack(">III", offset, 4, 0o644) + b"a.txt\0"
    index = struct.pack(">I", len(entries)) + entries
    size = offset + 4 + len(index)
    yield struct.pack(">4sIQ", b"MAR1", offset + 4, size) + signed + struct.pack(">I", 1) + section + b"data" + index


@makes("phar_without_stub")
def php_archive() -> Samples:
    metadata = b'a:1:{s:1:"k";i:1;}'
    name = b"a.php"
    files = struct.pack("<I", len(name)) + name + struct.pack("<IIIIII", 4, 1, 4, 2, 0x1A4, len(metadata)) + metadata
    files += struct.pack("<I", 1) + b"b" + struct.pack("<IIIIII", 9, 1, 2, 2, 0x11A4, 0)
    manifest = (
        struct.pack("<I", 2) + b"\x11\x10" + struct.pack("<II", 0x10000, 4) + b"some" + struct.pack("<I", 0) + files
    )
    yield struct.pack("<I", len(manifest)) + manifest + b"<?phZZ" + bytes(20) + struct.pack("<I4s", 2, b"GBMB")


@makes("respack")
def respack() -> Samples:
    text = b'{"a": 1}'
    yield b"RS" + bytes(8) + struct.pack("<I", len(text)) + b"0123456789abcdef" * 2 + text


@makes("xar")
def xar() -> Samples:
    text = b"<?xml version='1.0'?><xar><toc/></xar>"
    packed = zlib.compress(text)
    yield struct.pack(">4sHHQQI", b"xar!", 28, 1, len(packed), len(text), 1) + packed
    named = struct.pack(">4sHHQQI", b"xar!", 36, 1, len(packed), len(text), 3) + b"sha512\0\0"
    yield named + packed


@makes("zisofs")
def zisofs() -> Samples:
    blocks = [zlib.compress(bytes(range(256)) * 128), b"", zlib.compress(b"short")]
    offsets = [16 + 16]
    for block in blocks:
        offsets.append(offsets[-1] + len(block))
    head = b"\x37\xe4\x53\x96\xc9\xdb\xd6\x07" + struct.pack("<IBBH", 65536 + 5, 4, 15, 0)
    yield head + struct.pack("<4I", *offsets) + b"".join(blocks)


@makes("android_img")
def android_boot() -> Samples:
    def image(version: int, *more: bytes) -> bytes:
        loads = struct.pack("<6I", 5, 0x10008000, 3, 0x11000000, 0, 0)
        numbers = struct.pack("<4I", 0x10000100, 2048, version, 11 << 25 | 26 << 4 | 7)
        texts = b"board".ljust(16, b"\0") + b"quiet".ljust(512, b"\0") + bytes(32) + b"more".ljust(1024, b"\0")
        head = (b"ANDROID!" + loads + numbers + texts + b"".join(more)).ljust(2048, b"\0")
        return head + b"kernl".ljust(2048, b"\0") + b"ram".ljust(2048, b"\0") + b"dtb".ljust(2048, b"\0")

    yield image(0)
    yield image(2, struct.pack("<IQII", 0, 0, 1660, 3), struct.pack("<Q", 0x12000000))


@makes("android_sparse")
def android_sparse() -> Samples:
    chunks = struct.pack("<HHII", 0xCAC1, 0, 1, 16) + b"1234" + struct.pack("<HHIII", 0xCAC2, 0, 7, 16, 0xDEADBEEF)
    chunks += struct.pack("<HHII", 0xCAC3, 0, 3, 12) + struct.pack("<HHIII", 0xCAC4, 0, 0, 16, 0x12345678)
    yield struct.pack("<IHHHHIIII", 0xED26FF3A, 1, 0, 28, 12, 4, 11, 4, 0) + chunks


@makes("android_dto")
def device_tree_overlays() -> Samples:
    entries = b"".join(struct.pack(">8I", 4, 96 + 4 * each, each, 1, 2, 3, 4, 5) for each in range(2))
    yield struct.pack(">8I", 0xD7B7AB1E, 104, 32, 32, 2, 32, 2048, 0) + entries + b"one.two."


@makes("rpm")
def rpm() -> Samples:
    def header(*records: tuple[int, int, int, bytes]) -> bytes:
        storage, index = b"", b""
        for tag, kind, count, data in records:
            index += struct.pack(">IIII", tag, kind, len(storage), count)
            storage += data
        return b"\x8e\xad\xe8\x01\0\0\0\0" + struct.pack(">II", len(records), len(storage)) + index + storage

    lead = struct.pack(">IBBHH66sHH16s", 0xEDABEEDB, 3, 0, 0, 1, b"a-1.0-1", 1, 5, b"")
    main = header(
        (1000, 6, 1, b"name\0"), (1001, 6, 1, b"1.0\0"), (1030, 3, 2, b"\x81\xa4\x81\xed"), (1117, 8, 2, b"a\0b\0")
    )
    signed = header(
        (1000, 4, 1, struct.pack(">I", len(main) + 7)), (1004, 7, 16, bytes(range(16))), (269, 6, 1, b"abc\0")
    )
    yield lead + signed + bytes(-(len(lead) + len(signed)) % 8) + main + b"payload"
