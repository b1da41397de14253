"""The engine compared with its bounds: the decompressor alone, and a copy of the same bytes."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import zstandard

from .data import delimiters_log, drain, segment, segment_of, stuffed_log
from .measure import Comparison, Work


def fresh_copy(data: bytes) -> Work:
    """Copy the bytes at once into new memory. Creating its pages costs more than the copy, so this is shown only for
    comparison, without a target."""
    return Work("memory copy, into new memory", len(data), lambda: bytearray(data))


def copy_of(data: bytes) -> Work:
    """Copy the bytes at once into memory that was already written to: the bound of the memory itself."""
    target = memoryview(bytearray(len(data)))

    def run() -> None:
        target[:] = data

    return Work("memory copy, into used memory", len(data), run)


def decompress_only(compressed: bytes, raw_size: int) -> Work:
    """Read with python-zstandard's stream reader into one reused buffer, in the calling thread."""
    buffer = bytearray(1 << 20)

    def run() -> None:
        with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(compressed), read_size=1 << 17) as reader:
            while reader.readinto(buffer):
                pass

    return Work("python-zstandard, stream", raw_size, run)


def comparisons(size: int) -> Iterator[Comparison]:
    raw = segment(size)
    # The segment repeats a block that is larger than this level's window (2 MB), so the repetition does not improve
    # compression.
    compressed = zstandard.ZstdCompressor(level=3).compress(raw)
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name) / "bench.wal.zst"
    path.write_bytes(compressed)
    yield Comparison(
        "EdgeMQ .wal.zst → Arrow, CRC on",
        Work("wireloom", len(raw), lambda: drain("edgemq_segment", str(path))),
        decompress_only(compressed, len(raw)),
        target=0.9,
        note=f"frames of about 220 bytes, {len(raw) / len(compressed):.1f} to 1",
    )
    folder.cleanup()
    for payload, target in ((64, None), (200, 0.75), (1000, 0.85), (65_000, 0.85)):
        each = segment_of(payload, size)
        work = Work("wireloom", len(each), lambda each=each: drain("edgemq_segment", each))  # type: ignore[misc]
        title = f"EdgeMQ raw → Arrow, CRC on, payloads of {payload:,} bytes"
        yield Comparison(title, work, copy_of(each), target=target)
        yield Comparison(title, work, fresh_copy(each))
    for title, each in (("about 200", raw), ("1,000", segment_of(1000, size))):
        full = Work("wireloom, all columns, CRC on", len(each), partial(drain, "edgemq_segment", each))
        two = partial(drain, "edgemq_segment", each, columns=["tenant", "ts"], verify=False)
        title = f"EdgeMQ raw, payloads of {title} bytes, tenant and ts alone, no CRC"
        yield Comparison(title, Work("wireloom", len(each), two), full, target=3)
    log = stuffed_log(size)
    log_work = Work("wireloom", len(log), lambda: drain("word_stuffed_log", log))
    title = "word-stuffed log, 200-byte records → Arrow, CRC on"
    yield Comparison(title, log_work, copy_of(log), target=0.6, note="the C reference: 0.15 to 0.2 of a copy")
    yield Comparison(title, log_work, fresh_copy(log))
    for every in (2, 8, 20):
        log = delimiters_log(size // 4, every)
        work = Work("wireloom", len(log), lambda log=log: drain("word_stuffed_log", log))  # type: ignore[misc]
        title = f"word-stuffed log, a delimiter every {every} bytes → Arrow, CRC on"
        note = "the C reference does 0.2 to 0.4 GB/s where a copy does 5, 0.08 of it at most; four times that"
        yield Comparison(title, work, copy_of(log), target=0.32, note=note)
