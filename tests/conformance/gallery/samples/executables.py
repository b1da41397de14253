"""Programs and libraries, found on the machine or compiled for this purpose."""

from __future__ import annotations

import struct
import sys
import tempfile
import zlib
from pathlib import Path

from tests.conformance.gallery.samples import Samples, existing, makes, run

JAVA = """
import java.util.function.Supplier;
public class Made<T> implements Runnable {
    static final long BIG = 1L << 40;
    static final double PART = 0.25;
    static final float HALF = 0.5f;
    static final int MANY = 1 << 20;
    private T kept;
    public void run() { try { call(); } catch (IllegalStateException error) { kept = null; } }
    void call() throws IllegalStateException { Supplier<String> made = () -> "größe" + kept; made.get(); }
}
"""

LAUNCHERS = "pip/_vendor/distlib"


@makes("elf")
def elf_of_the_machine() -> Samples:
    for path in existing("/bin/true", "/bin/ls", "/usr/lib/*/libz.so.1", "/lib/*/libm.so.6"):
        yield path.read_bytes()


@makes("elf")
def elf_compiled() -> Samples:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "made.c").write_text("int given(int); int made(void) { return given(3); } int zero[9];\n")
        for options in (["-c"], ["-c", "-m32"], ["-shared", "-fPIC", "-nostdlib"]):
            run("gcc", *options, "-o", "made.out", "made.c", folder=Path(folder))
            yield Path(folder, "made.out").read_bytes()


@makes("elf")
def elf_of_big_endian() -> Samples:
    head = struct.pack(
        ">4sBBBBB7sHHIIIIIHHHHHH", b"\x7fELF", 1, 2, 1, 0, 0, b"", 2, 8, 1, 0x400000, 52, 84, 7, 52, 32, 1, 40, 2, 1
    )
    program = struct.pack(">8I", 1, 0, 0x400000, 0x400000, 84, 84, 5, 4096)
    names = b"\0.shstrtab\0"
    table = bytes(40) + struct.pack(">10I", 1, 3, 0, 0, 164, len(names), 0, 0, 1, 0)
    yield head + program + table + names


@makes("microsoft_pe", "dos_mz")
def windows_launchers() -> Samples:
    places = [Path(each, LAUNCHERS) for each in sys.path if Path(each, LAUNCHERS).is_dir()]
    for path in existing(*(f"{place}/{name}.exe" for place in places or [Path("/nowhere")] for name in ("t32", "w64"))):
        yield path.read_bytes()


@makes("dos_mz")
def dos_program() -> Samples:
    head = struct.pack("<2s13H", b"MZ", 68, 1, 1, 3, 0, 0xFFFF, 0, 0x100, 0, 0, 0, 28, 0)
    yield (head + struct.pack("<2H", 1, 0)).ljust(48, b"\0") + b"\xb8\0L\xcd!".ljust(20, b"\x90")


@makes("java_class")
def java_classes() -> Samples:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "Made.java").write_text(JAVA, encoding="utf-8")
        run("javac", "-encoding", "UTF-8", "-g", "Made.java", folder=Path(folder))
        yield Path(folder, "Made.class").read_bytes()


@makes("python_pyc_27")
def old_python() -> Samples:
    def text(data: bytes) -> bytes:
        return b"s" + struct.pack("<I", len(data)) + data

    def interned(data: bytes) -> bytes:
        return b"t" + struct.pack("<I", len(data)) + data

    def row(*items: bytes) -> bytes:
        return b"(" + struct.pack("<I", len(items)) + b"".join(items)

    number = b"i" + struct.pack("<I", 7)
    constants = row(number, b"N", b"T", b"F", text(b"bytes"), b"u" + struct.pack("<I", 5) + "größ".encode()[:5])
    code = bytes.fromhex("640000 470b 5a0000 640100 53".replace(" ", ""))
    names = row(interned(b"x"), b"R" + struct.pack("<I", 0))
    body = b"c" + struct.pack("<4I", 0, 0, 2, 64) + text(code) + constants + names + row() + row() + row()
    body += text(b"made.py") + interned(b"<module>") + struct.pack("<I", 1) + text(b"\6\1")
    yield b"\x03\xf3\r\n" + struct.pack("<I", 1_700_000_000) + body


@makes("uefi_te")
def firmware() -> Samples:
    head = struct.pack("<2sHBBHIIQ4I", b"VZ", 0x8664, 1, 11, 448, 0x1000, 0x1000, 0xFFF00000, 0, 0, 0x2000, 28)
    section = struct.pack("<8s6IHHI", b".text", 16, 0x1000, 4, 448 + 40, 0, 0, 0, 0, 0x60000020)
    yield head + section + b"code"


@makes("swf")
def flash() -> Samples:
    def tag(kind: int, data: bytes) -> bytes:
        if len(data) < 63:
            return struct.pack("<H", kind << 6 | len(data)) + data
        return struct.pack("<HI", kind << 6 | 63, len(data)) + data

    sound = struct.pack("<HBI", 1, 0x2F, 100) + bytes(80)
    tags = tag(69, struct.pack("<I", 8)) + tag(9, b"\1\2\3") + tag(65, struct.pack("<HH", 256, 60)) + tag(14, sound)
    tags += tag(82, struct.pack("<I", 1) + b"main\0abc") + tag(76, struct.pack("<HH", 1, 0) + b"Main\0")
    body = bytes((5 << 3, 0, 0)) + struct.pack("<HH", 24 << 8, 1) + tags + tag(1, b"") + tag(0, b"")
    yield b"FWS\x08" + struct.pack("<I", len(body) + 8) + body
    yield b"CWS\x08" + struct.pack("<I", len(body) + 8) + zlib.compress(body)


def mach_o_object() -> bytes:
    """Return a minimal object file for 64-bit Intel."""
    section = struct.pack("<16s16sQQ8I", b"__text", b"__TEXT", 0, 4, 400, 2, 0, 0, 0x80000400, 0, 0, 0)
    cstring = struct.pack("<16s16sQQ8I", b"__cstring", b"__TEXT", 4, 6, 404, 0, 0, 0, 2, 0, 0, 0)
    segment = struct.pack("<16sQQQQIIII", b"__TEXT", 0, 10, 400, 10, 7, 5, 2, 0) + section + cstring
    commands = [
        (0x19, segment),
        (0x1B, bytes(range(16))),
        (0x24, struct.pack("<II", 0x0A0F00, 0x0B0000)),
        (0x2A, struct.pack("<Q", 1 << 40)),
        (0x80000028, struct.pack("<QQ", 0x1000, 0)),
        (0x0C, struct.pack("<IIII", 24, 2, 0x10000, 0x10000) + b"libSystem.dylib\0"),
    ]
    load = b"".join(struct.pack("<II", kind, len(data) + 8) + data for kind, data in commands)
    head = struct.pack("<8I", 0xFEEDFACF, 0x01000007, 3, 1, len(commands), len(load), 0x2085, 0)
    return (head + load).ljust(512, b"\0")


@makes("mach_o")
def mach_o() -> Samples:
    yield mach_o_object()


@makes("mach_o_fat")
def mach_o_of_many() -> Samples:
    inner = mach_o_object()
    yield struct.pack(">II5I", 0xCAFEBABE, 1, 0x01000007, 3, 28, len(inner), 12) + inner
