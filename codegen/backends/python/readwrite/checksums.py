"""Checksums: filled in when an object is checked or written, and verified where they were assigned."""

from __future__ import annotations

from ....model.model import Attribute, Checksum
from ....plan.covers import checksums, covers_own, plain_cover
from ..checksums import computed_text, own_size, unknown_value
from ..marks import Marks
from ..names import field_name
from ..scope import ClassScope, member
from ..view import Line, Lines, block


def wanted_marks(scope: ClassScope) -> Marks:
    """The marks that a writer takes for the checksums over what it has written."""
    marks = Marks(scope.struct)
    for attribute, _ in late_checksums(scope):
        marks.want_begin(attribute)
    return marks


def late_checksums(scope: ClassScope) -> tuple[tuple[Attribute, Checksum], ...]:
    """The checksums over bytes that are known only when they are written."""
    return tuple(each for each in checksums(scope.struct) if plain_cover(scope.struct, each[1]) is None)


def check_checksum(scope: ClassScope, attribute: Attribute) -> Lines:
    """Fills in a checksum over the value of one attribute and verifies it; another holds nothing until it is known."""
    checksum = attribute.checksum
    if checksum is None:
        return ()
    name = repr(field_name(attribute.id))
    plain = plain_cover(scope.struct, checksum)
    if plain is None:
        nothing = Line(f"self._follow({name}, {unknown_value(checksum)})")
        return (block(f"if not hasattr(self, {name}):", [nothing]),)
    computed = computed_text(scope, attribute, checksum, member(plain.id))
    source = scope.source_of(attribute)
    return (Line(f"{scope.use('check_checksum')}(self, {name}, {computed}, {source!r})"),)


def late_lines(scope: ClassScope, marks: Marks) -> Lines:
    """Has the checksums computed over what has been written, once it is complete."""
    lines: list[Line] = []
    for attribute, checksum in late_checksums(scope):
        begin, end = marks.begins[checksum.first], marks.ends[checksum.last]
        data = "data"
        if covers_own(scope.struct, attribute, checksum):
            offset = f"{marks.begins[attribute.id]} - ({begin})"
            data = f"{scope.use('replaced')}(data, {offset}, {own_size(attribute)}, {checksum.replace})"
        compute = f"lambda data: {computed_text(scope, attribute, checksum, data)}"
        source = scope.source_of(attribute)
        arguments = f"io, self, {field_name(attribute.id)!r}, {source!r}, {begin}, {end}, {compute}"
        line = Line(f"{scope.use('cover')}({arguments})")
        if attribute.condition is not None:
            line = block(f"if {scope.text(attribute.condition, attribute)}:", [line])
        lines.append(line)
    return tuple(lines)
