"""ZIP archives with one member as compressed files, and those that are not read or contradict themselves."""

from __future__ import annotations

import struct
import zipfile
import zlib

import pytest
import wireloom
import zstandard
from wireloom import WireloomError

from ..specs import format_of
from .test_codecs import CONTENT, decoded
from .test_stream_codecs import PLAIN, ROWS, Pipe, zipped


def streamed_zip(method: int) -> bytes:
    out = bytearray()

    class Sink:
        def write(self, data: bytes) -> int:
            out.extend(data)
            return len(data)

        def flush(self) -> None:
            pass

    with zipfile.ZipFile(Sink(), "w", method) as archive, archive.open("a.log", "w") as member:
        member.write(CONTENT)
    return bytes(out)


def zip_of_zstd() -> bytes:
    content = zstandard.compress(CONTENT)
    sizes = struct.pack("<IIIHH", zlib.crc32(CONTENT), len(content), len(CONTENT), 5, 0)
    member = struct.pack("<HHHI", 63, 0, 93, 0) + sizes
    entry = b"PK\1\2\x3f\0" + member + bytes(14) + b"a.log"
    begin = len(member) + 4 + 5 + len(content)
    end = b"PK\5\6" + struct.pack("<4H2IH", 0, 0, 1, 1, len(entry), begin, 0)
    return b"PK\3\4" + member + b"a.log" + content + entry + end


@pytest.mark.parametrize("whole", [zip_of_zstd(), streamed_zip(zipfile.ZIP_DEFLATED)], ids=["zstd", "streamed"])
def test_archives(whole: bytes) -> None:
    assert decoded("zip", whole) == decoded("zip", Pipe(whole)) == (CONTENT, None)


def encrypted() -> bytes:
    whole = bytearray(zipped())
    whole[6] |= 1
    return bytes(whole)


REFUSED = {
    "several members": (zipped(ROWS, "a", "b"), "has several members, and only a single one is read: extract them"),
    "no member": (b"PK\5\6" + bytes(18), "has no member"),
    "encrypted": (encrypted(), "is encrypted: decrypt it first"),
    "another method": (zipped(method=zipfile.ZIP_LZMA), "compressed with method 14, which is not supported"),
    "stored as a stream": (streamed_zip(zipfile.ZIP_STORED), "compressed with method 0 as a stream"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_archives_that_are_not_read(name: str) -> None:
    whole, message = REFUSED[name]
    with pytest.raises(WireloomError, match=message):
        wireloom.read(format_of(PLAIN, "plain_rows"), whole)
    assert message in str(decoded("zip", Pipe(whole))[1])


@pytest.mark.parametrize(
    ("place", "error"),
    [
        (14, "the header of its member"),
        (22, "the header of its member"),
        (-30, "its directory"),
        (-56, "its directory"),
        (-12, "the end of its directory"),
        (-6, "the end of its directory"),
    ],
)
def test_archives_that_contradict_themselves(place: int, error: str) -> None:
    whole = bytearray(zipped())
    whole[place] ^= 1
    assert f"{error} contradicts the content of the zip archive" in str(decoded("zip", whole)[1])
    assert decoded("zip", whole)[0] == CONTENT


@pytest.mark.parametrize("size", [4, 29, 40, -1, -22, -23, -60])
def test_archives_that_are_cut(size: int) -> None:
    found, error = decoded("zip", zipped()[:size])
    assert CONTENT.startswith(found)
    assert "compressed stream ends early" in str(error)
