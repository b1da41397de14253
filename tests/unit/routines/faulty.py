"""Correct routines, except for the faults that a test gives them.

``FAULTS``: by ``Class.method``, an error to raise or a value to return.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from wireloom import Format
from wireloom.rows.messages.decoding import Decoded
from wireloom.units.described import Part, unit_part
from wireloom.units.packing import Packed, Row
from wireloom.units.units import Units
from wireloom.writing.messages.row_packing import RowPacking

FAULTS: dict[str, Any] = {}


def given(name: str, value: Any) -> Any:
    fault = FAULTS.get(name, value)
    if isinstance(fault, BaseException):
        raise fault
    return fault


class Framing:
    """A byte with the length before each unit; one unit in each call."""

    OPTIONS: ClassVar[tuple[str, ...]] = ()

    def __init__(self, format: Format, *, max_record: int) -> None: ...

    def take(self, view: memoryview, base: int, at_end: bool) -> Units:
        units = Units(view)
        if len(view) and len(view) > view[0]:
            units.add(1, view[0], base, view[0] + 1)
            units.consumed = view[0] + 1
        taken: Units = given("Framing.take", units)
        return taken

    def decoded(self, units: Units, decoded: Decoded) -> None: ...

    def facts(self) -> Mapping[str, Any]:
        return {"framed": True}

    def described(self, stored: memoryview) -> list[Part]:
        return [unit_part(1, len(stored) - 1, len(stored))]

    def framed(self, unit: bytes) -> bytes:
        return bytes((len(unit),)) + unit

    def finish(self) -> bytes:
        return b""


class Hooks:
    OPTIONS: ClassVar[tuple[str, ...]] = ()

    def decoded(self, units: Units, decoded: Decoded) -> Decoded:
        found: Decoded = given("Hooks.decoded", decoded)
        return found


class Packing:
    OPTIONS: ClassVar[tuple[str, ...]] = ()

    def __init__(self, format: Format, *, max_record: int) -> None:
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


class UnsaidError(Exception):
    """An error that cannot be shown."""

    def __str__(self) -> str:
        raise ValueError
