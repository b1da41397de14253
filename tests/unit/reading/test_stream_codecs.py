"""xz, bzip2, lz4, Snappy's framing and ZIP as codecs of files: what the tools and libraries write, cut and damaged."""

from __future__ import annotations

import bz2
import io
import lzma
import random
import shutil
import struct
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cramjam
import lz4.frame
import pytest
import wireloom
from hypothesis import given, settings
from hypothesis import strategies as st
from wireloom import WireloomError, codecs
from wireloom.base.errors import MissingExtraError
from wireloom.codecs import CODECS
from wireloom.codecs.codec import Resumable
from wireloom.reading.identification import identify

from ...examples import examples
from ..specs import format_of
from .running import ROW_READERS, read
from .test_codecs import CONTENT, SKIPPABLE, decoded, stored

PLAIN = """
meta:
  id: plain_rows
  endian: le
  -wireloom: {rows: rows, columns: [number]}
seq:
  - {id: rows, type: row, repeat: eos}
types:
  row: {seq: [{id: number, type: u4}]}
"""
NUMBERS = [number * number % 9973 for number in range(60_000)]
ROWS = struct.pack(f"<{len(NUMBERS)}I", *NUMBERS)


def zipped(content: bytes = CONTENT, *names: str, method: int = zipfile.ZIP_DEFLATED, large: bool = False) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name in names or ("a.log",):
            info = zipfile.ZipInfo(name)
            info.compress_type = method
            with archive.open(info, "w", force_zip64=large) as member:
                member.write(content)
    return file.getvalue()


def lz4_frame(content: bytes = CONTENT, **options: Any) -> bytes:
    return bytes(lz4.frame.compress(content, **options))


LIBRARIES: dict[str, tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]]] = {
    "xz": (lzma.compress, lzma.decompress),
    "bzip2": (lambda data: bz2.compress(data, 1), bz2.decompress),
    "lz4": (lambda data: lz4_frame(data, content_checksum=True, block_size=4), lz4.frame.decompress),
    "snappy-framed": (
        lambda data: bytes(cramjam.snappy.compress(data)),
        lambda data: bytes(cramjam.snappy.decompress(data)),
    ),
    "zlib": (zlib.compress, zlib.decompress),
    "zip": (zipped, lambda data: zipfile.ZipFile(io.BytesIO(data)).read("a.log")),
}
"""By codec: another library's compressor, and its decompressor of a whole stream."""
STREAMS = {
    "xz of several streams": ("xz", lzma.compress(CONTENT[:999]) + bytes(8) + lzma.compress(CONTENT[999:]) + bytes(4)),
    "xz with filters": (
        "xz",
        lzma.compress(
            CONTENT, check=lzma.CHECK_SHA256, filters=[{"id": lzma.FILTER_DELTA, "dist": 4}, {"id": lzma.FILTER_LZMA2}]
        ),
    ),
    "xz without check": ("xz", lzma.compress(CONTENT, check=lzma.CHECK_NONE, preset=0)),
    "bzip2 of several streams": ("bzip2", bz2.compress(CONTENT[:300_001], 1) + bz2.compress(CONTENT[300_001:], 2)),
    "bzip2 of empty streams": ("bzip2", bz2.compress(b"") + bz2.compress(CONTENT) + bz2.compress(b"")),
    "lz4 of linked blocks": ("lz4", lz4_frame(block_linked=True, block_size=4)),
    "lz4 of independent blocks": ("lz4", lz4_frame(block_linked=False, block_size=5, block_checksum=True)),
    "lz4 of large blocks": ("lz4", lz4_frame(block_size=7, content_checksum=True, store_size=True)),
    "lz4 of several frames": ("lz4", SKIPPABLE + lz4_frame(CONTENT[:7]) + SKIPPABLE + lz4_frame(CONTENT[7:])),
    "zip64": ("zip", zipped(large=True)),
    "zip that is stored": ("zip", zipped(method=zipfile.ZIP_STORED)),
}
TOOLS = [
    ("xz", "xz -c -9 -T2 --block-size=100000 FILE"),
    ("xz", "xz -c -0 --check=crc32 --x86 --lzma2 FILE"),
    ("bzip2", "bzip2 -c -1 FILE"),
    ("bzip2", "bzip2 -c FILE"),
    ("lz4", "lz4 -c -q FILE"),
    ("lz4", "lz4 -c -q -9 -B4 -BD FILE"),
    ("lz4", "lz4 -c -q -BX --no-frame-crc --content-size FILE"),
    ("zip", "zip -q -j - FILE"),
    ("zip", "zip -q -j -fz - FILE"),
    ("zip", "zip -q -j -0 FILE.zip FILE && cat FILE.zip"),
]


class Pipe(io.RawIOBase):
    """Bytes that can be read only once."""

    def __init__(self, data: bytes) -> None:
        self._file = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        return self._file.readinto(buffer)


@pytest.fixture
def plain() -> wireloom.Format:
    return format_of(PLAIN, "plain_rows")


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("room", [1000, 1 << 20])
def test_streams(name: str, room: int) -> None:
    codec, data = STREAMS[name]
    assert decoded(codec, data, room) == (CONTENT, None)
    assert decoded(codec, Pipe(data), room) == (CONTENT, None)
    assert codecs.detect(data[: codecs.HEAD], "", "none") == codec


@pytest.mark.slow
@pytest.mark.parametrize(("codec", "command"), TOOLS)
def test_files_of_the_tools(codec: str, command: str, tmp_path: Path) -> None:
    if shutil.which(command.split()[0]) is None:
        pytest.skip(f"{command.split()[0]} is not installed; streams of the libraries are read in any case")
    (tmp_path / "file").write_bytes(CONTENT)
    run = subprocess.run(command.replace("FILE", "file"), shell=True, cwd=tmp_path, check=True, capture_output=True)
    assert decoded(codec, run.stdout) == decoded(codec, Pipe(run.stdout)) == (CONTENT, None)
    assert codecs.detect(run.stdout[: codecs.HEAD], "", "none") == codec


@pytest.mark.parametrize("codec", LIBRARIES)
@settings(max_examples=examples(60), deadline=None)
@given(data=st.data())
def test_cuts_and_flips(codec: str, data: st.DataObject) -> None:
    """The library accepts a damaged stream only with its content, and so do we; what is read before damage is right in
    formats whose blocks are verified before they are returned."""
    compress, decompress = LIBRARIES[codec]
    randomness = random.Random(data.draw(st.integers(0, 1000)))
    parts = [randomness.randbytes(randomness.randrange(60)) * randomness.randrange(1, 999) for _ in range(9)]
    content = b"".join(parts) + randomness.randbytes(randomness.randrange(150_000))
    whole = bytearray(compress(content))
    assert decoded(codec, whole) == (content, None)
    cut = data.draw(st.integers(1, len(whole) - 1))
    found, error = decoded(codec, whole[:cut])
    assert content.startswith(found)
    assert error is not None or (codec == "snappy-framed" and found != content)
    whole[data.draw(st.integers(0, len(whole) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    found, error = decoded(codec, whole)
    if error is None:
        assert found == content
    elif codec in ("bzip2", "snappy-framed"):
        assert content.startswith(found)
    try:
        expected = decompress(bytes(whole))
    except Exception:
        # Libraries raise errors of many kinds.
        expected = None
    if expected == content:
        assert found == content


@pytest.mark.parametrize("codec", LIBRARIES)
def test_content_before_a_damaged_end(codec: str) -> None:
    """What follows the content does not take it away."""
    whole = bytearray(LIBRARIES[codec][0](CONTENT))
    # The checksum of zlib is its last four bytes; before these is content.
    whole[-3 if codec == "zlib" else -6] ^= 0xFF
    found, error = decoded(codec, whole)
    assert CONTENT.startswith(found)
    assert len(found) > len(CONTENT) - (1 << 16)
    assert error is not None


def test_other_bytes_after_a_stream() -> None:
    for codec, (compress, _) in LIBRARIES.items():
        found, error = decoded(codec, compress(CONTENT) + b"other")
        assert found == CONTENT, codec
        assert error is not None, codec
    found, error = decoded("xz", lzma.compress(CONTENT) + bytes(3))
    assert (found, "multiple of four" in str(error)) == (CONTENT, True)


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("codec", [name for name in CODECS if name != "none"])
def test_rows_without_checksum(row_reader: str, codec: str, plain: wireloom.Format, tmp_path: Path) -> None:
    """Compressed bytes are never read as rows, whatever the name of the file is."""
    for name in ("a.log", f"b.log{codecs.suffix_of(codec).upper()}"):
        wireloom.write(plain, [{"number": each} for each in NUMBERS], tmp_path / name, codec=codec)
        for again in (None, 700):
            table, report = read(row_reader, plain, tmp_path / name, chunk=again)
            assert table["number"].to_pylist() == NUMBERS
            assert report["tail"] == "clean"
    assert wireloom.read(plain, [tmp_path / "a.log"] * 2).num_rows == 2 * len(NUMBERS)
    data = (tmp_path / "a.log").read_bytes()
    assert wireloom.read(plain, data, codec="none").num_rows == len(data) // 4


@pytest.mark.parametrize("codec", [name for name in CODECS if name != "none"])
def test_the_codec_is_identified(codec: str, plain: wireloom.Format, tmp_path: Path) -> None:
    for name in ("a.log", f"b.log{codecs.suffix_of(codec).upper()}"):
        # A few rows: each of them is tried in every format.
        wireloom.write(plain, [{"number": each} for each in NUMBERS[:100]], tmp_path / name, codec=codec)
    assert {each.codec for each in identify(str(tmp_path))} == {codec}


@pytest.mark.parametrize("codec", [name for name in CODECS if name != "none"])
def test_a_name_that_lies(codec: str, plain: wireloom.Format, tmp_path: Path) -> None:
    path = tmp_path / f"a{codecs.suffix_of(codec)}"
    path.write_bytes(ROWS)
    with pytest.raises(WireloomError, match=f"not an? {codec} stream, though its name ends in"):
        wireloom.read(plain, path)
    for size in range(1, 4):
        assert codecs.detect(b"\xfd7zXZ\0"[:size], "a.xz", "none") == "xz"
    assert codecs.detect(b"\xfd7zXZ", "a.xz", "none") == "xz"


# bzip2 after damage ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_a_damaged_block_of_bzip2_costs_its_rows(row_reader: str) -> None:
    format = format_of(
        PLAIN.replace("{id: number, type: u4}", "{id: number, type: u4}, {id: crc, type: u4, -wireloom: {checksum: "
                      "{algorithm: crc32, over: number}}}"),
        "summed_rows",
    )  # fmt: skip
    rows = [struct.pack("<I", each) for each in range(60_000)]
    content = b"".join(each + struct.pack("<I", zlib.crc32(each)) for each in rows)
    whole = bz2.compress(content, 1) + bz2.compress(content[:8000])
    for place in (len(whole) // 2, len(whole) // 3):
        damaged = bytearray(whole)
        damaged[place] ^= 4
        table, report = read(row_reader, format, bytes(damaged), recover=True, columns=["number"])
        numbers = table["number"].to_pylist()
        assert numbers[-1000:] == [*range(1000)]
        assert numbers[:-1000] == sorted(set(numbers[:-1000]))
        assert 60_000 - 2 * 100_000 // 8 < len(numbers) - 1000 < 60_000
        assert report["tail"] == "clean"
        assert "codec" in {reason for _, _, reason in report["damaged"]}


@pytest.mark.slow
def test_damaged_numbers_between_blocks_of_bzip2() -> None:
    """Of each block, the content is returned if its checksum is right; the search goes through anything."""
    content = random.Random(5).randbytes(350_000)
    whole = bz2.compress(content, 1)
    bits = bin(int.from_bytes(whole, "big"))[2:].zfill(8 * len(whole))
    number = bin(0x314159265359)[2:].zfill(48)
    places = [at for at in range(len(bits)) if bits.startswith(number, at)]
    assert len(places) == 4
    for at in [*places[1:], len(bits) - 84]:
        damaged = bytearray(whole)
        damaged[at // 8 + 2] ^= 8
        decoder, buffer, found = (
            codecs.decoder("bzip2", stored(bytes(damaged) + bytes(5_000_000) + whole)),
            bytearray(1 << 20),
            bytearray(),
        )
        assert isinstance(decoder, Resumable)
        while True:
            try:
                while count := decoder.readinto(memoryview(buffer)):
                    found += buffer[:count]
                break
            except codecs.CodecError:
                if not decoder.resume():
                    break
        before = min(len(content), (places.index(at) if at in places else 4) * 100_000 - 100)
        assert bytes(found).startswith(content[: before - 1000])
        assert bytes(found).endswith(content)


# Limits ---------------------------------------------------------------------------------------------------------------


def test_the_dictionary_of_xz_is_limited() -> None:
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 24}]
    whole = lzma.compress(CONTENT, filters=filters)
    assert decoded("xz", whole, max_window=1 << 24) == (CONTENT, None)
    found, error = decoded("xz", whole, max_window=(1 << 24) - (1 << 20))
    assert found == b""
    assert "larger dictionary than the limit of 15728640 bytes: raise max_window" in str(error)


def test_dictionaries_and_blocks_of_lz4() -> None:
    whole = bytearray(lz4_frame(block_size=4))
    whole[4] |= 1
    assert "needs a dictionary" in str(decoded("lz4", whole)[1])
    whole = bytearray(lz4_frame(block_size=4))
    whole[15:19] = (1 << 20).to_bytes(4, "little")
    assert "1048576 bytes, where at most 65536 can be" in str(decoded("lz4", whole)[1])


# What is not decompressed ---------------------------------------------------------------------------------------------


OWN = """
meta:
  id: own_rows
  endian: le
  file-extension: [zip, bz2]
  -wireloom: {rows: rows, columns: [number]}
seq:
  - BEGIN
  - {id: rows, type: row, repeat: eos}
types:
  row: {seq: [{id: number, type: u4}]}
  head: {seq: [{id: first, contents: P}, {id: magic, type: u2, valid: 0x034b}]}
"""


@pytest.mark.parametrize(
    ("begin", "data"),
    [
        ("{id: magic, contents: BZh}", b"BZh91AY&SY" + bytes(1)),
        ("{id: magic, contents: BZh91AY&SY}", b"BZh91AY&SY" + bytes(8)),
        ("{id: magic, contents: PK}", b"PK\3\4" + bytes(6)),
        ("{id: head, type: head}", b"PK\3" + bytes(8)),
        ('{id: magic, contents: [0xfd, "7zXZ", 0]}', b"\xfd7zXZ\0" + bytes(8)),
    ],
)
def test_formats_that_begin_like_a_codec(begin: str, data: bytes, tmp_path: Path) -> None:
    format = format_of(OWN.replace("BEGIN", begin), "own_rows")
    for name in ("a.zip", "a.bz2", "a.log", "a.xz"):
        (tmp_path / name).write_bytes(data)
        assert wireloom.read(format, tmp_path / name).num_rows == 2
    rows = wireloom.read(format, data).to_pylist()
    for name in ("again.zip", "packed.gz"):
        wireloom.write(format, rows, tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(b"\x1f\x8b" if name == "packed.gz" else data[:2])
        assert wireloom.read(format, tmp_path / name).to_pylist() == rows


def test_without_the_package_of_lz4(plain: wireloom.Format, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        (tmp_path / f"{number}.log").write_bytes(lz4_frame(ROWS))
    monkeypatch.setitem(sys.modules, "lz4", None)
    message = r"the codec lz4 needs the package lz4: pip install 'wireloom\[lz4\]'"
    for source in (tmp_path, tmp_path / "1.log", lz4_frame(ROWS)):
        with pytest.raises(MissingExtraError, match=message):
            wireloom.read(plain, source)
    with pytest.raises(MissingExtraError, match=message):
        wireloom.write(plain, [{"number": 1}], tmp_path / "a.lz4")
    with pytest.raises(MissingExtraError, match=message):
        identify(tmp_path / "1.log")
