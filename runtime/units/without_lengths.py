"""Framings without lengths: the input is one unit, or each unit is a line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from ..base.errors import WireloomError
from ..format.description import Format
from ..objects.messages.json_mapping import json_text
from ..rows.messages.decoding import Decoded
from ..rows.reader import BATCH_BYTES
from .described import Part, unit_part
from .units import CLEAN, Units


class SeveralUnitsError(WireloomError):
    """More than one unit would be written to a file that consists of one."""


class Whole:
    """The input is one unit."""

    OPTIONS: ClassVar[tuple[str, ...]] = ()

    def __init__(self, format: Format, *, max_record: int) -> None:
        self._format = format
        self._max_record = max_record
        self._written = False

    def take(self, view: memoryview, base: int, at_end: bool) -> Units:
        """Like ``Framing.take``: the unit is returned at the end of the input."""
        units = Units(view, is_open=True)
        if len(view) > self._max_record:
            units.ended = "limit"
        elif at_end:
            units.add(0, len(view), base, len(view))
            units.consumed, units.ended = len(view), CLEAN
        else:
            units.needed = len(view) + 1
        return units

    def decoded(self, units: Units, decoded: Decoded) -> None:
        """Do nothing."""

    def facts(self) -> Mapping[str, Any]:
        """Return nothing."""
        return {}

    def framed(self, unit: bytes) -> bytes:
        """Like ``Framing.framed``. Raises ``SeveralUnitsError`` for a second unit."""
        if self._written:
            raise SeveralUnitsError(f"the rows do not fit in one unit, and a file of {self._format.name} is one")
        self._written = True
        return unit

    def finish(self) -> bytes:
        """Return no bytes."""
        return b""


LINE = re.compile(rb"[^\n]*\n")
BLANK = re.compile(rb"[ \t\r\n]+")


class Lines:
    """Each unit is a line: a message in JSON."""

    OPTIONS: ClassVar[tuple[str, ...]] = ()
    RESUMABLE: ClassVar[bool] = True

    def __init__(self, format: Format, *, max_record: int) -> None:
        self._format = format
        self._max_record = max_record

    def take(self, view: memoryview, base: int, at_end: bool) -> Units:
        """Like ``Framing.take``: the units up to an empty line. The last line, without a line break, is returned alone:
        it is truncated if it is not valid."""
        units = Units(view)
        position, end = 0, len(view)
        while position < min(end, BATCH_BYTES):
            blank = BLANK.match(view, position)
            if blank is not None:
                position = blank.end()
                break
            line = LINE.match(view, position)
            after = end if line is None else line.end()
            if after - position > self._max_record:
                units.ended = "limit"
                units.detail = f"a line of more than {self._max_record} bytes: raise max_record to read it"
                break
            if line is None and not at_end:
                units.needed = end - position + 1
                break
            if line is None and units.begins:
                break
            units.is_open = line is None
            units.add(position, after - position, base + position, after - position)
            position = after
        units.consumed = position
        if position == end and at_end:
            units.ended = CLEAN
        return units

    def decoded(self, units: Units, decoded: Decoded) -> None:
        """Do nothing."""

    def facts(self) -> Mapping[str, Any]:
        """Return nothing."""
        return {}

    def described(self, stored: memoryview) -> list[Part]:
        """Like ``wireloom.units.described.Described.described``."""
        return [unit_part(0, len(stored), len(stored), is_packed=True)]

    def framed(self, unit: bytes) -> bytes:
        """Like ``Framing.framed``."""
        message_class: Any = self._format.message_class
        return json_text(message_class.from_bytes(unit)).encode() + b"\n"

    def finish(self) -> bytes:
        """Return no bytes."""
        return b""


WITHOUT_LENGTHS: Mapping[str, type[Whole | Lines]] = {"whole": Whole, "lines": Lines}
"""The framings that are not a length before each unit."""
