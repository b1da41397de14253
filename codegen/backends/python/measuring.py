"""Sizes that are known only after the bytes they measure have been read or written: ``size-of``, and that of a stream
that its object must fill.

A writer fills in an integer afterwards if its width does not depend on its value. A varint is inserted in front of the
bytes that it counts.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...expression.nodes import Name
from ...expression.types import IntegerType, VarintType
from ...tree import Attribute, Struct
from .encoding import packer_text, varint_text
from .marks import Marks
from .scope import ClassScope, member
from .statements import when
from .view import Lines


def measured(struct: Struct) -> tuple[Attribute, ...]:
    """Return the fields that contain sizes of later fields."""
    return tuple(each for each in struct.attributes if each.size_of is not None)


def compared_lines(scope: ClassScope, marks: Marks) -> Lines:
    """Return the statements after all fields that refuse sizes other than those of the fields they are about."""
    sizes = [each for each in measured(scope.struct) if each.size_of is not None and each.size_of[1] in marks.ends]
    lines = [_compared(scope, each, scope.text(Name(each.id), each), _extent(marks, each)) for each in sizes]
    if scope.struct.fills_stream:
        lines.append(_compared(scope, None, "io.size()", "io.pos()"))
    return tuple(lines)


def _compared(scope: ClassScope, field: Attribute | None, stated: str, found: str) -> str:
    place = scope.struct.place if field is None else field.place
    refusal = scope.refusal("SizeError", (stated, found, "io", repr(place)), "length", loses=field is not None)
    return when(f"{found} != {stated}", [refusal])


def _extent(marks: Marks, field: Attribute) -> str:
    """Return the text of the size in bytes of the fields whose size a field is."""
    assert field.size_of is not None
    first, last = field.size_of
    begin, end = marks.begins[first], marks.ends[last]
    return f"{end} - ({begin})" if "+" in begin else f"{end} - {begin}"


def is_inserted(field: Attribute) -> bool:
    """Return whether a field is written after the bytes it measures."""
    return field.size_of is not None and isinstance(field.type, VarintType)


def unmeasured_lines(scope: ClassScope) -> Iterator[str]:
    """Yield the statements that reserve space for sizes."""
    for each in measured(scope.struct):
        yield f"{member(each.id)} = 0"


def inserted_lines(scope: ClassScope, marks: Marks, written: Attribute) -> Iterator[str]:
    """Yield the statements after a field that insert sizes in front of the bytes they measure."""
    for field in reversed(scope.struct.attributes):
        if field.size_of is not None and field.size_of[1] == written.id and isinstance(field.type, VarintType):
            yield _assigned(marks, field)
            number = varint_text(scope, field, field.type, member(field.id))
            yield f"io.insert({marks.begins[field.id]}, {number})"


def measured_lines(scope: ClassScope, marks: Marks) -> Lines:
    """Return the statements that fill in sizes after everything has been written."""
    lines: list[str] = []
    for field in scope.struct.attributes:
        if field.size_of is None or not isinstance(field.type, IntegerType):
            continue
        value = scope.call("packed", packer_text(scope, field, field.type), repr(field.id), member(field.id))
        lines += [_assigned(marks, field), f"io.overwrite({marks.begins[field.id]}, {value})"]
    return tuple(lines)


def _assigned(marks: Marks, field: Attribute) -> str:
    return f"{member(field.id)} = {_extent(marks, field)}"
