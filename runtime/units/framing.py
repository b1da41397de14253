"""Framings: how units are stored in an input. One unit may be the whole input, or each unit is a line, or is preceded
by its length. A framing reads and writes. One is created for each input, and receives its decompressed bytes in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Protocol, cast

from ..base.cached import cached_property
from ..base.errors import WireloomError
from ..base.text import unknown
from ..format.description import Format, MessageUnits
from ..format.message_rules import FRAMINGS, LENGTHS
from ..format.routines import load
from ..objects.messages.descriptors import descriptor_of
from ..objects.messages.wire import write_varint
from ..rows.messages.decoding import Decoded
from ..rows.messages.stored_units import UnitForms, is_compressed
from ..rows.reader import BATCH_BYTES, RowDamage
from ..rows.zero_runs import LEAST, NOT_ZERO
from .described import Part, unit_part
from .framing_detection import Length, read_varint, shown_framing
from .units import Units
from .without_lengths import WITHOUT_LENGTHS


class Framing(Protocol):
    """Finds units. ``OPTIONS``: names of the constructor's keyword arguments other than ``max_record``; they are
    options of the format's reader and writer, and are text if they come from the command line. ``RESUMABLE``, optional:
    true if units do not depend on previous ones: ``take`` then receives the beginning of the input, followed by the
    bytes from any unit on.

    If it is also a ``wireloom.units.described.Described``, ``wireloom inspect`` shows the framing of its units.
    """

    OPTIONS: ClassVar[tuple[str, ...]]

    def __init__(self, format: Format, *, max_record: int, **options: Any) -> None: ...

    def take(self, view: memoryview, base: int, at_end: bool) -> Units:
        """Return the complete units at the beginning of ``view``, about ``BATCH_BYTES`` of them, but at least one if
        there is one. ``base``: offset of ``view[0]`` in the input. ``at_end``: whether the input ends with the view. No
        unit has more than ``max_record`` bytes. This is called until ``ended`` is set, or nothing is taken at the end
        of the input: an input that ends inside a unit has ``ended`` ``truncated``."""
        ...

    def decoded(self, units: Units, decoded: Decoded) -> None:
        """Notify the framing of the result of units that were taken, in order; both have the same number of units."""
        ...

    def facts(self) -> Mapping[str, Any]:
        """Return additional information for the report of the input, as JSON values."""
        ...

    def framed(self, unit: bytes) -> bytes:
        """Return a unit as it is stored in an output. Raises ``WireloomError`` if it cannot be stored there."""
        ...

    def finish(self) -> bytes:
        """Return the bytes after the last unit of an output."""
        ...


def length_reader(word: str) -> tuple[int, Length]:
    """Return the size of a framing's lengths, 0 for varints, and the function that reads one: see
    ``Prefixed.length``."""
    width, order = LENGTHS[word]
    if not width:
        return 0, read_varint

    def read(view: memoryview, position: int) -> tuple[int, int]:
        start = position + width
        return (int.from_bytes(view[position:start], order), start) if start <= len(view) else (0, 0)

    return width, read


class Prefixed:
    """Each unit is preceded by its length: a varint, or an unsigned integer of a fixed size."""

    OPTIONS: ClassVar[tuple[str, ...]] = ()
    RESUMABLE: ClassVar[bool] = True

    def __init__(self, format: Format, *, max_record: int) -> None:
        self.max_record = max_record
        self._use(units_of(format).framing)
        self._format = format
        self.zeros_end = -1
        """The offset at which the last run of zeros ended, as far as it was in memory."""

    def _use(self, word: str) -> None:
        self._width, self._read_length = length_reader(word)
        self._order = LENGTHS[word][1]

    def take(self, view: memoryview, base: int, at_end: bool) -> Units:
        """Like ``Framing.take``: the first unit, and about ``BATCH_BYTES`` of others."""
        units = Units(view)
        position, end, enough = 0, len(view), BATCH_BYTES
        while position < end and position < enough:
            length, start = self.length(view, position)
            if length < 0:
                units.ended = "invalid_length"
                units.detail = "the length is not a varint of at most 64 bits"
                break
            if not start:
                units.needed = position + max(self._width, 1) if self._width else end + 1
                break
            if not length and self._refuses_empty and (zeros := self._pass_zeros(units, position, base, at_end)):
                if zeros < 0:
                    break
                position = zeros
                continue
            if length > self.max_record:
                units.ended = "limit"
                units.detail = self._too_long(length, end - start, at_end)
                break
            if end - start < length:
                units.needed = start + length
                break
            units.add(start, length, base + position, start + length - position)
            position = start + length
            if len(units.begins) == 1:
                # Those after the first one may show that its length is damaged.
                enough += position
        units.consumed = position
        units.needed = max(units.needed - position, 0)
        if units.needed and at_end and not units.ended:
            units.ended = "truncated"
        return units

    def _too_long(self, length: int, there: int, at_end: bool) -> str:
        if at_end and there < length:
            return f"a length of {length} bytes, of which {there} are there: it is damaged, or the input is truncated"
        return (
            f"a length of {length} bytes; raise max_record above {self.max_record} to read it, unless the "
            "length is damaged"
        )

    @cached_property
    def _refuses_empty(self) -> bool:
        """Return whether a unit without bytes is invalid; otherwise lengths of 0 are messages."""
        units = units_of(self._format)
        if units.whole:
            return False
        envelope = units.least or units.prefix or units.digest
        return bool(envelope) or bool(descriptor_of(cast(Any, self._format.message_class)).required)

    def _pass_zeros(self, units: Units, position: int, base: int, at_end: bool) -> int:
        """Skip a run of zeros at a length of 0. Returns the index after it, 0 if there is none, and -1 if more input is
        needed."""
        view, width = units.source, max(self._width, 1)
        found = NOT_ZERO.search(view, position)
        end = len(view) if found is None else found.start()
        if end - position < LEAST and base + position != self.zeros_end:
            if found is not None or at_end:
                return 0
            units.needed = position + LEAST
            return -1
        if found is not None or not at_end:
            end -= (end - position) % width
        if end == position:
            return 0
        units.damages.append(RowDamage(base + position, base + end, -1, "zeros"))
        self.zeros_end = base + end
        return end

    @property
    def has_lengths(self) -> bool:
        """Return whether there is a length before each unit."""
        return True

    def length(self, view: memoryview, position: int) -> tuple[int, int]:
        """Return the length at ``position`` and the position at which its unit begins; ``(0, 0)`` if more bytes are
        needed, and ``(-1, 0)`` if it is not a length."""
        return self._read_length(view, position)

    def described(self, stored: memoryview) -> list[Part]:
        """Like ``wireloom.units.described.Described.described``: the length, and the unit."""
        length, start = self.length(stored, 0)
        if not start:
            return []
        is_packed = bool(units_of(self._format).codec) and is_compressed(stored[start:])
        return [Part("length", length, 0, start), unit_part(start, length, len(stored), is_packed=is_packed)]

    def decoded(self, units: Units, decoded: Decoded) -> None:
        """Do nothing."""

    def facts(self) -> Mapping[str, Any]:
        """Return nothing."""
        return {}

    def framed(self, unit: bytes) -> bytes:
        """Like ``Framing.framed``. Raises ``WireloomError`` for a unit whose length the prefix cannot hold."""
        if not self._width:
            return write_varint(len(unit)) + unit
        try:
            return len(unit).to_bytes(self._width, self._order) + unit
        except OverflowError:
            raise WireloomError(
                f"a unit has {len(unit)} bytes, more than its length can say in {self._width} byte(s)", reason="limit"
            ) from None

    def finish(self) -> bytes:
        """Return no bytes."""
        return b""


class DetectedFraming(Prefixed):
    """One of several framings: the one that the option ``framing`` names; by default, the reader detects it from the
    beginning of the input, and the writer uses the first."""

    OPTIONS: ClassVar[tuple[str, ...]] = ("framing",)

    def __init__(self, format: Format, *, max_record: int, framing: str | None = None) -> None:
        super().__init__(format, max_record=max_record)
        words = units_of(format).framings
        if framing is not None and framing not in words:
            raise unknown(f"framing of {format.name}", framing, words)
        self._lengths = {word: read_varint if word in WITHOUT_LENGTHS else length_reader(word)[1] for word in words}
        self._others = {word: kind(format, max_record=max_record) for word, kind in WITHOUT_LENGTHS.items()}
        self._word = ""
        self._written = framing or words[0]
        if framing is not None:
            self._use(framing)

    def _use(self, word: str) -> None:
        self._word = word
        if self.has_lengths:
            super()._use(word)

    @property
    def has_lengths(self) -> bool:
        """Like ``Prefixed.has_lengths``."""
        return self._word not in WITHOUT_LENGTHS

    def take(self, view: memoryview, base: int, at_end: bool) -> Units:
        """Like ``Framing.take``."""
        if not self._word:
            found = shown_framing(self._format, view, at_end, self._lengths, self.max_record)
            if found is None:
                return Units(view, needed=len(view) + 1)
            self._use(found)
        return (
            super().take(view, base, at_end) if self.has_lengths else self._others[self._word].take(view, base, at_end)
        )

    def length(self, view: memoryview, position: int) -> tuple[int, int]:
        """Like ``Prefixed.length``."""
        return super().length(view, position) if self.has_lengths else (-1, 0)

    def described(self, stored: memoryview) -> list[Part]:
        """Like ``Prefixed.described``; before anything was taken, the unit itself shows its framing."""
        if not self._word:
            word = shown_framing(self._format, stored, True, self._lengths, self.max_record)
            return DetectedFraming(self._format, max_record=self.max_record, framing=word).described(stored)
        if self.has_lengths:
            return super().described(stored)
        is_packed = bool(stored) and UnitForms(self._format, self.max_record).has(stored)
        return [unit_part(0, len(stored), len(stored), is_packed=is_packed)]

    def facts(self) -> Mapping[str, Any]:
        """Return the framing of the input."""
        return {"framing": self._word} if self._word else {}

    def framed(self, unit: bytes) -> bytes:
        """Like ``Framing.framed``."""
        self._use(self._written)
        return super().framed(unit) if self.has_lengths else self._others[self._word].framed(unit)


def framing_class(format: Format) -> type[Framing]:
    """Return the class of the format's framing. Raises ``WireloomError`` if there is no such class."""
    units = units_of(format)
    if units.framings:
        return DetectedFraming
    word = units.framing
    if word in FRAMINGS:
        return WITHOUT_LENGTHS.get(word, Prefixed)
    return cast("type[Framing]", load(word))


def is_blob(format: Format) -> bool:
    """Return whether a single message may be an input, so that values of a column may be messages."""
    units = format.message
    return units is not None and "whole" in (units.framing, *units.framings)


def units_of(format: Format) -> MessageUnits:
    """Return the units described by ``Format.message``. Raises ``WireloomError`` if the format does not consist of
    messages."""
    if format.message is None:
        raise WireloomError(f"{format.name} is not a format of messages: read it with wireloom.read")
    return format.message


def options_of(kind: Any, attribute: str = "OPTIONS") -> tuple[str, ...]:
    """Return the names of the options of a class that is a framing, a packing or hooks."""
    return tuple(getattr(kind, attribute, ()))


def framing_for(format: Format, max_record: int, options: Mapping[str, Any]) -> Framing:
    """Return the framing of one input, with those of the reader's ``options`` that it declares. Raises
    ``WireloomError`` if its class cannot be loaded, or does not accept the value of an option."""
    kind = framing_class(format)
    return kind(format, max_record=max_record, **chosen(options, options_of(kind)))


def chosen(options: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return the options that have these names."""
    return {name: options[name] for name in names if name in options}
