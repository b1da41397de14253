"""Writing rows, and COBS in both directions, compared with a copy of the same bytes and with the package ``cobs``."""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import partial
from typing import Any

import pyarrow as pa
import wireloom

from ..writing import bytes_of
from .bounds import copy_of
from .data import drain, events, segment, stuffed_log
from .measure import Comparison, Work, missing


class Nowhere(io.RawIOBase):
    """A file that discards everything that is written to it."""

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        return len(data)


def encoded(format_name: str, rows: Any, size: int) -> Work:
    """Write ``rows``, which have an encoded size of ``size`` bytes."""
    run = partial(wireloom.write, format_name, rows, Nowhere(), codec="none")
    return Work("wireloom", size, run)


def comparisons(size: int) -> Iterator[Comparison]:
    size = min(size, 64_000_000)
    raw, table = segment(size), events(size)
    block = min(size, 32_000_000)
    rows = pa.concat_tables([events(block)] * max(1, size // block)) if size > block else table
    yield Comparison("Arrow → EdgeMQ raw", encoded("edgemq_segment", rows, len(raw)), copy_of(raw), target=0.6)
    log = stuffed_log(size)
    rows = wireloom.read("word_stuffed_log", log)
    title = "Arrow → word-stuffed log, 200-byte records"
    yield Comparison(title, encoded("word_stuffed_log", rows, len(log)), copy_of(log), target=0.5)
    payloads = rows.select(["payload"])
    stuffed = bytes_of("cobs_log", payloads)
    absent = missing("cobs")
    records = payloads["payload"].to_pylist()
    frames = stuffed.split(b"\0")[:-1]
    peer = Work("cobs, per record", len(stuffed), lambda: None)
    if absent is None:
        from cobs import cobs

        peer_encode = Work(peer.name, peer.bytes, lambda: [cobs.encode(each) for each in records])
        peer_decode = Work(peer.name, peer.bytes, lambda: [cobs.decode(each) for each in frames])
    else:
        peer_encode = peer_decode = peer
    title = "Arrow → COBS log, 200-byte records"
    yield Comparison(title, encoded("cobs_log", payloads, len(stuffed)), peer_encode, target=3, absent=absent)
    title = "COBS log → Arrow, 200-byte records"
    work = Work("wireloom", len(stuffed), lambda: drain("cobs_log", stuffed))
    yield Comparison(title, work, peer_decode, target=3, absent=absent)
