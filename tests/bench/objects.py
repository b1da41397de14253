"""Generated objects, compared with those that Kaitai's own compiler generates for the same layout, and with plain
Python.

Frames of 21 + 200 bytes. Wireloom's verify each frame's checksum; Kaitai's cannot.
"""

from __future__ import annotations

import io
import struct
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from crc32c import crc32c
from kaitaistruct import KaitaiStream
from wireloom import engine
from wireloom.codegen.backends.python.names import Api
from wireloom.codegen.kaitai.generate import generate
from wireloom.formats.edgemq_segment.parser import EdgemqSegment
from wireloom.objects import MemoryStream

from .data import frames
from .kaitai import ROOT, imported, kaitai_module
from .measure import Comparison, Work, missing

SIZE = 8_840_000
"""Size in bytes: 40,000 frames. A larger number would measure the memory of the machine."""

FEW = 4000
"""Number of frames for a peer that is slow."""

KAITAI = "Kaitai's compiler's output"
NOTE = "checksums verified by ours, not by theirs"


def comparisons(size: int, folder: Path) -> Iterator[Comparison]:
    raw = frames(min(size, SIZE))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "frames.wal"
    path.write_bytes(raw)
    yield from _reading(raw, path, folder)
    yield from _writing(raw, folder)
    yield from _read_write(raw, folder)
    yield from _bounds(raw)


def _reading(raw: bytes, path: Path, folder: Path) -> Iterator[Comparison]:
    absent, module = _module(folder, "read")

    def row(title: str, name: str, mine: Callable[[], Any], theirs: Callable[[], Any], target: float) -> Comparison:
        against = Work(f"{KAITAI}, read", len(raw), theirs)
        return Comparison(f"objects: {title}", Work(name, len(raw), mine), against, target, absent, NOTE)

    def theirs() -> Any:
        return module.EdgemqSegment.from_bytes(raw)

    def theirs_from_file() -> None:
        module.EdgemqSegment.from_file(path).close()

    def from_file() -> None:
        EdgemqSegment.from_file(path).close()

    def iterate() -> None:
        drained(EdgemqSegment.iter_frames(MemoryStream(raw)))

    def iterate_file() -> None:
        with path.open("rb") as file:
            drained(EdgemqSegment.iter_frames(file))

    def without_engine() -> None:
        engine.available = False
        try:
            EdgemqSegment.from_bytes(raw)
        finally:
            engine.available = True

    same = _same_api(folder)

    def with_same_api() -> None:
        same.EdgemqSegment.from_bytes(raw)

    name = "wireloom, generated parser"
    yield row("EdgeMQ frames read, Kaitai's API", "wireloom generate --kaitai", with_same_api, theirs, 3.0)
    yield row("EdgeMQ frames read from bytes", name, lambda: EdgemqSegment.from_bytes(raw), theirs, 3.0)
    yield row("EdgeMQ frames read from a file", name, from_file, theirs_from_file, 3.0)
    yield row("EdgeMQ frames read, plain Python", f"{name}, no engine", without_engine, theirs, 2.0)
    yield row("EdgeMQ frames iterated in bytes", f"{name}, iter_frames", iterate, theirs, 3.0)
    yield row("EdgeMQ frames iterated in a file", f"{name}, iter_frames", iterate_file, theirs_from_file, 3.0)


def _writing(raw: bytes, folder: Path) -> Iterator[Comparison]:
    absent, module = _module(folder, "read-write")
    segment = EdgemqSegment.from_bytes(raw)
    other = None if absent else module.EdgemqSegment(KaitaiStream(io.BytesIO(raw)))
    if other is not None:
        other._read()

    def theirs() -> bytes:
        assert other is not None
        for each in other.frames:
            each._check()
        other._check()
        # Their streams do not grow, so the size must be known.
        out = KaitaiStream(io.BytesIO(bytearray(len(raw))))
        other._write(out)
        return bytes(out.to_byte_array())

    assert segment.to_bytes() == raw
    assert absent or theirs() == raw
    mine = Work("wireloom, generated parser, to_bytes", len(raw), segment.to_bytes)
    against = Work(f"{KAITAI}, _check and _write", len(raw), theirs)
    note = "lengths and checksums computed by ours, given to theirs"
    yield Comparison("objects: EdgeMQ frames written", mine, against, 4.0, absent, note)


def _read_write(raw: bytes, folder: Path) -> Iterator[Comparison]:
    """The classes of Kaitai's read-write mode, those of wireloom and of Kaitai."""
    absent, module = _module(folder, "read-write")
    generate([ROOT / "specs/edgemq_segment.ksy"], folder / "read_write", api=Api.KAITAI_READ_WRITE)
    own = imported("read_write_edgemq_segment", folder / "read_write/edgemq_segment.py")

    def mine_read() -> Any:
        segment = own.EdgemqSegment.from_bytes(raw)
        segment._read()
        return segment

    def theirs_read() -> Any:
        segment = module.EdgemqSegment(KaitaiStream(io.BytesIO(raw)))
        segment._read()
        return segment

    name = "wireloom generate --kaitai --read-write"
    work, against = Work(name, len(raw), mine_read), Work(f"{KAITAI} for reading and writing", len(raw), theirs_read)
    yield Comparison("objects: EdgeMQ frames read, read-write classes", work, against, 4.0, absent, NOTE)

    segment = mine_read()
    other = None if absent else theirs_read()

    def mine_write() -> bytes:
        data: bytes = segment._to_bytes()
        return data

    def theirs_write() -> bytes:
        for each in other.frames:
            each._check()
        other._check()
        out = KaitaiStream(io.BytesIO(bytearray(len(raw))))
        other._write(out)
        return bytes(out.to_byte_array())

    def change(frames: Any) -> None:
        for each in frames:
            each.payload = each.payload

    change(segment.frames)
    assert mine_write() == raw
    assert absent or theirs_write() == raw
    work = Work(f"{name}, _to_bytes", len(raw), mine_write, lambda: change(segment.frames))
    against = Work(f"{KAITAI}, _check and _write", len(raw), theirs_write, lambda: change(other.frames))
    note = "each payload was assigned; lengths and checksums computed by ours, given to theirs"
    yield Comparison("objects: EdgeMQ frames written, read-write classes", work, against, 4.0, absent, note)


def _bounds(raw: bytes) -> Iterator[Comparison]:
    hand = Work("plain Python by hand: struct and slices, checksums verified", len(raw), lambda: by_hand(raw))
    mine = Work("wireloom, generated parser", len(raw), lambda: EdgemqSegment.from_bytes(raw))
    yield Comparison("objects: EdgeMQ frames read, beside what a person writes", mine, hand, 0.9)
    absent = missing("construct")
    few = raw[: 221 * FEW]
    against = Work("construct, compiled, checksums not verified", len(few), dict if absent else constructed(few))
    yield Comparison("objects: EdgeMQ frames read, beside construct", mine, against, 3.0, absent)


def constructed(raw: bytes) -> Callable[[], Any]:
    """Return a read of all frames by ``construct``, which compiles its description to Python."""
    from construct import Bytes, GreedyRange, Int8ub, Int32ub, Int64ub, Struct, this

    frame = Struct(
        "length" / Int32ub,
        "crc32c" / Int32ub,
        "fmt" / Int8ub,
        "tenant" / Int32ub,
        "ts_millis" / Int64ub,
        "payload" / Bytes(this.length - 13),
    )
    found = GreedyRange(frame).compile()
    assert len(found.parse(raw)) == len(raw) // 221
    return lambda: found.parse(raw)


HEAD = struct.Struct(">IIBIQ")


class Frame:
    """A frame as written by hand for this one task: without a parent, a stream, or errors with positions."""

    __slots__ = ("crc32c", "fmt", "length", "payload", "tenant", "ts_millis")

    def __init__(self, length: int, crc32c: int, fmt: int, tenant: int, ts_millis: int, payload: bytes) -> None:
        self.length = length
        self.crc32c = crc32c
        self.fmt = fmt
        self.tenant = tenant
        self.ts_millis = ts_millis
        self.payload = payload


def by_hand(raw: bytes) -> list[Frame]:
    """Read all frames in a loop."""
    found = []
    position, end = 0, len(raw)
    while position < end:
        length, checksum, fmt, tenant, ts_millis = HEAD.unpack_from(raw, position)
        payload = raw[position + 21 : position + 8 + length]
        if crc32c(payload) != checksum:
            raise ValueError(f"the frame at byte {position} is damaged")
        found.append(Frame(length, checksum, fmt, tenant, ts_millis, payload))
        position += 8 + length
    return found


def drained(items: Iterator[object]) -> None:
    """Take all items without keeping any."""
    deque(items, maxlen=0)


def _same_api(folder: Path) -> Any:
    """Return the output of ``wireloom generate --kaitai`` for the same spec."""
    generate([ROOT / "specs/edgemq_segment.ksy"], folder / "same_api")
    return imported("same_api_edgemq_segment", folder / "same_api/edgemq_segment.py")


def _module(folder: Path, mode: str) -> tuple[str | None, Any]:
    """Return why Kaitai's output is not available, or ``None``, and the output."""
    try:
        return None, kaitai_module(folder, mode)
    except RuntimeError as error:
        return str(error), None
