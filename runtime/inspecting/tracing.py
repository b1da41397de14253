"""A trace of the values that generated classes read, and their positions, recorded while reading.

The stream from which a record is read has a trace. The class of an object whose reading begins on such a stream is
replaced with a subclass that records each assigned attribute together with the position of the stream. All other
objects, and the classes themselves, are unchanged.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple, cast

from ..base.dataclass import dataclass, field
from ..objects.errors import reason_of
from ..objects.kaitai import ValidationFailedError
from ..objects.streams import MemoryStream
from ..objects.structs import Struct

KEPT = "_m_"
"""Prefix of the names under which instances cache their values."""
CLASSES = 256
"""Number of classes whose subclasses are cached."""


class Read(NamedTuple):
    """A read of the bytes ``[begin, end)`` of a stream; ``aligned``: they begin at a byte boundary, with no bits left
    over.
    """

    stream: TracedStream
    begin: int
    end: int
    aligned: bool


class TracedStream(MemoryStream):
    """A stream that records each read. ``shift``: the difference to positions in the outermost stream; ``None`` if its
    bytes are not contained there unchanged, such as decompressed ones.
    """

    def __init__(self, trace: Trace, data: bytes, base: int, shift: int | None, reason_at_end: str) -> None:
        super().__init__(data, base)
        self.trace: Trace = trace
        self.shift = shift
        self.reason_at_end = reason_at_end
        self._log = trace.log

    def read_bytes(self, n: int) -> bytes:
        """Read and record bytes like ``MemoryStream.read_bytes``."""
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
        """Read and record bytes like ``MemoryStream.read_bytes_full``."""
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
        """Return the current position in bits."""
        return 8 * self.pos() - self.bits_left


class Assigned(NamedTuple):
    """An assignment to an attribute. ``bit``: the position of its stream in bits. ``[first, last)``: the reads since
    the previous assignment, of any object.
    """

    name: str
    value: Any
    bit: int
    first: int
    last: int


@dataclass
class Reading:
    """The reading of one object from ``stream``, beginning at ``begin``; ``refused``: the errors of refused values,
    with reasons.
    """

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
        """Read an object from ``data``, which is located at ``base``, with its method of the given name. Refused values
        do not end the reading.
        """
        struct._io = TracedStream(self, data, base, 0, MemoryStream.reason_at_end)
        self.begin(struct)
        getattr(struct, method)()

    def of(self, struct: object) -> Reading | None:
        """Return the reading of an object; ``None`` if this trace did not record it."""
        found = self._known.get(id(struct))
        return found if found is not None and found.struct is struct else None

    def begin(self, struct: Struct) -> None:
        """Begin the reading of an object, see ``Tracing.begin``."""
        stream = cast(TracedStream, struct._io)
        reading = Reading(struct, stream, stream.pos())
        self.readings.append(reading)
        self._known[id(struct)] = reading
        # A subclass without slots of its own has the same layout.
        struct.__class__ = _traced(type(struct))

    def inner(self, stream: MemoryStream) -> TracedStream:
        """Return a traced stream of the bytes of a field that has just been read, see ``Tracing.inner``."""
        data, shift = stream.data, None
        if self.log:
            read = self.log[-1]
            outer = read.stream
            if outer.shift is not None and outer.bytes_at(read.begin, read.begin + len(data)) == data:
                shift = outer.shift + read.begin
        return TracedStream(self, data, stream.base, shift, stream.reason_at_end)

    def assigned(self, struct: Struct, name: str, value: Any) -> None:
        """Record an assignment to an attribute."""
        reading = self.of(struct)
        if reading is not None and (name[0] != "_" or name.startswith(KEPT)):
            last = len(self.log)
            reading.assigned.append(Assigned(name, value, reading.stream.bit, self._taken, last))
            self._taken = last


class _Traced:
    """Mixin of a generated class that records assignments and refused values."""

    __slots__ = ()
    _io: TracedStream

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        self._io.trace.assigned(cast(Any, self), name, value)

    def _refuse(self, error: ValidationFailedError, reason: str = "") -> None:
        reading = self._io.trace.of(self)
        assert reading is not None
        reading.refused.append((error, reason or reason_of(error)))

    def _is_to_be_shown(self) -> bool:
        return True


@lru_cache(CLASSES)
def _traced(kind: type[Struct]) -> type[Struct]:
    """Return the subclass of a generated class whose objects are traced."""
    names = {"__slots__": (), "__qualname__": kind.__qualname__, "__module__": kind.__module__}
    made: Any = type(kind)
    return cast("type[Struct]", made(kind.__name__, (_Traced, kind), names))
