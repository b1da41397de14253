"""What the root class of a format with rows has besides: a prologue of its own, and an iterator over the rows."""

from __future__ import annotations

from ...model.model import Attribute
from ...model.types import UserType
from ..base import refuse
from .checksums import checksums
from .marks import covered
from .names import field_name
from .reading import loop_lines
from .scope import ClassScope
from .view import Line, MethodView


def rows_attribute(scope: ClassScope) -> Attribute | None:
    """The attribute whose items are the rows, in the root of a format that has such."""
    rows = scope.spec.rows
    if rows is None or scope.struct is not scope.spec.root:
        return None
    return scope.struct.attribute(rows.attribute)


def prologue(scope: ClassScope, rows: Attribute) -> tuple[Attribute, ...]:
    """The attributes before the rows."""
    return scope.struct.attributes[: scope.struct.attributes.index(rows)]


def early_checksums(scope: ClassScope, rows: Attribute) -> frozenset[str]:
    """The checksums that can be verified before the rows are read; others of the root are refused."""
    before = {each.id for each in prologue(scope, rows)}
    for attribute, checksum in checksums(scope.struct):
        if attribute.id not in before or not {each.id for each in covered(scope.struct, checksum)} <= before:
            refuse(
                attribute.position,
                f"the checksum '{attribute.id}' must stand, with all that it covers, before the rows",
            )
    return frozenset(before)


def iterator_method(scope: ClassScope, rows: Attribute) -> MethodView:
    """``iter_<rows>()``: the rows one by one."""
    if not isinstance(rows.type, UserType):
        refuse(rows.position, "the rows must be of a type of the spec")
    row = scope.module.class_of(rows.type.path)
    stream = f"{scope.use('KaitaiStream')} | {scope.use('BinaryIO')}"
    lines = (
        Line("self = cls()"),
        Line(f"self._io = io = {scope.use('stream_of')}(source)"),
        Line("self._read_prologue()"),
        *loop_lines(scope, rows, lambda text: Line(f"yield {text}"), scope.source_of(rows)),
    )
    return MethodView(
        signature=f"iter_{field_name(rows.id)}(cls, source: {stream}) -> {scope.use('Iterator')}[{row}]",
        lines=lines,
        doc=f"Reads ``{rows.id}`` one by one, without keeping them, from a stream or an open binary file.",
        decorators=("classmethod",),
    )
