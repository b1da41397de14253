"""A trace of what generated classes read, and from where, recorded while they read.

The stream that a record is read from has a trace. An object that is begun on such a stream becomes one of a subclass
that notes the attributes that are assigned, each with the place at which the stream then stands. All other objects, and
the classes themselves, stay what they are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple, cast

from ..objects.errors import reason_of
from ..objects.kaitai import ValidationFailedError
from ..objects.streams import MemoryStream
from ..objects.structs import Struct

KEPT = "_m_"
"""Begins the names under which instances keep their values."""
CLASSES = 256
"""Classes of which subclasses are kept."""


class Read(NamedTuple):
    """Bytes ``[begin, end)`` of a stream were read; ``aligned``: they begin where no bits are left over."""

    stream: TracedStream
    begin: int
    end: int
    aligned: bool


class TracedStream(MemoryStream):
    """A stream that notes each read. ``shift``: what to add to a position in it to get one in the outermost stream;
    ``None`` if its bytes are not there as they are, such as decompressed ones."""

    def __init__(self, trace: Trace, data: bytes, base: int, shift: int | None, reason_at_end: str) -> None:
        super().__init__(data, base)
        self.trace: Trace = trace
        self.shift = shift
        self.reason_at_end = reason_at_end
        self._log = trace.log

    def read_bytes(self, n: int) -> bytes:
        """Like ``MemoryStream.read_bytes``."""
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
        """Like ``MemoryStream.read_bytes_full``."""
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
        """Return the bytes between two positions."""
        return self.data[begin - self.base : end - self.base]

    @property
    def bit(self) -> int:
        """Return the position in bits."""
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
    """The fields that were read, in order; ``of`` returns those of one object."""

    def __init__(self) -> None:
        self.log: list[Read] = []
        self.readings: list[Reading] = []
        self._known: dict[int, Reading] = {}
        self._taken = 0

    def read(self, struct: Struct, data: bytes, base: int, method: str) -> None:
        """Have an object read itself from ``data``, which is at ``base``, by its method of that name. Refused
        values do not end the reading."""
        struct._io = TracedStream(self, data, base, 0, MemoryStream.reason_at_end)
        self.begin(struct)
        getattr(struct, method)()

    def of(self, struct: object) -> Reading | None:
        """Return how an object was read; ``None`` if it was not by this trace."""
        found = self._known.get(id(struct))
        return found if found is not None and found.struct is struct else None

    def begin(self, struct: Struct) -> None:
        """Like ``Tracing.begin``."""
        stream = cast(TracedStream, struct._io)
        reading = Reading(struct, stream, stream.pos())
        self.readings.append(reading)
        self._known[id(struct)] = reading
        # A subclass without slots of its own has the same layout.
        struct.__class__ = _traced(type(struct))

    def inner(self, stream: MemoryStream) -> TracedStream:
        """Like ``Tracing.inner``: a traced stream of the bytes of a field, which was read just before."""
        data, shift = stream.data, None
        if self.log:
            read = self.log[-1]
            outer = read.stream
            if outer.shift is not None and outer.bytes_at(read.begin, read.begin + len(data)) == data:
                shift = outer.shift + read.begin
        return TracedStream(self, data, stream.base, shift, stream.reason_at_end)

    def assigned(self, struct: Struct, name: str, value: Any) -> None:
        """Note that an attribute got its value."""
        reading = self.of(struct)
        if reading is not None and (name[0] != "_" or name.startswith(KEPT)):
            last = len(self.log)
            reading.assigned.append(Assigned(name, value, reading.stream.bit, self._taken, last))
            self._taken = last


class _Traced:
    """Before a generated class: notes what is assigned and refused."""

    __slots__ = ()
    _io: TracedStream

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        self._io.trace.assigned(cast(Any, self), name, value)

    def _refuse(self, error: ValidationFailedError, reason: str = "") -> None:
        reading = self._io.trace.of(self)
        assert reading is not None
        reading.refused.append((error, reason or reason_of(error)))


@lru_cache(CLASSES)
def _traced(kind: type[Struct]) -> type[Struct]:
    """Return the subclass of a generated class whose objects are traced."""
    names = {"__slots__": (), "__qualname__": kind.__qualname__, "__module__": kind.__module__}
    made: Any = type(kind)
    return cast("type[Struct]", made(kind.__name__, (_Traced, kind), names))
