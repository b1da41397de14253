"""A table of messages as the program that the engine runs."""

from __future__ import annotations

from wireloom.format.message_program import Envelope, FieldSource, MessageProgram

from ...tree import Spec
from ...wire import UnitKind, Units
from ..base import refuse
from .message_paths import row_numbers
from .message_table import MessageColumn
from .message_types import field_of, types_of
from .refusal import NotForEngineError


def message_program(spec: Spec, units: Units, kind: UnitKind, columns: tuple[MessageColumn, ...]) -> MessageProgram:
    """Return the program. Raises ``NotForEngineError`` for the first construct that the engine does not support."""
    refused = next((each.refusal for each in columns if each.refusal), None)
    if refused is not None:
        raise NotForEngineError(refused)
    rows = row_numbers(spec, kind)
    _refuse_rows(columns, rows)
    names = [each.name for each in columns]
    return MessageProgram(
        types=types_of(spec, kind.message),
        columns=tuple(each.source for each in columns if each.source is not None),
        rows=rows,
        envelope=Envelope(units.prefix, units.digest, units.least),
        whole=names.index(kind.whole) if kind.whole else -1,
        unit_columns=unit_sources(spec, kind),
    )


def _refuse_rows(columns: tuple[MessageColumn, ...], rows: tuple[int, ...]) -> None:
    """Raise ``NotForEngineError`` for a column that is a whole message above the rows: the engine stores the rows of
    such a message separately."""
    for each in columns:
        if isinstance(each.source, FieldSource) and each.source.up > 0:
            below = rows[len(rows) - each.source.up :]
            if each.source.path == below[: len(each.source.path)]:
                raise NotForEngineError(f'the column "{each.name}" contains the rows')


def unit_sources(spec: Spec, kind: UnitKind) -> tuple[FieldSource, ...]:
    """Return the fields of the unit that the reader stores once per unit."""
    struct, found = spec.struct(kind.message), []
    for name in kind.unit_columns:
        attribute = struct.attribute(name)
        if attribute is None:
            refuse(struct.position, f'"{name}" is not a field of {"::".join(struct.path)}')
        found.append(FieldSource((field_of(attribute).number,)))
    return tuple(found)
