"""Disks, partitions and file systems."""

from __future__ import annotations

import struct
import tempfile
import uuid
from pathlib import Path

from tests.conformance.gallery.samples import Samples, makes, run

SECTOR = 512


@makes("ext2")
def ext2() -> Samples:
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder, "files")
        Path(files, "inner").mkdir(parents=True)
        Path(files, "a.txt").write_bytes(b"text" * 500)
        image = Path(folder, "image")
        options = ["-q", "-t", "ext2", "-b", "1024", "-I", "128", "-O", "^resize_inode,^dir_index", "-d", files]
        run("mkfs.ext2", *options, image, "512")
        yield image.read_bytes()


@makes("cramfs")
def cramfs() -> Samples:
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder, "files")
        Path(files, "inner").mkdir(parents=True)
        Path(files, "a.txt").write_bytes(b"text" * 5000)
        run("mkfs.cramfs", files, Path(folder, "image"))
        yield Path(folder, "image").read_bytes()


@makes("vfat")
def fat() -> Samples:
    def entry(name: bytes, attributes: int, size: int) -> bytes:
        return name + struct.pack("<B10sHHHI", attributes, b"", 12 << 11, 46 << 9 | 7 << 5 | 21, 2, size)

    block = struct.pack("<HBHBHHBHHHII", SECTOR, 1, 1, 2, 16, 8, 0xF8, 1, 32, 2, 0, 0)
    more = struct.pack("<BBB4s11s8s", 0x80, 0, 0x29, b"\1\2\3\4", b"MADE       ", b"FAT12   ")
    boot = (b"\xeb\x3c\x90MSDOS5.0" + block + more).ljust(510, b"\0") + b"\x55\xaa"
    root = entry(b"MADE       ", 8, 0) + entry(b"A       TXT", 0x21, 4)
    # Every record contains a time, and no day is 0.
    yield boot + bytes(2 * SECTOR) + root + entry(bytes(11), 0, 0) * 14 + b"text".ljust(SECTOR, b"\0")


@makes("mbr_partition_table")
def master_boot_record() -> Samples:
    entries = struct.pack("<B3sB3sII", 0x80, b"\x20\x21\0", 0x83, b"\xfe\xff\xff", 2048, 100_000) + bytes(48)
    yield bytes(446) + entries + b"\x55\xaa"


@makes("gpt_partition_table")
def partition_table() -> Samples:
    def header(own: int, other: int, start: int) -> bytes:
        numbers = struct.pack("<4I4Q", 0x10000, 92, 0x1234, 0, own, other, 3, 9)
        return (b"EFI PART" + numbers + uuid.UUID(int=5).bytes_le + struct.pack("<QIII", start, 4, 128, 0)).ljust(
            SECTOR, b"\0"
        )

    kind = uuid.UUID("0fc63daf-8483-4772-8e79-3d69d8477de4").bytes_le
    entry = kind + uuid.UUID(int=6).bytes_le + struct.pack("<QQQ72s", 3, 9, 4, "root".encode("utf-16-le"))
    entries = (entry + bytes(128)) * 2
    yield bytes(SECTOR) + header(1, 11, 2) + entries + bytes(7 * SECTOR) + entries + header(11, 1, 10)


@makes("apm_partition_table")
def old_partitions() -> Samples:
    def entry(start: int, name: bytes, status: int) -> bytes:
        numbers = struct.pack(">IIIII4sI4sI", 0, 1, status, 0, 0, b"", 0, b"", 0)
        return (struct.pack(">2s2sIII32s32s", b"PM", b"", 2, start, 1, name, b"Apple_HFS") + numbers + b"68000").ljust(
            SECTOR, b"\0"
        )

    yield bytes(SECTOR) + entry(1, b"Apple", 1) + entry(2, b"MacOS", 0) + bytes(SECTOR)


@makes("luks")
def encrypted() -> Samples:
    texts = struct.pack(">32s32s32s", b"aes", b"xts-plain64", b"sha256")
    head = b"LUKS\xba\xbe\0\1" + texts + struct.pack(">II20s32sI40s", 8, 32, b"", b"", 1000, b"made")
    slots = struct.pack(">II32sII", 0x00AC71F3, 1000, b"", 4, 4) + struct.pack(">II32sII", 0xDEAD, 0, b"", 5, 4) * 7
    yield (head + slots).ljust(8 * SECTOR, b"\0") + b"payload"


@makes("vdi")
def virtual_disk() -> Samples:
    geometry = struct.pack("<4I", 1, 2, 3, SECTOR)
    main = struct.pack("<I4s256sII", 2, b"\0\1\0\0", b"made", SECTOR, 2 * SECTOR) + geometry
    main += struct.pack("<IQIIII", 0, 2048, 1024, 0, 2, 1) + bytes(range(64)) + geometry
    head = (
        b"<<< made >>>\n".ljust(64, b"\0")
        + b"\x7f\x10\xda\xbe"
        + struct.pack("<HHI", 1, 1, 400)
        + main.ljust(400, b"\0")
    )
    yield head.ljust(SECTOR, b"\0") + struct.pack("<II", 0, 0xFFFFFFFF).ljust(SECTOR, b"\0") + bytes(2048)


@makes("zx_spectrum_tap")
def tape() -> Samples:
    def block(flag: int, data: bytes) -> bytes:
        return struct.pack("<HB", len(data) + 1, flag) + data

    program = block(0, b"\0made      " + struct.pack("<HHHB", 3, 10, 3, 0)) + struct.pack("<HB", 5, 0xFF) + b"abc\0"
    yield program + block(0xFF, b"raw")


@makes("apple_single_double")
def apple() -> Samples:
    info = b"TEXTttxt" + struct.pack(">HHHH", 0x100, 5, 6, 7)
    entries = struct.pack(">III", 9, 50, len(info)) + struct.pack(">III", 2, 50 + len(info), 4)
    yield struct.pack(">II16sH", 0x00051607, 0x20000, b"", 2) + entries + info + b"fork"


def both(number: int, code: str) -> bytes:
    """Return a number in both byte orders."""
    return struct.pack(f"<{code}", number) + struct.pack(f">{code}", number)


@makes("iso9660")
def optical_disc() -> Samples:
    def entry(name: bytes, place: int, size: int, flags: int) -> bytes:
        body = (
            b"\0" + both(place, "I") + both(size, "I") + bytes((126, 7, 21, 12, 34, 56, 0, flags, 0, 0)) + both(1, "H")
        )
        body += bytes((len(name),)) + name + bytes(1 - len(name) % 2)
        return bytes((len(body) + 1,)) + body

    block = 2048
    tree = entry(b"\0", 18, block, 2) + entry(b"\1", 18, block, 2) + entry(b"A.TXT;1", 20, 4, 0)
    tree += entry(b"INNER", 19, block, 2)
    inner = entry(b"\0", 19, block, 2) + entry(b"\1", 18, block, 2)
    table = struct.pack("<BBIH", 1, 0, 18, 1) + b"\0\0" + struct.pack("<BBIH", 5, 0, 19, 1) + b"INNER\0"
    time = b"2026072112345600\0"
    head = b"\1CD001\1\0" + b"LINUX".ljust(32) + b"MADE".ljust(32) + bytes(8) + both(21, "I") + bytes(32)
    head += (
        both(1, "H") * 2
        + both(block, "H")
        + both(len(table), "I")
        + struct.pack("<II", 17, 0)
        + struct.pack(">II", 17, 0)
    )
    head += entry(b"\0", 18, block, 2) + b" " * (128 * 4 + 38 + 36 + 37) + time * 4 + b"\1\0" + bytes(512)
    sectors = [head, table, tree, inner, b"text"]
    yield bytes(16 * block) + b"".join(each.ljust(block, b"\0") for each in sectors)
