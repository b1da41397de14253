"""Tables, catalogues, logs and fonts."""

from __future__ import annotations

import sqlite3
import struct
import sys
import tempfile
from pathlib import Path

from tests.conformance.gallery.samples import Samples, existing, makes, run

CATALOGUE = """
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"
msgid "size"
msgstr "Größe"
msgid "file"
msgid_plural "files"
msgstr[0] "Datei"
msgstr[1] "Dateien"
"""


@makes("sqlite3")
def sqlite() -> Samples:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "made.db")
        connection = sqlite3.connect(path)
        connection.execute("create table t (a integer primary key, b text, c real, d blob)")
        values = [(each, "x" * (each % 90), each / 3, bytes(each % 7)) for each in range(300)]
        connection.executemany("insert into t values (?, ?, ?, ?)", [*values, (1000, None, None, None)])
        connection.execute("create index i on t (b, c)")
        connection.commit()
        connection.close()
        yield path.read_bytes()


@makes("gettext_mo")
def catalogues() -> Samples:
    for order in ("little", "big"):
        yield run("msgfmt", f"--endianness={order}", "-o", "-", "-", given=CATALOGUE.encode())


@makes("gettext_mo")
def catalogue_without_hashes() -> Samples:
    texts = b"size\0Gr\xc3\xb6\xc3\x9fe\0"
    yield struct.pack("<4s8I", b"\xde\x12\x04\x95", 0, 1, 28, 36, 0, 0, 4, 44) + struct.pack("<2I", 7, 49) + texts


@makes("dbf")
def dbase() -> Samples:
    def column(name: bytes, kind: bytes, size: int) -> bytes:
        return struct.pack("<11scIBB2sB2sB8s", name, kind, 0, size, 0, b"", 0, b"", 0, b"")

    columns = column(b"NAME", b"C", 10) + column(b"AGE", b"N", 3)
    head = struct.pack("<BBBBIHH", 3, 126, 7, 21, 2, 32 + len(columns) + 1, 14)
    rows = b" " + b"Nobody".ljust(10) + b" 42" + b"*" + b"Deleted".ljust(10) + b"  7"
    yield head + bytes(20) + columns + b"\r" + rows + b"\x1a"


@makes("tsm")
def time_series() -> Samples:
    block = struct.pack(">I", 0x12345678) + b"block of values"
    entry = struct.pack(">H3sBH", 3, b"cpu", 0, 1) + struct.pack(">QQQI", 1, 2, 5, len(block))
    yield b"\x16\xd1\x16\xd1\1" + block + entry + struct.pack(">Q", 5 + len(block))


@makes("ttf")
def fonts() -> Samples:
    places = [Path(each, "matplotlib/mpl-data/fonts/ttf/DejaVuSans.ttf") for each in sys.path]
    for path in existing("/usr/share/fonts/truetype/*/DejaVuSans-Bold.ttf", *(str(each) for each in places)):
        yield path.read_bytes()


@makes("glibc_utmp")
def logins() -> Samples:
    def record(kind: int, user: bytes) -> bytes:
        texts = struct.pack("<32s4s32s256s", b"pts/0", b"ts/0", user, b"example.com")
        return (
            struct.pack("<ii", kind, 1234) + texts + struct.pack("<Iiii16s20s", 0, 7, 1_700_000_000, 500, b"\x7f", b"")
        )

    yield record(2, b"reboot") + record(7, b"nobody")


@makes("aix_utmp")
def other_logins() -> Samples:
    texts = struct.pack(">256s14s64s", b"nobody", b"id", b"tty0")
    yield texts + struct.pack(">QhqhH256si8s24s", 1234, 7, 1_700_000_000, 1, 2, b"example.com", 0, b"", b"")


@makes("hashcat_restore")
def restore_point() -> Samples:
    head = struct.pack("<I256sII4sQI12s", 340, b"/home/nobody", 1, 2, b"", 12345, 3, b"")
    yield head + b"./hashcat\n-m\n2500\n"


@makes("shapefile_index")
def shapes() -> Samples:
    head = struct.pack(">7i", 9994, 0, 0, 0, 0, 0, 54 + 4)
    yield head + struct.pack("<ii8d", 1000, 1, 0, 1, 2, 3, 0, 0, 0, 0) + struct.pack(">ii", 50, 10)


@makes("mcap")
def recordings() -> Samples:
    def text(value: bytes) -> bytes:
        return struct.pack("<I", len(value)) + value

    def record(kind: int, body: bytes) -> bytes:
        return struct.pack("<BQ", kind, len(body)) + body

    pairs = text(text(b"key") + text(b"value"))
    channel = record(4, struct.pack("<HH", 1, 1) + text(b"/topic") + text(b"json") + pairs)
    schema = record(3, struct.pack("<H", 1) + text(b"Point") + text(b"jsonschema") + text(b"{}"))
    message = record(5, struct.pack("<HIQQ", 1, 0, 5, 6) + b'{"x": 1}')
    inside = schema + channel + message
    chunk = record(6, struct.pack("<QQQI", 5, 5, len(inside), 0) + text(b"") + struct.pack("<Q", len(inside)) + inside)
    magic = b"\x89MCAP0\r\n"
    data = magic + record(1, text(b"") + text(b"made by hand")) + chunk
    data += record(7, struct.pack("<HI", 1, 16) + struct.pack("<QQ", 5, len(schema) + len(channel)))
    data += record(12, text(b"about") + pairs) + record(15, struct.pack("<I", 0))
    summary = len(data)
    index = struct.pack("<QQQQIHQQ", 5, 5, len(magic) + 30, 40, 10, 1, 7, 31)
    data += channel + record(8, index + text(b"") + struct.pack("<QQ", 1, 1))
    data += record(11, struct.pack("<QHIIIIQQI", 1, 1, 1, 0, 1, 1, 5, 5, 10) + struct.pack("<HQ", 1, 1))
    offsets = len(data)
    data += record(14, struct.pack("<BQQ", 4, summary, len(channel)))
    yield data + record(2, struct.pack("<QQI", summary, offsets, 0)) + magic
