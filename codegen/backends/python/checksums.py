"""Checksums as statements: verified when an object has been read, computed when it is written."""

from __future__ import annotations

from ...model.model import Attribute, Checksum, Struct
from ...model.types import IntegerType
from ..base import refuse
from .fused import attribute_code
from .layout import minimum_size
from .marks import Marks, covered, covers_own, plain_cover
from .reading import byte_order
from .scope import ClassScope, member
from .view import Line, Lines, MethodView, block

ALL_ONES = 0xFFFFFFFF
ALGORITHMS = ("crc32c", "crc32")


def checksums(struct: Struct) -> tuple[tuple[Attribute, Checksum], ...]:
    """The attributes of a type that hold checksums."""
    return tuple((each, each.checksum) for each in struct.attributes if each.checksum is not None)


def verify_lines(scope: ClassScope, marks: Marks, only: frozenset[str] | None = None) -> Lines:
    """Verifies the checksums of a type; with ``only``, those whose attribute is named."""
    lines: list[Line] = []
    for attribute, checksum in checksums(scope.struct):
        if only is None or attribute.id in only:
            lines.extend(_verify(scope, marks, attribute, checksum))
    return tuple(lines)


def _verify(scope: ClassScope, marks: Marks, attribute: Attribute, checksum: Checksum) -> Lines:
    stored, source = member(attribute.id), scope.source_of(attribute)
    plain = plain_cover(scope.struct, checksum)
    lines: Lines = ()
    data = "covered"
    if plain is not None:
        data = member(plain.id)
    else:
        begin, end = marks.begins[checksum.first], marks.ends[checksum.last]
        lines += (Line(f"covered = {scope.use('wire_bytes')}(io, {begin}, {end})"),)
        lines += _blank_own(scope, marks, attribute, checksum)
    error = f"{scope.use('ChecksumError')}(expected, {stored}, io, {source!r})"
    lines += (
        Line(f"expected = {_computed(scope, attribute, checksum, data)}"),
        block(f"if expected != {stored}:", [Line(f"self._refuse({error}, 'checksum')")]),
    )
    return lines if attribute.condition is None else (block(f"if {stored} is not None:", lines),)


def _blank_own(scope: ClassScope, marks: Marks, attribute: Attribute, checksum: Checksum) -> Lines:
    if not covers_own(scope.struct, attribute, checksum):
        return ()
    own, begin = marks.begins[attribute.id], marks.begins[checksum.first]
    offset = "0" if own == begin else f"{own} - ({begin})" if "+" in begin else f"{own} - {begin}"
    size = _own_size(attribute)
    return (Line(f"covered = {scope.use('replaced')}(covered, {offset}, {size}, {checksum.replace})"),)


def _own_size(attribute: Attribute) -> int:
    if not isinstance(attribute.type, IntegerType) or attribute.repeat is not None or attribute.switch is not None:
        refuse(attribute.position, f"the checksum '{attribute.id}' must be an integer")
    return attribute.type.size


def _computed(scope: ClassScope, attribute: Attribute, checksum: Checksum, data: str) -> str:
    if checksum.algorithm not in ALGORITHMS:
        refuse(attribute.position, f"the checksum algorithm '{checksum.algorithm}' is not known here")
    _own_size(attribute)
    if checksum.initial == checksum.final_xor == ALL_ONES:
        return f"{scope.use(f'standard_{checksum.algorithm}')}({data})"
    function = scope.use("checksum")
    return f"{function}({checksum.algorithm!r}, {data}, {checksum.initial:#x}, {checksum.final_xor:#x})"


# Writing ------------------------------------------------------------------------------------------------------------


def early_lines(scope: ClassScope) -> Lines:
    """The checksums that can be computed before anything is written; the others hold 0 until they are known."""
    lines: list[Line] = []
    for attribute, checksum in checksums(scope.struct):
        plain = plain_cover(scope.struct, checksum)
        value = _computed(scope, attribute, checksum, member(plain.id)) if plain is not None else "0"
        lines.extend(_when_present(scope, attribute, (Line(f"{member(attribute.id)} = {value}"),)))
    return tuple(lines)


def late_lines(scope: ClassScope, marks: Marks) -> Lines:
    """The checksums over what has been written, each after those that lie in its range, put into their places."""
    waiting = [each for each in checksums(scope.struct) if plain_cover(scope.struct, each[1]) is None]
    lines: list[Line] = []
    while waiting:
        names = {attribute.id for attribute, _ in waiting}
        ready = [each for each in waiting if not (_inside(scope.struct, each[1]) & names) - {each[0].id}]
        if not ready:
            refuse(waiting[0][0].position, "these checksums cover each other")
        for attribute, checksum in ready:
            lines.extend(_when_present(scope, attribute, _late(scope, marks, attribute, checksum)))
        waiting = [each for each in waiting if each not in ready]
    return tuple(lines)


def _inside(struct: Struct, checksum: Checksum) -> set[str]:
    return {each.id for each in covered(struct, checksum)}


def _late(scope: ClassScope, marks: Marks, attribute: Attribute, checksum: Checksum) -> Lines:
    stored = member(attribute.id)
    begin, end, own = marks.begins[checksum.first], marks.ends[checksum.last], marks.begins[attribute.id]
    order = byte_order(attribute.type.endian) if isinstance(attribute.type, IntegerType) else "<"
    packer = scope.module.packer(scope.struct.path, attribute.id, order + attribute_code(attribute))
    return (
        Line(f"covered = io.written({begin}, {end})"),
        *_blank_own(scope, marks, attribute, checksum),
        Line(f"{stored} = {_computed(scope, attribute, checksum, 'covered')}"),
        Line(f"io.overwrite({own}, {packer}.pack({stored}))"),
    )


def _when_present(scope: ClassScope, attribute: Attribute, lines: Lines) -> Lines:
    if attribute.condition is None:
        return lines
    return (block(f"if {scope.text(attribute.condition, attribute)}:", lines),)


# For readers that look for rows -------------------------------------------------------------------------------------


def covers_method(scope: ClassScope) -> MethodView | None:
    """Whether the checksums of an object cover any byte: one over nothing holds everywhere, and proves nothing."""
    found = checksums(scope.struct)
    if not found:
        return None
    attributes = {each.id: each for _, checksum in found for each in covered(scope.struct, checksum)}
    constant = any(
        each.repeat is None and minimum_size(scope.spec, each) > 0 and each.condition is None
        for each in attributes.values()
    )
    text = "True" if constant else f"bool({' or '.join(member(each.id) for each in attributes.values())})"
    return MethodView(
        signature=f"_covers_bytes(self) -> {scope.annotations.builtin('bool')}",
        lines=(Line(f"return {text}"),),
        doc="Whether the checksums cover any byte at all.",
        decorators=("property",),
    )
