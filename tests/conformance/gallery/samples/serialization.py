"""Serialised values, and keys."""

from __future__ import annotations

import base64
import pickle
import struct
import tempfile
from pathlib import Path

from tests.conformance.gallery.samples import Samples, makes, run

NESTED = {"a": [1, -2, 3.5, None, True], "größe": ("x", b"bytes"), "many": list(range(300)), "big": 1 << 80}


@makes("python_pickle")
def pickles() -> Samples:
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        yield pickle.dumps(NESTED, protocol)


@makes("bson")
def bson() -> Samples:
    def document(*elements: bytes) -> bytes:
        body = b"".join(elements)
        return struct.pack("<i", len(body) + 5) + body + b"\0"

    def text(value: str) -> bytes:
        data = value.encode() + b"\0"
        return struct.pack("<i", len(data)) + data

    identity = bytes(range(12))
    yield document(
        b"\1double\0" + struct.pack("<d", 2.5),
        b"\2text\0" + text("größe"),
        b"\3inner\0" + document(b"\x10one\0" + struct.pack("<i", -1)),
        b"\4list\0" + document(b"\x080\0\1", b"\n1\0"),
        b"\5data\0" + struct.pack("<iB", 3, 0) + b"abc",
        b"\5old\0" + struct.pack("<iBi", 7, 2, 3) + b"abc",
        b"\7id\0" + identity,
        b"\x09when\0" + struct.pack("<q", 1_700_000_000_000),
        b"\x0bpattern\0a+\0i\0",
        b"\x0cpointer\0" + text("db.table") + identity,
        b"\x0dcode\0" + text("f()"),
        b"\x0fscoped\0" + struct.pack("<i", 30) + text("g()") + document(),
        b"\x11stamp\0" + struct.pack("<II", 3, 1_700_000_000),
        b"\x12long\0" + struct.pack("<q", 1 << 60),
        b"\xffmin\0",
        b"\x7fmax\0",
    )


@makes("msgpack")
def msgpack() -> Samples:
    yield (
        b"\x84\xa1a\x93\x01\xff\xc0\xa3key\xc3\x02\xcb"
        + struct.pack(">d", 0.1)
        + b"\xa1z\x82\xd9\x02hi\xcc\xff\xd0\x80\xc2"
    )
    yield b"\xdc" + struct.pack(">H", 20) + bytes(range(20))
    yield b"\xdd" + struct.pack(">I", 2) + b"\xca\x7f\xc0\0\0\xcd\1\2"
    yield b"\xde\0\1\xda\0\3abc\xce\1\2\3\4"
    yield b"\xdf\0\0\0\1\xdb\0\0\0\2ab\xd3" + struct.pack(">q", -5)
    yield b"\xcf" + b"\xff" * 8


@makes("google_protobuf")
def protobuf() -> Samples:
    yield b"\x08\x96\x01" + b"\x12\x07testing" + b"\x19" + bytes(8) + b"\x25\1\2\3\4" + b"\xa2\x06\x02\x08\x01"


@makes("php_serialized_value")
def php_values() -> Samples:
    for text in (
        'a:3:{s:1:"k";i:-5;i:7;b:1;s:3:"pi.";d:3.25;}',
        'O:3:"Cls":2:{s:1:"a";N;s:1:"b";a:0:{}}',
        'C:3:"Own":5:{12345}',
        'a:2:{i:0;s:1:"x";i:1;R:2;}',
        'o:1:{s:1:"p";r:1;}',
        "b:0;",
    ):
        yield text.encode()


@makes("ruby_marshal")
def ruby_values() -> Samples:
    yield b"\x04\x08[\x0ci\0i\x06i\xfai\x02\x2c\x01i\xfe\xd4\xfei\x03\xff\xff\x00i\xff\x80"
    yield b'\x04\x08{\x08:\x06aI"\x08str\x06:\x06ET:\x06b0:\x06cT'
    yield b"\x04\x08S:\x06P\x07:\x06xi\x06:\x06yF"
    yield b"\x04\x08l+\x0a" + bytes(range(10))


@makes("asn1_der")
def certificates() -> Samples:
    with tempfile.TemporaryDirectory() as folder:
        options = [
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-keyout",
            "key.pem",
            "-subj",
            "/CN=Größe/C=DE",
            "-utf8",
            "-days",
            "1",
        ]
        run("openssl", "req", "-x509", *options, "-outform", "DER", "-out", "made.der", folder=Path(folder))
        yield Path(folder, "made.der").read_bytes()
        yield run("openssl", "rsa", "-in", "key.pem", "-outform", "DER", folder=Path(folder))


@makes("asn1_der")
def plain_der() -> Samples:
    yield b"\x30\x13\x06\x03\x2a\x03\x04\x13\x02AB\x0c\x03\xc3\xb6o\x05\0\x01\x01\xff"


@makes("ssh_public_key")
def public_keys() -> Samples:
    for kind, *more in (("rsa", "-b", "2048"), ("ecdsa", "-b", "256"), ("ed25519",)):
        with tempfile.TemporaryDirectory() as folder:
            run("ssh-keygen", "-q", "-t", kind, *more, "-N", "", "-C", "made", "-f", "key", folder=Path(folder))
            yield base64.b64decode(Path(folder, "key.pub").read_bytes().split()[1])


@makes("efivar_signature_list")
def secure_boot() -> Samples:
    kind = bytes.fromhex("2616c4c14c509240aca941f936934328")
    data = bytes(range(16)) + b"\x5a" * 32
    yield b"\x27\0\0\0" + kind + struct.pack("<III", 0x1C + 2 * len(data), 0, len(data)) + data * 2


@makes("chrome_pak")
def chrome_resources() -> Samples:
    def entries(begin: int, *bodies: bytes) -> bytes:
        table, place = b"", begin + 6 * (len(bodies) + 1)
        for number, body in enumerate((*bodies, b"")):
            table += struct.pack("<HI", number + 1 if number < len(bodies) else 0, place)
            place += len(body)
        return table

    yield struct.pack("<IIB", 4, 2, 1) + entries(9, b"one", b"three") + b"onethree"
    head = struct.pack("<IB3sHH", 5, 1, b"", 2, 1)
    table = entries(len(head) + 4, b"one", b"three")
    yield head + table + struct.pack("<HH", 77, 1) + b"onethree"


@makes("microsoft_cfb")
def compound_file() -> Samples:
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH6s", 62, 3, 0xFFFE, 9, 6, b"")
    head += struct.pack("<9i", 0, 1, 1, 0, 4096, -2, 0, -2, 0) + struct.pack("<109i", 0, *[-1] * 108)
    fat = struct.pack("<128i", -3, -2, *[-1] * 126)

    def entry(name: str, kind: int, child: int) -> bytes:
        text = name.encode("utf-16-le")
        made = text.ljust(64, b"\0") + struct.pack("<HBBiii", len(text) + 2, kind, 1, -1, -1, child)
        return made + bytes(16) + struct.pack("<IQQiII", 0, 0, 0, -2, 0, 0)

    yield head + fat + entry("Root Entry", 5, 1) + entry("Stream", 2, -1) + bytes(256)
