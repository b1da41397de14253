"""Small inputs that decompress to much: they are read in bounded memory, up to a limit or to their end."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

import pytest
import zstandard
from wireloom.s2 import encode_frame

from .children import MEGABYTE, measured_reads, needs_engine, needs_proc

pytestmark = [needs_proc, needs_engine]
MOST = 250 * MEGABYTE


def zeros(codec: str, megabytes: int) -> bytes:
    """Return that many zeros, compressed."""
    block = bytes(MEGABYTE)
    if codec == "zstd":
        compressor = zstandard.ZstdCompressor(level=1).compressobj()
    else:
        compressor = zlib.compressobj(1, zlib.DEFLATED, 31)
    return b"".join([compressor.compress(block) for _ in range(megabytes)]) + compressor.flush()


@pytest.mark.parametrize(
    ("name", "codec", "options", "megabytes", "tail"),
    [
        ("edgemq_segment", "zstd", (), 500, "invalid_length"),
        ("edgemq_segment", "gzip", (), 200, "invalid_length"),
        ("edgemq_segment", "zstd", ("recover=yes",), 150, "invalid_length"),
        ("word_stuffed_log", "zstd", (), 150, "clean"),
        ("cobs_log", "zstd", (), 300, "clean"),
        # A message is read as a whole, up to the 64 MiB of its limit.
        ("kpl_aggregated_record", "zstd", (), 500, "limit"),
        ("s2_session", "zstd", (), 300, "invalid_length"),
    ],
)
def test_zeros(name: str, codec: str, options: tuple[str, ...], megabytes: int, tail: str, tmp_path: Path) -> None:
    path = tmp_path / "bomb"
    path.write_bytes(zeros(codec, megabytes))
    [words], peak = measured_reads((name, path, f"codec={codec}", *options))
    assert words[0] == "0"
    assert words[2] == tail
    assert peak < min(megabytes - 10, 400) * MEGABYTE


def test_a_bomb_inside_a_bomb_is_not_opened(tmp_path: Path) -> None:
    inner = gzip.compress(zeros("zstd", 300), mtime=0)
    path = tmp_path / "nested.wal.zst"
    path.write_bytes(zstandard.ZstdCompressor().compress(inner))
    [words], peak = measured_reads(("edgemq_segment", path, "check_format=no"))
    assert words[:3] == ["0", str(len(inner)), "truncated"]
    assert peak < MOST


@pytest.mark.parametrize("compression", ["zstd", "gzip"])
def test_sessions_of_bombs(compression: str, tmp_path: Path) -> None:
    # Each frame is as large as a message may be, and consists of one unknown field.
    message = b"\x7a\xfa\xff\x7f" + bytes(2_097_146)
    frame = encode_frame(message, compression)
    assert len(frame) < 5000
    path = tmp_path / "session"
    path.write_bytes(frame * 150)
    [words], peak = measured_reads(("s2_session", path))
    assert words[:3] == ["0", str(len(frame) * 150), "clean"]
    assert peak < MOST


@pytest.mark.parametrize("compression", ["zstd", "gzip"])
def test_sessions_of_frames_beyond_the_limit(compression: str, tmp_path: Path) -> None:
    body = zeros(compression, 40)
    flag = {"zstd": 0x20, "gzip": 0x40}[compression]
    path = tmp_path / "session"
    path.write_bytes(((len(body) + 1).to_bytes(3, "big") + bytes((flag,)) + body) * 20)
    [words], peak = measured_reads(("s2_session", path, "check_format=no"))
    assert words[0] == "0"
    assert words[2:] == ["clean", "limit", "limit", "limit"]
    assert peak < MOST
