"""Checksums: filled in when an object is checked or written, and verified if they were assigned."""

from __future__ import annotations

from ....tree import Attribute, StoredChecksum
from ..checksums import computed_text, kaitai_checksums, unknown_value
from ..marks import Marks
from ..names import field_name
from ..scope import ClassScope, member
from ..statements import when
from ..view import Lines


def wanted_marks(scope: ClassScope) -> Marks:
    """Return the marks that a writer records for the checksums of bytes already written."""
    marks = Marks(scope.struct)
    for cover in backpatched_checksums(scope):
        marks.want_begin(cover.attribute.id)
    return marks


def backpatched_checksums(scope: ClassScope) -> tuple[StoredChecksum, ...]:
    """Return the checksums of bytes that are known only when they are written."""
    return tuple(each for each in kaitai_checksums(scope) if each.value is None)


def check_checksum(scope: ClassScope, field: Attribute) -> Lines:
    """Return the statements that fill in a checksum of the value of one field and verify it. Other checksums are set to
    zero until they are known.
    """
    cover = scope.struct.checksum(field.id)
    if cover is None or cover.of_object:
        return ()
    name = field_name(field.id)
    if cover.value is None:
        return (follow_unless_set(field, unknown_value(cover)),)
    computed = computed_text(scope, cover, member(cover.value))
    return (scope.call("check_checksum", "self", repr(name), computed, repr(cover.attribute.key_path)),)


def follow_unless_set(field: Attribute, value: str) -> str:
    """Return the statement that fills in a value unless it was assigned."""
    name = field_name(field.id)
    return when(f"not hasattr(self, {name!r})", [f"self._follow({name!r}, {value})"])


def backpatch_lines(scope: ClassScope, marks: Marks) -> Lines:
    """Return the statements that compute the checksums of bytes already written, once these are complete."""
    lines: list[str] = []
    for cover in backpatched_checksums(scope):
        name, begin, end = cover.attribute.id, marks.begins[cover.first], marks.ends[cover.last]
        data = "data"
        if cover.blanks_own:
            offset = f"{marks.begins[name]} - ({begin})"
            data = scope.call("replaced", "data", offset, cover.attribute.least, cover.replace)
        parts = "io", "self", repr(field_name(name)), repr(cover.attribute.key_path), begin, end
        line = scope.call("cover", *parts, f"lambda data: {computed_text(scope, cover, data)}")
        lines.append(
            line
            if cover.attribute.condition is None
            else when(scope.text(cover.attribute.condition, cover.attribute), [line])
        )
    return tuple(lines)
