"""Compressed EdgeMQ segments, with damage to the stored bytes.

Every frame is returned that is in the decompressed content of the stored bytes before the first damage; and every
payload that is returned was written, whatever a decompressor makes of damaged bytes.
"""

from __future__ import annotations

import random
import zlib
from dataclasses import dataclass
from typing import Any

import zstandard

from .case import Case, require, require_tiling
from .edgemq import COLUMNS, Segments, extent_of, require_row, segments, values_of

MAGICS = {"zstd": b"\x28\xb5\x2f\xfd", "gzip": b"\x1f\x8b\x08"}
PIECE = 400
"""Number of bytes of a segment after which a compressor begins a new block, so that damage in one block does not affect
those before it."""


@dataclass
class Stored(Segments):
    """``content`` and ``other`` are compressed."""

    codec: str = ""


def zstd(source: random.Random, data: bytes) -> bytes:
    """Return blocks in one zstd frame or several, with and without checksums, occasionally with a skippable frame."""
    made = b""
    for part in _parts(source, data):
        compressor = zstandard.ZstdCompressor(level=3, write_checksum=source.random() < 0.5).compressobj()
        for begin in range(0, len(part), PIECE):
            made += compressor.compress(part[begin : begin + PIECE])
            made += compressor.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
        made += compressor.flush()
        if source.random() < 0.1:
            made += b"\x50\x2a\x4d\x18\x05\x00\x00\x00hello"
    return made


def gzip(source: random.Random, data: bytes) -> bytes:
    """Return blocks in one gzip member or several."""
    made = b""
    for part in _parts(source, data):
        compressor = zlib.compressobj(6, zlib.DEFLATED, 31)
        for begin in range(0, len(part), PIECE):
            made += compressor.compress(part[begin : begin + PIECE]) + compressor.flush(zlib.Z_SYNC_FLUSH)
        made += compressor.flush()
    return made


def _parts(source: random.Random, data: bytes) -> list[bytes]:
    if source.random() < 0.6 or not data:
        return [data]
    cut = source.randrange(len(data))
    return [data[:cut], data[cut:]]


def beginning(codec: str, stored: bytes) -> bytes:
    """Return the decompressed content of these first bytes of a stored file."""
    made = b""
    if codec == "gzip":
        while stored:
            member = zlib.decompressobj(31)
            made += member.decompress(stored)
            stored = member.unused_data
        return made
    while stored:
        if stored[:1] == b"\x50":
            stored = stored[13:]
            continue
        frame = zstandard.ZstdDecompressor().decompressobj()
        made += frame.decompress(stored)
        stored = frame.unused_data
    return made


class Compressed:
    """See the module. ``codec``: ``zstd`` or ``gzip``."""

    tokens = (b"\x28\xb5\x2f\xfd", b"\x1f\x8b\x08\x00", b"\x00\x00\x00\x0d", bytes(8), b"\xff" * 4)

    def __init__(self, codec: str) -> None:
        self.name = f"edgemq_segment in {codec}"
        self._codec = codec

    def sample(self, source: random.Random) -> Stored:
        """As ``Subject.sample``."""
        raw = segments(source, "layout")
        compress = zstd if self._codec == "zstd" else gzip
        content, other = compress(source, raw.content), compress(source, raw.other)
        return Stored(content, other, raw.frames, raw.stride, raw.payloads, self._codec)

    def check(self, case: Case) -> None:
        """As ``Subject.check``."""
        sample: Stored = case.sample
        content = case.damaged.content
        rows, report = case.read(
            "edgemq_segment",
            columns=COLUMNS,
            recover=case.source.random() < 0.5,
            prefetch=case.source.random() < 0.3,
            stride="layout",
        )
        for row in rows:
            data = row["payload"]
            require(not data or data in sample.payloads, f"the payload at {row['_offset']} was never written")
        found = {row["_offset"]: values_of(row) for row in rows}
        first = case.damaged.stretches[0] if case.damaged.stretches else None
        sound = first.end if first is not None and first.origin == 0 else 0
        good = len(beginning(self._codec, content[:sound]))
        for frame in sample.frames:
            if frame.end > good:
                continue
            case.counts["intact"] += 1
            require(found.get(frame.begin) == frame.values, f"the frame at {frame.begin}, before damage, is missing")
            case.counts["out"] += 1
        case.counts["unseen"] += len(set(found.values()) - {each.values for each in sample.frames})
        if sound == len(content) and report["tail"] != "truncated":
            require(not report["damaged"], "damage is reported where there is none")
        self._require_accounted(rows, report)
        whole = self._whole(content)
        if whole is not None:
            for row in rows:
                require_row(row, whole, sample.payloads)
            if report["tail_size"] is not None:
                reached = report["tail_offset"] + report["tail_size"]
                require(reached == len(whole), f"the tail ends at {reached} of {len(whole)} bytes")

    def _require_accounted(self, rows: list[dict[str, Any]], report: dict[str, Any]) -> None:
        """Check that all bytes up to the tail belong to a row or a damaged range. The length of the tail is unknown if
        the codec failed and no member followed."""
        end = report["tail_offset"]
        require_tiling([extent_of(row, 0, report["bytes"]) for row in rows], {**report, "tail": "clean"}, end)
        failed = [at for at, size, reason in report["damaged"] if reason == "codec" and not size]
        if report["tail_size"] is not None:
            # Gaps between members, after each of which reading has continued.
            require(all(at <= end for at in failed), f"reading has continued after {failed}, and ended at {end}")
            failed = []
        require(len([at for at in failed if at >= end]) <= 1, f"the codec failed at {failed}")
        failed = failed[-1:]
        require((report["tail_size"] is None) == bool(failed), "the size of the tail is not known, or cannot be")
        if failed:
            require(report["tail"] != "clean", "the codec failed, and the tail is clean")
            require(failed[0] >= end, f"the codec failed at {failed[0]}, before the tail at {end}")
        if report["tail"] == "clean":
            require(end == report["bytes"], f"{report['bytes']} bytes were read, and the last row ends at {end}")
            require(report["tail_size"] == 0, f"a clean tail has {report['tail_size']} bytes")

    def _whole(self, content: bytes) -> bytes | None:
        """Return the decompressed content; ``None`` if it cannot be decompressed, or is empty, in which case it counts
        as not compressed."""
        if not content.startswith(MAGICS[self._codec]):
            return None
        try:
            return beginning(self._codec, content) or None
        except (zlib.error, zstandard.ZstdError):
            return None


ZSTD = Compressed("zstd")
GZIP = Compressed("gzip")
