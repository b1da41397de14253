"""Claims in the headers of compressed streams: windows, blocks, sizes, truncated checksums."""

from __future__ import annotations

import tracemalloc
import zlib

import pytest
import wireloom
import zstandard
from wireloom import FileReport
from wireloom.codecs.gzip import STEP, GzipDecoder
from wireloom.input.inputs import MemoryInput
from wireloom.input.stored import Stored
from wireloom.s2 import MAX_CONTENT, BodyError, decompress, decompress_into

from ..unit.reading.samples import frame, frames, payloads

MAGIC = b"\x28\xb5\x2f\xfd"
CONTENT = frame(bytes(2000 - len(frame(b""))))
"""A frame of 2,000 bytes."""
SINGLE_SEGMENT, DICTIONARY = 0x20, 0x01


def block(content: bytes, *, kind: int = 0, size: int | None = None) -> bytes:
    """Return the last block of a zstd frame."""
    return ((len(content) if size is None else size) << 3 | kind << 1 | 1).to_bytes(3, "little") + content


def read(data: bytes, max_window: int = 1 << 20) -> FileReport:
    _, report = wireloom.read_with_report(
        "edgemq_segment", data, codec="zstd", max_window=max_window, check_format=False
    )
    return report.files[0]


@pytest.mark.parametrize(("exponent", "eighths"), [(0, 7), (1, 0), (1, 1), (2, 3), (3, 4), (6, 5), (9, 6)])
def test_windows(exponent: int, eighths: int) -> None:
    window = (1 << 10 + exponent) + (1 << 7 + exponent) * eighths
    data = MAGIC + bytes((0, exponent << 3 | eighths)) + block(CONTENT if window >= 2000 else frame(b"x"))
    assert (read(data, window).rows, read(data, window).clean) == (1, True)
    file = read(data, window - 1)
    assert (file.rows, file.tail) == (0, "truncated")
    expected = f"the zstd stream needs a window of {window} bytes, and the limit is {window - 1}: raise max_window"
    assert file.error == expected


@pytest.mark.parametrize(("flag", "size"), [(1, (2000 - 256).to_bytes(2, "little")), (2, b"\xd0\7\0\0")])
def test_content_that_is_its_own_window(flag: int, size: bytes) -> None:
    data = MAGIC + bytes((flag << 6 | SINGLE_SEGMENT,)) + size + block(CONTENT)
    assert (read(data, 2000).rows, read(data, 2000).clean) == (1, True)
    file = read(data, 1999)
    assert file.rows == 0
    assert file.error == "the zstd stream needs a window of 2000 bytes, and the limit is 1999: raise max_window"


@pytest.mark.parametrize("kind", [0, 1, 2])
def test_blocks_that_claim_too_much(kind: int) -> None:
    header = MAGIC + bytes((0, 10 << 3))
    data = header + block(CONTENT, kind=kind, size=128 * 1024 + 1) + bytes(300_000)
    assert read(data).error == f"the zstd block at compressed byte {len(header)} is damaged"


def test_dictionaries() -> None:
    data = MAGIC + bytes((SINGLE_SEGMENT | 2 << 6 | DICTIONARY, 7)) + (2000).to_bytes(4, "little") + block(CONTENT)
    assert read(data).error == "the zstd stream needs a dictionary, which wireloom does not support"
    nothing = data[:5] + b"\0" + data[6:]
    assert (read(nothing).rows, read(nothing).clean) == (1, True)


@pytest.mark.parametrize("left", [0, 1, 2, 3])
def test_content_checksums_that_are_cut_off(left: int) -> None:
    content = frames(payloads(10))
    whole = zstandard.ZstdCompressor(write_checksum=True).compress(content)
    assert read(whole).clean
    file = read(whole[: len(whole) - 4 + left])
    assert (file.rows, file.tail) == (10, "truncated")
    assert file.error == "compressed stream ends early, inside a content checksum"


def test_gzip_is_decompressed_step_by_step() -> None:
    """Regardless of the output of a step, the next one waits until it has been read."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, 31)
    data = b"".join([compressor.compress(bytes(1_000_000)) for _ in range(80)]) + compressor.flush()
    decoder = GzipDecoder(Stored(MemoryInput(None, len(data), content=memoryview(data)).open(), len(data)))
    target = memoryview(bytearray(1000))
    tracemalloc.start()
    try:
        assert decoder.readinto(target) == 1000
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4 * 1032 * STEP


@pytest.mark.parametrize("size", [2000, 20_000, 100_000])
@pytest.mark.parametrize("exponent", [13, 14, 17, 18])
def test_windows_of_bodies(exponent: int, size: int) -> None:
    """A body of a session may have a window that is larger than usual (8 MiB), up to 128 MiB."""
    content = bytes(range(250)) * (size // 250)
    data = MAGIC + bytes((0, exponent << 3)) + block(content)
    target = memoryview(bytearray(MAX_CONTENT + 1))
    if exponent < 18:
        assert decompress(data, "zstd") == content
        assert bytes(target[: decompress_into(memoryview(data), "zstd", target)]) == content
        return
    for call in (lambda: decompress(data, "zstd"), lambda: decompress_into(memoryview(data), "zstd", target)):
        with pytest.raises(BodyError, match="the zstd body is damaged") as caught:
            call()
        assert caught.value.reason == "codec"
