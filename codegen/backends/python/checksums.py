"""Checksums as statements: verified when an object has been read, computed when it is written."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from wireloom.checksums import CHECKSUMS, Digest, crc

from ...expression.types import BytesType, IntegerType, Path, UserType
from ...model.model import Attribute, Checksum, Struct
from ...plan.covers import checksums, covered, covers_own, plain_cover
from ...plan.sizes import fixed_size, structs
from ..base import refuse
from .api import Api
from .fused import attribute_code
from .marks import Marks
from .module import Module
from .names import field_name
from .scope import ClassScope, member
from .struct_codes import byte_order
from .view import Line, Lines, MethodView, block


def digest_of(checksum: Checksum) -> Digest | None:
    """The digest that the rule is about; ``None`` where it is about a CRC."""
    found = CHECKSUMS[checksum.algorithm]
    return found if isinstance(found, Digest) else None


def unknown_value(checksum: Checksum) -> str:
    """The text of what the field holds until the checksum is known."""
    digest = digest_of(checksum)
    return "0" if digest is None else f"bytes({digest.size})"


def verify_lines(scope: ClassScope, marks: Marks, only: frozenset[str] | None = None) -> Lines:
    """Verifies the checksums of a type; with ``only``, those whose attribute is named."""
    lines: list[Line] = []
    for attribute, checksum in checksums(scope.struct):
        if only is None or attribute.id in only:
            lines.extend(_verify(scope, marks, attribute, checksum))
    return tuple(lines)


def _verify(scope: ClassScope, marks: Marks, attribute: Attribute, checksum: Checksum) -> Lines:
    stored, source = member(attribute.id), scope.source_of(attribute)
    first, value = computed(
        scope, marks, attribute, checksum, lambda begin, end: f"{scope.use('wire_bytes')}(io, {begin}, {end})"
    )
    error = f"{scope.use('ChecksumError')}(expected, {stored}, io, {source!r})"
    reason = "checksum" if digest_of(checksum) is None else "digest"
    refused = f"raise {error}" if scope.module.api is Api.KAITAI else f"self._refuse({error}, {reason!r})"
    lines = (
        *first,
        Line(f"expected = {value}"),
        block(f"if expected != {stored}:", [Line(refused)]),
    )
    if attribute.condition is None:
        return lines
    own = scope.module.api is Api.WIRELOOM
    there = f"{stored} is not None" if own else f"hasattr(self, {field_name(attribute.id)!r})"
    return (block(f"if {there}:", lines),)


def computed(
    scope: ClassScope, marks: Marks, attribute: Attribute, checksum: Checksum, wire: Callable[[str, str], str]
) -> tuple[Lines, str]:
    """Statements to go first, and the text of the checksum of what has been read; ``wire`` is the text of the bytes
    between two marks."""
    plain = plain_cover(scope.struct, checksum)
    if plain is not None:
        return (), computed_text(scope, attribute, checksum, member(plain.id))
    begin, end = marks.begins[checksum.first], marks.ends[checksum.last]
    lines = (Line(f"covered = {wire(begin, end)}"), *_blank_own(scope, marks, attribute, checksum))
    return lines, computed_text(scope, attribute, checksum, "covered")


def _blank_own(scope: ClassScope, marks: Marks, attribute: Attribute, checksum: Checksum) -> Lines:
    if not covers_own(scope.struct, attribute, checksum):
        return ()
    own, begin = marks.begins[attribute.id], marks.begins[checksum.first]
    offset = "0" if own == begin else f"{own} - ({begin})" if "+" in begin else f"{own} - {begin}"
    size = own_size(attribute)
    return (Line(f"covered = {scope.use('replaced')}(covered, {offset}, {size}, {checksum.replace})"),)


def own_size(attribute: Attribute) -> int:
    """The bytes of a checksum that is an integer."""
    if not isinstance(attribute.type, IntegerType) or attribute.repeat is not None or attribute.switch is not None:
        refuse(attribute.position, f"the checksum '{attribute.id}' must be an integer")
    return attribute.type.size


def computed_text(scope: ClassScope, attribute: Attribute, checksum: Checksum, data: str) -> str:
    """The checksum of the bytes ``data``."""
    digest = digest_of(checksum)
    if digest is not None:
        if not isinstance(attribute.type, BytesType) or fixed_size(attribute) != digest.size:
            refuse(attribute.position, f"the digest '{attribute.id}' must be {digest.size} bytes")
        return f"{scope.module.checksum(checksum.algorithm, 'digest_function', ())}({data})"
    own_size(attribute)
    standard = crc(checksum.algorithm)
    parameters = (checksum.initial, checksum.final_xor)
    given = () if parameters == (standard.initial, standard.final_xor) else parameters
    return f"{scope.module.checksum(checksum.algorithm, 'crc_function', given)}({data})"


# Writing ------------------------------------------------------------------------------------------------------------


def early_lines(scope: ClassScope) -> Lines:
    """The checksums that can be computed before anything is written; the others hold 0 until they are known."""
    lines: list[Line] = []
    for attribute, checksum in checksums(scope.struct):
        plain = plain_cover(scope.struct, checksum)
        if plain is None:
            value = unknown_value(checksum)
        else:
            value = computed_text(scope, attribute, checksum, member(plain.id))
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
    written = stored
    if digest_of(checksum) is None:
        written = f"{_packer(scope, attribute)}.pack({stored})"
    return (
        Line(f"covered = io.written({begin}, {end})"),
        *_blank_own(scope, marks, attribute, checksum),
        Line(f"{stored} = {computed_text(scope, attribute, checksum, 'covered')}"),
        Line(f"io.overwrite({own}, {written})"),
    )


def _packer(scope: ClassScope, attribute: Attribute) -> str:
    order = byte_order(attribute.type.endian) if isinstance(attribute.type, IntegerType) else "<"
    return scope.module.packer(scope.struct.path, attribute.id, order + attribute_code(attribute))


def _when_present(scope: ClassScope, attribute: Attribute, lines: Lines) -> Lines:
    if attribute.condition is None:
        return lines
    return (block(f"if {scope.text(attribute.condition, attribute)}:", lines),)


# For readers that look for rows -------------------------------------------------------------------------------------


def covers_method(scope: ClassScope) -> MethodView | None:
    """Whether the checksums of an object, or of what is inside it, cover any byte; nothing where there are none.

    One over nothing holds everywhere, and so proves nothing.
    """
    checked = _checked_types(scope.module)
    if scope.struct.path not in checked:
        return None
    terms = [_own_term(scope, attribute, checksum) for attribute, checksum in checksums(scope.struct)]
    for attribute in scope.struct.attributes:
        if not checked.isdisjoint(_held(attribute)):
            terms.append(_inner_term(attribute))
    text = "True" if "True" in terms else f"bool({' or '.join(terms)})"
    return MethodView(
        signature=f"_covers_bytes(self) -> {scope.annotations.builtin('bool')}",
        lines=(Line(f"return {text}"),),
        decorators=("property",),
    )


@lru_cache(maxsize=4)
def _checked_types(module: Module) -> frozenset[Path]:
    """The types whose objects have checksums, or hold objects that do, at any depth."""
    everything = [each for spec in (module.spec, *module.spec.imports) for each in structs(spec.root)]
    holders: dict[Path, list[Path]] = {}
    for struct in everything:
        for attribute in struct.attributes:
            for path in _held(attribute):
                holders.setdefault(path, []).append(struct.path)
    found: set[Path] = set()
    waiting = [each.path for each in everything if checksums(each)]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting.extend(holders.get(path, ()))
    return frozenset(found)


def _held(attribute: Attribute) -> list[Path]:
    types = [case.type for case in attribute.switch.cases] if attribute.switch else [attribute.type]
    return [each.path for each in types if isinstance(each, UserType)]


def _own_term(scope: ClassScope, attribute: Attribute, checksum: Checksum) -> str:
    attributes = covered(scope.struct, checksum)
    sure = any(
        each.repeat is None and scope.module.minimums.of(each) > 0 and each.condition is None for each in attributes
    )
    text = "True" if sure else " or ".join(member(each.id) for each in attributes)
    if attribute.condition is None:
        return text
    present = f"{member(attribute.id)} is not None"
    return f"({present})" if sure else f"({present} and ({text}))"


def _inner_term(attribute: Attribute) -> str:
    value = member(attribute.id)
    if attribute.repeat is not None:
        values = value if attribute.condition is None else f"({value} or ())"
        inner = "getattr(each, '_covers_bytes', False)" if attribute.switch is not None else "each._covers_bytes"
        return f"any({inner} for each in {values})"
    if attribute.switch is not None:
        return f"getattr({value}, '_covers_bytes', False)"
    text = f"{value}._covers_bytes"
    return text if attribute.condition is None else f"({value} is not None and {text})"
