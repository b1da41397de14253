"""Runs of fields of fixed sizes, whose bytes are read and written in one step."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from ...expression.types import BytesType, EnumType, FloatType, IntegerType, StringType
from ...tree import Attribute, Piece, Run, run_of
from .names import field_name
from .reading import read_lines
from .scope import ClassScope, member
from .struct_codes import byte_order, number_codes
from .validation import check_field
from .view import Lines
from .wire_bytes import decoded, trimmed


def piece_code(piece: Piece) -> str:
    """Return the format string of a piece for Python's ``struct``."""
    return byte_order(piece.endian) + "".join(field_code(each) for each in piece.attributes)


def field_code(field: Attribute) -> str:
    """Return the format character of one field of a run, without byte order."""
    base = field.type.on_wire
    if isinstance(base, IntegerType | FloatType):
        return number_codes(base)
    return f"{field.fixed_size}s"


def packer(scope: ClassScope, piece: Piece) -> str:
    """Return the constant that packs and unpacks a piece."""
    return scope.module.packer(scope.struct.path, piece.attributes[0].id, piece_code(piece))


def run_lines(scope: ClassScope, run: Run) -> Lines:
    """Return the statements that read a run and check its fields in order.

    A field whose refusal makes the layout unknown is checked before the fields after it are read: a wrong length is
    reported as such even if the input ends there. With Kaitai's API every field is checked first.
    """
    return tuple(line for part in parts(scope, run) for line in _part(scope, part))


def parts(scope: ClassScope, run: Run) -> Iterable[tuple[Attribute, ...]]:
    """Return the groups of fields of a run that are read together."""
    if scope.own:
        return run.parts
    if scope.module.debug:
        # The position of each field is known only if each is read on its own.
        return ((each,) for each in run.attributes)
    return _unfailing(run.attributes)


def _unfailing(fields: Iterable[Attribute]) -> Iterator[tuple[Attribute, ...]]:
    """Yield groups of fields of which only the last may be refused."""
    part: tuple[Attribute, ...] = ()
    for field in fields:
        part += (field,)
        if field.checks or isinstance(field.type, StringType):
            yield part
            part = ()
    if part:
        yield part


def _part(scope: ClassScope, fields: tuple[Attribute, ...]) -> Lines:
    if len(fields) == 1:
        return read_lines(scope, fields[0], member(fields[0].id))
    run = run_of(fields)
    pieces = [(targets(each), packer(scope, each), each.offset) for each in run.pieces]
    if not scope.own:
        lines: Lines = tuple(f"{names} = {scope.call('read_fields', 'io', packer)}" for names, packer, _ in pieces)
    elif len(pieces) == 1:
        [(names, packer_name, _)] = pieces
        lines = (f"{names} = {packer_name}.unpack(io.read_bytes({run.size}))",)
    else:
        unpacked = (f"{names} = {packer}.unpack_from(run, {offset})" for names, packer, offset in pieces)
        lines = (f"run = io.read_bytes({run.size})", *unpacked)
    for field in fields:
        lines += (*converted(scope, field), *check_field(scope, field, member(field.id)))
    return lines


def targets(piece: Piece) -> str:
    """Return the assignment targets to which a piece is unpacked."""
    names = [raw_name(each) if is_converted(each) else member(each.id) for each in piece.attributes]
    return f"({names[0]},)" if len(names) == 1 else ", ".join(names)


def names_text(names: list[str]) -> str:
    """Return a literal of names separated by spaces; a long one has several parts, which the formatter puts on lines of
    their own.
    """
    parts = textwrap.wrap(" ".join(names), 80)
    return " ".join(repr(part + " ") for part in parts[:-1]) + f" {parts[-1]!r}"


def is_converted(field: Attribute) -> bool:
    """Return whether the unpacked value must be converted."""
    return isinstance(field.type, EnumType | StringType) or (isinstance(field.type, BytesType) and field.is_cut)


def raw_name(field: Attribute) -> str:
    """Return the local variable with the unpacked value of a field that must be converted."""
    return f"raw_{field_name(field.id)}"


def converted(scope: ClassScope, field: Attribute) -> Lines:
    """Return the statement that converts the unpacked value of a field; none if it needs no conversion."""
    if not is_converted(field):
        return ()
    return (f"{member(field.id)} = {converted_value(scope, field, raw_name(field))}",)


def converted_value(scope: ClassScope, field: Attribute, raw: str) -> str:
    """Return the text that converts ``raw``, the unpacked value of a field."""
    if isinstance(field.type, EnumType):
        return f"{scope.module.table(field.type.path)}.get({raw}, {raw})"
    text = trimmed(scope, field, raw)
    if isinstance(field.type, StringType):
        return decoded(scope, field, field.type.encoding, text, field.key_path)
    return text
