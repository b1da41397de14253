"""What generated classes read, and from where: noted while they read, without a second form of them.

While a trace is taken, each attribute that a generated class assigns to itself is noted with the place at which its
stream stands. That is done from outside, by a ``__setattr__`` that exists only meanwhile and only minds the thread that
traces: the classes and their speed stay what they are.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..objects.errors import reason_of
from ..objects.kaitai import ValidationFailedError
from ..objects.streams import MemoryStream
from ..objects.structs import Struct

KEPT = "_m_"
"""Begins the names under which instances keep their values."""

_tracing = threading.local()
_lock = threading.Lock()
_refuse = Struct._refuse


class Read(NamedTuple):
    """Bytes ``[begin, end)`` of a stream were read; ``aligned``: they begin where no bits are left over."""

    stream: TracedStream
    begin: int
    end: int
    aligned: bool


class TracedStream(MemoryStream):
    """A stream that notes each read. ``shift``: what to add to a position in it to get one in the outermost stream;
    ``None`` where its bytes do not stand there as they are, such as decompressed ones."""

    def __init__(self, data: bytes, base: int, log: list[Read], shift: int | None, reason_at_end: str) -> None:
        super().__init__(data, base)
        self.shift = shift
        self.reason_at_end = reason_at_end
        self._log = log

    def read_bytes(self, n: int) -> bytes:
        """As ``MemoryStream.read_bytes``."""
        begin = self.pos()
        data = super().read_bytes(n)
        self._log.append(Read(self, begin, self.pos(), True))
        return data

    def _read_bytes_not_aligned(self, n: int) -> bytes:
        begin = self.pos()
        data = super()._read_bytes_not_aligned(n)
        self._log.append(Read(self, begin, self.pos(), False))
        return data

    def read_bytes_full(self) -> bytes:
        """As ``MemoryStream.read_bytes_full``."""
        begin = self.pos()
        data = super().read_bytes_full()
        self._log.append(Read(self, begin, self.pos(), True))
        return data

    def _terminated(self, term: bytes, include_term: bool, consume_term: bool, eos_error: bool) -> bytes:
        begin, before = self.pos(), len(self._log)
        data = super()._terminated(term, include_term, consume_term, eos_error)
        del self._log[before:]
        self._log.append(Read(self, begin, self.pos(), True))
        return data

    def bytes_at(self, begin: int, end: int) -> bytes:
        """The bytes between two positions."""
        return self.data[begin - self.base : end - self.base]

    @property
    def bit(self) -> int:
        """The position in bits."""
        return 8 * self.pos() - self.bits_left


class Assigned(NamedTuple):
    """An attribute got its value. ``bit``: where its stream stood then. ``[first, last)``: the reads since the
    assignment before, of whatever object."""

    name: str
    value: Any
    bit: int
    first: int
    last: int


@dataclass
class Reading:
    """One object, read from ``stream`` from position ``begin`` on; ``refused``: values that were, with their reason."""

    struct: Struct
    stream: TracedStream
    begin: int
    assigned: list[Assigned] = field(default_factory=list)
    refused: list[tuple[ValidationFailedError, str]] = field(default_factory=list)


class Trace:
    """What was read, in order; ``of`` finds an object's part."""

    def __init__(self) -> None:
        self.log: list[Read] = []
        self.readings: list[Reading] = []
        self._known: dict[int, Reading] = {}
        self._taken = 0

    def stream(self, data: bytes, base: int = 0) -> TracedStream:
        """The outermost stream."""
        return TracedStream(data, base, self.log, 0, MemoryStream.reason_at_end)

    def of(self, struct: object) -> Reading | None:
        """How an object was read; ``None`` where it was not while this trace was taken."""
        found = self._known.get(id(struct))
        return found if found is not None and found.struct is struct else None

    def assign(self, struct: Struct, name: str, value: Any) -> None:
        """Assigns, and notes it."""
        if name == "_io" and isinstance(value, MemoryStream):
            value = self._begin(struct, value)
        object.__setattr__(struct, name, value)
        reading = self.of(struct)
        if reading is not None and (name[0] != "_" or name.startswith(KEPT)):
            last = len(self.log)
            reading.assigned.append(Assigned(name, value, reading.stream.bit, self._taken, last))
            self._taken = last

    def _begin(self, struct: Struct, stream: MemoryStream) -> TracedStream:
        if not isinstance(stream, TracedStream):
            stream = self._inner(stream)
        reading = Reading(struct, stream, stream.pos())
        self.readings.append(reading)
        self._known[id(struct)] = reading
        return stream

    def _inner(self, stream: MemoryStream) -> TracedStream:
        """A traced stream in place of one for the bytes of a field, which was read just before."""
        data, shift = stream.to_byte_array(), None
        if self.log and stream.base == 0:
            read = self.log[-1]
            outer = read.stream
            if outer.shift is not None and outer.bytes_at(read.begin, read.begin + len(data)) == data:
                shift = outer.shift + read.begin
        traced = TracedStream(data, stream.base, self.log, shift, stream.reason_at_end)
        traced.counter = stream.counter
        return traced


def _assign(struct: Struct, name: str, value: Any) -> None:
    trace: Trace | None = getattr(_tracing, "trace", None)
    if trace is None:
        object.__setattr__(struct, name, value)
    else:
        trace.assign(struct, name, value)


@contextmanager
def taken(trace: Trace) -> Iterator[Trace]:
    """Everything that this thread reads in the block goes into ``trace``; refused values do not end the reading."""

    def noted(struct: Struct, error: ValidationFailedError, reason: str = "") -> None:
        reading = trace.of(struct)
        if getattr(_tracing, "trace", None) is not trace or reading is None:
            _refuse(struct, error, reason)
        else:
            reading.refused.append((error, reason or reason_of(error)))

    with _lock:
        _tracing.trace = trace
        # The type checker refuses replaced methods, which is what tracing is: for this block, and undone behind it.
        Struct.__setattr__ = _assign  # type: ignore[assignment, method-assign]  # replaced on purpose
        Struct._refuse = noted  # type: ignore[assignment, method-assign]  # replaced on purpose
        try:
            yield trace
        finally:
            del _tracing.trace
            _restore()


def _restore() -> None:
    """Structs are what they are when nobody traces."""
    Struct._refuse = _refuse  # type: ignore[method-assign]  # replaced on purpose
    if "__setattr__" in vars(Struct):
        del Struct.__setattr__


def _forked() -> None:
    """In a child, where a thread of its parent that was tracing does not go on."""
    global _lock
    if getattr(_tracing, "trace", None) is None:
        _lock = threading.Lock()
        _restore()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
