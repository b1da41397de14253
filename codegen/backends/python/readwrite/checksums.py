"""Checksums: filled in when an object is checked or written, and verified if they were assigned."""

from __future__ import annotations

from ....plan import Cover, Field
from ..checksums import computed_text, seen_covers, unknown_value
from ..marks import Marks
from ..names import field_name
from ..scope import ClassScope, member
from ..view import Lines


def wanted_marks(scope: ClassScope) -> Marks:
    """Return the marks that a writer records for the checksums of bytes already written."""
    marks = Marks(scope.struct)
    for cover in late_checksums(scope):
        marks.want_begin(cover.field.id)
    return marks


def late_checksums(scope: ClassScope) -> tuple[Cover, ...]:
    """Return the checksums of bytes that are known only when they are written."""
    return tuple(each for each in seen_covers(scope) if each.value is None)


def check_checksum(scope: ClassScope, field: Field) -> Lines:
    """Return the statements that fill in a checksum of the value of one field and verify it. Other checksums are set to
    zero until they are known.
    """
    cover = scope.struct.cover(field.id)
    if cover is None or cover.of_object:
        return ()
    name = field_name(field.id)
    if cover.value is None:
        return (scope.code("readwrite/follow_unless_set", name=name, value=unknown_value(cover)),)
    computed = computed_text(scope, cover, member(cover.value))
    return (scope.code("readwrite/check_checksum", name=name, computed=computed, place=cover.field.place),)


def late_lines(scope: ClassScope, marks: Marks) -> Lines:
    """Return the statements that compute the checksums of bytes already written, once these are complete."""
    lines: list[str] = []
    for cover in late_checksums(scope):
        name, begin, end = cover.field.id, marks.begins[cover.first], marks.ends[cover.last]
        data = "data"
        if cover.blanks_own:
            offset = f"{marks.begins[name]} - ({begin})"
            data = scope.code("readwrite/replaced", offset=offset, size=cover.field.least, value=cover.replace)
        given = {"name": field_name(name), "place": cover.field.place, "begin": begin, "end": end}
        line = scope.code("readwrite/cover", computed=computed_text(scope, cover, data), **given)
        if cover.condition is not None:
            condition = scope.text(cover.condition, cover.field)
            line = scope.code("when", condition=condition, body=(line,), otherwise=())
        lines.append(line)
    return tuple(lines)
