"""Correct routines, except for the faults that a test gives them.

``FAULTS``: by ``Class.method``, an error to raise or a value to return. ``FROM``: the offset from which on
``Framing.take`` has its fault.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from wireloom import Format
from wireloom.rows.messages import Decoded
from wireloom.units.described import Part, unit_part
from wireloom.units.framing import Units
from wireloom.units.packing import Packed, Row
from wireloom.writing.messages.row_packing import RowPacking

FAULTS: dict[str, Any] = {}
FROM = 0


def given(name: str, value: Any) -> Any:
    fault = FAULTS.get(name, value)
    if isinstance(fault, BaseException):
        raise fault
    return fault


class Framing:
    """A byte with the length before each unit; one unit in each call."""

    OPTIONS: ClassVar[tuple[str, ...]] = ()

    def __init__(self, format: Format, *, max_record: int) -> None:
        given("Framing.__init__", None)

    def take(self, view: memoryview, base: int, at_end: bool) -> Units:
        units = Units(view)
        if len(view) and len(view) > view[0]:
            units.add(1, view[0], base, view[0] + 1)
            units.consumed = view[0] + 1
        taken: Units = given("Framing.take", units) if base >= FROM else units
        return taken

    def decoded(self, units: Units, decoded: Decoded) -> None:
        given("Framing.decoded", None)

    def facts(self) -> Mapping[str, Any]:
        facts: Mapping[str, Any] = given("Framing.facts", {"framed": True})
        return facts

    def described(self, stored: memoryview) -> list[Part]:
        parts: list[Part] = given("Framing.described", [unit_part(1, len(stored) - 1, len(stored))])
        return parts

    def framed(self, unit: bytes) -> bytes:
        framed: bytes = given("Framing.framed", bytes((len(unit),)) + unit)
        return framed

    def finish(self) -> bytes:
        finish: bytes = given("Framing.finish", b"")
        return finish


class Hooks:
    OPTIONS: ClassVar[tuple[str, ...]] = ()

    def __init__(self) -> None:
        given("Hooks.__init__", None)
        self.needs = given("Hooks.needs", ())

    def decoded(self, units: Units, decoded: Decoded) -> Decoded:
        found: Decoded = given("Hooks.decoded", decoded)
        return found

    def facts(self) -> Mapping[str, Any]:
        facts: Mapping[str, Any] = given("Hooks.facts", {})
        return facts


class Packing:
    OPTIONS: ClassVar[tuple[str, ...]] = ()

    def __init__(self, format: Format, *, max_record: int) -> None:
        given("Packing.__init__", None)
        self._rows = RowPacking(format, max_record=max_record)

    def pack(self, rows: Iterable[Row]) -> Iterator[Packed]:
        for each in self._rows.pack(rows):
            yield given("Packing.pack", each)


class Process:
    """Bytes in reverse."""

    def __init__(self) -> None:
        given("Process.__init__", None)

    def decode(self, data: bytes) -> bytes:
        found: bytes = given("Process.decode", data[::-1])
        return found

    def encode(self, data: bytes) -> bytes:
        found: bytes = given("Process.encode", data[::-1])
        return found


class Empty:
    """A class that is not a routine of any kind."""


class Misnamed:
    OPTIONS = 7


class UnsaidError(Exception):
    """An error that cannot be shown."""

    def __str__(self) -> str:
        raise ValueError
