"""Small inputs that decompress to much: they are read in bounded memory, up to a limit or to their end."""

from __future__ import annotations

import gzip
from pathlib import Path

import zstandard
from wireloom import codecs
from wireloom.s2 import encode_frame

from .children import MEGABYTE, measured_reads, needs_engine, needs_proc

pytestmark = [needs_proc, needs_engine]
MOST = 100 * MEGABYTE


def zeros(codec: str, megabytes: int) -> bytes:
    """Return that many zeros, compressed."""
    block = bytes(MEGABYTE)
    compressor = codecs.compressor(codec, 9 if codec == "bzip2" else 1 if codecs.CODECS[codec].levels else None)
    return b"".join([bytes(compressor.compress(block)) for _ in range(megabytes)]) + compressor.flush()


ZEROS = (
    ("edgemq_segment", "zstd", (), "invalid_length"),
    ("edgemq_segment", "gzip", (), "invalid_length"),
    ("edgemq_segment", "zstd", ("recover=yes",), "invalid_length"),
    ("word_stuffed_log", "zstd", (), "clean"),
    ("cobs_log", "zstd", (), "clean"),
    ("s2_session", "zstd", (), "invalid_length"),
    *(("word_stuffed_log", codec, (), "clean") for codec in ("xz", "bzip2", "lz4", "snappy-framed", "s2", "zip")),
)
"""Formats, codecs and options, and the tail that is found in zeros."""


def test_zeros(tmp_path: Path) -> None:
    """The zeros would take more memory than the process may have."""
    for codec in dict.fromkeys(codec for _, codec, _, _ in ZEROS):
        (tmp_path / codec).write_bytes(zeros(codec, 110))
    reads = [(name, tmp_path / codec, f"codec={codec}", *options) for name, codec, options, _ in ZEROS]
    found, grown = measured_reads(*reads)
    assert [(words[0], words[2]) for words in found] == [("0", tail) for *_, tail in ZEROS]
    assert grown < MOST


def test_zeros_as_one_message(tmp_path: Path) -> None:
    """A message is read as a whole, up to the 64 MiB of its limit."""
    path = tmp_path / "bomb"
    path.write_bytes(zeros("zstd", 400))
    [words], grown = measured_reads(("kpl_aggregated_record", path, "codec=zstd"))
    assert (words[0], words[2]) == ("0", "limit")
    assert grown < 320 * MEGABYTE


def test_a_bomb_inside_a_bomb_is_not_opened(tmp_path: Path) -> None:
    inner = gzip.compress(zeros("zstd", 110), mtime=0)
    path = tmp_path / "nested.wal.zst"
    path.write_bytes(zstandard.ZstdCompressor().compress(inner))
    [words], grown = measured_reads(("edgemq_segment", path, "check_format=no"))
    assert words[:3] == ["0", str(len(inner)), "truncated"]
    assert grown < MOST


def test_sessions_of_bombs(tmp_path: Path) -> None:
    # Each frame is as large as a message may be, and consists of one unknown field.
    message = b"\x7a\xfa\xff\x7f" + bytes(2_097_146)
    paths, sizes = [tmp_path / "zstd", tmp_path / "gzip"], []
    for path in paths:
        frame = encode_frame(message, path.name)
        assert len(frame) < 5000
        sizes.append(path.write_bytes(frame * 75))
    found, grown = measured_reads(*(("s2_session", path) for path in paths))
    assert [words[:3] for words in found] == [["0", str(size), "clean"] for size in sizes]
    assert grown < MOST


def test_sessions_of_frames_beyond_the_limit(tmp_path: Path) -> None:
    reads = []
    for compression, flag in (("zstd", 0x20), ("gzip", 0x40)):
        body = zeros(compression, 40)
        path = tmp_path / compression
        path.write_bytes(((len(body) + 1).to_bytes(3, "big") + bytes((flag,)) + body) * 10)
        reads.append(("s2_session", path, "check_format=no"))
    found, grown = measured_reads(*reads)
    for words in found:
        assert words[0] == "0"
        assert words[2:] == ["clean", "limit", "limit", "limit"]
    assert grown < MOST
