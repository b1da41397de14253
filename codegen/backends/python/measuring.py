"""Sizes that are known only after the bytes they measure have been written: ``size-of``.

If the width of the integer does not depend on its value, it is filled in afterwards. A varint is inserted in front of
the bytes that it counts.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...expression.types import IntegerType, VarintType
from ...plan import Field, TypePlan
from .encoding import packer_text
from .marks import Marks
from .scope import ClassScope, member
from .view import Lines


def measured(struct: TypePlan) -> tuple[str, ...]:
    """Return the fields that contain sizes of later fields."""
    return tuple(each.id for each in struct.fields if each.size_of is not None)


def is_inserted(field: Field) -> bool:
    """Return whether a field is written after the bytes it measures."""
    return field.size_of is not None and isinstance(field.type, VarintType)


def unmeasured_lines(scope: ClassScope) -> Iterator[str]:
    """Yield the statements that reserve space for sizes."""
    for name in measured(scope.struct):
        yield f"{member(name)} = 0"


def inserted_lines(scope: ClassScope, marks: Marks, written: Field) -> Iterator[str]:
    """Yield the statements after a field that insert sizes in front of the bytes they measure."""
    for field in reversed(scope.struct.fields):
        if field.size_of is not None and field.size_of[1] == written.id and isinstance(field.type, VarintType):
            yield _assigned(marks, field)
            begin = marks.begins[field.id]
            yield scope.code("insert_varint", begin=begin, kind=field.type, value=member(field.id), id=field.id)


def measured_lines(scope: ClassScope, marks: Marks) -> Lines:
    """Return the statements that fill in sizes after everything has been written."""
    lines: list[str] = []
    for field in scope.struct.fields:
        if field.size_of is None or not isinstance(field.type, IntegerType):
            continue
        begin, packer = marks.begins[field.id], packer_text(scope, field, field.type)
        value = scope.code("packed", packer=packer, names=repr(field.id), value=member(field.id))
        lines.append(_assigned(marks, field))
        lines.append(scope.code("overwritten", begin=begin, data=value))
    return tuple(lines)


def _assigned(marks: Marks, field: Field) -> str:
    assert field.size_of is not None
    first, last = field.size_of
    begin = marks.begins[first]
    end = marks.ends[last]
    return f"{member(field.id)} = {end} - ({begin})" if "+" in begin else f"{member(field.id)} = {end} - {begin}"
