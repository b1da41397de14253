"""Streams that fail once, and insufficient memory: what came before is returned, and the report says why."""

from __future__ import annotations

import io

import pytest
import wireloom
import zstandard
from wireloom.codecs.zstd import ZstdDecoder

from ..unit.reading.samples import frame, frames, payloads


class FailsOnce(io.RawIOBase):
    """Returns some bytes, then an error, and then nothing, like a broken connection."""

    def __init__(self, content: bytes) -> None:
        self._pieces: list[bytes | None] = [content, None]

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        piece = self._pieces.pop(0) if self._pieces else b""
        if piece is None:
            raise OSError("the connection was cut")
        memoryview(buffer)[: len(piece)] = piece  # type: ignore[arg-type]  # io says no more of it
        return len(piece)


@pytest.mark.parametrize("prefetch", [False, True])
@pytest.mark.parametrize("codec", ["auto", "none"])
@pytest.mark.parametrize("compressed", [False, True])
def test_an_error_is_not_forgotten(codec: str, compressed: bool, prefetch: bool) -> None:
    content = frames(payloads(10))
    if compressed:
        content, codec = zstandard.ZstdCompressor().compress(content), "zstd" if codec == "none" else codec
    table, report = wireloom.read_with_report("edgemq_segment", FailsOnce(content), codec=codec, prefetch=prefetch)
    assert table.num_rows == 10
    [file] = report.files
    assert file.error == f"reading failed at stored byte {len(content)}: the connection was cut"
    assert (file.tail, [each.reason for each in file.damaged]) == ("truncated", ["missing"])


@pytest.mark.parametrize("prefetch", [False, True])
def test_memory_that_does_not_suffice(prefetch: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    # Three members, the last of which cannot be decompressed.
    content = b"".join(zstandard.ZstdCompressor().compress(frame(each)) for each in payloads(3))
    original = ZstdDecoder.readinto
    calls: list[int] = []

    def scarce(decoder: ZstdDecoder, buffer: memoryview, /) -> int:
        calls.append(1)
        if len(calls) == 3:
            raise MemoryError
        return original(decoder, buffer)

    monkeypatch.setattr(ZstdDecoder, "readinto", scarce)
    table, report = wireloom.read_with_report("edgemq_segment", content, prefetch=prefetch)
    assert table.num_rows == 2
    [file] = report.files
    assert file.error == "not enough memory to decompress the input"
    assert [each.reason for each in file.damaged] == ["codec"]
