"""The packing of a format: its own, or the general one, which puts as many rows into a unit as belong together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, cast

from ...base.arguments import check_booleans
from ...base.dataclass import dataclass
from ...base.errors import UnsupportedError, WireloomError
from ...format.description import Format
from ...format.message_rules import Label
from ...format.routines import load
from ...objects.messages.errors import MessageError
from ...objects.messages.objects import Message
from ...units.framing import units_of
from ...units.packing import ROWS_PER_UNIT, Packed, Packing, Row, enveloped
from ..making import message_of

NAMED = 8
"""Maximum number of fields named in an error."""
FLAGS = {"true": True, "false": False}


def fields_without_columns(format: Format) -> tuple[str, ...]:
    """Return the fields of a format's messages, from the unit to the row, for which there is no column. Their values
    are not in a table of the format, and a file written from one lacks them. Names are paths with dots
    (``resource_spans.schema_url``). Fields unknown to the spec are never in a table.
    """
    path = units_of(format).rows
    kind = cast("type[Message]", format.message_class)
    found: list[str] = []
    for depth in range(len(path) + 1):
        below = path[depth] if depth < len(path) else ""
        columns = [each for each in format.columns if each.up == len(path) - depth]
        covered = {below} | {name for each in columns for name in (each.attribute or each.name, each.same_as)}
        found += [".".join((*path[:depth], each.name)) for each in kind._rule.fields if each.name not in covered]
        if below:
            inner = format.row_class if depth == len(path) - 1 else kind._types()[below]
            kind = cast("type[Message]", inner)
    return tuple(found)


def refuse_loss(format: Format) -> None:
    """Raise ``UnsupportedError`` for a format whose tables do not contain all fields of its messages."""
    names = fields_without_columns(format)
    if not names:
        return
    listed = ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
    raise UnsupportedError(
        f"a table of {format.name} cannot represent all of a message: no column for {listed}. What is written from it"
        " lacks them: give lossy=True (--lossy) where that is meant, make them columns in the spec, or make the"
        f" messages with the generated class {format.message.message if format.message else format.row}"
    )


def flag(value: bool | str) -> bool:
    """Return the value of the option ``lossy``, also given as text.

    Raises ``WireloomError`` for any other value.
    """
    found = FLAGS.get(value.strip().lower()) if isinstance(value, str) else value
    if found is None:
        raise WireloomError(f"lossy is true or false, not {value!r}")
    check_booleans(lossy=found)
    return bool(found)


UNIT_BYTES = 1024 * 1024
"""Approximate maximum number of data bytes per unit, if there may be several units."""


@dataclass
class _Level:
    """A message above the rows: its class, the field that leads to the rows, and the columns of its fields.

    ``shared``: these columns, and those of the messages inside it that occur only once.
    """

    kind: type[Message]
    field: str
    repeated: bool
    names: tuple[str, ...]
    shared: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.shared = self.names


class RowPacking:
    """Packing with one unit for all rows of a ``whole`` input; otherwise ``ROWS_PER_UNIT`` rows or about ``UNIT_BYTES``
    in each.

    Consecutive rows are in the same message if the columns of that message have the same values. The columns of the
    unit, and of its messages that occur only once, have one value per unit: another value begins a new unit. If a table
    cannot contain all of a message, it is refused with ``UnsupportedError`` unless ``lossy`` is set.
    """

    OPTIONS: ClassVar[tuple[str, ...]] = ("lossy",)

    def __init__(self, format: Format, *, max_record: int, lossy: bool | str = False) -> None:
        units = units_of(format)
        if not units.packing and not flag(lossy):
            refuse_loss(format)
        self._format = format
        self._path = units.rows
        self._max_record = max_record
        self._one = units.framing == "whole"
        self._unit_class = cast("type[Message]", format.message_class)
        self._outer = {each.name: each for each in format.columns if each.up}
        self._fields = {each.name: each.attribute or each.name for each in format.columns}
        self._levels = self._find_levels()

    def _find_levels(self) -> list[_Level]:
        """Return the messages above the rows, the unit first."""
        kind, found = self._unit_class, list[_Level]()
        for depth, name in enumerate(self._path):
            up = len(self._path) - depth
            names = tuple(each.name for each in self._outer.values() if each.up == up)
            found.append(_Level(kind, name, _is_list(kind, name), names))
            kind = kind._types()[name]
        for level, inner in zip(reversed(found[:-1]), reversed(found[1:]), strict=True):
            if not level.repeated:
                level.shared = (*level.names, *inner.shared)
        return found

    def pack(self, rows: Iterable[Row]) -> Iterator[Packed]:
        """Yield units like ``Packing.pack``. Without rows there is one empty unit if the input is a single unit, else
        none.
        """
        pending: list[Row] = []
        shared = self._levels[0].shared if self._levels else ()
        outer: dict[str, Any] = {}
        first = weight = 0
        for number, row in enumerate(rows):
            above = {name: row[name] for name in shared if name in row}
            if pending and above != outer and self._one:
                name = next(name for name in above if above[name] != outer.get(name))
                raise WireloomError(
                    f"row {number}, column {name}: {above[name]!r:.60} after {outer.get(name)!r:.60}, but all rows"
                    " of a message must have the same value"
                )
            full = len(pending) >= ROWS_PER_UNIT or weight >= UNIT_BYTES or not self._path
            if pending and (above != outer or (full and not self._one)):
                yield from self._packed(pending, first)
                pending, first, weight = [], number, 0
            pending.append(row)
            outer = above
            weight += sum(len(each) for each in row.values() if isinstance(each, bytes | str))
        if pending or self._one:
            yield from self._packed(pending, first)

    def _packed(self, rows: list[Row], first: int) -> Iterator[Packed]:
        """Yield the rows in one unit; in several if that is allowed, and needed to stay below the limit."""
        if not self._path and len(rows) > 1:
            raise WireloomError(
                f"row {first + 1}: a message of {self._format.name} has one row: give one row at a time"
            )
        made_rows = [self._row(row, first + number) for number, row in enumerate(rows)]
        try:
            unit = enveloped(self._format, self._unit(made_rows, rows).to_bytes())
        except MessageError as error:
            raise self._refusal(error, made_rows, first) from error
        if len(unit) <= self._max_record:
            yield Packed(unit, len(rows))
        elif len(rows) > 1 and not self._one:
            half = len(rows) // 2
            yield from self._packed(rows[:half], first)
            yield from self._packed(rows[half:], first + half)
        else:
            raise WireloomError(
                f"the message of the rows {first} to {first + len(rows) - 1} has {len(unit)} bytes, more than"
                f" max_record ({self._max_record}): raise it here and for the readers, or write fewer rows",
                reason="limit",
            )

    def _row(self, row: Row, number: int) -> Message:
        kind = cast("type[Message]", self._format.row_class if self._path else self._format.message_class)
        own = {self._fields.get(name, name): value for name, value in row.items() if name not in self._outer}
        try:
            return message_of(kind, own)
        except MessageError as error:
            raise self._at(error, number) from error

    def _unit(self, made: list[Message], rows: list[Row]) -> Message:
        if not self._path:
            return made[0] if made else self._unit_class()
        return self._level(0, list(zip(made, rows, strict=True)))

    def _level(self, depth: int, rows: list[tuple[Message, Row]]) -> Message:
        """Build the message at a level, with the messages inside it for ``rows``."""
        level = self._levels[depth]
        values = {self._fields[name]: rows[0][1][name] for name in level.names if rows and name in rows[0][1]}
        if depth + 1 == len(self._levels):
            values[level.field] = [message for message, _ in rows]
        elif not level.repeated:
            values[level.field] = self._level(depth + 1, rows)
        else:
            shared = self._levels[depth + 1].shared
            groups: list[list[tuple[Message, Row]]] = []
            outer: dict[str, Any] = {}
            for message, row in rows:
                above = {name: row[name] for name in shared if name in row}
                if not groups or above != outer:
                    groups.append([])
                groups[-1].append((message, row))
                outer = above
            values[level.field] = [self._level(depth + 1, each) for each in groups]
        return message_of(level.kind, values)

    def _refusal(self, error: MessageError, rows: list[Message], first: int) -> WireloomError:
        """Return the error for the row that cannot be written even on its own, or for the message around the rows."""
        for number, row in enumerate(rows):
            try:
                row.to_bytes()
            except MessageError as own:
                return self._at(own, first + number)
        return self._at(error, first)

    @staticmethod
    def _at(error: MessageError, number: int) -> WireloomError:
        place = f"row {number}, column {error.field}" if error.field else f"row {number}"
        return WireloomError(f"{place}: {error.message}", reason=error.reason)


def _is_list(kind: type[Message], name: str) -> bool:
    return any(each.name == name and each.label is Label.REPEATED for each in kind._rule.fields)


def packing_class(format: Format) -> type[Packing]:
    """Return the class that packs a format's rows.

    Raises ``WireloomError`` if it cannot be loaded.
    """
    place = units_of(format).packing
    if place:
        return cast("type[Packing]", load(place))
    return RowPacking


def why_several(format: Format) -> str:
    """Return advice for rows that must be one unit but do not fit into one."""
    advice = getattr(packing_class(format), "SEVERAL", None)
    return advice if isinstance(advice, str) else "write fewer rows"
