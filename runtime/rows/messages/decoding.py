"""The interface of decoders of units, implemented by the engine and by the generated classes."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import pyarrow as pa

from ...base.dataclass import dataclass, field
from ...format.description import Format
from ...format.message_program import MessageProgram
from ...format.message_rules import FieldKind, FieldRule, Label


class UnitProblem(NamedTuple):
    """Why a unit has no rows, or only some.

    - ``unit``: its number in the call.
    - ``offset``: the position of the error in the unit.
    - ``reason``: one of ``wireloom.base.report.REASONS``: ``magic``, ``digest``, ``message`` (no such message, or a
      required field is missing), ``index``, ``value``, ``truncated``, ``length``, ``encoding``, ``limit``.
    - ``detail``: a sentence that names the field (``records.data``) and what was expected.
    - ``rows``: the number of its rows that remain valid: those before the one that is ``index`` or ``value``, otherwise
      0.
    - ``is_truncated``: whether the unit ends too early: in its envelope, before a required field, or in a field that
      is not in another one, so that more bytes may complete it.
    """

    unit: int
    offset: int
    reason: str
    detail: str
    rows: int
    is_truncated: bool = False


@dataclass
class Decoded:
    """Rows of the first ``units`` units of a call.

    - ``arrays``: by number of the projected column.
    - ``counts``: an int32 array with the number of rows of each unit, including null rows and whole units
      (``MessageProgram.whole``).
    - ``wholes``: the numbers of the invalid units that are a row of their own; their reasons are in ``problems`` too.
      Other units with a problem have no rows, or only those that remain valid; with ``null_rows``, one row of nulls
      follows these.
    - ``unit_arrays``: one per unit column of the program, with one value per unit.
    """

    units: int
    rows: int
    arrays: Mapping[int, pa.Array]
    counts: pa.Array
    problems: list[UnitProblem] = field(default_factory=list)
    wholes: list[int] = field(default_factory=list)
    unit_arrays: tuple[pa.Array, ...] = ()


class UnitDecoder(Protocol):
    """Turns units into rows. Created once per format, columns and settings; keeps no input between calls."""

    def decode(self, source: Any, begins: pa.Array, sizes: pa.Array, first: int = 0, *, capacity: int) -> Decoded:
        """Read units from ``first`` on: the bytes ``[begins[i], begins[i] + sizes[i])`` of ``source`` (any buffer; both
        arrays uint64 without nulls).

        Reading ends after the unit with which ``capacity`` rows or about 4 MiB of data are reached. At least one unit
        is read if there is one, since the rows of a unit stay together.
        """
        ...


TRUNCATED = 64
"""``WL_UNIT_CUT`` of ``runtime/engine/message.h``."""
STEPS = 12
PROBLEM = struct.Struct(f"=5Q4I{2 * STEPS}I")
"""``wl_unit_problem`` of ``runtime/engine/message.h``."""
PROBLEM_SIZE = PROBLEM.size

SHORT, PREFIX, DIGEST, HUGE, DEEP, INDEX, INTEGER, EXPANSION = 1, 2, 3, 4, 13, 18, 19, 20
REASONS = {
    SHORT: "length",
    PREFIX: "magic",
    DIGEST: "digest",
    HUGE: "limit",
    DEEP: "limit",
    INDEX: "index",
    INTEGER: "value",
    EXPANSION: "limit",
}
"""Reasons other than ``message``."""
ENDING = (INDEX, INTEGER, EXPANSION)
"""Failed look-ups end the unit's rows; earlier rows remain valid."""

SENTENCES = {
    SHORT: "the unit has {value} bytes, expected at least {count}",
    PREFIX: "the unit does not begin with the expected bytes",
    DIGEST: "the digest does not match the message",
    HUGE: "the unit has {value} bytes, the limit is 2147483647",
    5: "the input ends inside the field",
    6: "a varint has more than 10 bytes",
    7: "a varint has more than 64 bits",
    8: "{value} is not a valid field number: expected 1 to 536870911",
    9: "unknown wire type {value}",
    10: "the field has the wire type {value}, which does not match its type",
    11: "group {value} ends without a start",
    12: "group {value} does not end",
    DEEP: "messages are nested too deeply",
    14: "{value} bytes expected, but only {count} left",
    15: "the text is not UTF-8",
    16: "{value} bytes are not a whole number of values",
    17: "the required field is missing",
    INDEX: "there is no item {value}, the table has {count}",
    INTEGER: "the item of the table is not an integer",
    EXPANSION: "the items that the rows refer to exceed {value} bytes in total, many times the size of the message",
}
"""By the numbers of ``WL_UNIT_…``."""


LARGEST_INDEX = (1 << 63) - 1


def no_item(index: int, count: int) -> str:
    """Return the sentence about a look-up of item ``index`` in a table of ``count`` items.

    Negative indices cannot be distinguished from unsigned ones with the same 64 bits, so these are not shown.
    """
    named = index if 0 <= index <= LARGEST_INDEX else "of that index"
    return SENTENCES[INDEX].format(value=named, count=count)


class Explainer:
    """Turns the engine's records into problems. ``lookups``: the number of the column of each look-up."""

    def __init__(self, program: MessageProgram, lookups: Sequence[int], format: Format) -> None:
        self._types = program.types.messages
        self._unit = program.unit
        self._lookups = [format.columns[number].name for number in lookups]

    def problems(self, notes: memoryview, first: int) -> list[UnitProblem]:
        """Return one problem per record, in order. ``first``: the number of the call's first unit."""
        return [self._problem(note, first) for note in PROBLEM.iter_unpack(notes)]

    @staticmethod
    def wholes(notes: memoryview, first: int) -> list[int]:
        """Return the numbers of the units that are invalid as a whole."""
        return [note[0] - first for note in PROBLEM.iter_unpack(notes) if note[5] & ~TRUNCATED not in ENDING]

    def _problem(self, note: tuple[int, ...], first: int) -> UnitProblem:
        unit, offset, row, value, count, what, lookup, rows, path_size, *path = note
        is_truncated, what = bool(what & TRUNCATED), what & ~TRUNCATED
        sentence = no_item(value, count) if what == INDEX else SENTENCES[what].format(value=value, count=count)
        steps = [(path[2 * i], path[2 * i + 1]) for i in range(min(path_size, STEPS))]
        if what in ENDING:
            sentence = f"row {row}, {self._lookups[lookup]}: {sentence}"
        elif steps:
            sentence = f"{self._path(steps)}: {sentence}"
        return UnitProblem(unit - first, offset, REASONS.get(what, "message"), sentence, rows, is_truncated)

    def _path(self, steps: Sequence[tuple[int, int]]) -> str:
        """Return the dotted path of a field, with indices: ``records[3].data``."""
        parts: list[str] = []
        fields: dict[int, FieldRule] = _by_number(self._types[self._unit].fields)
        for number, index in steps:
            rule = fields.get(number)
            if rule is None:
                parts.append(str(number))
                continue
            # Entries of a map have no index: later ones replace those with the same key.
            is_list = rule.label is Label.REPEATED and rule.key is None
            parts.append(f"{rule.name}[{index}]" if is_list else rule.name)
            if rule.key is not None:
                value = FieldRule("value", 2, rule.kind, Label.OPTIONAL, message=rule.message)
                fields = {1: FieldRule("key", 1, rule.key, Label.OPTIONAL), 2: value}
            else:
                fields = _by_number(self._types[rule.message].fields) if rule.kind is FieldKind.MESSAGE else {}
        return ".".join(parts)


def _by_number(fields: Sequence[FieldRule]) -> dict[int, FieldRule]:
    return {each.number: each for each in fields}
