"""Files that Windows creates."""

from __future__ import annotations

import struct

from tests.conformance.gallery.samples import Samples, makes

LINK = b"\x4c\0\0\0\x01\x14\x02\0\0\0\0\0\xc0\0\0\0\0\0\0\x46"


def counted(text: str) -> bytes:
    """Return a string of a link: its length in characters, then UTF-16."""
    return struct.pack("<H", len(text)) + text.encode("utf-16-le")


@makes("windows_lnk_file")
def shortcuts() -> Samples:
    times = struct.pack("<I3Q", 0x20, 1 << 56, 2 << 56, 3 << 56)
    head = LINK + bytes((0xFF, 0, 0, 0)) + times + struct.pack("<IiIH10s", 4, 0, 1, 0, b"")
    items = struct.pack("<HB", 20, 0x1F) + bytes(17) + struct.pack("<HB", 25, 0x2F) + b"C:\\".ljust(22, b"\0") + b"\0\0"
    volume = struct.pack("<IIII", 16 + 5, 3, 0x1234, 16) + b"Disk\0"
    path = b"C:\\a.txt\0"
    places = struct.pack("<5I", 1, 28, 28 + len(volume), 0, 28 + len(volume) + len(path) - 1)
    body = struct.pack("<I", 28) + places + volume + path
    info = struct.pack("<I", len(body) + 4) + body
    texts = b"".join(map(counted, ("A name", ".\\a.txt", "C:\\", "/open größe", "C:\\icon.ico")))
    yield head + struct.pack("<H", len(items)) + items + info + texts
    yield LINK + bytes(4) + times + struct.pack("<IiIH10s", 4, 0, 7, 0, b"")


@makes("windows_shell_items")
def shell_items() -> Samples:
    folder = struct.pack("<HB", 22, 0x1F) + b"\x50" + bytes(range(16)) + bytes(2)
    file = struct.pack("<HBB", 18, 0x32, 0) + struct.pack("<IIH", 4, 0x55554444, 0x20) + b"a.t\0"
    yield folder + file + b"\0\0"


@makes("windows_evt_log")
def events() -> Samples:
    head = struct.pack("<I4s8I", 48, b"LfLe", 1, 1, 48, 300, 2, 1, 65536, 9) + struct.pack("<II", 0, 48)
    body = (
        struct.pack("<IIIIHHH6s5I", 1, 1_700_000_000, 1_700_000_001, 42, 4, 1, 0, b"", 56, 4, 56, 3, 60) + b"sid!abc\0"
    )
    record = struct.pack("<II", len(body) + 12, 0x654C664C) + body + struct.pack("<I", len(body) + 12)
    cursor = bytes.fromhex("222222223333333344444444") + struct.pack("<4I", 48, 200, 2, 1)
    yield (
        head + record + struct.pack("<II", len(cursor) + 12, 0x11111111) + cursor + struct.pack("<I", len(cursor) + 12)
    )
